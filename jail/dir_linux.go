package jail

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// resolveStrict lets the kernel walk a path without leaving the start, following
// a link or crossing a mount: on success the cleaned path is the real path.
const resolveStrict = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS |
	unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV

// openFlags never blocks, never makes a terminal the controlling one and never
// truncates.
const openFlags = unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_NOFOLLOW

// pathFlags opens an object without any access to it; openat2 takes few other
// flags beside O_PATH. O_NOFOLLOW must not be among them: with O_PATH it opens a
// link in the last place, in spite of RESOLVE_NO_SYMLINKS.
const pathFlags = unix.O_PATH | unix.O_CLOEXEC

// eagainTries is how often a walk is tried again because something was renamed
// under it. Measured under attack: 1 % of the walks need a second try, none 128.
const eagainTries = 128

// openat2 retries what the kernel asks to be retried.
func openat2(fd int, path string, flags, resolve uint64) (int, error) {
	how := unix.OpenHow{Flags: flags, Resolve: resolve}
	for tries := 0; ; {
		got, err := callOpenat2(fd, path, &how)
		switch err {
		case unix.EINTR:
		case unix.EAGAIN:
			if tries++; tries >= eagainTries {
				return -1, err
			}
			runtime.Gosched()
		default:
			return got, err
		}
	}
}

// shortPath is the length up to which a path is handed to the kernel from the
// stack.
const shortPath = 255

// callOpenat2 is unix.Openat2 without its copy of the path on the heap, which took
// 3 % of a stat.
func callOpenat2(fd int, path string, how *unix.OpenHow) (int, error) {
	if len(path) > shortPath {
		return unix.Openat2(fd, path, how)
	}
	if strings.IndexByte(path, 0) >= 0 {
		return -1, unix.EINVAL
	}
	var buf [shortPath + 1]byte // the rest are zeros: the end for the kernel
	copy(buf[:], path)
	//nolint:gosec // the pointers live as long as the call
	got, _, errno := unix.Syscall6(unix.SYS_OPENAT2, uintptr(fd), uintptr(unsafe.Pointer(&buf)),
		uintptr(unsafe.Pointer(how)), unsafe.Sizeof(*how), 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(got), nil
}

// ignoringEINTR repeats a call that a signal interrupted.
func ignoringEINTR(call func() error) error {
	for {
		if err := call(); err != unix.EINTR { //nolint:errorlint // a plain errno
			return err
		}
	}
}

// fdDir is the dir of the openat2 engine.
type fdDir struct {
	fd       int
	readable bool // opened for reading, not with O_PATH
	listed   bool // its offset may not be the start any more
}

func (d *fdDir) info() (Info, error) {
	var (
		st   unix.Stat_t
		info Info
	)
	if err := unix.Fstat(d.fd, &st); err != nil {
		return info, err
	}
	info.fill("", &st)
	return info, nil
}

func (d *fdDir) lstat(name string) (Info, error) {
	var (
		st   unix.Stat_t
		info Info
	)
	err := ignoringEINTR(func() error { return unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return info, err
	}
	info.fill(name, &st)
	return info, nil
}

func (d *fdDir) readlink(name string) (string, error) {
	for size := 256; ; size *= 2 {
		buf := make([]byte, size)
		n, err := unix.Readlinkat(d.fd, name, buf)
		if err != nil {
			return "", err
		}
		if n < size {
			return string(buf[:n]), nil
		}
	}
}

func (d *fdDir) openDir(name string, cross bool) (dir, error) {
	resolve := uint64(resolveStrict)
	if cross {
		resolve &^= unix.RESOLVE_NO_XDEV
	}
	fd, err := openat2(d.fd, name, openFlags|unix.O_DIRECTORY, resolve)
	readable := err == nil
	if err == unix.EACCES { //nolint:errorlint // a plain errno
		fd, err = openat2(d.fd, name, pathFlags|unix.O_DIRECTORY, resolve)
	}
	switch err {
	case nil:
		return &fdDir{fd: fd, readable: readable}, nil
	case unix.EXDEV:
		return nil, errMount
	case unix.ELOOP:
		return nil, errIsLink
	default:
		return nil, err
	}
}

// parent goes up by "..", which openat2 would refuse beneath d, and makes sure
// that it came out where the caller has been before.
func (d *fdDir) parent(want Info) (dir, error) {
	fd, err := unix.Openat(d.fd, "..", pathFlags|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	up := &fdDir{fd: fd}
	got, err := up.info()
	if err == nil && !got.same(want) {
		err = ErrChanged
	}
	if err != nil {
		_ = up.close()
		return nil, err
	}
	return up, nil
}

func (d *fdDir) again() (dir, error) {
	fd, err := unix.Openat(d.fd, ".", openFlags|unix.O_DIRECTORY, 0)
	if err == nil {
		return &fdDir{fd: fd, readable: true}, nil
	}
	fd, err = unix.Openat(d.fd, ".", pathFlags|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &fdDir{fd: fd}, nil
}

// read makes sure that d can be listed, locked and synced.
func (d *fdDir) read() error {
	if d.readable {
		return nil
	}
	fd, err := unix.Openat(d.fd, ".", openFlags|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	_ = unix.Close(d.fd)
	d.fd, d.readable, d.listed = fd, true, false
	return nil
}

func (d *fdDir) openFile(name string) (*File, error) {
	fd, err := openat2(d.fd, name, openFlags, resolveStrict)
	if err != nil {
		return nil, openFileError(err)
	}
	return newFile(fd, name)
}

func openFileError(err error) error {
	switch err {
	case unix.EXDEV:
		return errMount
	case unix.ELOOP:
		return errIsLink
	case unix.ENXIO, unix.ENODEV:
		return &SpecialError{Kind: "device or socket"}
	default:
		return err
	}
}

func (d *fdDir) create(name string, perm fs.FileMode) (handle, error) {
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	var fd int
	err := ignoringEINTR(func() (err error) {
		fd, err = unix.Openat(d.fd, name, flags, uint32(perm.Perm()))
		return err
	})
	return handle{fd: fd}, err
}

func (d *fdDir) mkdir(name string, perm fs.FileMode) error {
	return unix.Mkdirat(d.fd, name, uint32(perm.Perm()))
}

func (d *fdDir) symlink(target, name string) error {
	return unix.Symlinkat(target, d.fd, name)
}

func (d *fdDir) remove(name string, directory bool) error {
	flags := 0
	if directory {
		flags = unix.AT_REMOVEDIR
	}
	return ignoringEINTR(func() error { return unix.Unlinkat(d.fd, name, flags) })
}

func (d *fdDir) rename(name string, to dir, newName string, how renameMode) error {
	target := to.(*fdDir).fd
	switch how {
	case renameNoReplace:
		err := unix.Renameat2(d.fd, name, target, newName, unix.RENAME_NOREPLACE)
		if unsupported(err) {
			return d.linkOver(name, target, newName)
		}
		return err
	case renameExchange:
		err := unix.Renameat2(d.fd, name, target, newName, unix.RENAME_EXCHANGE)
		if unsupported(err) {
			return errNoExchange
		}
		return err
	default:
		return unix.Renameat(d.fd, name, target, newName)
	}
}

func unsupported(err error) bool {
	return err == unix.EINVAL || err == unix.ENOSYS || err == unix.ENOTSUP //nolint:errorlint // plain errnos
}

// linkOver is NOREPLACE where the file system lacks it: link(2) never replaces a
// name. A directory can't be linked, so that for it there is only a look before
// the rename, which never replaces more than an empty directory.
func (d *fdDir) linkOver(name string, target int, newName string) error {
	err := unix.Linkat(d.fd, name, target, newName, 0)
	switch err {
	case nil:
		return unix.Unlinkat(d.fd, name, 0)
	case unix.EPERM, unix.ENOTSUP:
		if _, err := (&fdDir{fd: target}).lstat(newName); err == nil {
			return unix.EEXIST
		}
		return unix.Renameat(d.fd, name, target, newName)
	default:
		return err
	}
}

func (d *fdDir) tryLock() (func(), error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	return tryFlock(d.fd)
}

func (d *fdDir) sync() error {
	if err := d.read(); err != nil {
		return err
	}
	return ignoringEINTR(func() error { return unix.Fsync(d.fd) })
}

func (d *fdDir) close() error {
	if d.fd < 0 {
		return nil
	}
	fd := d.fd
	d.fd = -1
	return unix.Close(fd)
}

func (d *fdDir) lister(from int64) (lister, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	if d.listed || from != 0 {
		if _, err := unix.Seek(d.fd, from, unix.SEEK_SET); err != nil {
			return nil, err
		}
	}
	d.listed = true
	return &dentReader{fd: d.fd}, nil
}

// openRootDir opens an allowed folder by its canonical path, and fails if a link
// has come into that path since it was canonicalised.
func openRootDir(real string) (dir, error) {
	slash, err := unix.Open("/", pathFlags|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(slash) }()
	rel := strings.TrimPrefix(real, "/")
	if rel == "" {
		rel = "."
	}
	fd, err := openat2(slash, rel, pathFlags|unix.O_DIRECTORY,
		unix.RESOLVE_NO_SYMLINKS|unix.RESOLVE_NO_MAGICLINKS)
	if err != nil {
		return nil, err
	}
	return &fdDir{fd: fd}, nil
}

// openat2Missing tells whether the kernel, or a filter in front of it, lacks
// openat2.
func openat2Missing(err error) bool {
	return errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM)
}
