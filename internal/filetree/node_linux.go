package filetree

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

func node(t testing.TB, root, verb string, f []string) error {
	switch verb {
	case "fifo":
		return unix.Mkfifo(at(root, f[0]), 0o644)
	case "sock":
		return socket(t, at(root, f[0]))
	case "dev":
		return device(t, at(root, f[0]), f[1:])
	case "mount":
		return mounted(t, at(root, f[1]), unix.Mount(f[0], at(root, f[1]), f[0], 0, ""))
	case "bind", "bindfile":
		return mounted(t, at(root, f[1]), unix.Mount(at(root, f[0]), at(root, f[1]), "", unix.MS_BIND, ""))
	default:
		return fmt.Errorf("unknown verb %q", verb)
	}
}

// socket listens at a relative name: a socket's path has only 108 bytes.
func socket(t testing.TB, path string) error {
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	t.Cleanup(func() { l.Close() })
	return nil
}

func device(t testing.TB, path string, f []string) error {
	major, err := strconv.ParseUint(f[1], 10, 32)
	if err != nil {
		return err
	}
	minor, err := strconv.ParseUint(f[2], 10, 32)
	if err != nil {
		return err
	}
	err = unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(uint32(major), uint32(minor))))
	return needsRoot(t, err)
}

func mounted(t testing.TB, path string, err error) error {
	if err == nil {
		t.Cleanup(func() {
			if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
				t.Errorf("umount %s: %v", path, err)
			}
		})
	}
	return needsRoot(t, err)
}

// needsRoot skips a test whose set-up this user may not make.
func needsRoot(t testing.TB, err error) error {
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("needs root with CAP_MKNOD and CAP_SYS_ADMIN: %v", err)
	}
	return err
}
