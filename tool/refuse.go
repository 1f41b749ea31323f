package tool

import "context"

// Refuse answers a call that a face can't hand over: one whose message has no
// arguments to decode, or that was cancelled before its turn came. It takes the
// last stage of the pipeline and no other: the call is recorded with reason, and
// nothing is done.
func (t *Toolbox) Refuse(ctx context.Context, r Request, reason *Error) *Result {
	if t.broken != nil {
		return failed(t.broken)
	}
	c := t.newCall(r)
	if s, known := t.specs[r.Tool]; known {
		c.rec.Op = string(s.op)
	}
	if err := t.record(ctx, c, reason); err != nil {
		return failed(asError(c.unrecorded(err)))
	}
	return failed(reason)
}
