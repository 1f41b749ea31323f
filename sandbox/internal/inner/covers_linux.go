package inner

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/system"
	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// Objects of this helper's own in the sandbox's root, which is a tmpfs.
const (
	maskFile = wire.Own + "/masked-file"
	maskDir  = wire.Own + "/masked-directory"
	linkDir  = wire.Own + "/links"
	fileDir  = wire.Own + "/files"
)

// The kinds of sandbox.CoverKind.
const (
	mask = iota
	readOnly
	pin
	link
)

// covers mounts covers, one by one, on objects that it has opened and compared.
type covers struct {
	folders []int // descriptors of the mounted folders
	links   int
}

func mountCovers(s *wire.Setup) error {
	if len(s.Covers) == 0 {
		return nil
	}
	if err := makeMasks(); err != nil {
		return fail("covers", err)
	}
	c := covers{folders: make([]int, len(s.Folders))}
	for i := range s.Folders {
		fd, err := openPlace(s.Folders[i].Path)
		if err != nil {
			return fail("covers", fmt.Errorf("%q: %w", s.Folders[i].Path, err))
		}
		defer unix.Close(fd) //nolint:errcheck,gocritic,revive // O_PATH, a few
		c.folders[i] = fd
	}
	for i := range s.Covers {
		v := &s.Covers[i]
		if err := c.mount(v); err != nil {
			return &stepError{"covers", fmt.Errorf("%q: %w", path.Join(s.Folders[v.Folder].Path, v.Rel), err), gone(err)}
		}
	}
	return nil
}

// gone reports whether the object is no longer there as it was.
func gone(err error) bool {
	for _, e := range []error{errOther, unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.EAGAIN} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// makeMasks makes what hides. Nobody without capabilities can open it, and it is
// mounted read-only, so that nobody can change that.
func makeMasks() error {
	fd, err := unix.Open(maskFile, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.Close(fd), os.Mkdir(maskDir, 0), os.Mkdir(linkDir, 0o755))
}

func (c *covers) mount(v *wire.Cover) error {
	target, err := unix.Openat2(c.folders[v.Folder], v.Rel, &unix.OpenHow{
		Flags: opath, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return err
	}
	defer unix.Close(target) //nolint:errcheck // O_PATH
	var st unix.Stat_t
	if err := unix.Fstat(target, &st); err != nil {
		return err
	}
	if st.Dev != v.Dev || st.Ino != v.Ino {
		return errOther
	}
	source, err := c.source(v, target, st.Mode&unix.S_IFMT == unix.S_IFDIR)
	if err != nil {
		return err
	}
	defer unix.Close(source) //nolint:errcheck // O_PATH
	return unix.MoveMount(source, "", target, "", moveEmpty)
}

// source makes a mount that is nowhere yet.
func (c *covers) source(v *wire.Cover, target int, dir bool) (int, error) {
	const clone = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC
	attr := unix.MountAttr{Attr_set: ownMount | unix.MOUNT_ATTR_RDONLY}
	flags := uint(unix.AT_EMPTY_PATH)
	var fd int
	var err error
	switch v.Kind {
	case mask:
		name := maskFile
		if dir {
			name = maskDir
		}
		fd, err = unix.OpenTree(unix.AT_FDCWD, name, clone)
	case readOnly:
		fd, err = unix.OpenTree(target, "", clone|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
		flags |= unix.AT_RECURSIVE
	case pin:
		fd, err = unix.OpenTree(target, "", clone|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
		attr.Attr_set = ownMount
	case link:
		c.links++
		name := path.Join(linkDir, strconv.Itoa(c.links))
		if err := os.Symlink(v.Target, name); err != nil {
			return -1, err
		}
		fd, err = unix.OpenTree(unix.AT_FDCWD, name, clone|unix.AT_SYMLINK_NOFOLLOW)
	default:
		return -1, errors.New("an unknown kind of cover")
	}
	if err != nil {
		return -1, err
	}
	if err := unix.MountSetattr(fd, "", flags, &attr); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

const shmOptions = "size=67108864,mode=1777"

// closeMounts mounts what each run has of its own in /dev, and makes what belongs to
// no folder read-only.
func closeMounts(*wire.Setup) error {
	// An old kernel may not let it be mounted here. Then there are no terminals.
	_ = unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, shmOptions); err != nil {
		return fail("mounts", fmt.Errorf("/dev/shm: %w", err))
	}
	// A read-only device can be written, but its mode, which is the host's, not changed.
	for _, point := range append([]string{"/", "/dev", "/proc"}, system.Devices...) {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
		if err := unix.MountSetattr(unix.AT_FDCWD, point, 0, &attr); err != nil {
			return fail("mounts", fmt.Errorf("%s: %w", point, err))
		}
	}
	return nil
}
