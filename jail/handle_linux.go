package jail

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Handle is the folder's directory itself, held by its path only (O_PATH): for
// those who mount it. The caller closes it.
func (t Tree) Handle() (*os.File, error) {
	d, ok := t.folder.root.(*fdDir)
	if !ok {
		return t.handleByPath()
	}
	fd, err := unix.FcntlInt(uintptr(d.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, report("open", t.folder.Real, err)
	}
	return os.NewFile(uintptr(fd), t.folder.Real), nil
}

// handleByPath opens the folder anew where the engine holds it in another way, and
// makes sure that it is the same.
func (t Tree) handleByPath() (*os.File, error) {
	held, err := t.folder.root.info()
	if err != nil {
		return nil, report("open", t.folder.Real, err)
	}
	fd, err := unix.Open(t.folder.Real, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, report("open", t.folder.Real, err)
	}
	f := os.NewFile(uintptr(fd), t.folder.Real)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, errors.Join(report("open", t.folder.Real, err), f.Close())
	}
	if (FileID{Dev: st.Dev, Ino: st.Ino}) != held.id {
		return nil, errors.Join(report("open", t.folder.Real, ErrChanged), f.Close())
	}
	return f, nil
}
