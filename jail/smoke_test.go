package jail

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

func TestSmoke(t *testing.T) {
	for _, eng := range []Engine{EngineOpenat2, EngineOSRoot} {
		t.Run(eng.String(), func(t *testing.T) {
			base := t.TempDir()
			ws := filepath.Join(base, "ws")
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			must(os.MkdirAll(filepath.Join(ws, "sub/deep"), 0o755))
			must(os.MkdirAll(filepath.Join(base, "out"), 0o755))
			must(os.WriteFile(filepath.Join(ws, "a.txt"), []byte("inside\n"), 0o644))
			must(os.WriteFile(filepath.Join(base, "out/secret"), []byte("SECRET"), 0o644))
			must(os.Symlink(filepath.Join(ws, "a.txt"), filepath.Join(ws, "abs")))
			must(os.Symlink("../a.txt", filepath.Join(ws, "sub/rel")))
			must(os.Symlink("../out/secret", filepath.Join(ws, "esc")))
			must(os.Symlink("..", filepath.Join(ws, "sub/up")))
			must(os.Symlink("sub/new", filepath.Join(ws, "dangling")))
			j, err := New(ws, WithEngine(eng))
			must(err)
			defer j.Close()
			ctx := context.Background()
			for _, p := range []string{"a.txt", "abs", "sub/rel", "../ws/a.txt", ws + "/a.txt", "sub/../a.txt", "sub/up/a.txt", "sub/deep/../../a.txt", "./././a.txt"} {
				b, err := j.ReadFile(p)
				if err != nil || string(b) != "inside\n" {
					t.Errorf("%s: %q %v", p, b, err)
				}
				o, err := j.Resolve(ctx, p, Existing)
				if err != nil {
					t.Errorf("%s: %v", p, err)
					continue
				}
				if o.Real() != ws+"/a.txt" {
					t.Errorf("%s: real %s", p, o.Real())
				}
				o.Close()
				if i, err := j.Stat(p); err != nil || i.Size() != 7 {
					t.Errorf("%s: %v %v", p, i, err)
				}
			}
			for _, p := range []string{"esc", "../out/secret", "/etc/passwd", "..", "sub/../../out/secret"} {
				if _, err := j.ReadFile(p); !errors.Is(err, ErrEscape) {
					t.Errorf("%s: %v", p, err)
				}
				if _, err := j.Stat(p); !errors.Is(err, ErrEscape) {
					t.Errorf("stat %s: %v", p, err)
				}
			}
			must(j.WriteFile("dangling", []byte("x"), 0o644))
			b, err := os.ReadFile(filepath.Join(ws, "sub/new"))
			must(err)
			if string(b) != "x" {
				t.Error(string(b))
			}
			must(j.WriteFile("a.txt", []byte("inside\n"), 0o644))
			o, err := j.Resolve(ctx, "n/e/w/f", Target)
			must(err)
			_, err = o.Replace(ctx, ReplaceOptions{Parents: true, Verify: func(f *File) error { return nil }}, func(w io.Writer) error { _, err := w.Write([]byte("hi")); return err })
			must(err)
			o, err = j.Resolve(ctx, "a.txt", Target)
			must(err)
			_, err = o.Replace(ctx, ReplaceOptions{Verify: func(f *File) error { return errors.New("no") }}, func(w io.Writer) error { _, err := w.Write([]byte("hi")); return err })
			if err == nil {
				t.Error("verify ignored")
			}
			if b, _ := j.ReadFile("a.txt"); string(b) != "inside\n" {
				t.Error("not put back", string(b))
			}
			if err := fstest.TestFS(j.FS(), "a.txt", "sub/new", "n/e/w/f"); err != nil {
				t.Log(err)
			}
			src, err := j.Resolve(ctx, "n", Entry)
			must(err)
			dst, err := j.Resolve(ctx, "m/k", Target)
			must(err)
			must(src.MoveTo(ctx, dst, false, nil))
			src, err = j.Resolve(ctx, "sub", Entry)
			must(err)
			dst, err = j.Resolve(ctx, "m/c", Target)
			must(err)
			n, _, err := src.CopyTo(ctx, dst, false, nil)
			t.Log(n, err)
			must(err)
			top, err := j.Resolve(ctx, ".", Existing)
			must(err)
			must(top.Walk(ctx, WalkOptions{Sorted: true}, func(e *WalkEntry) error { t.Log(e.Path(), e.Type(), e.Err()); return nil }))
			src, err = j.Resolve(ctx, "m", Entry)
			must(err)
			k, err := src.RemoveAll(ctx, nil)
			must(err)
			t.Log(k)
			for _, p := range []string{".", "sub/..", ws, "../ws"} {
				o, err := j.Resolve(ctx, p, Entry)
				must(err)
				if _, err := o.RemoveAll(ctx, nil); !errors.Is(err, ErrRoot) {
					t.Error(p, err)
				}
			}
			_ = fs.ErrExist
		})
	}
}
