package covers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/sandbox"
)

func (g *ground) make(lines ...string) {
	g.t.Helper()
	filetree.Make(g.t, g.root, nil, lines...)
}

func (g *ground) path(rel string) string { return filepath.Join(g.root, rel) }

func (g *ground) rename(from, to string) {
	g.t.Helper()
	if err := os.Rename(g.path(from), g.path(to)); err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) remove(rel string) {
	g.t.Helper()
	if err := os.RemoveAll(g.path(rel)); err != nil {
		g.t.Fatal(err)
	}
}

// settle scans until nothing is listed any more: until every change is older than
// a tick of the file system's clock.
func (g *ground) settle() {
	g.t.Helper()
	for range 500 {
		before := g.scanner.Listed()
		g.scan()
		if g.scanner.Listed() == before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	g.t.Fatal("directories that nobody changes are listed again and again")
}

// TestOnlyWhatChangedIsListed is the cache's purpose.
func TestOnlyWhatChangedIsListed(t *testing.T) {
	g := lay(t, nil, "file a/b/c/x y", "file d/e/x y", "file .env x")
	g.settle()
	g.make("file d/e/.env x")
	before := g.scanner.Listed()
	same(t, "covers", list(g.scan()), "mask .env", "pin d", "pin d/e", "mask d/e/.env")
	if n := g.scanner.Listed() - before; n != 1 {
		t.Errorf("%d directories were listed for a change in one", n)
	}
}

// TestChangesAreSeen makes each change right after a scan, within a tick of the
// clock, and once more when all is settled.
func TestChangesAreSeen(t *testing.T) {
	steps := []struct {
		name string
		do   func(g *ground)
		want []string
	}{
		{"a file is made", func(g *ground) { g.make("file a/b/.env x") }, []string{"pin a", "pin a/b", "mask a/b/.env"}},
		{"a directory is renamed", func(g *ground) { g.rename("a/b", "a/c") }, []string{"pin a", "pin a/c", "mask a/c/.env"}},
		{"a directory is moved", func(g *ground) { g.rename("a", "d/a") }, []string{"pin d", "pin d/a", "pin d/a/c", "mask d/a/c/.env"}},
		{"another takes its place", func(g *ground) { g.make("file x/c/.netrc y"); g.rename("d/a", "y"); g.rename("x", "d/a") }, []string{
			"pin d", "pin d/a", "pin d/a/c", "mask d/a/c/.netrc", "pin y", "pin y/c", "mask y/c/.env",
		}},
		{"files are removed", func(g *ground) { g.remove("y"); g.remove("d/a/c/.netrc") }, nil},
		{"parts of a repository", func(g *ground) {
			g.make("file d/HEAD x", "dir d/objects", "file d/config x", "file d/modules/m/config x")
		}, nil},
		{"the last part of it", func(g *ground) { g.make("dir d/refs") }, []string{"pin d", "ro d/config", "pin d/modules", "pin d/modules/m", "ro d/modules/m/config"}},
		{"a part is gone", func(g *ground) { g.remove("d/HEAD") }, nil},
		{"a link in a directory's place", func(g *ground) { g.rename("d", "z"); g.make("link d -> z", "file z/.env x") }, []string{"pin z", "mask z/.env"}},
		{"a file in a directory's place", func(g *ground) { g.remove("d"); g.remove("z"); g.make("file z x") }, nil},
	}
	for _, settled := range []bool{false, true} {
		t.Run(fmt.Sprintf("settled %v", settled), func(t *testing.T) {
			g := lay(t, nil, "dir a/b", "dir d")
			for _, s := range steps {
				g.scan()
				if settled {
					g.settle()
				}
				s.do(g)
				same(t, s.name, list(g.scan()), s.want...)
			}
		})
	}
}

// TestRapidChanges makes changes as fast as it can: two within one tick leave the
// same change time.
func TestRapidChanges(t *testing.T) {
	g := lay(t, nil, "dir a")
	g.settle()
	for i := range 300 {
		name := fmt.Sprintf("a/.env.%d", i)
		g.make("file " + name + " x")
		if got := list(g.scan()); len(got) != 2 || got[1] != "mask "+name {
			t.Fatalf("after %s was made: %v", name, got)
		}
		g.remove(name)
		if got := list(g.scan()); len(got) != 0 {
			t.Fatalf("after %s was removed: %v", name, got)
		}
	}
}

func TestAnotherPolicy(t *testing.T) {
	g := lay(t, nil, "file a/x y", "file .env y")
	same(t, "covers", list(g.scan()), "mask .env")
	p, err := policy.Compile(policy.Config{Workspace: []string{g.root}, Rules: []policy.Rule{
		deny("x", "**/x"), {Name: "lift", Action: policy.Allow, Paths: []string{"**/.env"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	old := g.policy
	g.policy = p
	same(t, "covers", list(g.scan()), "pin a", "mask a/x")
	g.policy = old
	same(t, "covers", list(g.scan()), "mask .env")
}

func TestTooManyCovers(t *testing.T) {
	g := lay(t, []policy.Rule{deny("no-keys", "**/*.key")}, "dir keys")
	const limit = 200
	g.scanner.SetLimit(limit)
	for i := range limit + 1 {
		if err := os.WriteFile(g.path(fmt.Sprintf("keys/%d.key", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := g.scanner.Scan(t.Context(), g.policy)
	if !errors.Is(err, covers.ErrTooMany) || !strings.Contains(err.Error(), "no-keys") || !strings.Contains(err.Error(), ".key") {
		t.Errorf("%v", err)
	}
	g.remove("keys/0.key")
	g.remove("keys/1.key") // one for the directory that holds them
	if got := len(g.scan().Covers); got != limit {
		t.Errorf("%d covers", got)
	}
}

// TestOutOfSight: what can't be looked into is masked, and told.
func TestOutOfSight(t *testing.T) {
	t.Run("too deep", func(t *testing.T) {
		g := lay(t, nil)
		filetree.Make(t, g.root, nil, "deep 100 40")
		s := g.scan()
		if len(s.Sealed) != 1 || len(s.Covers) == 0 {
			t.Fatalf("sealed %v, covers %v", s.Sealed, list(s))
		}
		last := s.Covers[len(s.Covers)-1]
		if last.Kind != sandbox.Mask || last.Rel != s.Sealed[0].Rel || len(last.Rel) > 4000 {
			t.Errorf("%v", last)
		}
	})
	t.Run("unreadable", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root reads every directory: needs an ordinary user")
		}
		g := lay(t, nil, "file a/b/.git/config x", "chmod a/b 0")
		t.Cleanup(func() { g.make("chmod a/b 755") })
		s := g.scan()
		same(t, "covers", list(s), "pin a", "mask a/b")
		if len(s.Sealed) != 1 || s.Sealed[0].Rel != "a/b" {
			t.Errorf("sealed %v", s.Sealed)
		}
		g.make("chmod a/b 755")
		same(t, "covers", list(g.scan()), "pin a", "pin a/b", "pin a/b/.git", "ro a/b/.git/config")
	})
}

// TestScansAtOnce has many callers while the tree changes.
func TestScansAtOnce(t *testing.T) {
	g := lay(t, nil, "file a/b/.env x", "file c/x y")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 20 {
				s, err := g.scanner.Scan(t.Context(), g.policy)
				if err != nil || len(s.Covers) < 3 {
					t.Errorf("%v, %v", list(s), err)
					return
				}
			}
		})
	}
	for i := range 100 {
		g.make(fmt.Sprintf("file c/d%d/.env x", i%5))
		g.remove(fmt.Sprintf("c/d%d", i%5))
	}
	wait.Wait()
	same(t, "covers", list(g.scan()), "pin a", "pin a/b", "mask a/b/.env")
}

func TestCancelled(t *testing.T) {
	g := lay(t, nil, "file a/.env x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.scanner.Scan(ctx, g.policy); err == nil {
		t.Error("a scan whose context has ended succeeds")
	}
	same(t, "covers", list(g.scan()), "pin a", "mask a/.env")
}

func TestAppeared(t *testing.T) {
	g := lay(t, []policy.Rule{{Name: "gen", Action: policy.Deny, Tools: []string{"file_write"}, Paths: []string{"**/gen/**"}}},
		"file .git/HEAD x", "file .git/config [core]\n\thooksPath=tools/hooks", "dir docs/objects", "dir docs/refs", "file .vscode/a x", "dir tools")
	before := g.scan()
	g.make("file a/.vscode/tasks.json x", "file a/.husky/x y", "file .bashrc x", "file .env x", "file .envrc x", "file gen/x y",
		"file .git/commondir x", "file .git/hooks/pre-commit x", "file docs/HEAD x", "file b/.git/HEAD x", "file b/.git/config x",
		"file w/.git x", "file tools/hooks/pre-commit x", "file plain x")
	after := g.scan()
	same(t, "appeared", guarded(after.Appeared(before)),
		"protected .bashrc", "protected .envrc", "protected .git/commondir", "protected .git/hooks",
		"protected a/.husky", "protected a/.vscode", "git b/.git", "protected b/.git/config",
		"git docs", "protected gen", "hooks tools/hooks", "protected w/.git")
	same(t, "appeared since itself", guarded(after.Appeared(after)))
}

func TestLocks(t *testing.T) {
	g := lay(t, nil, "file .git/HEAD x", "file .git/index.lock x", "file .git/refs/heads/main.lock x", "file .git/gc.pid x", "file yarn.lock x")
	var got []string
	for _, p := range g.scan().Locks {
		got = append(got, p.Rel)
	}
	same(t, "locks", got, ".git/gc.pid", ".git/index.lock", ".git/refs/heads/main.lock")
}
