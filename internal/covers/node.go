package covers

import (
	"io/fs"
	"strings"

	"github.com/baileyhq/bailey/jail"
)

// A node is what is kept of one directory.
type node struct {
	parent  *node
	name    string // in the parent's directory; "" for the folder itself
	path    string // see rel
	state   jail.DirState
	settled bool // a change from now on gives it another state
	sealed  bool // it can't be listed
	inGit   bool // it is a repository's directory, or lies in one
	shape   shape
	free    access // what the policy allows for at least one of its names
	kids    []kid
	marks   []mark
	inodes  []uint32 // of everything but directories, their lower half

	stale bool // to be listed again
	busy  bool // it or something beneath is stale
}

// A kid is a directory in a node's directory.
type kid struct {
	name         string
	ino          uint64
	read, change grade
	rule         string // why it may not be read, or else not changed
	guard        bool
	node         *node
}

// A mark is a name that something has to be done about.
type mark struct {
	name string
	what marks
	rule string
}

type marks uint8

const (
	masked marks = 1 << iota
	kept         // may be read, not changed
	guard        // has to go if a command made it
	special
	lock
	directory // denied as a whole
	gitFile   // it is called .git
)

// access is a set of what may be done.
type access uint8

const (
	mayRead access = 1 << iota
	mayChange
)

// grade is a verdict about a directory.
type grade uint8

const (
	free grade = iota // allowed
	held              // not allowed, but rules may allow something beneath
	shut              // not allowed, nor anything beneath
)

// maxRel is the longest path below a folder that is looked into, in bytes: what
// lies deeper than the kernel takes a path could not be covered.
const maxRel = 3500

// rel is the path below the folder. It is put together when it is asked for: of
// most directories it never is.
func (n *node) rel() string {
	switch {
	case n.parent == nil:
		return "."
	case n.path == "":
		n.path = n.parent.join(n.name)
	}
	return n.path
}

func (n *node) join(name string) string {
	if n.parent == nil {
		return name
	}
	return n.rel() + "/" + name
}

// touch marks the way down to a node that has to be listed again.
func (n *node) touch() {
	n.stale = true
	for at := n; at != nil && !at.busy; at = at.parent {
		at.busy = true
	}
}

// allows tells what the policy allows for something in the directory or beneath.
func (n *node) allows(want access) bool {
	if n.free&want != 0 {
		return true
	}
	for i := range n.kids {
		k := &n.kids[i]
		g := k.read
		if want == mayChange {
			g = k.change
		}
		if g == free || g == held && k.node.allows(want) {
			return true
		}
	}
	return false
}

var shapeNames = []struct {
	name string
	bit  shape
}{
	{"HEAD", hasHead},
	{"objects", hasObjects},
	{"refs", hasRefs},
	{"commondir", hasCommondir},
}

func shapeOf(name string) shape {
	for _, part := range shapeNames {
		if strings.EqualFold(name, part.name) {
			return part.bit
		}
	}
	return 0
}

func namedGit(name string) bool { return strings.EqualFold(name, ".git") }

// isLock tells whether a name in a repository says that some git is at work.
func isLock(name string) bool { return strings.HasSuffix(name, ".lock") || name == "gc.pid" }

const specialTypes = fs.ModeNamedPipe | fs.ModeSocket | fs.ModeDevice | fs.ModeCharDevice | fs.ModeIrregular
