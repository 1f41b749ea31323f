package keeper

import (
	"fmt"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/system"
	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// The area is where the keeper mounts what its runs share, in a namespace of its own:
// over a directory that each host has and that is never a folder. The back end takes
// many times as long for a mount, and would have to make each one for every run.
const areaSize = 16 << 20

// furnish makes the area, and gives a descriptor of the session's /tmp.
func furnish(tmpSize int64, a system.Account) (tmp int, err error) {
	if err := mountTmpfs(wire.Area, areaSize, "0755"); err != nil {
		return -1, err
	}
	for _, dir := range []string{wire.AreaTmp, wire.Area + "/dev/pts", wire.Area + "/dev/shm", wire.Area + "/etc"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return -1, err
		}
	}
	for name, content := range a.OwnFiles() {
		if err := write(name, []byte(content)); err != nil {
			return -1, err
		}
	}
	for link, target := range system.Links {
		if err := os.Symlink(target, wire.Area+link); err != nil {
			return -1, err
		}
	}
	for _, name := range system.Files {
		if err := copyFile(name); err != nil {
			return -1, err
		}
	}
	for _, name := range append(system.Devices, system.Dirs...) {
		if err := bind(name); err != nil {
			return -1, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := mountTmpfs(wire.AreaTmp, tmpSize, "1777"); err != nil {
		return -1, err
	}
	return unix.Open(wire.AreaTmp, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

func mountTmpfs(point string, size int64, mode string) error {
	options := fmt.Sprintf("size=%d,nr_inodes=%d,mode=%s", size, max(size>>12, 1<<12), mode)
	return unix.Mount("tmpfs", point, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options)
}

func write(name string, content []byte) error {
	if err := os.MkdirAll(path.Dir(wire.Area+name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(wire.Area+name, content, 0o644)
}

// copyFile copies a file of the host, or makes the same link, if it is there.
func copyFile(name string) error {
	kind, target := system.Look(name)
	switch kind {
	case system.Link:
		if err := os.MkdirAll(path.Dir(wire.Area+name), 0o755); err != nil {
			return err
		}
		return os.Symlink(target, wire.Area+name)
	case system.Other:
		content, err := os.ReadFile(name)
		if err != nil {
			return nil //nolint:nilerr // what this user can't read, its commands can't
		}
		return write(name, content)
	case system.Absent, system.Dir:
	}
	return nil
}

// bind mounts a directory of the host, read-only, or a device.
func bind(name string) error {
	kind, target := system.Look(name)
	point := wire.Area + name
	if err := os.MkdirAll(path.Dir(point), 0o755); err != nil {
		return err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	switch kind {
	case system.Absent:
		return nil
	case system.Link:
		return os.Symlink(target, point)
	case system.Dir:
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_RDONLY
		if err := os.Mkdir(point, 0o755); err != nil {
			return err
		}
	case system.Other:
		if err := os.WriteFile(point, nil, 0o644); err != nil {
			return err
		}
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return err
	}
	defer unix.Close(tree) //nolint:errcheck // O_PATH
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return err
	}
	return unix.MoveMount(tree, "", unix.AT_FDCWD, point, unix.MOVE_MOUNT_F_EMPTY_PATH)
}
