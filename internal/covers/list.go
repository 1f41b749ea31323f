package covers

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/baileyhq/bailey/jail"
)

// errGone says that a directory is not there any more.
var errGone = errors.New("vanished")

// update lists what is stale in a node and beneath, and clears its flags.
func (g *ground) update(ctx context.Context, n *node, f frame) error {
	if n.stale {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.list(n, &f); err != nil {
			return err
		}
	} else if n.shape.complete() && !namedGit(n.name) {
		f = g.frameOf(f.real, append(slices.Clone(f.repos), f.real))
	}
	n.stale, n.busy = false, false
	for i := 0; i < len(n.kids); i++ {
		k := &n.kids[i]
		if !k.node.busy {
			continue
		}
		err := g.update(ctx, k.node, f.enter(k.name, f.real+"/"+k.name))
		if errors.Is(err, errGone) {
			n.kids = slices.Delete(n.kids, i, i+1)
			n.settled = false // look again next time
			i--
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list reads a directory anew. What is known of directories in it that are still
// the same ones is kept.
func (g *ground) list(n *node, f *frame) error {
	whole := n.shape.complete()
	err := g.read(n, f)
	if err == nil && n.shape.complete() && !namedGit(n.name) {
		// Only now it is known that its names mean what they mean in .git.
		*f = g.frameOf(f.real, append(slices.Clone(f.repos), f.real))
		err = g.read(n, f)
	}
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, jail.ErrNotDirectory), errors.Is(err, jail.ErrChanged):
		if n.parent != nil {
			return errGone
		}
		return err
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errTooDeep):
		n.seal(g.tree)
	default:
		return err
	}
	if n.shape.complete() != whole {
		n.forget()
	}
	return nil
}

// forget has everything beneath listed anew: its names mean something else now.
func (n *node) forget() {
	for i := range n.kids {
		k := &n.kids[i]
		k.node = newNode(n, k.name)
	}
}

// seal keeps of a directory that it can't be listed.
func (n *node) seal(t jail.Tree) {
	n.state, _ = t.State(n.rel())
	n.settled, n.sealed = false, true
	n.kids, n.marks, n.inodes, n.shape, n.free = nil, nil, nil, 0, 0
}

var errTooDeep = errors.New("too deep")

// read lists a directory under a frame.
func (g *ground) read(n *node, f *frame) (err error) {
	if len(n.rel()) > maxRel {
		return errTooDeep
	}
	g.listed.Add(1)
	known := make(map[string]*node, len(n.kids))
	inodes := make(map[string]uint64, len(n.kids))
	for i := range n.kids {
		known[n.kids[i].name], inodes[n.kids[i].name] = n.kids[i].node, n.kids[i].ino
	}
	fresh := node{parent: n.parent, name: n.name, path: n.path, stale: true, busy: true}
	fresh.inGit = namedGit(n.name) || n.parent != nil && n.parent.inGit || len(f.repos) > 0
	fresh.state, fresh.settled, err = g.tree.List(n.rel(), func(name string, kind fs.FileMode, ino uint64) error {
		fresh.shape |= shapeOf(name)
		if kind.IsDir() {
			k := f.kidOf(name, ino)
			fresh.addKid(g, k, known[name], inodes[name])
			return nil
		}
		m, allowed := f.markOf(name, kind, fresh.inGit)
		fresh.free |= allowed
		fresh.inodes = append(fresh.inodes, uint32(ino))
		if m.what != 0 {
			m.name = strings.Clone(name)
			fresh.marks = append(fresh.marks, m)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fresh.inodes = slices.Clip(fresh.inodes)
	*n = fresh
	for i := range n.kids {
		n.kids[i].node.parent = n
	}
	return nil
}

// addKid adds a directory, as it was known if it is still the same one.
func (n *node) addKid(g *ground, k kid, known *node, ino uint64) {
	k.name = strings.Clone(k.name)
	switch {
	case len(g.inner) > 0 && g.inner[n.join(k.name)]:
		return // an allowed folder of its own
	case k.read == shut:
		m := mark{name: k.name, what: masked | directory, rule: k.rule}
		if k.guard {
			m.what |= guard
		}
		n.marks = append(n.marks, m)
		return
	}
	if k.node = known; known == nil || ino != k.ino {
		k.node = newNode(n, k.name)
	}
	n.kids = append(n.kids, k)
}

func newNode(parent *node, name string) *node {
	return &node{parent: parent, name: name, stale: true, busy: true}
}
