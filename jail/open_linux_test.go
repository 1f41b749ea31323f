package jail

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOpenat2Path: a path reaches the kernel whole, whatever its length, and never
// cut at a NUL.
func TestOpenat2Path(t *testing.T) {
	base := fastDir(t)
	makeTree(t, base, "f = odd", "ff = even")
	dir, err := unix.Open(base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	check(t, err)
	defer func() { check(t, unix.Close(dir)) }()
	for _, size := range []int{1, 2, shortPath - 1, shortPath, shortPath + 1, shortPath + 2, 2 * shortPath} {
		path, want := strings.Repeat("./", size/2)+"f", "odd"
		if size%2 == 0 {
			path, want = strings.Repeat("./", size/2-1)+"ff", "even"
		}
		fd, err := openat2(dir, path, openFlags, resolveStrict)
		if len(path) != size || err != nil {
			t.Errorf("%d bytes: %v", len(path), err)
			continue
		}
		buf := make([]byte, 8)
		if n, err := unix.Read(fd, buf); err != nil || string(buf[:n]) != want {
			t.Errorf("%d bytes: %q, %v", size, buf[:n], err)
		}
		check(t, unix.Close(fd))
	}
	for _, path := range []string{"f\x00", "f\x00more", "\x00", "f" + strings.Repeat("\x00", 2*shortPath)} {
		if fd, err := openat2(dir, path, openFlags, resolveStrict); !errors.Is(err, unix.EINVAL) {
			t.Errorf("%q: %d, %v", path, fd, err)
		}
	}
}
