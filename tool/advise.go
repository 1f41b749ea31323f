package tool

import (
	"context"
	"strings"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// Consultation is a call that another program is about to make by means of its
// own, put as one of Bailey's tools.
type Consultation struct {
	Request
	By string       // the program, and its name for what it does: for the record
	Op workspace.Op // what the call needs, for a tool that this toolbox does not have
}

// Advise judges a call that another program will make, and records the verdict.
// Nothing is done and nobody is asked. It is advice and no wall: between it and
// the act the program may do something else, and the path may come to name
// something else. The record's detail begins with "advisory".
//
// A command is judged as one of Bailey's own, but that no path outside of the
// allowed folders is taken for the sandbox's: there is none.
//
// Of a tool that this toolbox does not have, only the operation and the tool
// policy can be judged: what they do not deny is supervised.
//
// Where the record can't be written, the verdict is deny with audit_unavailable.
func (t *Toolbox) Advise(ctx context.Context, q Consultation) *Verdict {
	if t.broken != nil {
		return t.Check(ctx, q.Request)
	}
	c := t.newCall(q.Request)
	defer c.close()
	c.foreign = true
	v := newVerdict()
	if _, known := t.specs[q.Tool]; known {
		v.check(ctx, t, c)
	} else {
		v.checkForeign(t, c, q.Op)
	}
	if err := t.recordAdvice(ctx, c, q.By, v); err != nil {
		v.refuse("record", asError(c.unrecorded(err)))
	}
	return v
}

// checkForeign judges a tool without knowing what its arguments mean.
func (v *Verdict) checkForeign(t *Toolbox, c *call, op workspace.Op) {
	c.rec.Op = string(op)
	if err := t.grants(c.req.Tool, op); err != nil {
		v.refuse("operation", asError(err))
		return
	}
	v.step("operation", "", policy.Allow)
	judged := t.Policy.Tool(c.req.Tool)
	v.step(judged.Stage, judged.Rule, judged.Action)
	if judged.Action == policy.Deny {
		e := denial(c.req.Tool, judged)
		v.Verdict, v.Rule, v.Kind, v.Message = policy.Deny.String(), e.Rule, e.Kind, e.Message
		return
	}
	v.Verdict, v.Rule, v.Message = policy.Supervised.String(), judged.Rule, "what it would do is not judged"
}

// recordAdvice writes the one record of a consultation: a verdict of supervised
// is recorded as allowed, for Bailey does not learn what became of it.
func (t *Toolbox) recordAdvice(ctx context.Context, c *call, by string, v *Verdict) error {
	detail := []string{"advisory", by, v.Verdict}
	if v.Message != "" {
		detail = append(detail, v.Message)
	}
	c.rec.Rule = v.Rule
	if v.Verdict == policy.Deny.String() {
		return t.record(ctx, c, &Error{Kind: v.Kind, Rule: v.Rule, Message: strings.Join(detail, ": ")})
	}
	c.rec.Detail = clip(strings.Join(detail, ": "), maxDetail)
	return t.record(ctx, c, nil)
}
