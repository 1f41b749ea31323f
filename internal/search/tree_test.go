//go:build unix

package search

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/baileyhq/bailey/jail"
)

// makeTree builds a tree from lines: "dir/", "file: text" (with \n and \r in it),
// "link -> target", "pipe|", "name = other" (hard link).
func makeTree(t testing.TB, lines ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	addTree(t, root, lines...)
	return root
}

func addTree(t testing.TB, root string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := addEntry(root, line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func addEntry(root, line string) error {
	at := func(name string) string { return filepath.Join(root, name) }
	if name, ok := strings.CutSuffix(line, "/"); ok {
		return os.MkdirAll(at(name), 0o755)
	}
	parent := func(name string) error { return os.MkdirAll(filepath.Dir(at(name)), 0o755) }
	if name, target, ok := strings.Cut(line, " -> "); ok {
		if err := parent(name); err != nil {
			return err
		}
		return os.Symlink(target, at(name))
	}
	if name, other, ok := strings.Cut(line, " = "); ok {
		return os.Link(at(other), at(name))
	}
	if name, ok := strings.CutSuffix(line, "|"); ok {
		return syscall.Mkfifo(at(name), 0o644)
	}
	name, text, _ := strings.Cut(line, ": ")
	if err := parent(name); err != nil {
		return err
	}
	return os.WriteFile(at(name), []byte(strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(text)), 0o644)
}

// open makes a jail of root and resolves start in it.
func open(t testing.TB, root, start string, opts ...jail.Option) (*jail.Jail, *jail.Object) {
	t.Helper()
	j, err := jail.New(root, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	o, err := j.Resolve(t.Context(), start, jail.Existing)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return j, o
}

// denied is a Judge that hides names, wherever they are, and counts questions.
type denied struct {
	names map[string]bool
	asked *int
	seen  func(name string)
}

func deny(names ...string) denied {
	d := denied{names: make(map[string]bool), asked: new(int)}
	for _, name := range names {
		d.names[name] = true
	}
	return d
}

func (d denied) Enter(string) Judge { return d }

func (d denied) Allowed(name string, _, _ bool) bool {
	*d.asked++
	if d.seen != nil {
		d.seen(name)
	}
	return !d.names[name]
}

func noLeaks(t *testing.T) {
	t.Helper()
	running := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, running) })
}
