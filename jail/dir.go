package jail

import (
	"errors"
	"io/fs"
)

// A dir is an open directory: the whole of what the two engines do differently.
// Every name is a single component other than "", "." and "..". No method
// follows a symbolic link, and none blocks on a special file.
type dir interface {
	info() (Info, error)
	lstat(name string) (Info, error)
	// times are those of an entry, or of the directory itself if name is "";
	// zero if it is not what want tells of.
	times(name string, want Info) Times
	readlink(name string) (string, error)

	// openDir opens a subdirectory. At a mount point it fails with errMount
	// unless cross is set, at a link with errIsLink.
	openDir(name string, cross bool) (dir, error)
	// parent opens the directory that holds this one and fails with ErrChanged
	// if that is not want any more.
	parent(want Info) (dir, error)
	// again opens this same directory a second time.
	again() (dir, error)
	// openFile opens a regular file (or a harmless device) for reading.
	openFile(name string) (*File, error)

	// create makes a new file for writing; it fails with fs.ErrExist if the
	// name is taken by anything at all.
	create(name string, perm fs.FileMode) (handle, error)
	// plain tells whether the name surely has no extended attributes that a
	// replacement would have to carry over.
	plain(name string) bool
	mkdir(name string, perm fs.FileMode) error
	symlink(target, name string) error
	remove(name string, directory bool) error
	rename(name string, to dir, newName string, how renameMode) error

	// lister reads the entries from a mark on, 0 for the start. It uses the
	// directory's own offset, so that only one lister of a dir is in use at a
	// time.
	lister(from int64) (lister, error)
	// lock takes the advisory lock that all of Bailey's writers in this
	// directory share, or fails with errLocked at once.
	tryLock() (unlock func(), err error)
	sync() error
	close() error
}

// renameMode is what a rename does about a name that is taken.
type renameMode int

const (
	renameReplace   renameMode = iota // take its place
	renameNoReplace                   // fail with fs.ErrExist
	renameExchange                    // swap the two; errNoExchange where that can't be done
)

var errNoExchange = errors.New("the file system can't exchange two names")

// A lister reads a directory in portions.
type lister interface {
	// next returns some entries; none and no error at the end. The slice is
	// valid until the next call.
	next() ([]entry, error)
	// mark is where another lister of the same directory would go on; false
	// where a listing can't be taken up again.
	mark() (from int64, ok bool)
	// close ends a listing early; the directory stays open.
	close()
}

// An entry is a name with its type; fs.ModeIrregular if the file system does not
// tell the type.
type entry struct {
	name string
	kind fs.FileMode
	ino  uint64 // 0 if the listing does not tell
}

const typeUnknown = fs.ModeIrregular
