package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Asker asks the operator whether a call may go on, and waits for the answer as
// long as ctx lets it. Only an Approval lets the call go on: an error refuses it.
// It should be an [*Error] of kind approval_denied, approval_timeout or
// approval_pending; any other error is taken for a denial. An Asker must be safe
// for concurrent use.
type Asker func(ctx context.Context, r *ApprovalRequest) (*Approval, error)

// Approval is the operator's consent.
type Approval struct {
	ID string // for the audit record
	// Claim uses the approval up, so that it serves one call only. It is called
	// when all was checked again after the wait, directly before anything is done;
	// an error refuses the call. Nil means that there is nothing to use up.
	Claim func(ctx context.Context) error
}

// ask waits for the operator where the policy says so. Afterwards each path must
// still name the object that was shown.
func (t *Toolbox) ask(ctx context.Context, c *call) error {
	if len(c.supervised) == 0 {
		return nil
	}
	first := c.supervised[0]
	c.rec.Rule = first.verdict.Rule
	if t.Ask == nil {
		return &Error{
			Kind: ApprovalDenied, Rule: first.verdict.Rule,
			Message: fmt.Sprintf("%s needs the operator's approval (%s), and nobody can be asked here; it was not carried out",
				shown(t.display(first.real)), first.verdict.Rule),
		}
	}
	r, err := t.approvalRequest(ctx, c)
	if err != nil {
		return err
	}
	c.unlockPaths()
	c.exit()
	var approval *Approval
	wait(ctx, func() { approval, err = t.Ask(ctx, r) })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return refused(err, first.verdict.Rule)
	case approval == nil:
		return refused(fail(ApprovalDenied, "the operator did not approve this"), first.verdict.Rule)
	}
	c.waited = true
	c.rec.Approval = approval.ID
	for _, a := range c.supervised {
		c.approved[a.real] = true
	}
	if err := c.resume(ctx); err != nil || approval.Claim == nil {
		return err
	}
	return approval.Claim(ctx)
}

// resume takes the slot and the locks again after a wait.
func (c *call) resume(ctx context.Context) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	if c.changes {
		if err := c.lockPaths(ctx); err != nil {
			return err
		}
	}
	return c.verify(ctx)
}

// verify checks after a wait that the paths still name the objects that were judged.
func (c *call) verify(ctx context.Context) error {
	for _, g := range c.targets {
		if g.obj == nil || g.err != nil {
			continue
		}
		if err := g.obj.Verify(ctx); err != nil {
			return err
		}
	}
	return nil
}

func refused(err error, rule string) error {
	e := asError(err)
	switch e.Kind {
	case ApprovalDenied, ApprovalTimeout, ApprovalPending, LimitExceeded, Conflict, Cancelled, Timeout:
	default:
		e = &Error{Kind: ApprovalDenied, Message: "the operator could not be asked; the call was not carried out", Err: err}
	}
	named := *e
	named.Rule = rule
	return &named
}

func (t *Toolbox) approvalRequest(ctx context.Context, c *call) (*ApprovalRequest, error) {
	first := c.supervised[0]
	r := &ApprovalRequest{
		Tool: c.spec.name, Op: c.spec.op, Args: c.req.Args, Rule: first.verdict.Rule, Message: first.verdict.Message,
		Workspace: t.Workspace.Root(), Task: t.Workspace.Task().Name,
		Rules:   []RuleView{{first.verdict.Rule, first.verdict.Message}},
		Session: c.req.Session, Principal: c.req.Principal, Group: c.req.Group,
	}
	for _, g := range c.targets {
		r.Paths = append(r.Paths, g.Real())
	}
	for _, a := range c.supervised {
		r.Objects = append(r.Objects, a.real)
	}
	before, after := "", ""
	if c.spec.preview != nil {
		p, err := c.spec.preview(ctx, c, c.args)
		if err != nil {
			return nil, err
		}
		c.preview = p
		r.Diff, r.DiffCut = p.diff()
		before, after = p.before.sha256, p.after
	}
	digest, err := json.Marshal([]any{r.Tool, c.args, r.Paths, r.Objects, before, after, t.Policy.Version(), r.Workspace, r.Task, r.Principal, r.Group})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(digest)
	r.Digest = hex.EncodeToString(sum[:])
	return r, nil
}
