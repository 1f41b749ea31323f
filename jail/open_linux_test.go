package jail

import (
	"errors"
	"io/fs"
	"os"
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

// TestWriteFile: with and without sync, in the folder itself and below, also where
// the directory may not be read.
func TestWriteFile(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		for _, opts := range [][]Option{nil, {WithoutSync()}} {
			base := fastDir(t)
			makeTree(t, base, "a.txt = old", "d/e/a.txt = old", "blind/a.txt = old")
			if e == EngineOpenat2 { // the other can't enter it
				check(t, os.Chmod(base+"/blind", 0o300))
			}
			j, err := New(base, append(opts, WithEngine(e))...)
			check(t, err)
			before := openDescriptors(t)
			for _, name := range []string{"a.txt", "new", "d/e/a.txt", "d/e/new", "blind/a.txt", "blind/new"} {
				check(t, j.WriteFile(name, []byte("text"), 0o600))
				wantContent(t, base+"/"+name, "text")
			}
			check(t, os.RemoveAll(base+"/d"))
			if err := j.WriteFile("d/new", nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			if after := openDescriptors(t); after != before {
				t.Errorf("%d descriptors before, %d after", before, after)
			}
			check(t, j.WriteFile("a.txt", []byte("again"), 0o600)) // the folder is held still
			wantContent(t, base+"/a.txt", "again")
			check(t, os.Chmod(base+"/blind", 0o700))
			check(t, j.Close())
		}
	})
}
