package policy

import (
	"slices"
	"strings"
)

// compiledBuiltin is a built-in with its pattern.
type compiledBuiltin struct {
	builtin
	pattern pattern
}

func (b *compiledBuiltin) verdict() Verdict {
	v := Verdict{Action: Deny, Rule: b.name, Kind: b.kind, Stage: StageSensitive}
	if b.kind == KindProtected {
		v.Stage = StageProtected
	}
	return v
}

// lift takes out the built-ins that a matching rule names literally.
func (p *Policy) lift(f *found, o *object, a *Access) {
	l := lifting{policy: p, rules: p.matchingRules(o)}
	l.paths = append(l.paths, l.route(a.Real, a.GitDir, o.real.folded, o.repo))
	if o.asked != nil {
		l.paths = append(l.paths, l.route(a.Requested, nil, o.asked))
	}
	f.sensitive, f.protected = none, none
	for i := range l.paths {
		for _, b := range l.paths[i].builtins {
			if !l.lifts(b) {
				p.addBuiltin(f, o, b)
			}
		}
	}
}

// matchingRules lists all allow and supervised rules that match.
func (p *Policy) matchingRules(o *object) []int {
	all := slices.Clone(p.pathless)
	for _, at := range o.real.exact {
		all = append(all, p.exact.nodes[at].rules...)
	}
	for _, at := range slices.Concat(o.real.folded, o.asked) {
		all = append(all, p.folded.nodes[at].rules...)
	}
	return slices.DeleteFunc(all, func(i int) bool { return !p.rules[i].covers(o.scope) })
}

// lifting finds out whether rules name what a built-in is about.
//
// A built-in lies on a path in one or more ways: "**/.ssh/**" lies on
// a/.ssh/b/.ssh/c in two. Each way picks the segments that the pattern spells
// out; for each there must be a rule that matches the path with the picked
// segments spelled out too, and not met by a wildcard.
type lifting struct {
	policy *Policy
	rules  []int
	paths  []route
}

// route is a path in segments, folded and as it is, by each name it has.
type route struct {
	folded   []string
	repo     []bool // segments that stand for .git too
	names    []alias
	builtins []int // that match the path
}

// alias is a path by one of its names. Segment i of the route is segment
// i+shift of the alias, from the first that all names share.
type alias struct {
	exact, folded []string
	shift, shared int
}

func (l *lifting) route(path string, repos []string, states ...set) route {
	segments := splitPath(path)
	r := route{folded: splitPath(fold(path)), repo: make([]bool, len(segments))}
	r.names = []alias{{exact: segments, folded: r.folded}}
	at := 0
	for i, name := range segments {
		at += 1 + len(name)
		r.repo[i] = slices.Contains(repos, path[:at])
	}
	e, rest := l.policy.entryOf(path)
	tail := splitPath(rest)
	shared := len(segments) - len(tail)
	for _, spelling := range e.spellings {
		exact := slices.Concat(spelling, tail)
		r.names = append(r.names, alias{
			exact: exact, folded: splitPath(fold("/" + strings.Join(exact, "/"))),
			shift: len(spelling) - shared, shared: shared,
		})
	}
	for _, at := range slices.Concat(states...) {
		r.builtins = append(r.builtins, l.policy.folded.nodes[at].builtins...)
	}
	return r
}

// lifts reports whether every way in which built-in b lies on a path that it
// matches is named. If it was found by another name of the path only, there is
// no way: it stays.
func (l *lifting) lifts(b int) bool {
	for i := range l.paths {
		r := &l.paths[i]
		if !slices.Contains(r.builtins, b) {
			continue
		}
		ways := 0
		named := r.ways(l.policy.builtins[b].pattern, func(picked []int) bool {
			ways++
			return ways <= maxWays && l.named(r, picked)
		})
		if !named || ways == 0 {
			return false
		}
	}
	return true
}

func (l *lifting) named(r *route, picked []int) bool {
	for _, name := range r.names {
		keys, ok := name.keys(picked)
		if !ok {
			continue
		}
		for _, i := range l.rules {
			rule := &l.policy.rules[i]
			segments := name.folded
			if rule.action == Allow {
				segments = name.exact
			}
			if slices.ContainsFunc(rule.paths, func(p pattern) bool { return p.names(segments, keys) }) {
				return true
			}
		}
	}
	return false
}

// keys marks the picked segments in an alias.
func (n *alias) keys(picked []int) ([]bool, bool) {
	keys := make([]bool, len(n.exact))
	for _, i := range picked {
		if i < n.shared {
			return nil, false
		}
		keys[i+n.shift] = true
	}
	return keys, true
}

// names reports whether the pattern matches the whole path with every key
// segment met by a literal of the user's.
func (p pattern) names(path []string, keys []bool) bool {
	reached := make([]bool, len(path)+1) // by the pattern's segments so far
	reached[0] = true
	for i := range p {
		next := make([]bool, len(path)+1)
		s := &p[i]
		if s.many {
			copy(next, reached)
		}
		for j, name := range path {
			switch {
			case s.many:
				next[j+1] = next[j+1] || next[j] && !keys[j]
			case reached[j] && s.match(name):
				next[j+1] = !keys[j] || s.glob == nil && !s.given
			}
		}
		reached = next
	}
	return reached[len(path)]
}

// Bounds of the search for ways, as an agent chooses how long a path is. What
// goes beyond is not lifted.
const (
	maxWays  = 64
	maxSteps = 1 << 16
)

// ways calls yield with the segments that each way of p on the path picks. It
// returns false if yield did, or if there is too much to search.
func (r *route) ways(p pattern, yield func(picked []int) bool) bool {
	budget := maxSteps
	var picked []int
	var search func(i, j int) bool
	search = func(i, j int) bool {
		if budget--; budget < 0 {
			return false
		}
		switch {
		case i == len(p):
			return j < len(r.folded) || yield(picked)
		case p[i].many && i == len(p)-1:
			return yield(picked)
		case p[i].many:
			return search(i+1, j) && (j == len(r.folded) || search(i, j+1))
		case j == len(r.folded):
			return true
		case !p[i].match(r.folded[j]) && (!r.repo[j] || !p[i].match(".git")):
			return true
		}
		if !p[i].given {
			picked = append(picked, j)
			defer func() { picked = picked[:len(picked)-1] }()
		}
		return search(i+1, j+1)
	}
	return search(0, 0)
}
