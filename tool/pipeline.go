package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// stages is the way of every call, in this order. The first error ends it; the
// record stage follows in any case, so that a refusal is recorded like a success.
var stages = []struct {
	name string
	run  func(*Toolbox, context.Context, *call) error
}{
	{"decode", (*Toolbox).decode},
	{"operation", (*Toolbox).operation},
	{"resolve", (*Toolbox).resolve},
	{"decide", (*Toolbox).decide},
	{"ask", (*Toolbox).ask},
	{"intend", (*Toolbox).intend},
	{"act", (*Toolbox).act},
}

// decode finds the tool and reads the arguments.
func (t *Toolbox) decode(_ context.Context, c *call) error {
	s, ok := t.specs[c.req.Tool]
	if !ok {
		return fail(InvalidArgument, unknownName("tool", c.req.Tool, c.req.Tool, Names()).Error())
	}
	c.spec = s
	c.rec.Op = string(s.op)
	args := s.newArgs()
	if err := decodeArgs(c.req.Args, args); err != nil {
		return fail(InvalidArgument, fmt.Sprintf("%s: %v", s.name, err))
	}
	c.args = args
	if s.command != nil {
		c.command = s.command(args)
		c.noteCommand()
	}
	if s.check != nil {
		if err := s.check(args); err != nil {
			return err
		}
	}
	c.addTargets()
	c.changes = changes(s.uses(args)) || c.command != nil
	c.notePaths()
	return nil
}

func (c *call) addTargets() {
	for _, u := range c.spec.uses(c.args) {
		c.targets = append(c.targets, &target{use: u, name: text.ParseName(u.path)})
	}
}

// operation checks that the task grants what the tool does.
func (t *Toolbox) operation(_ context.Context, c *call) error {
	return t.grants(c.spec.name, c.spec.op)
}

// grants refuses what the task does not grant.
func (t *Toolbox) grants(tool string, op workspace.Op) error {
	task := t.Workspace.Task()
	if task.Has(op) {
		return nil
	}
	hint := "no task type grants it"
	if names := workspace.Granting(t.Workspace.TaskTypes(), op); len(names) > 0 {
		hint = "task types that grant it: " + strings.Join(names, ", ")
	}
	return &Error{
		Kind: OpDenied,
		Rule: "task:" + task.Name,
		Message: fmt.Sprintf("%s needs the operation %q, which the task type %q does not grant (%s); only the operator can change the task type",
			tool, op, task.Name, hint),
	}
}

// resolve turns each path into an object below an allowed folder. From here on
// nobody looks at the path again but for messages.
//
// Calls of this process that change one real path take turns, from here to their
// end but for the time in which they wait for a human. The turn can only be
// taken when the real path is known; if the object was replaced until then, by
// the call before, the path is resolved anew.
func (t *Toolbox) resolve(ctx context.Context, c *call) error {
	for try := 1; ; try++ {
		if err := t.resolveAll(ctx, c); err != nil {
			return err
		}
		if !c.changes {
			break
		}
		err := c.lockPaths(ctx)
		if err == nil {
			err = c.verify(ctx)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, jail.ErrChanged) || try == maxResolves {
			return err
		}
		c.unlockPaths()
		c.closeObjects()
	}
	c.noteObjects()
	return nil
}

// maxResolves bounds how often a path is resolved that others keep replacing.
const maxResolves = 64

func (c *call) lockPaths(ctx context.Context) (err error) {
	c.unlock, err = c.box.locks.lock(ctx, c.changed())
	return err
}

// verify checks that the paths still name the objects that were found.
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

func (t *Toolbox) resolveAll(ctx context.Context, c *call) error {
	for i, g := range c.targets {
		if err := t.resolveTarget(ctx, c, g); err != nil {
			if !g.lenient || ctx.Err() != nil {
				return t.deniedBefore(ctx, c, c.targets[:i], err)
			}
			g.err = asError(err)
		}
	}
	if c.command != nil {
		return t.resolveCommand(ctx, c)
	}
	return nil
}

// deniedBefore is the answer where a path can't be resolved: that one before it is
// denied, if so. To be told of the other one would tell that the first exists.
func (t *Toolbox) deniedBefore(ctx context.Context, c *call, found []*target, err error) error {
	for _, g := range found {
		if g.obj == nil {
			continue
		}
		if v, jerr := t.judge(ctx, c.access(g)); jerr == nil && v.Action == policy.Deny {
			return denial(g.path, v)
		}
	}
	return err
}

// decide has the policy judge each object, and each that lies beneath where the
// call is recursive. The strictest verdict wins.
func (t *Toolbox) decide(ctx context.Context, c *call) error {
	if c.command != nil {
		return t.decideCommand(ctx, c)
	}
	for i, g := range c.targets {
		if g.err != nil {
			continue
		}
		var dest *target
		if i == 0 && len(c.targets) == 2 && !g.lenient {
			dest = c.targets[1] // a copy or a move: what lies beneath is judged at both ends
		}
		if err := t.decideTarget(ctx, c, g, dest); err != nil {
			if !g.lenient || ctx.Err() != nil {
				return err
			}
			g.err = asError(err)
		}
	}
	return nil
}

// intend makes a record durable before anything changes.
func (t *Toolbox) intend(ctx context.Context, c *call) error {
	if !c.changes {
		return nil
	}
	intent := c.rec
	intent.Phase, intent.Durable = audit.PhaseIntent, true
	if err := t.Audit.Append(ctx, &intent); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	c.intended = true
	return nil
}

// act does what was asked, on the objects that were judged.
func (t *Toolbox) act(ctx context.Context, c *call) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	// To use the approval up and to record the intent takes as long as the disk
	// wants, which is long enough for somebody to swap a file.
	if c.waited && c.changes {
		if err := t.stillShown(ctx, c); err != nil {
			return err
		}
	}
	c.output, c.data, err = c.spec.act(ctx, c, c.args)
	if err == nil && c.waited && !c.changes {
		err = t.stillShown(ctx, c)
	}
	return err
}

// resolveTarget opens the object of a path.
func (t *Toolbox) resolveTarget(ctx context.Context, c *call, g *target) error {
	g.requested = t.absolute(g.name)
	obj, err := t.Workspace.Jail().Resolve(ctx, g.name, g.how)
	if err == nil {
		g.obj, g.id = obj, obj.Info().ID()
		obj.OnMade(t.confirm(ctx, g))
		if obj.IsRoot() && (g.recursive || g.how == jail.Entry) && g.effect&policy.Change != 0 {
			return asError(&fs.PathError{Op: "change", Path: g.path, Err: jail.ErrRoot})
		}
		return nil
	}
	e := asError(err)
	switch {
	case e.Kind == PathEscape, e.Kind == Cancelled, e.Kind == Timeout, errors.Is(err, jail.ErrInvalid):
		return e
	}
	// Whether something exists at a path that is denied, and what, is not told either.
	if denied := t.decideAbsent(ctx, c, g); denied != nil {
		return denied
	}
	if e.Kind == NotFound && g.optional {
		return nil
	}
	return e
}

// decideAbsent judges a path at which nothing could be resolved.
func (t *Toolbox) decideAbsent(ctx context.Context, c *call, g *target) error {
	g.real = g.requested
	if obj, err := t.Workspace.Jail().Resolve(ctx, g.name, jail.Target); err == nil {
		g.real = obj.Real()
		obj.Close()
	}
	if v := t.Policy.Judge(c.access(g)); v.Action == policy.Deny {
		return denial(g.path, v)
	}
	return nil
}
