package tool

import (
	"context"
	"fmt"
)

// Asker asks the operator whether a call may go on, and waits for the answer as
// long as ctx lets it. Only an Approval lets the call go on: an error refuses it.
// It should be an [*Error] of kind approval_denied, approval_timeout or
// approval_pending; any other error is taken for a denial. An Approval that comes
// with an error gives only the ID of the request that was not approved. An Asker
// must be safe for concurrent use.
type Asker func(ctx context.Context, r *ApprovalRequest) (*Approval, error)

// Approval is the operator's consent.
type Approval struct {
	ID string // for the audit record
	// Claim uses the approval up, so that it serves one call only. It is called
	// when all was checked again after the wait, directly before anything is done;
	// an error refuses the call. Nil means that there is nothing to use up.
	Claim func(ctx context.Context) error
}

// ask waits for the operator where the policy says so. What was approved is what
// happens: after the wait everything is found, judged and worked out once more,
// and must be what the operator was shown.
func (t *Toolbox) ask(ctx context.Context, c *call) error {
	if len(c.supervised) == 0 {
		return nil
	}
	rule := c.supervised[0].verdict.Rule
	c.rec.Rule = rule
	if c.req.Operator {
		c.rec.Approval = byOperator
		c.agree()
		return nil
	}
	if t.Ask == nil {
		return &Error{
			Kind: ApprovalDenied, Rule: rule,
			Message: fmt.Sprintf("%s needs the operator's approval (%s), and nobody can be asked here; it was not carried out", c.subject(), rule),
		}
	}
	r, err := t.approvalRequest(ctx, c)
	if err != nil {
		return err
	}
	approval, err := t.await(ctx, c, r)
	if err != nil {
		return err
	}
	if err := t.again(ctx, c, r); err != nil {
		return err
	}
	c.waited, c.shown, c.contents = true, r.Digest, r.Contents
	c.agree()
	if approval.Claim == nil {
		return nil
	}
	if err := approval.Claim(ctx); err != nil {
		return refused(err, rule)
	}
	return nil
}

// byOperator stands in the record of a call that the operator has typed, in place
// of an approval's ID.
const byOperator = "operator"

// agree notes what a human has agreed to.
func (c *call) agree() {
	for _, a := range c.supervised {
		c.approved[a.real] = true
	}
}

// subject names what is asked about.
func (c *call) subject() string {
	if real := c.supervised[0].real; real != "" {
		return shown(c.box.display(real))
	}
	return "this command"
}

// await asks. Meanwhile the call holds no slot, no lock, and of objects only
// those that it would change.
func (t *Toolbox) await(ctx context.Context, c *call, r *ApprovalRequest) (approval *Approval, err error) {
	c.unlockPaths()
	c.exit()
	c.preview = nil // it may be large, and is worked out again
	if c.command != nil || !c.changes {
		c.closeObjects()
	}
	wait(ctx, func() { approval, err = t.Ask(ctx, r) })
	if approval != nil {
		c.rec.Approval = approval.ID
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, refused(err, r.Rule)
	case approval == nil:
		return nil, refused(fail(ApprovalDenied, "the operator did not approve this"), r.Rule)
	}
	return approval, nil
}

func refused(err error, rule string) error {
	if kind := asError(err).Kind; kind == Cancelled || kind == Timeout {
		return err
	}
	e := asError(err)
	switch e.Kind {
	case ApprovalDenied, ApprovalTimeout, ApprovalPending, LimitExceeded, Conflict:
	default:
		e = &Error{Kind: ApprovalDenied, Message: "the operator could not be asked; the call was not carried out", Err: err}
	}
	named := *e
	named.Rule = rule
	return &named
}

// again takes the stages up to the question once more after a wait.
func (t *Toolbox) again(ctx context.Context, c *call, was *ApprovalRequest) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	before := c.startOver()
	defer closeTargets(before)
	is, err := t.rework(ctx, c)
	if err != nil {
		return changedMeanwhile(ctx, err, was)
	}
	if is.Digest != was.Digest || !sameObjects(before, c.targets) {
		return conflict(was, nil)
	}
	return nil
}

func (t *Toolbox) rework(ctx context.Context, c *call) (*ApprovalRequest, error) {
	if err := t.resolve(ctx, c); err != nil {
		return nil, err
	}
	if err := t.decide(ctx, c); err != nil {
		return nil, err
	}
	if len(c.supervised) == 0 {
		return nil, fail(Conflict, "nothing is left to be asked about")
	}
	return t.approvalRequest(ctx, c)
}

// startOver makes the targets anew, and returns what they were: objects that are
// still open keep their identity for themselves.
func (c *call) startOver() []*target {
	before := c.targets
	c.targets, c.supervised, c.preview = nil, nil, nil
	c.addTargets()
	return before
}

// sameObjects reports whether the targets lead to the objects that they led to
// before. A content that is the same is not enough for a change: the one who has
// put it there may keep a hand on it.
func sameObjects(before, after []*target) bool {
	for i := range before {
		if before[i].id != after[i].id {
			return false
		}
	}
	return len(before) == len(after)
}

// changedMeanwhile is the answer when a call can't be worked out again after a
// wait as it could before.
func changedMeanwhile(ctx context.Context, err error, was *ApprovalRequest) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch e := asError(err); {
	case e.Kind.refusal(), e.Kind == Cancelled, e.Kind == Timeout, e.Kind == Internal:
		return err
	default:
		return conflict(was, err)
	}
}

func conflict(was *ApprovalRequest, cause error) error {
	return &Error{
		Kind: Conflict, Rule: was.Rule, Err: cause,
		Message: "what the operator was shown is not what is there any more, so that the approval does not cover it; look again and retry",
	}
}

// stillShown checks once more that what is there is what the operator agreed to:
// right before a call changes something, and after it has read something, since
// a file that was rewritten in between must not be told.
func (t *Toolbox) stillShown(ctx context.Context, c *call) error {
	r, err := t.approvalRequest(ctx, c)
	if err == nil && r.Digest == c.shown {
		return nil
	}
	was := &ApprovalRequest{Rule: c.rec.Rule}
	if err != nil {
		return changedMeanwhile(ctx, err, was)
	}
	return conflict(was, nil)
}
