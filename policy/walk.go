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

// entries works out the entry states. A folder can lie in another one, by any of
// the names of both, so that the states are worked out until none changes.
func (b *compiler) entries() []entry {
	p := b.policy
	p.entries = []entry{{
		spellings: [][]string{nil},
		state:     state{p.folded.start(), p.exact.start()},
	}}
	groups := slices.Concat([][]string{b.config.Workspace}, b.config.Spellings)
	for _, group := range groups {
		p.addEntries(group)
	}
	slices.SortStableFunc(p.entries, func(a, b entry) int { return cmp.Compare(len(b.path), len(a.path)) })
	for range groups {
		for i := range p.entries {
			p.addSpellings(&p.entries[i])
		}
	}
	for range len(groups) + 1 { // a state can come from each other group at the most
		changed := false
		for _, group := range groups {
			changed = p.joinEntries(group) || changed
		}
		if !changed {
			break
		}
	}
	return p.entries
}

// addEntries makes the entries of one directory.
func (p *Policy) addEntries(paths []string) {
	var names [][]string
	for _, path := range paths {
		names = append(names, splitPath(path))
	}
	for _, path := range paths {
		if path = strings.TrimSuffix(path, "/"); path != "" && p.entryAt(path) == nil {
			p.entries = append(p.entries, entry{path: path, spellings: names})
		}
	}
}

// maxSpellings bounds the names of one directory. A rule that lifts a built-in by
// one beyond does not lift it.
const maxSpellings = 64

// addSpellings adds the names that an entry has by those of the directories around.
func (p *Policy) addSpellings(e *entry) {
	for _, name := range e.spellings {
		for i := range p.entries {
			outer := &p.entries[i]
			at := splitPath(outer.path)
			if len(at) == 0 || len(at) >= len(name) || !slices.Equal(name[:len(at)], at) {
				continue
			}
			for _, other := range outer.spellings {
				more := slices.Concat(other, name[len(at):])
				known := slices.ContainsFunc(e.spellings, func(s []string) bool { return slices.Equal(s, more) })
				if !known && len(e.spellings) < maxSpellings {
					e.spellings = append(slices.Clone(e.spellings), more)
				}
			}
		}
	}
}

func (p *Policy) entryAt(path string) *entry {
	for i := range p.entries {
		if p.entries[i].path == path {
			return &p.entries[i]
		}
	}
	return nil
}

// joinEntries gives the entries of one directory the states that all of its names
// lead to, and reports whether that is news.
func (p *Policy) joinEntries(paths []string) (changed bool) {
	var joint state
	for _, path := range paths {
		s := p.reached(path)
		joint.folded = union(joint.folded, p.withoutFoldersAbove(s.folded, path))
		joint.exact = union(joint.exact, s.exact)
	}
	for _, path := range paths {
		e := p.entryAt(strings.TrimSuffix(path, "/"))
		if e == nil || e.path == "" {
			continue
		}
		more := state{union(slices.Clone(e.state.folded), joint.folded), union(slices.Clone(e.state.exact), joint.exact)}
		changed = changed || len(more.folded) > len(e.state.folded) || len(more.exact) > len(e.state.exact)
		e.state = more
	}
	return changed
}

// reached is the state that a name of a directory leads to from the one above it.
func (p *Policy) reached(path string) state {
	dir, name := path[:max(0, strings.LastIndexByte(path, '/'))], path[strings.LastIndexByte(path, '/')+1:]
	if name == "" {
		return p.entryAt("").state // the root
	}
	above, _ := p.walk(state{}, dir)
	return state{p.folded.step(nil, above.folded, fold(name)), p.exact.step(nil, above.exact, name)}
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
