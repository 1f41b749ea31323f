package jail

import (
	"io/fs"
	"os"
	"time"
)

// FileID tells two objects apart while both exist. On systems without inode
// numbers it is zero.
type FileID struct{ Dev, Ino uint64 }

// Info describes an object. It implements [fs.FileInfo].
type Info struct {
	name   string
	size   int64
	mode   fs.FileMode
	mtime  time.Time
	ctime  time.Time
	nlink  uint64
	uid    uint32
	gid    uint32
	rdev   uint64
	id     FileID
	origin os.FileInfo // set by the os.Root engine, for os.SameFile
}

var _ fs.FileInfo = Info{}

// Name is the last element of the real path.
func (i Info) Name() string { return i.name }

// Size is the length in bytes.
func (i Info) Size() int64 { return i.size }

// Mode has the type and permission bits.
func (i Info) Mode() fs.FileMode { return i.mode }

// ModTime is the time of the last change of the content.
func (i Info) ModTime() time.Time { return i.mtime }

// IsDir tells whether the object is a directory.
func (i Info) IsDir() bool { return i.mode.IsDir() }

// Sys is always nil.
func (i Info) Sys() any { return nil }

// ChangeTime is the time of the last change of content or metadata; zero where
// the system does not tell.
func (i Info) ChangeTime() time.Time { return i.ctime }

// Nlink is the number of hard links; zero where the system does not tell.
func (i Info) Nlink() uint64 { return i.nlink }

// UID is the owner's number.
func (i Info) UID() uint32 { return i.uid }

// GID is the group's number.
func (i Info) GID() uint32 { return i.gid }

// ID identifies the object.
func (i Info) ID() FileID { return i.id }

// IsSpecial tells whether the object is a FIFO, a socket or a device.
func (i Info) IsSpecial() bool { return i.specialKind() != "" }

// IsLink tells whether the object is a symbolic link.
func (i Info) IsLink() bool { return i.mode&fs.ModeSymlink != 0 }

func (i Info) specialKind() string {
	switch {
	case i.mode&fs.ModeNamedPipe != 0:
		return "FIFO"
	case i.mode&fs.ModeSocket != 0:
		return "socket"
	case i.mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return "device"
	case i.mode&fs.ModeIrregular != 0:
		return "irregular file"
	default:
		return ""
	}
}

// same compares identity. Inode numbers are used again: a name that became an
// object of another type is told apart at least.
func (i Info) same(o Info) bool {
	if i.mode.Type() != o.mode.Type() {
		return false
	}
	if i.origin != nil && o.origin != nil {
		return os.SameFile(i.origin, o.origin)
	}
	return i.id == o.id
}
