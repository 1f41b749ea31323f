package jail

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// handle is a plain file descriptor: an os.File would cost a third of an open
// for a poller that regular files never use.
type handle struct{ fd int }

// newFile adopts fd, and closes it if it is not a file to read.
func newFile(fd int, name string) (*File, error) {
	f := &File{handle: handle{fd: fd}}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	f.info.fill(name, &st)
	if err := f.checkKind(); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return f, nil
}

// adopt takes over the descriptor of an os.File.
func (h *handle) adopt(f *os.File) error {
	defer func() { _ = f.Close() }()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	h.fd = fd
	return err
}

func (h *handle) stat() (Info, error) {
	var (
		st   unix.Stat_t
		info Info
	)
	if err := unix.Fstat(h.fd, &st); err != nil {
		return info, err
	}
	info.fill("", &st)
	return info, nil
}

// readLimit keeps a single read below what the kernel would cut anyway, so that
// cancelling a long read does not have to wait for it.
const readLimit = 1 << 30

func (h *handle) read(p []byte) (n int, err error) {
	err = ignoringEINTR(func() (err error) {
		n, err = unix.Read(h.fd, p[:min(len(p), readLimit)])
		return err
	})
	return max(n, 0), err
}

func (h *handle) pread(p []byte, off int64) (n int, err error) {
	err = ignoringEINTR(func() (err error) {
		n, err = unix.Pread(h.fd, p[:min(len(p), readLimit)], off)
		return err
	})
	return max(n, 0), err
}

func (h *handle) write(p []byte) (n int, err error) {
	err = ignoringEINTR(func() (err error) {
		n, err = unix.Write(h.fd, p[:min(len(p), readLimit)])
		return err
	})
	return max(n, 0), err
}

func (h *handle) chmod(perm fs.FileMode) error { return unix.Fchmod(h.fd, uint32(perm.Perm())) }

// chown gives the file away; -1 leaves the owner or the group.
func (h *handle) chown(uid, gid int) error { return unix.Fchown(h.fd, uid, gid) }

func (h *handle) sync() error { return ignoringEINTR(func() error { return unix.Fsync(h.fd) }) }

func (h *handle) seek(offset int64, whence int) (int64, error) {
	return unix.Seek(h.fd, offset, whence)
}

func (h *handle) shut() error {
	fd := h.fd
	if fd < 0 {
		return fs.ErrClosed
	}
	h.fd = -1
	return unix.Close(fd)
}

// tryLock takes the advisory lock of the file.
func (h *handle) tryLock() (func(), error) { return tryFlock(h.fd) }
