package covers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
)

// ground is what is known of one allowed folder.
type ground struct {
	tree   jail.Tree
	number int
	inner  map[string]bool // other allowed folders inside, by path below this one
	above  map[string]bool // the directories above them
	policy *policy.Policy
	listed *atomic.Int64
	root   *node
	parts  [][]family // what check goes through; nil if it has to be collected anew
}

func newGround(j *jail.Jail, number int, listed *atomic.Int64) *ground {
	g := &ground{tree: j.Tree(number), number: number, listed: listed, inner: map[string]bool{}, above: map[string]bool{}}
	for i, other := range j.Folders() {
		if rel, ok := below(g.real(), other.Real); ok && i != number {
			g.inner[rel] = true
			for dir := parentOf(rel); dir != "."; dir = parentOf(dir) {
				g.above[dir] = true
			}
		}
	}
	return g
}

func (g *ground) real() string { return g.tree.Folder().Real }

func (g *ground) writable() bool { return g.tree.Folder().Mode == jail.ReadWrite }

func (g *ground) frameOf(real string, repos []string) frame {
	return newFrame(g.policy, real, g.writable(), repos)
}

// refresh brings what is known up to date.
func (g *ground) refresh(ctx context.Context, p *policy.Policy) error {
	if g.policy == nil || g.policy.Version() != p.Version() || g.root == nil {
		g.root = &node{stale: true, busy: true}
	} else if err := g.check(ctx); err != nil {
		return err
	}
	g.policy = p
	if !g.root.busy {
		return nil
	}
	g.parts = nil
	return g.update(ctx, g.root, g.frameOf(g.real(), nil))
}

// chunk is how many directories are looked at in a row: enough to be worth a
// goroutine.
const chunk = 512

// family is a directory with those in it.
type family struct {
	parent *node
	rel    string
	names  []string
}

// check finds the directories that have changed.
func (g *ground) check(ctx context.Context) error {
	if g.parts == nil {
		g.parts = g.root.families(chunk)
	}
	var (
		wait  sync.WaitGroup
		stale = make([][]*node, len(g.parts))
		slots = make(chan struct{}, min(4, runtime.GOMAXPROCS(0)))
	)
	for i, part := range g.parts {
		slots <- struct{}{}
		wait.Go(func() {
			if ctx.Err() == nil {
				stale[i] = g.changed(part)
			}
			<-slots
		})
	}
	wait.Wait()
	if s, err := g.tree.State("."); err != nil || s != g.root.state || !g.root.settled {
		g.root.touch()
	}
	for _, part := range stale {
		for _, n := range part {
			n.touch()
		}
	}
	return ctx.Err()
}

func (g *ground) changed(part []family) (stale []*node) {
	for _, f := range part {
		g.tree.States(f.rel, f.names, func(i int, s jail.DirState, err error) {
			if n := f.parent.kids[i].node; !n.settled || err != nil || s != n.state {
				stale = append(stale, n)
			}
		})
	}
	return stale
}

// families lists all directories that hold others, in parts of about size
// directories.
func (n *node) families(size int) (parts [][]family) {
	left := 0
	var walk func(n *node)
	walk = func(n *node) {
		if len(n.kids) == 0 {
			return
		}
		if left <= 0 {
			parts, left = append(parts, nil), size
		}
		f := family{parent: n, rel: n.rel(), names: make([]string, len(n.kids))}
		for i := range n.kids {
			f.names[i] = n.kids[i].name
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], f)
		left -= len(n.kids)
		for i := range n.kids {
			walk(n.kids[i].node)
		}
	}
	walk(n)
	return parts
}

// all appends a node and everything beneath.
func (n *node) all(to []*node) []*node {
	to = append(to, n)
	for i := range n.kids {
		to = n.kids[i].node.all(to)
	}
	return to
}
