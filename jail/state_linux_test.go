package jail_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/jail"
)

func openTree(t *testing.T, engine jail.Engine, lines ...string) (*jail.Jail, jail.Tree, string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	filetree.Make(t, root, nil, lines...)
	j, err := jail.New(root, jail.WithEngine(engine))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j, j.Tree(0), root
}

func TestTree(t *testing.T) {
	for _, engine := range []jail.Engine{jail.EngineAuto, jail.EngineOSRoot} {
		t.Run(engine.String(), func(t *testing.T) {
			_, tree, root := openTree(t, engine, "file a/f x", "dir a/d", "link a/l -> /etc", "file a/.bailey-tmp-0123456789abcdef x", "link up -> a")
			var got []string
			state, _, err := tree.List("a", func(name string, kind fs.FileMode, ino uint64) error {
				info, err := os.Lstat(filepath.Join(root, "a", name))
				if err != nil || info.Mode().Type() != kind || info.Sys().(*syscall.Stat_t).Ino != ino {
					t.Errorf("%s: %v %d, %v", name, kind, ino, err)
				}
				got = append(got, name)
				return nil
			})
			slices.Sort(got)
			if want := []string{".bailey-tmp-0123456789abcdef", "d", "f", "l"}; err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
			if now, err := tree.State("a"); err != nil || now != state {
				t.Errorf("state %v, %v, want %v", now, err, state)
			}
			if _, _, err := tree.List(".", func(string, fs.FileMode, uint64) error { return nil }); err != nil {
				t.Error(err)
			}
			if info, err := tree.Lstat("a/l"); err != nil || !info.IsLink() {
				t.Errorf("a link: %v, %v", info.Mode(), err)
			}
			// A link on the way is never followed, not even to what lies inside.
			for _, rel := range []string{"up", "up/d", "a/l", "a/f", "missing"} {
				if _, _, err := tree.List(rel, func(string, fs.FileMode, uint64) error { return nil }); err == nil {
					t.Errorf("%s is listed", rel)
				}
			}
			for _, rel := range []string{"up/f", "a/l/passwd", "missing"} {
				if _, err := tree.Lstat(rel); err == nil {
					t.Errorf("%s is described", rel)
				}
			}
			stop := errors.New("stop")
			if _, _, err := tree.List("a", func(string, fs.FileMode, uint64) error { return stop }); !errors.Is(err, stop) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestGrantOwner(t *testing.T) {
	j, _, root := openTree(t, jail.EngineAuto, "dir a/b", "chmod a/b 0", "file f x")
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "a/b"), 0o755) })
	grant := func(name string) error {
		o, err := j.Resolve(t.Context(), name, jail.Entry)
		if err != nil {
			return err
		}
		defer o.Close()
		return o.GrantOwner()
	}
	if err := grant("a/b"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(root, "a/b")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := grant("f"); !errors.Is(err, jail.ErrNotDirectory) {
		t.Errorf("of a file: %v", err)
	}
	read, err := jail.New(root, jail.WithWorkspaceMode(jail.ReadOnly))
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	o, err := read.Resolve(t.Context(), "a/b", jail.Entry)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := o.GrantOwner(); !errors.Is(err, jail.ErrReadOnly) {
		t.Errorf("in a folder that is read-only: %v", err)
	}
}

// TestSettled: a state is not to be relied on as long as another change could leave
// the same one.
func TestSettled(t *testing.T) {
	_, tree, root := openTree(t, jail.EngineAuto, "dir a")
	none := func(string, fs.FileMode, uint64) error { return nil }
	for tries := 1; ; tries++ { // a busy host may take its time between the two
		filetree.Make(t, root, nil, "file a/f"+strconv.Itoa(tries)+" x")
		if _, settled, err := tree.List("a", none); err == nil && !settled {
			break
		}
		if tries == 100 {
			t.Fatal("it is right after a change")
		}
	}
	for range 500 {
		if _, settled, _ := tree.List("a", none); settled {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("it never is (needs a temporary directory on a local file system)")
}
