package covers

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/sandbox"
)

// assembly puts a Scan together.
type assembly struct {
	scanner *Scanner
	scan    *Scan
	covers  []map[string]*cover // by folder and path below it
	trees   []string            // work trees of repositories

	count  int
	byRule map[string]int
	sample map[string]string
}

// cover is one before its object was looked at.
type cover struct {
	kind sandbox.CoverKind
	id   jail.FileID // zero: not known yet
	link uint64      // number of hard links, if known
	file bool
}

func newAssembly(s *Scanner) *assembly {
	a := &assembly{
		scanner: s, scan: &Scan{},
		byRule: map[string]int{}, sample: map[string]string{},
	}
	for range s.grounds {
		a.covers = append(a.covers, map[string]*cover{})
	}
	return a
}

// ground adds one folder.
func (a *assembly) ground(g *ground) error {
	root := g.frameRoot()
	w := walk{assembly: a, g: g}
	w.dir(&root)
	mounts, err := g.tree.Mounts()
	if err != nil {
		return err
	}
	for _, rel := range mounts {
		if !g.inInner(rel) && !a.hidden(g.number, rel) {
			w.put(rel, sandbox.Mask, "builtin:mount")
		}
	}
	return nil
}

// frameRoot judges the folder itself, as if it were a directory in a directory.
func (g *ground) frameRoot() kid {
	dir, name := path.Split(g.real())
	k := kid{node: g.root}
	if name != "" {
		f := g.frameOf(path.Clean(dir), nil)
		k = f.kidOf(name, 0)
		k.node = g.root
	}
	return k
}

// inInner tells whether a path is an inner folder, or lies in one.
func (g *ground) inInner(rel string) bool {
	for ; rel != "."; rel = parentOf(rel) {
		if g.inner[rel] {
			return true
		}
	}
	return false
}

// hidden tells whether a path lies beneath a mask.
func (a *assembly) hidden(folder int, rel string) bool {
	for dir := parentOf(rel); ; dir = parentOf(dir) {
		if c := a.covers[folder][dir]; c != nil && c.kind == sandbox.Mask {
			return true
		}
		if dir == "." {
			return false
		}
	}
}

// within tells whether a path is covered by a mask or read-only as a whole
// directory, from above or itself.
func (a *assembly) within(folder int, rel string) bool {
	for ; ; rel = parentOf(rel) {
		if c := a.covers[folder][rel]; c != nil && c.kind != sandbox.Pin {
			return true
		}
		if rel == "." {
			return false
		}
	}
}

// walk goes through what is known of a folder.
type walk struct {
	*assembly
	g       *ground
	held    bool // everything here is read-only as a whole
	guarded bool // everything here is guarded by what lies above
}

func (w *walk) place(rel string) Place {
	real := w.g.real()
	if rel != "." {
		real = strings.TrimSuffix(real, "/") + "/" + rel
	}
	return Place{Folder: w.g.number, Rel: rel, Real: real}
}

// put adds a cover.
func (w *walk) put(rel string, kind sandbox.CoverKind, rule string) {
	if old := w.covers[w.g.number][rel]; old != nil {
		if old.kind == sandbox.Pin || kind == sandbox.Mask {
			old.kind = kind
		}
		return
	}
	if w.byRule[rule]++; w.byRule[rule] == 1 {
		w.sample[rule] = w.place(rel).Real
	}
	if w.count++; w.count <= w.scanner.limit {
		w.covers[w.g.number][rel] = &cover{kind: kind}
	}
}

// tooMany is an error if there are more covers than can be.
func (a *assembly) tooMany() error {
	if a.count <= a.scanner.limit {
		return nil
	}
	most := slices.MaxFunc(slices.Sorted(maps.Keys(a.byRule)), func(x, y string) int {
		return cmp.Compare(a.byRule[x], a.byRule[y])
	})
	return &LimitError{Limit: a.scanner.limit, Rule: most, Real: a.sample[most]}
}

// dir adds what a directory asks for, and what lies in it.
func (w walk) dir(k *kid) {
	n := k.node
	switch {
	case n.sealed:
		if !w.guarded {
			w.scan.Sealed = append(w.scan.Sealed, w.place(n.rel()))
		}
		w.put(n.rel(), sandbox.Mask, "builtin:unreadable")
		return
	case k.read == held && !n.allows(mayRead) && !w.reaches(n.rel()):
		w.guard(k)
		w.put(n.rel(), sandbox.Mask, k.rule)
		return
	}
	if w.g.writable() && !w.held && (k.change == shut || k.change == held && !n.allows(mayChange) && !w.reaches(n.rel())) {
		w.guard(k)
		w.put(n.rel(), sandbox.ReadOnly, k.rule)
		w.held, w.guarded = true, w.guarded || k.guard
	}
	w.repository(n)
	for i := range n.marks {
		w.mark(&n.marks[i], n.join(n.marks[i].name))
	}
	for i := range n.kids {
		w.dir(&n.kids[i])
	}
}

// reaches tells whether another allowed folder lies in the directory: by its own
// mode it may be used, so that the directory is not covered as a whole.
func (w *walk) reaches(rel string) bool { return w.g.above[rel] || rel == "." && len(w.g.inner) > 0 }

// guard notes a directory that is protected as a whole.
func (w *walk) guard(k *kid) {
	if k.guard && !w.guarded {
		w.scan.Guarded = append(w.scan.Guarded, Guarded{Place: w.place(k.node.rel()), Rule: k.rule, Dir: true})
	}
}

// repository notes a directory that is one for git, or has a part of it.
func (w *walk) repository(n *node) {
	named := namedGit(n.name)
	if !named && !n.shape.complete() || w.guarded {
		return
	}
	rel := n.rel()
	at := w.place(rel)
	w.scan.Repositories = append(w.scan.Repositories, Repository{Place: at, Named: named, Held: w.held})
	w.scan.Guarded = append(w.scan.Guarded, Guarded{Place: at, Reason: GitDir, Dir: true})
	if named {
		w.trees = append(w.trees, path.Dir(at.Real))
	}
	if w.g.writable() && !w.held && rel != "." {
		w.put(rel, sandbox.Pin, "")
	}
}

func (w *walk) mark(m *mark, rel string) {
	if m.what&lock != 0 {
		w.scan.Locks = append(w.scan.Locks, w.place(rel))
	}
	if m.what&guard != 0 && !w.guarded {
		w.scan.Guarded = append(w.scan.Guarded, Guarded{Place: w.place(rel), Rule: m.rule, Dir: m.what&directory != 0})
	}
	if m.what&gitFile != 0 && !w.guarded {
		w.trees = append(w.trees, path.Dir(w.place(rel).Real))
	}
	switch {
	case m.what&(masked|special) != 0:
		w.put(rel, sandbox.Mask, m.rule)
	case m.what&kept != 0 && !w.held:
		w.put(rel, sandbox.ReadOnly, m.rule)
	}
}

// finish looks at the objects that are to be covered, and adds what follows.
func (a *assembly) finish(ctx context.Context) (*Scan, error) {
	a.addHooks(ctx)
	for i, g := range a.scanner.grounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := a.identify(i, g); err != nil {
			return nil, err
		}
		if err := a.aliases(i); err != nil {
			return nil, err
		}
	}
	for i, g := range a.scanner.grounds {
		if err := a.pin(i, g); err != nil {
			return nil, err
		}
	}
	a.sort()
	if err := a.tooMany(); err != nil {
		return a.scan, err
	}
	for i := range a.scanner.grounds {
		a.emit(i)
	}
	return a.scan, nil
}

// sort orders all but the covers.
func (a *assembly) sort() {
	byReal := func(x, y Place) int { return compareRel(x.Real, y.Real) }
	slices.SortFunc(a.scan.Guarded, func(x, y Guarded) int { return byReal(x.Place, y.Place) })
	slices.SortFunc(a.scan.Repositories, func(x, y Repository) int { return byReal(x.Place, y.Place) })
	slices.SortFunc(a.scan.Locks, byReal)
	slices.SortFunc(a.scan.Sealed, byReal)
}

// addHooks covers the directories that git runs hooks from.
func (a *assembly) addHooks(ctx context.Context) {
	for _, real := range a.scanner.hooks(ctx, a.trees) {
		g, rel := a.scanner.groundOf(real)
		if g == nil || rel == "." || !g.writable() || a.within(g.number, rel) {
			continue
		}
		info, err := g.tree.Lstat(rel)
		if err != nil {
			continue // it does not exist yet
		}
		w := walk{assembly: a, g: g}
		a.scan.Guarded = append(a.scan.Guarded, Guarded{Place: w.place(rel), Reason: Hooks, Dir: info.IsDir()})
		w.put(rel, sandbox.ReadOnly, "core.hooksPath")
	}
}

// groundOf finds the innermost folder that holds a real path.
func (s *Scanner) groundOf(real string) (best *ground, rest string) {
	for _, g := range s.grounds {
		if rel, ok := below(g.real(), real); ok && (best == nil || len(g.real()) > len(best.real())) {
			best, rest = g, rel
		}
	}
	return best, rest
}

// identify looks at each object that is covered. What is gone meanwhile needs no
// cover.
func (a *assembly) identify(folder int, g *ground) error {
	for rel, c := range a.covers[folder] {
		if c.id != (jail.FileID{}) {
			continue
		}
		info, err := g.tree.Lstat(rel)
		switch {
		case err == nil:
			c.id, c.link, c.file = info.ID(), info.Nlink(), !info.IsDir()
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, jail.ErrNotDirectory):
			delete(a.covers[folder], rel)
		default: // a mount point
			state, err := g.tree.State(rel)
			if err != nil {
				return err
			}
			c.id = state.ID
		}
	}
	return nil
}

// pin adds the directories above everything that is covered because of its path,
// but not beneath what is read-only as a whole: nothing can be renamed there.
func (a *assembly) pin(folder int, g *ground) error {
	if !g.writable() {
		return nil
	}
	w := walk{assembly: a, g: g}
	above := map[string]bool{}
	add := func(rel string) {
		for dir := parentOf(rel); dir != "." && !above[dir]; dir = parentOf(dir) {
			above[dir] = true
		}
	}
	for rel := range a.covers[folder] {
		add(rel)
	}
	for rel := range g.inner {
		add(rel)
	}
	for rel := range above {
		if a.within(folder, rel) {
			continue
		}
		w.put(rel, sandbox.Pin, "")
	}
	return a.identify(folder, g)
}

// emit adds the folder's covers in the order in which they are to be mounted:
// what lies above first.
func (a *assembly) emit(folder int) {
	covers := a.covers[folder]
	for _, rel := range slices.SortedFunc(maps.Keys(covers), compareRel) {
		c := covers[rel]
		a.scan.Covers = append(a.scan.Covers, sandbox.Cover{Folder: folder, Rel: rel, Kind: c.kind, Dev: c.id.Dev, Ino: c.id.Ino})
	}
}
