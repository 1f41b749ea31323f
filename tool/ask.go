package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/baileyhq/bailey/workspace"
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
}

// ApprovalRequest shows a call to the operator, whole.
type ApprovalRequest struct {
	Tool      string          `json:"tool"`
	Op        workspace.Op    `json:"op"`
	Args      json.RawMessage `json:"args"`
	Paths     []string        `json:"paths"`    // real paths that the call names
	Objects   []string        `json:"objects"`  // real paths for which the policy asks, those beneath a directory included
	Rule      string          `json:"rule"`     // the rule that asks
	Message   string          `json:"message"`  // of that rule
	Diff      string          `json:"diff"`     // of a write or an edit
	DiffCut   bool            `json:"diff_cut"` // the diff was too long to be shown whole
	Workspace string          `json:"workspace"`
	Task      string          `json:"task"`
	Session   string          `json:"session"`
	Principal string          `json:"principal"`
	Group     string          `json:"group"`
	// Digest binds an approval to everything that matters: tool, arguments, real
	// paths, the contents that are replaced and written, and the policy.
	Digest string `json:"digest"`
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
	approval, err := t.Ask(ctx, r)
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
	return c.resume(ctx)
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
	case ApprovalDenied, ApprovalTimeout, ApprovalPending, Cancelled, Timeout:
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
	digest, err := json.Marshal([]any{r.Tool, c.args, r.Paths, r.Objects, before, after, t.Policy.Version(), r.Workspace, r.Task, r.Session, r.Principal, r.Group})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(digest)
	r.Digest = hex.EncodeToString(sum[:])
	return r, nil
}
