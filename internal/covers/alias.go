package covers

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/sandbox"
)

// aliases covers the other names of files that are masked or read-only: through
// one of them a command would read or change the same file.
func (a *assembly) aliases(folder int) error {
	wanted := map[jail.FileID]sandbox.CoverKind{}
	for _, c := range a.covers[folder] {
		if c.file && c.link > 1 && c.kind != sandbox.Pin {
			if kind, ok := wanted[c.id]; !ok || kind != sandbox.Mask {
				wanted[c.id] = c.kind
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	halves := make(map[uint32]bool, len(wanted))
	for id := range wanted {
		halves[uint32(id.Ino)] = true
	}
	for _, g := range a.scanner.grounds {
		for _, n := range g.root.all(nil) {
			if slices.ContainsFunc(n.inodes, func(half uint32) bool { return halves[half] }) {
				if err := a.aliasesIn(g, n, wanted); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (a *assembly) aliasesIn(g *ground, n *node, wanted map[jail.FileID]sandbox.CoverKind) error {
	w := walk{assembly: a, g: g}
	_, _, err := g.tree.List(n.rel(), func(name string, kind fs.FileMode, ino uint64) error {
		rel := n.join(name)
		if kind.IsDir() || a.hidden(g.number, rel) {
			return nil
		}
		for id, kind := range wanted {
			if id.Ino != ino {
				continue
			}
			info, err := g.tree.Lstat(rel)
			if err != nil || info.ID() != id {
				continue
			}
			if kind == sandbox.ReadOnly && (!g.writable() || a.within(g.number, rel)) {
				continue
			}
			w.put(rel, kind, "hard link")
			if c := a.covers[g.number][rel]; c != nil {
				c.id, c.link, c.file = id, info.Nlink(), true
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
