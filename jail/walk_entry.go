package jail

import (
	"io/fs"
	"strings"
	"sync/atomic"
)

// A WalkEntry is one name that a walk came upon. It is valid only during the
// call of fn.
type WalkEntry struct {
	w     *treeWalk
	at    *level
	name  string
	kind  fs.FileMode
	info  Info
	known bool // info is filled
	after bool
	err   error
}

// become makes e another entry. Its info, which is large, stays as it is and is
// not known.
func (e *WalkEntry) become(w *treeWalk, at *level, found entry) {
	e.w, e.at, e.name, e.kind = w, at, found.name, found.kind
	e.known, e.after, e.err = false, false, nil
}

// Name is the name, byte for byte.
func (e *WalkEntry) Name() string { return e.name }

// Path is the path below the start of the walk.
func (e *WalkEntry) Path() string { return e.w.path(e.name) }

// Real is the absolute real path.
func (e *WalkEntry) Real() string { return e.w.start.folder.join(joinRel(e.w.start.rel, e.Path())) }

// Dir is the real path of the directory that holds the entry.
func (e *WalkEntry) Dir() string {
	return e.w.start.folder.join(joinRel(e.w.start.rel, strings.TrimSuffix(e.w.prefix, "/")))
}

// Depth is 1 for the entries of the start itself.
func (e *WalkEntry) Depth() int { return len(e.w.levels) }

// Type is the type part of the mode.
func (e *WalkEntry) Type() fs.FileMode { return e.kind }

// IsDir tells whether the entry is a directory.
func (e *WalkEntry) IsDir() bool { return e.kind.IsDir() }

// IsLink tells whether the entry is a symbolic link.
func (e *WalkEntry) IsLink() bool { return e.kind&fs.ModeSymlink != 0 }

// After tells whether a directory's entries have been visited (WalkOptions.Post).
func (e *WalkEntry) After() bool { return e.after }

// Err is why the entry could not be looked at, or the directory not be entered.
func (e *WalkEntry) Err() error { return e.err }

// Info describes the entry itself, a link unfollowed.
func (e *WalkEntry) Info() (Info, error) {
	if e.known {
		return e.info, nil
	}
	info, err := e.dir().lstat(e.name)
	if err != nil {
		return info, report("stat", e.Path(), err)
	}
	e.info, e.known = info, true
	return info, nil
}

// Readlink tells where a link points, as it spells it.
func (e *WalkEntry) Readlink() (string, error) {
	target, err := e.dir().readlink(e.name)
	return target, report("readlink", e.Path(), err)
}

func (e *WalkEntry) dir() dir { return e.at.dir.dir }

// Open opens a regular file in the directory that the walk holds.
func (e *WalkEntry) Open() (*File, error) {
	d := e.Defer()
	defer d.Close()
	return d.Open()
}

// Defer keeps the directory open, so that the file can be opened after fn has
// returned, on any goroutine. It must be closed.
func (e *WalkEntry) Defer() *DeferredFile {
	e.at.dir.users.Add(1)
	return &DeferredFile{
		dir: e.at.dir, name: e.name, folder: e.w.start.folder,
		rel: joinRel(e.w.start.rel, e.Path()), denyHardLinks: e.w.start.j.denyHardLinks,
	}
}

// A DeferredFile is a name in a directory that is held open.
type DeferredFile struct {
	dir           *sharedDir
	name          string
	folder        *folder
	rel           string
	denyHardLinks bool
	closed        atomic.Bool
}

// Open opens the file if it is a regular one.
func (d *DeferredFile) Open() (*File, error) {
	f, err := d.dir.openFile(d.name)
	if err != nil {
		return nil, report("open", d.rel, err)
	}
	f.folder, f.rel = d.folder, d.rel
	if d.denyHardLinks && f.info.nlink > 1 {
		_ = f.Close()
		return nil, report("open", d.rel, errHardLink)
	}
	return f, nil
}

// Real is the real path of the file.
func (d *DeferredFile) Real() string { return d.folder.join(d.rel) }

// Close lets go of the directory; a second call does nothing.
func (d *DeferredFile) Close() {
	if !d.closed.Swap(true) {
		d.dir.release()
	}
}

// sharedDir is a directory that is closed when nobody uses it any more.
type sharedDir struct {
	dir
	users atomic.Int32
}

func share(d dir) *sharedDir {
	s := &sharedDir{dir: d}
	s.users.Store(1)
	return s
}

func (s *sharedDir) release() {
	if s.users.Add(-1) == 0 {
		_ = s.close()
	}
}
