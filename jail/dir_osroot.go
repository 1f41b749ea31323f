package jail

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// rootDir is the dir of the os.Root engine. os.Root never leaves its directory,
// but it follows links inside it; so each step looks at the name first, opens it
// and compares the two: a swap in between is noticed, never used.
type rootDir struct {
	root  *os.Root
	top   *os.Root // the allowed folder, for what needs two directories
	rel   string   // path of root below top
	mount mountID
}

// openTopRoot opens an allowed folder with the os.Root engine.
func openTopRoot(real string) (dir, error) {
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	d := &rootDir{root: root, top: root, rel: "."}
	if d.mount, err = d.readMount(); err != nil {
		_ = root.Close()
		return nil, err
	}
	return d, nil
}

func (d *rootDir) readMount() (mountID, error) {
	f, err := d.root.Open(".")
	if errors.Is(err, fs.ErrPermission) {
		// Can be searched but not listed: the device is all that can be told.
		info, err := d.info()
		return mountID{dev: info.id.Dev}, err
	}
	if err != nil {
		return mountID{}, err
	}
	defer func() { _ = f.Close() }()
	return mountOf(f)
}

func (d *rootDir) info() (Info, error) { return d.stat(".") }

func (d *rootDir) stat(name string) (Info, error) {
	fi, err := d.root.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return fromFileInfo(fi), nil
}

func (d *rootDir) lstat(name string) (Info, error) { return d.stat(name) }

func (d *rootDir) readlink(name string) (string, error) { return d.root.Readlink(name) }

func (d *rootDir) openDir(name string, cross bool) (dir, error) {
	before, err := d.lstat(name)
	switch {
	case err != nil:
		return nil, err
	case before.IsLink():
		return nil, errIsLink
	case !before.IsDir():
		return nil, errNotDirectory
	}
	// "name/." is opened as a directory or not at all: without the dot, a FIFO
	// that slipped in after the look would block.
	sub, err := d.root.OpenRoot(name + "/.")
	if err != nil {
		return nil, becameLink(err)
	}
	child := &rootDir{root: sub, top: d.top, rel: path.Join(d.rel, name)}
	if err := child.check(before, d.mount, cross); err != nil {
		_ = sub.Close()
		return nil, err
	}
	return child, nil
}

// check makes sure that what was opened is what was looked at, on the same mount.
func (d *rootDir) check(want Info, mount mountID, cross bool) error {
	got, err := d.info()
	if err != nil {
		return err
	}
	if !got.same(want) {
		return ErrChanged
	}
	if d.mount, err = d.readMount(); err != nil {
		return err
	}
	if !cross && d.mount.crossed(mount) {
		return errMount
	}
	return nil
}

func (d *rootDir) parent(want Info) (dir, error) {
	up, err := d.top.OpenRoot(path.Dir(d.rel))
	if err != nil {
		return nil, err
	}
	child := &rootDir{root: up, top: d.top, rel: path.Dir(d.rel)}
	if err := child.check(want, mountID{}, true); err != nil {
		_ = up.Close()
		return nil, err
	}
	return child, nil
}

func (d *rootDir) again() (dir, error) {
	root, err := d.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return &rootDir{root: root, top: d.top, rel: d.rel, mount: d.mount}, nil
}

func (d *rootDir) openFile(name string) (*File, error) {
	before, err := d.lstat(name)
	if err != nil {
		return nil, err
	}
	if err := (&File{info: before}).checkKind(); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, becameLink(err)
	}
	after, err := f.Stat()
	if err == nil && !before.same(fromFileInfo(after)) {
		err = ErrChanged
	}
	if err == nil {
		err = d.sameMount(f)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return newFileFrom(f, name)
}

// becameLink reads what os.Root says about a name that was no link a moment ago:
// "path escapes", which has no errno, or ELOOP mean that it is one now.
func becameLink(err error) error {
	errno, ok := bare(err).(syscall.Errno) //nolint:errorlint // bare left the plain errno
	if errno == syscall.ELOOP || !ok && !errors.Is(err, fs.ErrClosed) {
		return errIsLink
	}
	return err
}

func (d *rootDir) sameMount(f *os.File) error {
	mount, err := mountOf(f)
	if err == nil && mount.crossed(d.mount) {
		err = errMount
	}
	return err
}

func (d *rootDir) create(name string, perm fs.FileMode) (h handle, err error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return h, err
	}
	if err = h.adopt(f); err != nil {
		_ = d.root.Remove(name)
	}
	return h, err
}

// plain is not known: os.Root has no extended attributes.
func (d *rootDir) plain(string) bool { return false }

func (d *rootDir) mkdir(name string, perm fs.FileMode) error {
	return d.root.Mkdir(name, perm.Perm())
}

func (d *rootDir) symlink(target, name string) error { return d.root.Symlink(target, name) }

func (d *rootDir) remove(name string, directory bool) error {
	info, err := d.lstat(name)
	if err != nil {
		return err
	}
	if info.IsDir() != directory {
		if directory {
			return errNotDirectory
		}
		return errIsDirectory
	}
	return d.root.Remove(name)
}

func (d *rootDir) rename(name string, to dir, newName string, how renameMode) error {
	target := to.(*rootDir)
	switch {
	case how == renameExchange:
		return errNoExchange
	case target.top != d.top:
		return syscall.EXDEV
	case how == renameNoReplace:
		return d.renameNoReplace(name, target, newName)
	default:
		return d.renameTo(name, target, newName)
	}
}

// renameTo stays inside one os.Root where it can, so that the directories are
// held and not looked up again.
func (d *rootDir) renameTo(name string, target *rootDir, newName string) error {
	if target.rel == d.rel {
		return d.root.Rename(name, newName)
	}
	if err := d.stillThere(); err != nil {
		return err
	}
	if err := target.stillThere(); err != nil {
		return err
	}
	return d.top.Rename(path.Join(d.rel, name), path.Join(target.rel, newName))
}

// stillThere fails if the path below the folder is not this directory any more.
func (d *rootDir) stillThere() error {
	held, err := d.info()
	if err != nil {
		return err
	}
	now, err := d.top.Lstat(d.rel)
	if err != nil {
		return err
	}
	if !held.same(fromFileInfo(now)) {
		return ErrChanged
	}
	return nil
}

// renameNoReplace never replaces a file: link(2) does not. A directory can't be
// linked, so that for it the look before the rename is all there is.
func (d *rootDir) renameNoReplace(name string, target *rootDir, newName string) error {
	info, err := d.lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() && target.rel == d.rel {
		err := d.root.Link(name, newName)
		switch {
		case err == nil:
			return d.root.Remove(name)
		case errors.Is(err, fs.ErrExist):
			return err
		}
	}
	if _, err := target.lstat(newName); err == nil {
		return syscall.EEXIST
	}
	return d.renameTo(name, target, newName)
}

func (d *rootDir) tryLock() (func(), error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	unlock, err := tryFlock(int(f.Fd()))
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { unlock(); _ = f.Close() }, nil
}

func (d *rootDir) sync() error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return syncDir(f)
}

// close leaves the allowed folder itself open: its dir is closed by its folder.
func (d *rootDir) close() error { return d.root.Close() }

func (d *rootDir) lister(int64) (lister, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	return &rootLister{f: f}, nil
}

type rootLister struct {
	f       *os.File
	entries []entry
}

// rootListerPortion bounds what a portion holds.
const rootListerPortion = 1024

func (l *rootLister) next() ([]entry, error) {
	if l.f == nil {
		return nil, nil
	}
	found, err := l.f.ReadDir(rootListerPortion)
	l.entries = l.entries[:0]
	for _, e := range found {
		l.entries = append(l.entries, entry{name: e.Name(), kind: e.Type()})
	}
	if len(found) == 0 || err != nil {
		l.close()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return l.entries, err
}

// mark: os.File reads ahead, so that its place in a directory can't be told.
func (l *rootLister) mark() (int64, bool) { return 0, false }

func (l *rootLister) close() {
	if l.f != nil {
		_ = l.f.Close()
		l.f = nil
	}
}
