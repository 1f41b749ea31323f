package policy

import (
	"path"
	"slices"
)

// none stands for no rule where an index is expected.
const none = -1

// found is what matches an access: of each sort the first in the policy's order.
type found struct {
	deny, supervised, allow int // in Policy.rules
	sensitive, protected    int // in Policy.builtins
}

// contested reports whether a rule may lift a built-in that matches.
func (f *found) contested() bool {
	return f.deny == none && (f.sensitive != none || f.protected != none) &&
		(f.supervised != none || f.allow != none)
}

// object is an access with its paths reduced to states of the machines.
type object struct {
	scope
	dir, link bool
	real      state
	asked     set // of the folded machine at the requested path, nil if it is the real one
	repo      set // of the folded machine, with git-shaped ancestors as .git
}

// space is memory for the states of an object, so that they need no heap.
type space struct{ folded, exact, asked [32]uint32 }

// Judge decides about an access. It does no I/O and keeps nothing.
func (p *Policy) Judge(a Access) Verdict {
	v, _ := p.judge(a)
	return v
}

func (p *Policy) judge(a Access) (Verdict, found) {
	s, tool := p.scopeOf(a.Tool, a.Effect)
	return p.judgeAs(s, tool, a)
}

// judgeAs decides under a given verdict of the tool policy.
func (p *Policy) judgeAs(s scope, tool Verdict, a Access) (Verdict, found) {
	f := found{none, none, none, none, none}
	if tool.Action == Deny {
		return tool, f
	}
	if a.Requested != "" {
		a.Requested = path.Clean(a.Requested)
	}
	var mem space
	o, ok := p.locate(s, &a, &mem)
	if !ok {
		return Verdict{Action: Deny, Rule: unusableRule, Kind: KindDenied, Stage: StagePath}, f
	}
	f = p.find(&o)
	if f.contested() {
		p.lift(&f, &o, &a)
	}
	v := p.conclude(tool, &f)
	return v, f
}

// locate walks to the paths of an access. It returns the object, and does not
// fill one in, so that mem can stay on the caller's stack.
func (p *Policy) locate(s scope, a *Access, mem *space) (o object, ok bool) {
	o = object{scope: s, dir: a.Dir, link: a.Link}
	if a.Real == "" {
		return o, a.Requested == ""
	}
	o.real, ok = p.walk(state{mem.folded[:0], mem.exact[:0]}, a.Real)
	if ok && a.Requested != "" && a.Requested != a.Real {
		var asked state
		asked, ok = p.walk(state{folded: mem.asked[:0]}, a.Requested)
		o.asked = asked.folded
	}
	if ok && a.Effect&Change != 0 && len(a.GitDir) > 0 {
		o.repo = p.folded.walkRepo(a.Real, a.GitDir)
	}
	return o, ok
}

// walkRepo steps along a path and takes each of the given directories for .git too.
func (m *machine) walkRepo(real string, repos []string) set {
	s := m.start()
	for name, rest := "", real; len(rest) > 1; {
		name, rest = cutSegment(rest)
		next := m.step(nil, s, fold(name))
		if slices.Contains(repos, real[:len(real)-len(rest)]) {
			next = union(next, m.step(nil, s, ".git"))
		}
		s = next
	}
	return s
}

// find collects what matches an object.
func (p *Policy) find(o *object) found {
	f := found{none, none, none, none, none}
	for _, i := range p.pathless {
		p.addRule(&f, o, i)
	}
	for _, at := range o.real.exact {
		for _, i := range p.exact.nodes[at].rules {
			p.addRule(&f, o, i)
		}
	}
	p.findFolded(&f, o, o.real.folded)
	p.findFolded(&f, o, o.asked)
	for _, at := range o.repo {
		for _, i := range p.folded.nodes[at].builtins {
			if !p.builtins[i].folder {
				p.addBuiltin(&f, o, i)
			}
		}
	}
	return f
}

func (p *Policy) findFolded(f *found, o *object, s set) {
	for _, at := range s {
		n := &p.folded.nodes[at]
		for _, i := range n.rules {
			p.addRule(f, o, i)
		}
		for _, i := range n.builtins {
			p.addBuiltin(f, o, i)
		}
	}
}

func (p *Policy) addRule(f *found, o *object, i int) {
	r := &p.rules[i]
	if !r.covers(o.scope) {
		return
	}
	switch r.action {
	case Deny:
		f.deny = first(f.deny, i)
	case Supervised:
		f.supervised = first(f.supervised, i)
	default:
		f.allow = first(f.allow, i)
	}
}

func (p *Policy) addBuiltin(f *found, o *object, i int) {
	b := &p.builtins[i]
	switch {
	case b.kind == KindDenied:
		f.sensitive = first(f.sensitive, i)
	case o.effect&Change != 0 && b.only.fits(o.dir, o.link):
		f.protected = first(f.protected, i)
	}
}

func first(a, b int) int {
	if a == none {
		return b
	}
	return min(a, b)
}

// conclude picks the one responsible, in the order of the stages.
func (p *Policy) conclude(tool Verdict, f *found) Verdict {
	switch {
	case f.deny != none:
		return p.rules[f.deny].verdict()
	case f.sensitive != none:
		return p.builtins[f.sensitive].verdict()
	case f.protected != none:
		return p.builtins[f.protected].verdict()
	case f.supervised != none:
		return p.rules[f.supervised].verdict()
	}
	v := p.byDefault()
	if f.allow != none {
		v = p.rules[f.allow].verdict()
	}
	if tool.Action == Supervised && v.Action != Deny {
		return tool
	}
	return v
}

func (p *Policy) byDefault() Verdict {
	v := Verdict{Action: p.defaultAction, Rule: defaultRule, Stage: StageDefault}
	if v.Action == Deny {
		v.Kind = KindDenied
	}
	return v
}
