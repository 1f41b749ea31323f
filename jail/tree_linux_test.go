package jail

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// makeTree makes what the lines say below dir, in their order:
//
//	d/                a directory
//	a.txt = text      a file
//	l => target       a symbolic link; a % in target stands for dir
//	h ~ a.txt         a hard link
//	p | fifo          a FIFO; also socket, null and zero (the devices: root only)
//	a.txt 0600 = text a mode, for a file or a directory
//
// Directories above are made as needed. Names are taken byte for byte.
func makeTree(t testing.TB, dir string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := makeNode(dir, line); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
}

var separators = []string{" => ", " = ", " ~ ", " | "}

func makeNode(dir, line string) error {
	name, kind, value := line, "", ""
	for _, s := range separators {
		if before, after, ok := strings.Cut(line, s); ok {
			name, kind, value = before, s, after
			break
		}
	}
	mode, hasMode := fs.FileMode(0o755), false
	if head, tail, ok := strings.Cut(name, " 0"); ok {
		if bits, err := strconv.ParseUint(tail, 8, 12); err == nil {
			name, mode, hasMode = head, fs.FileMode(bits), true
		}
	}
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	if err := makeKind(dir, full, kind, value); err != nil || !hasMode {
		return err
	}
	return os.Chmod(full, mode)
}

func makeKind(dir, full, kind, value string) error {
	switch kind + value {
	case " | fifo":
		return unix.Mkfifo(full, 0o644)
	case " | socket":
		return unix.Mknod(full, unix.S_IFSOCK|0o644, 0)
	case " | null":
		return unix.Mknod(full, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3)))
	case " | zero":
		return unix.Mknod(full, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5)))
	case " | urandom":
		return unix.Mknod(full, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 9)))
	}
	switch kind {
	case "":
		return os.MkdirAll(full, 0o755)
	case " = ":
		return os.WriteFile(full, []byte(value), 0o644)
	case " => ":
		return os.Symlink(strings.ReplaceAll(value, "%", dir), full)
	case " ~ ":
		return os.Link(filepath.Join(dir, value), full)
	default:
		return fmt.Errorf("what is %q?", kind+value)
	}
}

// needRoot skips what only root can set up.
func needRoot(t testing.TB, what string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skipf("needs root for %s", what)
	}
}

// needUser skips what root's rights would make vacuous.
func needUser(t testing.TB) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("needs an ordinary user: root may open what has no permission bits")
	}
}

// newJail is closed with the test, which fails if a descriptor was left open.
func newJail(t testing.TB, dir string, opts ...Option) *Jail {
	t.Helper()
	before := openDescriptors(t)
	j, err := New(dir, append(opts, WithoutSync())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		if after := openDescriptors(t); after != before {
			t.Errorf("%d descriptors before, %d after", before, after)
		}
	})
	return j
}

func openDescriptors(t testing.TB) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, fd := range fds {
		// The runtime's own (epoll, eventfd) come when they like.
		target, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if err == nil && strings.HasPrefix(target, "/") {
			n++
		}
	}
	return n
}

// resolve fails the test if the path can't be resolved. The object is closed
// with the test.
func resolve(t testing.TB, j *Jail, name string, how How) *Object {
	t.Helper()
	o, err := j.Resolve(context.Background(), name, how)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// A checker is a test or a generated case of one.
type checker interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

func check(t checker, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantContent(t testing.TB, name, want string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", filepath.Base(name), got, err, want)
	}
}

func wantAbsent(t testing.TB, name string) {
	t.Helper()
	if _, err := os.Lstat(name); err == nil {
		t.Errorf("%s is there", name)
	}
}

// list is the tree below dir as sorted paths, temporary files included.
func list(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err == nil && p != dir {
			rel, _ := filepath.Rel(dir, p)
			all = append(all, rel)
		}
		return err
	})
	check(t, err)
	return all
}
