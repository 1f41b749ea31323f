package tool

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// maxBeneath bounds the entries that a recursive act may affect: each is judged
// before the act begins.
const maxBeneath = 1 << 20

// asked is something that the policy wants a human to agree to.
type asked struct {
	real    string
	verdict policy.Verdict
}

// decideTarget judges the object of a target and what lies beneath it.
func (t *Toolbox) decideTarget(ctx context.Context, c *call, g, dest *target) error {
	if g.obj == nil {
		return nil // nothing is there; decideAbsent has judged the path
	}
	access := c.access(g)
	v, err := t.judge(ctx, access)
	if err != nil {
		return err
	}
	g.verdict = v
	if err := c.take(g.path, g.obj.Real(), v); err != nil {
		return err
	}
	if err := c.refuseSpecial(g); err != nil {
		return err
	}
	if g.effect&policy.Change != 0 && g.obj.Folder().Mode == jail.ReadOnly {
		return asError(&fs.PathError{Op: "write", Path: g.path, Err: jail.ErrReadOnly})
	}
	t.withhold(g, access)
	if !g.isDir() || !g.recursive {
		return nil
	}
	return t.decideBeneath(ctx, c, g, dest)
}

// refuseSpecial refuses what no tool opens, before anybody is asked about it. The
// jail would refuse it as well; to list one, or to delete it, needs no opening.
func (c *call) refuseSpecial(g *target) error {
	opens := c.spec.op == workspace.OpRead || c.spec.op == workspace.OpWrite
	if !opens || !g.exists() || !g.obj.Info().IsSpecial() {
		return nil
	}
	kind := "device"
	switch mode := g.obj.Info().Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		kind = "FIFO"
	case mode&fs.ModeSocket != 0:
		kind = "socket"
	}
	return asError(&jail.SpecialError{Op: "open", Path: g.path, Kind: kind})
}

// access is what a target is judged by.
func (c *call) access(g *target) policy.Access {
	return policy.Access{
		Tool: c.spec.name, Effect: g.effect, Requested: g.requested, Real: g.Real(),
		Dir: g.dir || g.isDir(), Link: isLink(g),
	}
}

// withhold notes the effects that are no part of what was asked but of the
// answer, such as the diff of a write, where the policy does not allow them: who
// may not read a file is not told by writing it.
func (t *Toolbox) withhold(g *target, access policy.Access) {
	if g.quiet == 0 {
		return
	}
	access.Tool, access.Effect = readTool, g.quiet
	if t.Policy.Judge(access).Action != policy.Allow {
		g.withheld = g.quiet
	}
}

// take adds a verdict to the call: a denial ends it, a supervised object is
// remembered for the human.
func (c *call) take(given, real string, v policy.Verdict) error {
	switch v.Action {
	case policy.Allow:
		if c.rec.Rule == "" {
			c.rec.Rule = v.Rule
		}
		return nil
	case policy.Supervised:
		c.supervised = append(c.supervised, asked{real, v})
		return nil
	default:
		return denial(given, v)
	}
}

// denial is the answer to a verdict that denies.
func denial(given string, v policy.Verdict) *Error {
	kind := Kind(v.Kind)
	if kind == "" {
		kind = PolicyDenied
	}
	message := fmt.Sprintf("%s is denied by %s", shown(given), v.Rule)
	if v.Message != "" {
		message += ": " + v.Message
	} else {
		message += "; other spellings and tools are denied as well, ask the operator if you need it"
	}
	return &Error{Kind: kind, Message: message, Rule: v.Rule}
}

// gitRule names the invariant against making a repository under another name.
const gitRule = "builtin:protected:git-repository"

// hooksRule names the invariant about the hooks of a nested repository.
const hooksRule = "builtin:protected:core.hooksPath"

// judge asks the policy, with the facts about git that it can't see in a path.
func (t *Toolbox) judge(ctx context.Context, a policy.Access) (policy.Verdict, error) {
	if a.Effect&policy.Change != 0 {
		if t.Workspace.TooGitLike(a.Real) {
			return gitVerdict("too many names on this path are those of parts of a git repository"), ctx.Err()
		}
		a.GitDir = append(a.GitDir, t.Workspace.GitShaped(ctx, a.Real)...)
	}
	v := t.Policy.Judge(a)
	if a.Effect&policy.Change == 0 || v.Action == policy.Deny {
		return v, ctx.Err()
	}
	if dir := t.Workspace.CompletesGit(ctx, a.Real); dir != "" {
		return t.makesGit(dir), ctx.Err()
	}
	if dir := t.Workspace.NestedHooks(ctx, a.Real); dir != "" {
		return policy.Verdict{
			Action: policy.Deny, Rule: hooksRule, Kind: string(ProtectedPath), Stage: "builtin",
			Message: fmt.Sprintf("git runs what lies in %s as hooks", shown(t.display(dir))),
		}, ctx.Err()
	}
	return v, ctx.Err()
}

func gitVerdict(message string) policy.Verdict {
	return policy.Verdict{Action: policy.Deny, Rule: gitRule, Kind: string(ProtectedPath), Stage: "builtin", Message: message}
}

func (t *Toolbox) makesGit(dir string) policy.Verdict {
	return gitVerdict(fmt.Sprintf("git would take %s for a repository then, and run what its configuration names; use a directory named .git, or other names", shown(t.display(dir))))
}

// confirm looks again when names have been made, and has them taken back if
// another call, also of another process, has meanwhile made something of it that
// the decision did not see: a repository that is complete now, or another path
// because a directory above was moved.
func (t *Toolbox) confirm(ctx context.Context, g *target) jail.Confirm {
	return func(o *jail.Object, made []string) error {
		for _, real := range made {
			if dir := t.Workspace.MadeGit(ctx, real); dir != "" {
				return denial(g.path, t.makesGit(dir))
			}
		}
		// Last: all that was looked at by path was then looked at in the right place.
		return o.InPlace(ctx)
	}
}

// decideBeneath judges every descendant of a directory before anything happens.
func (t *Toolbox) decideBeneath(ctx context.Context, c *call, g, dest *target) error {
	seen := 0
	return g.obj.Walk(ctx, jail.WalkOptions{}, func(e *jail.WalkEntry) error {
		if err := e.Err(); err != nil {
			return err
		}
		if seen++; seen > maxBeneath {
			return fail(LimitExceeded, fmt.Sprintf("%s holds more than %d entries; take its parts one by one", shown(g.path), maxBeneath))
		}
		return t.decideEntry(ctx, c, g, dest, entry{real: e.Real(), dir: e.IsDir(), link: e.Type()&linkType != 0})
	})
}

// entry is a descendant of a directory that a recursive act affects.
type entry struct {
	real      string
	dir, link bool
}

// decideEntry judges one descendant, and the place that it would get.
func (t *Toolbox) decideEntry(ctx context.Context, c *call, g, dest *target, e entry) error {
	verdicts, err := t.judgeEntry(ctx, c, g, dest, e)
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		if err := c.take(g.path+strings.TrimPrefix(e.real, g.obj.Real()), v.real, v.verdict); err != nil {
			return err
		}
	}
	return nil
}

func (t *Toolbox) judgeEntry(ctx context.Context, c *call, g, dest *target, e entry) ([]asked, error) {
	rel := strings.TrimPrefix(e.real, g.obj.Real())
	access := policy.Access{
		Tool: c.spec.name, Effect: g.effect, Requested: path.Clean(g.requested + rel), Real: e.real, Dir: e.dir, Link: e.link,
	}
	here, err := t.judge(ctx, access)
	if err != nil || dest == nil {
		return []asked{{e.real, here}}, err
	}
	access.Effect, access.Requested, access.Real = dest.effect, path.Clean(dest.requested+rel), dest.obj.Real()+rel
	access.GitDir = t.carried(ctx, g, dest, e.real)
	there, err := t.judge(ctx, access)
	return []asked{{e.real, here}, {access.Real, there}}, err
}

// carried returns the directories that will be shaped like a git repository at
// the destination because they are so at the source.
func (t *Toolbox) carried(ctx context.Context, g, dest *target, real string) []string {
	var dirs []string
	for _, dir := range t.Workspace.GitShaped(ctx, real) {
		if rel, beneath := strings.CutPrefix(dir, g.obj.Real()); beneath {
			dirs = append(dirs, dest.obj.Real()+rel)
		}
	}
	return dirs
}

// guard judges each object again at the moment of the act: what appeared since
// the decision and is not allowed stops it.
func (c *call) guard(ctx context.Context, g, dest *target) jail.Guard {
	return func(real, _ string, info jail.Info) error {
		e := entry{real: real, dir: info.IsDir(), link: info.Mode()&linkType != 0}
		verdicts, err := c.box.judgeEntry(ctx, c, g, dest, e)
		if err != nil {
			return err
		}
		for _, v := range verdicts {
			switch {
			case v.verdict.Action == policy.Deny:
				return denial(g.path+strings.TrimPrefix(real, g.obj.Real()), v.verdict)
			case v.verdict.Action == policy.Supervised && !c.approved[v.real]:
				return fail(Conflict, fmt.Sprintf("%s appeared meanwhile and needs the operator's approval; look again and retry", shown(c.box.display(v.real))))
			}
		}
		return nil
	}
}

const linkType = fs.ModeSymlink

func isLink(g *target) bool { return g.exists() && g.obj.Info().Mode()&linkType != 0 }
