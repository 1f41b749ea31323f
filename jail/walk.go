package jail

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
)

// WalkOptions say how Walk goes.
type WalkOptions struct {
	// Depth is how far down to go: 1 is the directory's own entries, 0 no limit.
	Depth int
	// Sorted orders the entries of a directory by name. A directory of more than
	// 65,536 entries is sorted in portions of that size, to bound memory.
	Sorted bool
	// Stat fills Info for every entry.
	Stat bool
	// Post calls fn for each directory a second time, after its entries.
	Post bool
	// Ahead lets other goroutines open and list the next few directories before
	// their turn, where there are processors to spare. fn is called as ever: by
	// the goroutine of Walk, in the same order. But it is for an fn that changes
	// nothing in the tree, since a listing may be older than the call of fn for
	// its directory; and a directory that fn skips may have been opened.
	Ahead bool
}

const (
	sortPortion = 1 << 16 // entries that are sorted together
	openLevels  = 64      // directories that a walk holds open at once

	// parkedEntries are what a directory that is not held open may keep in
	// memory; more are read again on the way back.
	parkedEntries = 1024
)

// A level is a directory that the walk is in.
type level struct {
	dir     *sharedDir // nil while parked
	name    string
	lister  lister
	pending []entry
	prefix  int // length of the walk's prefix above this directory

	ahead   []*errand // for the next directories of pending
	planned int       // how many of pending have been looked at for that

	// Where to go on after parking.
	id      Info
	from    int64  // mark of the listing
	more    bool   // there is something to list from there
	start   int64  // mark at which the sorted portion in pending starts
	startOK bool   // that mark can be used
	last    string // the entry that the walk is in, if the portion is to be sorted again
}

// A treeWalk goes through a tree with its own stack. Beyond openLevels the upper
// directories are parked: they are closed with a mark of how far they were read,
// and found again by ".." on the way back.
type treeWalk struct {
	ctx    context.Context //nolint:containedctx // lives for one call
	start  *Object
	opts   WalkOptions
	temps  bool // show temporary files too
	fn     func(*WalkEntry) error
	levels []*level
	prefix string // path of the innermost directory, with a slash at its end
	steps  int
	ahead  *readAhead // nil if nothing is read ahead
	entry  WalkEntry  // the one that fn sees; made anew for each
}

// Walk calls fn for every entry below a directory, a directory before its
// entries. Links are not followed and mount points not entered unless permitted.
// A directory that can't be read is reported by a second entry with Err. If fn
// returns fs.SkipDir for a directory, it is not entered; for anything else, the
// rest of the directory that holds it is skipped. fs.SkipAll ends the walk
// without an error; any other error ends it and is returned as it is.
//
// Memory is bounded by the depth and by WalkOptions.Sorted's portions, whatever
// the size of a directory.
func (o *Object) Walk(ctx context.Context, opts WalkOptions, fn func(*WalkEntry) error) error {
	return o.traverse(ctx, opts, false, fn)
}

func (o *Object) traverse(ctx context.Context, opts WalkOptions, temps bool, fn func(*WalkEntry) error) error {
	top, err := o.directory()
	if err != nil {
		return o.fail("walk", err)
	}
	mine, err := top.again()
	if err != nil {
		return o.fail("walk", err)
	}
	w := &treeWalk{ctx: ctx, start: o, opts: opts, temps: temps, fn: fn}
	if opts.Ahead {
		w.ahead = startAhead()
	}
	defer w.close()
	if err := w.enter(mine, nil, ""); err != nil {
		return o.fail("walk", err)
	}
	err = w.run()
	if errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

func (w *treeWalk) close() {
	for _, l := range w.levels {
		w.letGo(l)
	}
	if w.ahead != nil {
		w.ahead.stop()
	}
}

// letGo closes what a level holds open.
func (w *treeWalk) letGo(l *level) {
	w.unlist(l)
	if l.dir != nil {
		l.dir.release()
		l.dir = nil
	}
}

// unlist ends the listing: there are no further entries.
func (w *treeWalk) unlist(l *level) {
	w.callOff(l)
	if l.lister != nil {
		l.lister.close()
		l.lister = nil
	}
	l.pending = nil
}

func (w *treeWalk) path(name string) string { return w.prefix + name }

// enter makes d the innermost directory. It takes over d and its listing, if that
// has begun.
func (w *treeWalk) enter(d dir, list lister, name string) (err error) {
	if list == nil {
		list, err = d.lister(0)
	}
	if err == nil && len(w.levels) >= openLevels {
		err = w.park(w.levels[len(w.levels)-openLevels])
	}
	if err != nil {
		if list != nil {
			list.close()
		}
		_ = d.close()
		return err
	}
	w.levels = append(w.levels, &level{dir: share(d), name: strings.Clone(name), lister: list, prefix: len(w.prefix)})
	if name != "" {
		w.prefix += name + "/"
	}
	return nil
}

// park closes a directory until the walk comes back to it.
func (w *treeWalk) park(l *level) (err error) {
	if l.dir == nil {
		return nil
	}
	w.callOff(l)
	l.planned = 0
	if l.id, err = l.dir.info(); err != nil {
		return err
	}
	if l.lister != nil {
		if l.from, l.more = l.lister.mark(); !l.more {
			if err := l.drain(w.opts.Sorted); err != nil {
				return err
			}
		}
	}
	if l.startOK && len(l.pending) > parkedEntries {
		l.pending, l.from, l.more = nil, l.start, true
	} else {
		l.pending, l.last = slices.Clone(l.pending), ""
	}
	if l.lister != nil { // not earlier: the entries were its own
		l.lister.close()
		l.lister = nil
	}
	l.dir.release()
	l.dir = nil
	return nil
}

// drain reads all that is left of a listing that can't be taken up again.
func (l *level) drain(sorted bool) error {
	all := slices.Clone(l.pending)
	for {
		more, err := l.lister.next()
		if err != nil {
			return err
		}
		if len(more) == 0 {
			break
		}
		all = append(all, more...)
	}
	if sorted {
		sortEntries(all)
	}
	l.pending = all
	return nil
}

// unpark takes up a parked directory again, as which d was found.
func (l *level) unpark(d dir, sorted bool) error {
	l.dir = share(d)
	if !l.more {
		return nil
	}
	l.more = false
	list, err := d.lister(l.from)
	if err != nil {
		return err
	}
	l.lister = list
	if l.last == "" {
		return nil
	}
	if err := l.fill(sorted); err != nil {
		return err
	}
	after, found := slices.BinarySearchFunc(l.pending, l.last, func(e entry, name string) int {
		return strings.Compare(e.name, name)
	})
	if found {
		after++
	}
	l.pending = l.pending[after:]
	return nil
}

// leave goes back to the directory above.
func (w *treeWalk) leave() error {
	inner := w.levels[len(w.levels)-1]
	w.levels = w.levels[:len(w.levels)-1]
	w.prefix = w.prefix[:inner.prefix]
	defer w.letGo(inner)
	if len(w.levels) == 0 {
		return nil
	}
	outer := w.levels[len(w.levels)-1]
	if outer.dir != nil {
		return nil
	}
	d, err := inner.dir.parent(outer.id)
	if err == nil {
		err = outer.unpark(d, w.opts.Sorted)
	}
	return report("walk", joinRel(w.start.given, w.prefix), err)
}

func (w *treeWalk) run() error {
	for len(w.levels) > 0 {
		if w.steps++; w.steps%64 == 0 {
			if err := w.ctx.Err(); err != nil {
				return err
			}
		}
		at := w.levels[len(w.levels)-1]
		e, ok, err := at.next(w.opts.Sorted)
		switch {
		case err != nil:
			w.unlist(at)
			err = w.unreadable(err)
		case ok:
			err = w.visit(at, e)
		default:
			err = w.finish(at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next takes the next entry of a directory.
func (l *level) next(sorted bool) (entry, bool, error) {
	if len(l.pending) == 0 && l.lister != nil {
		if err := l.fill(sorted); err != nil {
			return entry{}, false, err
		}
	}
	if len(l.pending) == 0 {
		return entry{}, false, nil
	}
	e := l.pending[0]
	l.pending = l.pending[1:]
	l.planned = max(l.planned-1, 0)
	l.last = e.name
	return e, true, nil
}

func (l *level) fill(sorted bool) error {
	if !sorted {
		more, err := l.lister.next()
		l.pending = more
		return err
	}
	l.start, l.startOK = l.lister.mark()
	var all []entry
	for len(all) < sortPortion {
		more, err := l.lister.next()
		if err != nil {
			return err
		}
		if len(more) == 0 {
			l.lister = nil
			break
		}
		all = append(all, more...)
	}
	sortEntries(all)
	l.pending = all
	return nil
}

func sortEntries(all []entry) {
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.name, b.name) })
}

// visit shows an entry, then enters it if it is a directory.
func (w *treeWalk) visit(at *level, found entry) error {
	if !w.temps && isTemp(found.name) {
		return nil
	}
	var errand *errand
	if w.ahead != nil {
		errand = at.takeAhead(found.name)
		w.plan(at)
	}
	enter, err := w.show(at, found)
	if enter && err == nil {
		return w.descend(&w.entry, errand)
	}
	if errand != nil {
		w.ahead.drop(errand)
	}
	return err
}

// show calls fn for an entry and tells whether to enter it.
func (w *treeWalk) show(at *level, found entry) (enter bool, err error) {
	e := &w.entry
	e.become(w, at, found)
	if w.opts.Stat || found.kind == typeUnknown {
		info, err := e.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, nil // vanished meanwhile
		case err != nil:
			e.err = err
		default:
			e.kind = info.mode.Type()
		}
	}
	err = w.fn(e)
	switch {
	case errors.Is(err, fs.SkipDir):
		if !e.IsDir() {
			w.unlist(at)
		}
		return false, nil
	case err != nil:
		return false, err
	case !e.IsDir(), w.opts.Depth > 0 && len(w.levels) >= w.opts.Depth:
		return false, w.afterwards(e)
	}
	return true, nil
}

// afterwards is the second call for a directory that was not entered.
func (w *treeWalk) afterwards(e *WalkEntry) error {
	if !w.opts.Post || !e.IsDir() {
		return nil
	}
	e.after = true
	return skipped(w.fn(e))
}

func skipped(err error) error {
	if errors.Is(err, fs.SkipDir) {
		return nil
	}
	return err
}

func (w *treeWalk) descend(e *WalkEntry, errand *errand) error {
	d, list, err := w.openBelow(e, errand)
	if err == nil {
		err = w.enter(d, list, e.name)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errIsLink), errors.Is(err, syscall.ENOTDIR):
		return nil // not a directory there any more
	default:
		e.err = report("walk", e.Path(), err)
		return skipped(w.fn(e))
	}
}

// openBelow opens the directory of an entry, unless that was done ahead.
func (w *treeWalk) openBelow(e *WalkEntry, errand *errand) (dir, lister, error) {
	if errand != nil {
		if d, list := w.ahead.await(errand); d != nil {
			return d, list, nil
		}
	}
	d, err := e.dir().openDir(e.name, false)
	if errors.Is(err, errMount) && w.start.j.mayCross(e.Real()) {
		if d, err = e.dir().openDir(e.name, true); err == nil {
			d, err = refuseKernel(d)
		}
	}
	return d, nil, err
}

// unreadable reports a directory whose listing broke off.
func (w *treeWalk) unreadable(err error) error {
	at := w.levels[len(w.levels)-1]
	if len(w.levels) == 1 {
		return w.start.fail("walk", err)
	}
	outer := w.levels[len(w.levels)-2]
	path := strings.TrimSuffix(w.prefix, "/")
	return w.outside(WalkEntry{w: w, at: outer, name: at.name, kind: fs.ModeDir, err: report("walk", path, err)})
}

// outside calls fn for the directory that the walk is about to leave, as seen
// from the one above.
func (w *treeWalk) outside(e WalkEntry) error {
	if err := w.leave(); err != nil {
		return err
	}
	w.entry = e
	return skipped(w.fn(&w.entry))
}

// finish leaves a directory whose entries are all visited.
func (w *treeWalk) finish(at *level) error {
	if !w.opts.Post || len(w.levels) == 1 {
		return w.leave()
	}
	outer := w.levels[len(w.levels)-2]
	return w.outside(WalkEntry{w: w, at: outer, name: at.name, kind: fs.ModeDir, after: true})
}

func joinRel(dirname, rel string) string {
	switch {
	case dirname == "." || dirname == "":
		return rel
	case rel == "":
		return dirname
	default:
		return dirname + "/" + rel
	}
}
