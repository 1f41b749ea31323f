package policy

import "slices"

// machine matches a path against many patterns at once, one segment a step.
//
// It is a trie over pattern segments that is run as a nondeterministic
// automaton: the state is the set of nodes that the segments so far lead to.
// Patterns share their beginnings, so the set stays at a handful of nodes
// however many patterns begin with **. Literals are found by two map look-ups
// (text to number, node and number to node), only globs are tried one by one.
type machine struct {
	nodes    []node
	literals map[string]uint32 // text of literal segments, numbered from 1
	edges    map[edge]uint32
}

type edge struct{ from, literal uint32 }

type node struct {
	loops    bool       // this is a **: any segment leads back here
	literals bool       // has literal edges
	globs    []globEdge // edges by wildcard
	many     uint32     // the ** node behind this one, entered along with it; 0 if none
	own      []uint32   // more such nodes, each of one pattern alone
	rules    []int      // rules that match here
	builtins []int      // built-ins that match here
}

type globEdge struct {
	glob *glob
	to   uint32
	// The bytes that a match starts and ends with, where the glob says so. They
	// spare nearly all names the look at the glob.
	first, last byte
}

func newGlobEdge(g *glob, to uint32) globEdge {
	e := globEdge{glob: g, to: to}
	if g.head != "" {
		e.first = g.head[0]
	}
	if g.tail != "" {
		e.last = g.tail[len(g.tail)-1]
	}
	return e
}

// set is a state of a machine. Its nodes are distinct.
type set []uint32

func newMachine() *machine {
	return &machine{
		nodes:    make([]node, 1),
		literals: map[string]uint32{},
		edges:    map[edge]uint32{},
	}
}

// add inserts a pattern and returns the node where a match ends. With own, a
// ** that the pattern ends in is shared with no other pattern.
func (m *machine) add(p pattern, own bool) *node {
	at := uint32(0)
	for i := range p {
		at = m.extend(at, &p[i], own && i == len(p)-1)
	}
	return &m.nodes[at]
}

func (m *machine) extend(from uint32, s *segment, own bool) uint32 {
	switch {
	case s.many:
		if !own && m.nodes[from].many != 0 {
			return m.nodes[from].many
		}
		to := m.grow()
		m.nodes[to].loops = true
		if own {
			m.nodes[from].own = append(m.nodes[from].own, to)
		} else {
			m.nodes[from].many = to
		}
		return to
	case s.glob != nil:
		for _, e := range m.nodes[from].globs {
			if e.glob.text == s.glob.text && slices.Equal(e.glob.except, s.glob.except) {
				return e.to
			}
		}
		to := m.grow()
		m.nodes[from].globs = append(m.nodes[from].globs, newGlobEdge(s.glob, to))
		return to
	}
	literal, ok := m.literals[s.lit]
	if !ok {
		literal = uint32(len(m.literals) + 1)
		m.literals[s.lit] = literal
	}
	e := edge{from, literal}
	to, ok := m.edges[e]
	if !ok {
		to = m.grow()
		m.edges[e] = to
		m.nodes[from].literals = true
	}
	return to
}

func (m *machine) grow() uint32 {
	m.nodes = append(m.nodes, node{})
	return uint32(len(m.nodes) - 1)
}

// start is the state at the root directory.
func (m *machine) start() set { return m.enter(nil, 0) }

// step appends to dst the state that name, which is not empty, leads to from s.
func (m *machine) step(dst, s set, name string) set {
	if len(s) == 0 {
		return dst
	}
	literal := m.literals[name]
	first, last := name[0], name[len(name)-1]
	for _, at := range s {
		n := &m.nodes[at]
		if n.loops && !slices.Contains(dst, at) {
			dst = append(dst, at)
		}
		if literal != 0 && n.literals {
			if to, ok := m.edges[edge{at, literal}]; ok {
				dst = m.enter(dst, to)
			}
		}
		for i := range n.globs {
			e := &n.globs[i]
			if (e.first == 0 || e.first == first) && (e.last == 0 || e.last == last) && e.glob.match(name) {
				dst = m.enter(dst, e.to)
			}
		}
	}
	return dst
}

// enter appends a node and the ** nodes behind it. Only ** nodes can be in the
// set already, as every other node has one way in.
func (m *machine) enter(dst set, at uint32) set {
	n := &m.nodes[at]
	if n.literals || n.globs != nil || n.rules != nil || n.builtins != nil {
		dst = append(dst, at)
	}
	if n.many != 0 && !slices.Contains(dst, n.many) {
		dst = append(dst, n.many)
	}
	for _, many := range n.own {
		if !slices.Contains(dst, many) {
			dst = append(dst, many)
		}
	}
	return dst
}
