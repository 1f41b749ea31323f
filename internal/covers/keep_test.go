package covers_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/policy"
)

// another is a scanner as the next process has it.
func (g *ground) another(dir string) {
	g.scanner = covers.New(g.ws)
	g.scanner.KeepIn(dir)
}

func keptFile(t *testing.T, dir string) string {
	t.Helper()
	files, _ := filepath.Glob(dir + "/*")
	if len(files) != 1 || filepath.Ext(files[0]) != ".scan" {
		t.Fatalf("kept are %v", files)
	}
	return files[0]
}

// bigEnough is a tree that is worth keeping.
func bigEnough(t *testing.T) (*ground, string) {
	g := lay(t, nil, "file .git/HEAD x", "file .git/config x", "file .vscode/x y", "file a/.env x", "dir b", "hard b/alias -> a/.env", "file .git/index.lock x", "link .bashrc -> x")
	for i := range 70 {
		if err := os.MkdirAll(g.path("d/"+string(rune('A'+i))), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	g.settle()
	return g, t.TempDir()
}

func TestKept(t *testing.T) {
	g, dir := bigEnough(t)
	g.another(dir)
	want := g.scan()
	keptFile(t, dir)
	g.another(dir)
	got := g.scan()
	if n := g.scanner.Listed(); n != 0 {
		t.Errorf("%d directories were listed", n)
	}
	same(t, "covers", list(got), list(want)...)
	same(t, "guarded", guarded(got.Guarded), guarded(want.Guarded)...)
	if !slices.Equal(got.Locks, want.Locks) || !slices.Equal(got.Repositories, want.Repositories) {
		t.Errorf("%v %v", got.Locks, got.Repositories)
	}
	g.make("file d/A/.env x")
	g.another(dir)
	if got := list(g.scan()); !slices.Contains(got, "mask d/A/.env") {
		t.Errorf("what was made meanwhile is not seen: %v", got)
	}
	if n := g.scanner.Listed(); n != 1 {
		t.Errorf("%d directories were listed for a change in one", n)
	}
}

// TestKeptNoMore: what doesn't fit is not used.
func TestKeptNoMore(t *testing.T) {
	for name, spoil := range map[string]func(g *ground, file string){
		"another policy": func(g *ground, _ string) {
			p, err := policy.Compile(policy.Config{Workspace: []string{g.root}, Rules: []policy.Rule{deny("x", "**/none")}})
			if err != nil {
				panic(err)
			}
			g.policy = p
		},
		"cut": func(_ *ground, file string) { os.Truncate(file, 200) },
		"damaged": func(_ *ground, file string) {
			text, _ := os.ReadFile(file)
			text[len(text)/2] ^= 1
			os.WriteFile(file, text, 0o600)
		},
		"empty": func(_ *ground, file string) { os.Truncate(file, 0) },
		"gone":  func(_ *ground, file string) { os.Remove(file) },
	} {
		t.Run(name, func(t *testing.T) {
			g, dir := bigEnough(t)
			g.another(dir)
			want := list(g.scan())
			spoil(g, keptFile(t, dir))
			g.another(dir)
			same(t, "covers", list(g.scan()), want...)
			if g.scanner.Listed() < 70 {
				t.Errorf("only %d directories were listed", g.scanner.Listed())
			}
		})
	}
}

func BenchmarkNextProcess(b *testing.B) {
	g := tree(b, 100_000)
	dir := b.TempDir()
	g.another(dir)
	g.scan()
	for b.Loop() {
		g.another(dir)
		g.scan()
	}
}
