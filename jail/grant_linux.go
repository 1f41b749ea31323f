package jail

import (
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"
)

// chmod sets the mode of the directory that is held. It goes by /proc because a
// descriptor of O_PATH is all that an unreadable directory can be held by, and
// fchmod(2) refuses those.
func (d *fdDir) chmod(mode fs.FileMode) error {
	bits := uint32(mode.Perm())
	for _, b := range []struct {
		mode fs.FileMode
		bit  uint32
	}{{fs.ModeSetuid, unix.S_ISUID}, {fs.ModeSetgid, unix.S_ISGID}, {fs.ModeSticky, unix.S_ISVTX}} {
		if mode&b.mode != 0 {
			bits |= b.bit
		}
	}
	return unix.Chmod("/proc/self/fd/"+strconv.Itoa(d.fd), bits)
}
