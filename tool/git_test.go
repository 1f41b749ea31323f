package tool_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

func write(path string) args { return args{"path": path, "content": "x\n"} }

// A directory with HEAD, objects and refs is a repository for git whatever its
// name, and its configuration runs programs.
func TestGitShapedDirectories(t *testing.T) {
	b := newBox(t, setup{tree: []string{
		"file bare/HEAD ref: refs/heads/main", "dir bare/objects", "dir bare/refs", "file bare/config x", "dir bare/hooks",
		"file plain/HEAD x", "file plain/config x", "dir plain/hooks",
		"file tree/sub.git/HEAD x", "dir tree/sub.git/objects", "dir tree/sub.git/refs", "file tree/sub.git/config x",
	}})
	for _, path := range []string{
		"bare/config", "bare/CONFIG", "bare/config.worktree", "bare/hooks/pre-commit", "bare/commondir", "bare/info/attributes",
		"bare/modules/m/config", "bare/modules/m/hooks/post-checkout", "tree/sub.git/config",
	} {
		b.refused(tool.ProtectedPath, "file_write", write(path))
	}
	b.refused(tool.ProtectedPath, "file_delete", args{"path": "bare/config"})
	b.refused(tool.ProtectedPath, "file_delete", args{"path": "bare", "recursive": true})
	b.refused(tool.ProtectedPath, "file_move", args{"source": "plain/config", "destination": "bare/config2"})
	// A copy is a repository as well.
	b.refused(tool.ProtectedPath, "file_copy", args{"source": "bare", "destination": "docs"})
	b.refused(tool.ProtectedPath, "file_copy", args{"source": "tree", "destination": "docs"})
	b.refused(tool.ProtectedPath, "file_move", args{"source": "tree", "destination": "docs"})
	if b.exists("docs") {
		t.Error("a repository was made")
	}
	// The controls: the same names where there is no repository, and other
	// names in one.
	for _, path := range []string{"plain/config", "plain/hooks/pre-commit", "bare/description", "bare/refs/heads/x", "bare/HEAD", "info/attributes", "config"} {
		b.must("file_write", write(path))
	}
	b.must("file_copy", args{"source": "plain", "destination": "docs"})
	b.must("file_delete", args{"path": "docs", "recursive": true})
}

// Completing the shape of a repository under another name is refused, whatever
// part comes last and however it comes.
func TestCompletingARepository(t *testing.T) {
	tree := []string{
		"dir r1/objects", "dir r1/refs", // lacks HEAD
		"file r2/HEAD x", "dir r2/refs", // lacks objects
		"file r3/HEAD x", "dir r3/objects", // lacks refs
		"file r4/HEAD x", // lacks commondir
		"file r5/commondir x",
		"dir .git/objects", "dir .git/refs",
		"file some/HEAD x", "dir some/objects/pack",
	}
	b := newBox(t, setup{tree: tree})
	for _, c := range []struct {
		tool string
		args args
	}{
		{"file_write", write("r1/HEAD")},
		{"file_write", write("r1/head")},
		{"file_copy", args{"source": "some/HEAD", "destination": "r1/HEAD"}},
		{"file_move", args{"source": "some/HEAD", "destination": "r1/HEAD"}},
		{"dir_create", args{"path": "r2/objects"}},
		{"dir_create", args{"path": "r2/objects/pack"}},
		{"file_write", write("r2/objects/pack/x")},
		{"file_move", args{"source": "some/objects", "destination": "r2/objects"}},
		{"file_copy", args{"source": "some/objects", "destination": "r2/objects"}},
		{"file_copy", args{"source": "some", "destination": "r2", "overwrite": true}},
		{"dir_create", args{"path": "r3/refs"}},
		{"file_write", write("r3/refs/heads/main")},
		{"file_write", write("r4/commondir")},
		{"file_write", write("r5/HEAD")},
	} {
		b.refused(tool.ProtectedPath, c.tool, c.args)
		if rec := b.last(); rec.Result != "deny" || rec.ErrorKind != "protected_path" {
			t.Errorf("recorded as %+v", rec)
		}
	}
	for _, ok := range []string{"r6/HEAD", "r4/objects/x", "r1/HEADS", "r1/x/HEAD", ".git/HEAD"} {
		b.must("file_write", write(ok))
	}
	b.must("dir_create", args{"path": "r7/refs"})
}

func TestProtectedPaths(t *testing.T) {
	b := newBox(t, setup{
		tree: []string{
			"dir .git/hooks", "file .git/config [core]\n\thooksPath = scripts/hooks\n", "dir scripts", "file top/.vscode/tasks.json {}",
			"file gitcfg [core]\n\thooksPath = $ROOT/ophooks\n",
		},
		space: func(o *workspace.Options) { o.GitConfigs = []string{o.Dir + "/gitcfg"} },
	})
	if want := []string{b.root + "/ophooks", b.root + "/scripts/hooks"}; !slices.Equal(b.ws.HooksPaths(), want) {
		t.Fatalf("hooks at %v, want %v", b.ws.HooksPaths(), want)
	}
	for _, path := range []string{"scripts/hooks/pre-commit", "ophooks/post-merge", ".git/config", "top/.vscode/tasks.json", "x/.husky/pre-push", "deep/down/.git"} {
		b.refused(tool.ProtectedPath, "file_write", write(path))
	}
	b.refused(tool.ProtectedPath, "file_move", args{"source": "top", "destination": "elsewhere"})
	b.refused(tool.ProtectedPath, "file_delete", args{"path": "top", "recursive": true})
	b.must("file_read", args{"path": "top/.vscode/tasks.json"})
	b.must("file_write", write("scripts/build.sh"))
	b.must("file_write", write(".git/refs/heads/x"))
}

// The hooks of a repository deeper in the folder are protected too, also of one
// that came after the workspace was opened, and by the operator's own setting.
func TestNestedHooks(t *testing.T) {
	b := newBox(t, setup{
		tree:  []string{"file lib/.git/config [core]\n\thooksPath = .githooks\n", "file gitcfg [core]\n\thooksPath = my/hooks\n", "dir other/.git", "dir plain"},
		space: func(o *workspace.Options) { o.GitConfigs = []string{o.Dir + "/gitcfg"} },
	})
	filetree.Make(t, b.root, b.vars, "file a/b/late/.git/config [core]\n\thooksPath = tools/hooks\n", "file plain/x x")
	for _, path := range []string{"lib/.githooks/pre-commit", "a/b/late/tools/hooks/x/y", "lib/my/hooks/pre-push"} {
		b.refused(tool.ProtectedPath, "file_write", write(path))
		b.refused(tool.ProtectedPath, "file_move", args{"source": "plain/x", "destination": path})
		b.refused(tool.ProtectedPath, "dir_create", args{"path": filepath.Dir(path)})
		if rec := b.last(); rec.Rule != "builtin:protected:core.hooksPath" {
			t.Errorf("recorded as %+v", rec)
		}
	}
	for _, ok := range []string{"lib/githooks/x", "lib/src/.githooks/x", "other/.githooks/pre-commit", "a/b/tools/hooks/x", "a/b/late/tools/x"} {
		b.must("file_write", write(ok))
	}
}

// Two calls at once, or of two processes, that would complete a repository
// together and neither alone: none of them sees the other when it is decided.
func TestCompletingARepositoryTogether(t *testing.T) {
	for range 25 {
		b := newBox(t, setup{tree: []string{"file r/HEAD x", "file r/config x"}})
		other := *b
		other.open(setup{})
		var all sync.WaitGroup
		all.Go(func() { b.call("dir_create", args{"path": "r/objects/pack"}) })
		all.Go(func() { other.call("file_write", write("r/refs/heads/main")) })
		all.Wait()
		if b.exists("r/objects") && b.exists("r/refs") {
			t.Fatal("a repository was made")
		}
	}
}

// An agent chooses how long a path is: one that holds a great many names of git's
// is refused without looking for a repository at each of them.
func TestManyNamesOfGit(t *testing.T) {
	b := newBox(t, setup{})
	for _, name := range []string{"refs/", "hooks/", "modules/", "config/"} {
		b.refused(tool.ProtectedPath, "dir_create", args{"path": strings.Repeat(name, 10_000) + "x"})
		b.must("dir_create", args{"path": strings.Repeat(name, 10) + "x"})
	}
}
