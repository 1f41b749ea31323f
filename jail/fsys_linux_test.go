package jail

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFS(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "a.txt = a", "d/b.txt = b", "d/e/c.txt = c", "d/up => ../a.txt", "abs => %/d/b.txt", "dir => d", "empty/", "n.ew\nline = n")
		j := newJail(t, base, WithEngine(e))
		if err := fstest.TestFS(j.FS(), "a.txt", "d/b.txt", "d/e/c.txt", "d/up", "abs", "dir", "empty", "n.ew\nline"); err != nil {
			t.Error(err)
		}
		sub, err := fs.Sub(j.FS(), "d")
		check(t, err)
		if err := fstest.TestFS(sub, "b.txt", "e/c.txt", "up"); err != nil {
			t.Error(err)
		}
		if found, err := fs.Glob(j.FS(), "d/*.txt"); err != nil || strings.Join(found, " ") != "d/b.txt" {
			t.Errorf("%q %v", found, err)
		}
	})
}

// TestFSEscape: no method of FS leads out; each works on what is inside.
func TestFSEscape(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "out/f = secret", "out/d/f = secret", "ws/file => ../out/f", "ws/dir => ../out", "ws/abs => %/out/f", "ws/up => ..",
			"ws/ok/f = fine", "ws/ok/d/f = fine")
		j := newJail(t, base+"/ws", WithEngine(e))
		fsys := j.FS()
		for _, c := range []struct {
			name string
			path string // below out, and below ok
			do   func(fsys fs.FS, name string) error
		}{
			{"Open", "f", func(fsys fs.FS, name string) error { return closing(fsys.Open(name)) }},
			{"Open directory", ".", func(fsys fs.FS, name string) error { return closing(fsys.Open(name)) }},
			{"ReadFile", "f", func(fsys fs.FS, name string) error { _, err := fs.ReadFile(fsys, name); return err }},
			{"ReadDir", "d", func(fsys fs.FS, name string) error { _, err := fs.ReadDir(fsys, name); return err }},
			{"Stat", "f", func(fsys fs.FS, name string) error { _, err := fs.Stat(fsys, name); return err }},
			{"Lstat", "f", func(fsys fs.FS, name string) error { _, err := fs.Lstat(fsys, name); return err }},
			{"Sub", "d", func(fsys fs.FS, name string) error {
				sub, err := fs.Sub(fsys, name)
				if err != nil {
					return err
				}
				_, err = fs.ReadFile(sub, "f")
				return err
			}},
			{"WalkDir", "d", func(fsys fs.FS, name string) error {
				return fs.WalkDir(fsys, name, func(_ string, _ fs.DirEntry, err error) error { return err })
			}},
			{"Glob", "*", func(fsys fs.FS, name string) error {
				found, err := fs.Glob(fsys, name)
				if len(found) == 0 && err == nil {
					err = ErrEscape // hidden: as good as refused
				}
				return err
			}},
		} {
			if err := c.do(os.DirFS(base+"/ws"), "dir/"+strings.TrimPrefix(c.path, ".")); err != nil && c.path != "." {
				t.Errorf("control: %s: %v", c.name, err)
			}
			for _, through := range []string{"dir/", "up/out/"} {
				name := strings.TrimSuffix(through+strings.TrimPrefix(c.path, "."), "/")
				if err := c.do(fsys, name); !errors.Is(err, ErrEscape) {
					t.Errorf("%s %s: %v", c.name, name, err)
				}
			}
			name := strings.TrimSuffix("ok/"+strings.TrimPrefix(c.path, "."), "/")
			if err := c.do(fsys, name); err != nil {
				t.Errorf("%s %s: %v", c.name, name, err)
			}
		}
		for _, name := range []string{"file", "abs"} {
			if _, err := fs.ReadFile(fsys, name); !errors.Is(err, ErrEscape) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, name := range []string{"", "..", "../out/f", "/etc/passwd", "ok/../ok", "ok/", base + "/ws/ok/f"} {
			if err := closing(fsys.Open(name)); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%q: %v", name, err)
			}
			if _, err := fs.Sub(fsys, name); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("Sub %q: %v", name, err)
			}
		}
	})
}

func TestFSDirectory(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "d/a = a", "d/b = b", "d/c = c")
		j := newJail(t, base, WithEngine(e))
		f, err := j.FS().Open("d")
		check(t, err)
		dir := f.(fs.ReadDirFile)
		var names []string
		for {
			some, err := dir.ReadDir(2)
			for _, e := range some {
				names = append(names, e.Name())
			}
			if errors.Is(err, io.EOF) {
				break
			}
			check(t, err)
		}
		if len(names) != 3 {
			t.Errorf("%q", names)
		}
		if _, err := f.Read(make([]byte, 1)); !errors.Is(err, ErrNotRegular) {
			t.Error(err)
		}
		if _, err := fs.ReadFile(j.FS(), "d"); !errors.Is(err, ErrNotRegular) {
			t.Error(err)
		}
		check(t, f.Close())
	})
}
