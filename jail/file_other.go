//go:build !linux

package jail

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

type handle struct{ f *os.File }

func (h *handle) adopt(f *os.File) error {
	h.f = f
	return nil
}

func (h *handle) stat() (Info, error) {
	fi, err := h.f.Stat()
	if err != nil {
		return Info{}, err
	}
	return fromFileInfo(fi), nil
}

func (h *handle) read(p []byte) (int, error) { return atEnd(h.f.Read(p)) }

func (h *handle) pread(p []byte, off int64) (int, error) { return atEnd(h.f.ReadAt(p, off)) }

// atEnd turns io.EOF into the zero count of the system call.
func atEnd(n int, err error) (int, error) {
	if errors.Is(err, io.EOF) {
		return n, nil
	}
	return n, err
}

func (h *handle) write(p []byte) (int, error) { return h.f.Write(p) }

func (h *handle) chmod(perm fs.FileMode) error { return h.f.Chmod(perm) }

func (h *handle) chown(uid, gid int) error { return h.f.Chown(uid, gid) }

func (h *handle) sync() error { return h.f.Sync() }

func (h *handle) seek(offset int64, whence int) (int64, error) { return h.f.Seek(offset, whence) }

func (h *handle) shut() error { return h.f.Close() }

func (h *handle) tryLock() (func(), error) { return tryFlock(int(h.f.Fd())) }
