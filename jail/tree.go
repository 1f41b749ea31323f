package jail

import (
	"context"
	"io/fs"
	"path"
	"time"
)

// A Tree looks at the directories of one allowed folder by their paths below it,
// for those who keep what they have seen of a big folder and want to know cheaply
// what has changed. Paths are clean, relative and without links; "." is the folder
// itself. Its methods may be called from several goroutines at once.
type Tree struct {
	j      *Jail
	folder *folder
}

// A DirState tells, compared with an earlier one of the same path, whether names
// were made, removed or replaced in a directory: the kernel then changes its
// change time, which nobody can set. What happens to the content of files, or in
// directories beneath, does not show.
type DirState struct {
	ID      FileID
	Changed int64 // the change time, in nanoseconds since 1970
}

// Tree is the allowed folder number i of Folders.
func (j *Jail) Tree(i int) Tree { return Tree{j, j.folders[i]} }

// Folder is the folder that the tree looks at.
func (t Tree) Folder() Folder { return t.folder.Folder }

// State tells the state of a directory without opening it. It is for comparing
// only: if a directory on the way is swapped for a link at that moment, the
// answer is about something else, and the directory that held it has changed too.
func (t Tree) State(rel string) (DirState, error) {
	s, ok, err := t.fastState(rel)
	if !ok {
		var info Info
		info, err = t.Lstat(rel)
		s = info.dirState()
	}
	return s, report("stat", rel, err)
}

// States tells the states of directories by their names in the directory at rel, as
// State does one by one, in less time where there are many: it calls fn with the
// place of each in names.
func (t Tree) States(rel string, names []string, fn func(i int, s DirState, err error)) {
	if t.fastStates(rel, names, fn) {
		return
	}
	for i, name := range names {
		s, err := t.State(joinRel(rel, name))
		fn(i, s, err)
	}
}

// Lstat describes the object that has exactly this real path, a link unfollowed.
func (t Tree) Lstat(rel string) (Info, error) {
	info, ok, err := t.fastLstat(rel)
	if ok {
		return info, report("stat", rel, err)
	}
	o, err := t.resolve(rel)
	if err != nil {
		return Info{}, err
	}
	defer func() { _ = o.Close() }()
	return o.info, nil
}

// List calls fn for every name in the directory that has exactly this real path,
// with the type part of its mode and its inode number, in no order and without
// leaving any out. An error of fn ends the listing and is returned as it is.
//
// It returns the state that the directory had before, and whether that state is
// settled: whether what changes in the directory from now on gives it another
// one. That is not so where the last change is so recent that another could get
// the same time, and on file systems whose clock is not this host's.
func (t Tree) List(rel string, fn func(name string, kind fs.FileMode, ino uint64) error) (s DirState, settled bool, err error) {
	d, err := t.open(rel)
	if err != nil {
		return s, false, report("list", rel, err)
	}
	defer func() { _ = d.close() }()
	info, err := d.info()
	if err != nil {
		return s, false, report("list", rel, err)
	}
	s = info.dirState()
	settled = t.settled(d, s)
	list, err := d.lister(0)
	if err != nil {
		return s, false, report("list", rel, err)
	}
	defer list.close()
	for {
		entries, err := list.next()
		if err != nil || len(entries) == 0 {
			return s, settled && err == nil, report("list", rel, err)
		}
		for _, e := range entries {
			if e, err = complete(d, e); err != nil {
				continue // vanished meanwhile
			}
			if err := fn(e.name, e.kind, e.ino); err != nil {
				return s, false, err
			}
		}
	}
}

// complete fills in what the listing did not tell.
func complete(d dir, e entry) (entry, error) {
	if e.ino != 0 && e.kind != typeUnknown {
		return e, nil
	}
	info, err := d.lstat(e.name)
	e.kind, e.ino = info.mode.Type(), info.id.Ino
	return e, err
}

// open opens a directory by its real path.
func (t Tree) open(rel string) (dir, error) {
	if d, ok, err := t.fastDir(rel); ok {
		return d, err
	}
	o, err := t.resolve(rel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = o.Close() }()
	d, err := o.directory()
	if err != nil {
		return nil, err
	}
	return d.again()
}

// resolve finds what has exactly this real path.
func (t Tree) resolve(rel string) (*Object, error) {
	how := Entry
	if rel == "." {
		how = Existing
	}
	o, err := t.j.Resolve(context.Background(), t.folder.join(rel), how)
	if err != nil {
		return nil, err
	}
	if o.Real() != path.Clean(t.folder.join(rel)) {
		_ = o.Close()
		return nil, report("resolve", rel, ErrChanged)
	}
	return o, nil
}

func (i Info) dirState() DirState { return DirState{ID: i.id, Changed: i.ctime.UnixNano()} }

// How long a time stamp may be the same for two changes: a tick of the kernel's
// clock, or a second where the file system keeps no more.
const (
	fineTick   = 20 * time.Millisecond
	coarseTick = 2 * time.Second
)

// settled tells whether a state was old enough, at this moment, for any further
// change to show.
func (t Tree) settled(d dir, s DirState) bool {
	tick := fineTick
	if s.Changed%int64(time.Second) == 0 {
		tick = coarseTick
	}
	return time.Since(time.Unix(0, s.Changed)) > tick && localClock(d)
}
