package jail

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// times asks statx(2) for an entry, or for the directory itself if name is "".
func (d *fdDir) times(name string, want Info) Times {
	flags := unix.AT_SYMLINK_NOFOLLOW
	if name == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	var st unix.Statx_t
	err := unix.Statx(d.fd, name, flags, unix.STATX_ATIME|unix.STATX_BTIME|unix.STATX_INO, &st)
	if err != nil || want.id != (FileID{Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino}) {
		return Times{}
	}
	var t Times
	if st.Mask&unix.STATX_BTIME != 0 {
		t.Birth = time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
	}
	if st.Mask&unix.STATX_ATIME != 0 {
		t.Access = time.Unix(st.Atime.Sec, int64(st.Atime.Nsec))
	}
	return t
}

// accessed is what os.Root's look at an object has told.
func (i Info) accessed() time.Time {
	if i.origin == nil {
		return time.Time{}
	}
	if st, ok := i.origin.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Atim.Unix())
	}
	return time.Time{}
}
