package policy

import (
	"path"
	"slices"
	"strings"
)

// Cursor judges the entries of a directory, for walks: what was worked out for
// the directory is kept, so that each entry costs one step. A Cursor is a value
// that never changes; several goroutines may use one.
type Cursor struct {
	policy *Policy
	tool   Verdict
	scope  scope
	at     *place
}

// place is the directory that a Cursor is in.
type place struct {
	real, asked string // its paths; asked is "" if it is the same
	repos       []string
	state       state
	askedState  set
	// whole is set where single steps won't do: judge entries by their whole
	// path, because a directory with several names lies below, or a git-shaped
	// one above.
	whole    bool
	unusable bool // no path leads here: deny
}

// Cursor returns a cursor in a directory, given by its real path.
func (p *Policy) Cursor(tool string, effect Effect, realDir string) Cursor {
	return p.CursorFor(Access{Tool: tool, Effect: effect, Real: realDir})
}

// CursorFor returns a cursor in the directory that an access is about. Of what
// it judges, Requested is the entry below dir.Requested, and GitDir is dir.GitDir:
// repositories that come up on the way down need Judge.
func (p *Policy) CursorFor(dir Access) Cursor {
	s, tool := p.scopeOf(dir.Tool, dir.Effect)
	return Cursor{p, tool, s, p.place(dir)}
}

// WithoutToolPolicy returns the cursor as if the tool policy allowed its tool: what
// remains is what the policy says of the objects, whoever uses them.
func (c Cursor) WithoutToolPolicy() Cursor {
	c.tool = Verdict{Action: Allow, Stage: StageTool}
	return c
}

// SingledOut reports whether a rule about paths names the tool, and so may be
// stricter about it than about others.
func (p *Policy) SingledOut(tool string) bool {
	return slices.ContainsFunc(p.rules, func(r rule) bool {
		return r.action != Allow && len(r.paths) > 0 && matchesAny(r.tools, tool)
	})
}

func (p *Policy) place(dir Access) *place {
	at := &place{real: dir.Real, repos: dir.GitDir}
	if dir.Requested != "" && dir.Requested != dir.Real {
		dir.Requested = path.Clean(dir.Requested)
		at.asked = dir.Requested
	}
	o, ok := p.locate(scope{}, &dir, &space{})
	at.unusable = dir.Real == "" || !ok
	at.state, at.askedState = o.real, o.asked
	at.whole = o.repo != nil || p.entryBelow(at.real) || at.asked != "" && p.entryBelow(at.asked)
	return at
}

// Enter returns the cursor of a directory in the cursor's directory.
func (c Cursor) Enter(name string) Cursor {
	at := c.at
	switch {
	case at.unusable:
	case !usableName(name):
		c.at = &place{unusable: true}
	case at.whole:
		c.at = c.policy.place(c.access(name))
	default:
		c.at = c.policy.below(at, name)
	}
	return c
}

func (p *Policy) below(at *place, name string) *place {
	next := &place{real: join(at.real, name)}
	folded := fold(name)
	next.state.folded = p.folded.step(nil, at.state.folded, folded)
	next.state.exact = p.exact.step(nil, at.state.exact, name)
	if at.asked != "" {
		next.asked = join(at.asked, name)
		next.askedState = p.folded.step(nil, at.askedState, folded)
	}
	return next
}

// Judge decides about an entry of the cursor's directory. The verdict is that
// of [Policy.Judge] for the entry's path.
func (c Cursor) Judge(name string, dir, link bool) Verdict {
	at := c.at
	if c.tool.Action == Deny {
		return c.tool
	}
	if at.unusable || !usableName(name) {
		return Verdict{Action: Deny, Rule: unusableRule, Kind: KindDenied, Stage: StagePath}
	}
	if !at.whole {
		var mem space
		o := object{scope: c.scope, dir: dir, link: link}
		folded := fold(name)
		o.real.folded = c.policy.folded.step(mem.folded[:0], at.state.folded, folded)
		o.real.exact = c.policy.exact.step(mem.exact[:0], at.state.exact, name)
		if at.asked != "" {
			o.asked = c.policy.folded.step(mem.asked[:0], at.askedState, folded)
		}
		if f := c.policy.find(&o); !f.contested() {
			return c.policy.conclude(c.tool, &f)
		}
	}
	a := c.access(name)
	a.Dir, a.Link = dir, link
	v, _ := c.policy.judgeAs(c.scope, c.tool, a)
	return v
}

// access is the access to an entry of the cursor's directory.
func (c Cursor) access(name string) Access {
	a := Access{Tool: c.scope.tool, Effect: c.scope.effect, Real: join(c.at.real, name), GitDir: c.at.repos}
	if c.at.asked != "" {
		a.Requested = join(c.at.asked, name)
	}
	return a
}

func join(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }
