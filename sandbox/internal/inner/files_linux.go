package inner

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

const (
	opath     = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	ownMount  = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	moveEmpty = unix.MOVE_MOUNT_F_EMPTY_PATH | unix.MOVE_MOUNT_T_EMPTY_PATH
)

var errOther = errors.New("is another object now")

// placeFolders moves each folder from where the back end has mounted it to where it
// belongs. The back end never makes a directory, nor follows a link, in a tree that
// a command could have prepared: it mounts into the fresh root alone.
func placeFolders(s *wire.Setup) error {
	for _, path := range s.Pinned {
		if err := pinDirectory(path); err != nil {
			return fail("folders", fmt.Errorf("%q: %w", path, err))
		}
	}
	for i := range s.Folders {
		if err := placeFolder(&s.Folders[i], wire.Staged(i)); err != nil {
			return &stepError{"folders", fmt.Errorf("%q: %w", s.Folders[i].Path, err), errors.Is(err, errOther)}
		}
	}
	return nil
}

func placeFolder(f *wire.Folder, staged string) error {
	source, err := unix.Open(staged, opath, 0)
	if err != nil {
		return err
	}
	defer unix.Close(source) //nolint:errcheck // O_PATH
	if err := is(source, f.Dev, f.Ino); err != nil {
		return err
	}
	open := makePlace
	if f.Within {
		open = func(name string, _ bool) (int, error) { return openPlace(name) }
	}
	target, err := open(f.Path, f.File)
	if err != nil {
		return err
	}
	defer unix.Close(target) //nolint:errcheck // O_PATH
	if f.Within {
		if err := is(target, f.Dev, f.Ino); err != nil {
			return err
		}
	}
	return unix.MoveMount(source, "", target, "", moveEmpty)
}

// pinDirectory makes a directory and binds it onto itself, so that it can't be moved.
func pinDirectory(path string) error {
	target, err := makePlace(path, false)
	if err != nil {
		return err
	}
	defer unix.Close(target) //nolint:errcheck // O_PATH
	source, err := unix.OpenTree(target, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(source) //nolint:errcheck // O_PATH
	return unix.MoveMount(source, "", target, "", moveEmpty)
}

// is makes sure that an open object is the one that was meant.
func is(fd int, dev, ino uint64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Dev != dev || st.Ino != ino {
		return errOther
	}
	return nil
}

// openPlace opens an absolute path, no component of which is a link.
func openPlace(name string) (int, error) {
	return unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{Flags: opath, Resolve: unix.RESOLVE_NO_SYMLINKS})
}

// makePlace is openPlace where what is missing is made: directories, and the last
// component as an empty file if that is asked for.
func makePlace(name string, file bool) (int, error) {
	fd, err := openPlace(name)
	if err != unix.ENOENT { //nolint:errorlint // a plain errno
		return fd, err
	}
	dir, base := path.Split(strings.TrimSuffix(name, "/"))
	parent, err := makePlace(dir, false)
	if err != nil {
		return -1, err
	}
	defer unix.Close(parent) //nolint:errcheck // O_PATH
	if file {
		made, err := unix.Openat(parent, base, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
		if err != nil {
			return -1, err
		}
		_ = unix.Close(made)
	} else if err := unix.Mkdirat(parent, base, 0o755); err != nil && err != unix.EEXIST { // another run of the session was first
		return -1, err
	}
	return openPlace(name)
}

// makeFiles makes the sandbox's own files. They are in its root, which becomes
// read-only, or in its /tmp.
func makeFiles(s *wire.Setup) error {
	for i := range s.Files {
		f := &s.Files[i]
		if err := makeFile(f, i); err != nil {
			return fail("files", fmt.Errorf("%q: %w", f.Path, err))
		}
	}
	return nil
}

func makeFile(f *wire.File, i int) error {
	if f.Mode&unix.S_IFMT == unix.S_IFDIR {
		fd, err := makePlace(f.Path, false)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}
	name := f.Path
	if f.Over {
		name = path.Join(fileDir, strconv.Itoa(i))
	}
	if err := writeFile(name, f.Content, f.Mode); err != nil || !f.Over {
		return err
	}
	source, err := unix.OpenTree(unix.AT_FDCWD, name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(source) //nolint:errcheck // O_PATH
	if err := unix.MountSetattr(source, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: ownMount | unix.MOUNT_ATTR_RDONLY}); err != nil {
		return err
	}
	target, err := openPlace(f.Path)
	if err != nil {
		return err
	}
	defer unix.Close(target) //nolint:errcheck // O_PATH
	return unix.MoveMount(source, "", target, "", moveEmpty)
}

// writeFile makes a file that was not there, and the directories above it.
func writeFile(name string, content []byte, mode uint32) error {
	dir, base := path.Split(name)
	parent, err := makePlace(dir, false)
	if err != nil {
		return err
	}
	defer unix.Close(parent) //nolint:errcheck // O_PATH
	fd, err := unix.Openat(parent, base, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), name)
	_, err = file.Write(content)
	return errors.Join(err, file.Chmod(os.FileMode(mode&0o777)), file.Close())
}
