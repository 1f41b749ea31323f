package jail

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func (i *Info) fill(name string, st *unix.Stat_t) {
	i.name = name
	i.size = st.Size
	i.mode = fileMode(st.Mode)
	i.mtime = time.Unix(st.Mtim.Unix())
	i.ctime = time.Unix(st.Ctim.Unix())
	i.nlink = uint64(st.Nlink) //nolint:unconvert // 32 bits on some architectures
	i.uid, i.gid = st.Uid, st.Gid
	i.rdev = st.Rdev
	i.id = FileID{Dev: st.Dev, Ino: st.Ino}
}

// fillX is fill from what statx(2) tells.
func (i *Info) fillX(name string, st *unix.Statx_t) {
	i.name = name
	i.size = int64(st.Size)
	i.mode = fileMode(uint32(st.Mode))
	i.mtime = time.Unix(st.Mtime.Sec, int64(st.Mtime.Nsec))
	i.ctime = time.Unix(st.Ctime.Sec, int64(st.Ctime.Nsec))
	i.nlink = uint64(st.Nlink)
	i.uid, i.gid = st.Uid, st.Gid
	i.rdev = unix.Mkdev(st.Rdev_major, st.Rdev_minor)
	i.id = FileID{Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino}
}

func fileMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	case unix.S_IFREG:
	default:
		m |= fs.ModeIrregular
	}
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// harmlessDevice tells whether this is the null or the urandom device: the two
// that are a file in all but name.
func (i Info) harmlessDevice() bool {
	if i.mode&fs.ModeCharDevice == 0 || unix.Major(i.rdev) != 1 {
		return false
	}
	minor := unix.Minor(i.rdev)
	return minor == 3 || minor == 9
}

// fromFileInfo makes an Info of what os.Root tells.
func fromFileInfo(fi os.FileInfo) Info {
	info := Info{name: fi.Name(), size: fi.Size(), mode: fi.Mode(), mtime: fi.ModTime(), origin: fi}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		info.ctime = time.Unix(st.Ctim.Unix())
		info.nlink = uint64(st.Nlink) //nolint:unconvert // 32 bits on some architectures
		info.uid, info.gid = st.Uid, st.Gid
		info.rdev = st.Rdev
		info.id = FileID{Dev: st.Dev, Ino: st.Ino}
	}
	return info
}
