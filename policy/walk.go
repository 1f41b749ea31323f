package policy

import (
	"cmp"
	"slices"
	"strings"
)

// entry is a directory that is known by several names. A walk to a path below
// it starts there, in the state that all of its names lead to together, so that
// a pattern may be written with any of them.
type entry struct {
	path      string     // without a trailing slash, so "" for the root
	spellings [][]string // all of its names, in segments
	state     state
}

// state is where both machines are on a path.
type state struct{ folded, exact set }

// entries works out the entry states. Shorter paths come first, as what a
// longer one starts from.
func (b *compiler) entries() []entry {
	p := b.policy
	p.entries = []entry{{
		spellings: [][]string{nil},
		state:     state{p.folded.start(), p.exact.start()},
	}}
	groups := slices.Concat([][]string{b.config.Workspace}, b.config.Spellings)
	groups = slices.DeleteFunc(groups, func(g []string) bool { return len(g) == 0 })
	slices.SortStableFunc(groups, func(a, b []string) int { return cmp.Compare(shortest(a), shortest(b)) })
	for _, group := range groups {
		p.entries = append(p.entries, p.group(group)...)
		slices.SortStableFunc(p.entries, func(a, b entry) int { return cmp.Compare(len(b.path), len(a.path)) })
	}
	return p.entries
}

func shortest(paths []string) int {
	n := len(paths[0])
	for _, path := range paths {
		n = min(n, len(path))
	}
	return n
}

func (p *Policy) group(paths []string) []entry {
	var joint state
	var names [][]string
	for _, path := range paths {
		names = append(names, splitPath(path))
		s, _ := p.walk(state{}, path)
		joint.folded = union(joint.folded, p.withoutFoldersAbove(s.folded, path))
		joint.exact = union(joint.exact, s.exact)
	}
	var out []entry
	for _, path := range paths {
		if path = strings.TrimSuffix(path, "/"); path != "" {
			out = append(out, entry{path, names, joint})
		}
	}
	return out
}

// withoutFoldersAbove takes out the built-ins of tool folders that dir lies
// deeper in. The folder itself stays protected where dir is that folder.
func (p *Policy) withoutFoldersAbove(s set, dir string) set {
	parent := dir[:max(0, strings.LastIndexByte(dir, '/'))]
	above, _ := p.walk(state{}, parent)
	return slices.DeleteFunc(slices.Clone(s), func(at uint32) bool {
		b := p.folded.nodes[at].builtins
		return len(b) == 1 && p.builtins[b[0]].folder && slices.Contains(above.folded, at)
	})
}

func union(a, b set) set {
	for _, at := range b {
		if !slices.Contains(a, at) {
			a = append(a, at)
		}
	}
	return a
}

// entryOf finds the entry that a walk to path starts at, and what is left of
// the path.
func (p *Policy) entryOf(path string) (*entry, string) {
	for i := range p.entries {
		e := &p.entries[i]
		if rest, ok := strings.CutPrefix(path, e.path); ok && (rest == "" || rest[0] == '/') {
			return e, rest
		}
	}
	return &p.entries[len(p.entries)-1], path
}

// entryBelow reports whether an entry lies below dir.
func (p *Policy) entryBelow(dir string) bool {
	dir = strings.TrimSuffix(dir, "/") + "/"
	return slices.ContainsFunc(p.entries, func(e entry) bool { return strings.HasPrefix(e.path, dir) })
}

// walk runs both machines along an absolute path. The states are built in the
// memory of space. A path that is no clean absolute one is not ok.
func (p *Policy) walk(space state, path string) (s state, ok bool) {
	e, rest := p.entryOf(path)
	switch {
	case rest == "/" && e.path == "": // the root itself
		return e.state, true
	case rest != "" && rest[0] != '/':
		return state{}, false
	}
	folded, ok := p.folded.walk(space.folded, e.state.folded, fold(rest))
	if !ok {
		return state{}, false
	}
	exact, _ := p.exact.walk(space.exact, e.state.exact, rest)
	return state{folded, exact}, true
}

// walk steps from s along a path. The result is built in the memory of space,
// if that is enough, and never changes s.
func (m *machine) walk(space, s set, path string) (set, bool) {
	half := cap(space) / 2
	next, spare := space[:0:half], space[half:half:cap(space)]
	for path != "" {
		var name string
		if name, path = cutSegment(path); !usableName(name) {
			return nil, false
		}
		next = m.step(next[:0], s, name)
		s, next, spare = next, spare, next
	}
	return s, true
}

// cutSegment takes the first segment off a path that starts with a slash.
func cutSegment(path string) (name, rest string) {
	path = path[1:]
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// usableName reports whether a clean path can have such a segment.
func usableName(name string) bool {
	return name != "" && name != "." && name != ".." && strings.IndexByte(name, '/') < 0
}
