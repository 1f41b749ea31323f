package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/workspace"
)

func TestTaskTypes(t *testing.T) {
	types := workspace.TaskTypes(map[string][]workspace.Op{
		"docs":    {workspace.OpRead, workspace.OpWrite},
		"cleanup": {workspace.OpDelete},
	})
	for name, want := range map[string]string{
		"code_review": "read list",
		"refactor":    "read list write mkdir",
		"cleanup":     "delete",
		"agent":       "read list write mkdir delete exec install",
		"docs":        "read write",
	} {
		var got []string
		for _, op := range workspace.Ops() {
			if types[name].Has(op) {
				got = append(got, string(op))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s grants %v, want %s", name, got, want)
		}
	}
	if got := workspace.Granting(types, workspace.OpDelete); !slices.Equal(got, []string{"agent", "cleanup"}) {
		t.Errorf("delete is granted by %v", got)
	}
	if builtin := workspace.TaskTypes(nil)["cleanup"]; !builtin.Has(workspace.OpRead) || builtin.Has(workspace.OpWrite) {
		t.Errorf("a custom type changed the built-in one: %v", builtin)
	}
}

func TestFindTask(t *testing.T) {
	types := workspace.TaskTypes(nil)
	if task, err := workspace.FindTask(types, ""); err != nil || task.Name != "code_review" {
		t.Errorf("the default is %v, %v", task, err)
	}
	_, err := workspace.FindTask(types, "nonsense")
	var unknown *workspace.UnknownTaskError
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), "agent, cleanup, code_review, refactor") {
		t.Errorf("%v", err)
	}
	if _, err := workspace.ParseOp("chmod"); err == nil {
		t.Error("chmod is taken for an operation")
	}
	if op, err := workspace.ParseOp("mkdir"); err != nil || op != workspace.OpMkdir {
		t.Errorf("%v %v", op, err)
	}
}

// base is a directory with a workspace and a directory beside it.
func base(t *testing.T) (ws, beside string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, beside = dir+"/ws", dir+"/beside"
	for _, d := range []string{ws + "/sub", beside} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return ws, beside
}

func open(t *testing.T, o workspace.Options) *workspace.Workspace {
	t.Helper()
	w, err := workspace.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func TestOpen(t *testing.T) {
	ws, beside := base(t)
	task := workspace.TaskTypes(nil)["refactor"]
	w := open(t, workspace.Options{Dir: ws, Task: task, Folders: []jail.Folder{{Given: beside}}})
	if w.Root() != ws || w.Task().Name != "refactor" || len(w.TaskTypes()) != 4 || w.Warnings() != nil {
		t.Errorf("%q %v %v %v", w.Root(), w.Task(), w.TaskTypes(), w.Warnings())
	}
	folders := w.Jail().Folders()
	if len(folders) != 2 || folders[0].Mode != jail.ReadWrite || folders[1].Real != beside || folders[1].Mode != jail.ReadOnly {
		t.Errorf("%+v", folders)
	}
	if _, err := workspace.Open(t.Context(), workspace.Options{Dir: ws + "/nothing"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := workspace.Open(t.Context(), workspace.Options{Dir: ws, Folders: []jail.Folder{{Real: ws + "/nothing"}}}); err == nil {
		t.Error("a folder that is not there was opened")
	}
}

// Folders that must not be handed to an agent, as the workspace or beside it.
func TestRefusedFolders(t *testing.T) {
	ws, beside := base(t)
	keys := beside + "/.ssh"
	if err := os.MkdirAll(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", beside)
	for _, dir := range []string{"/", beside, keys} {
		for _, o := range []workspace.Options{
			{Dir: dir},
			{Dir: ws, Folders: []jail.Folder{{Given: dir}}},
			{Dir: ws, Folders: []jail.Folder{{Given: dir, Mode: jail.ReadWrite}}},
		} {
			if w, err := workspace.Open(t.Context(), o); !errors.Is(err, jail.ErrRefusedFolder) {
				t.Errorf("%+v: %v", o, err)
				if err == nil {
					w.Close()
				}
			}
			o.ForceRoot = true
			if w := open(t, o); len(w.Warnings()) != 1 || !strings.Contains(w.Warnings()[0], dir) {
				t.Errorf("%s: warnings %q", dir, w.Warnings())
			}
		}
	}
	if w := open(t, workspace.Options{Dir: ws, ForceRoot: true}); w.Warnings() != nil {
		t.Errorf("an ordinary folder warns: %q", w.Warnings())
	}
}

func TestGitShaped(t *testing.T) {
	ws, _ := base(t)
	for _, dir := range []string{"bare/objects", "bare/refs", "bare/sub/objects", "worktree", "half/objects", "half/refs"} {
		if err := os.MkdirAll(ws+"/"+dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bare/HEAD", "worktree/HEAD", "worktree/commondir"} {
		if err := os.WriteFile(ws+"/"+name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"links/HEAD": "/nowhere", "links/objects": "../bare/objects", "links/refs": "gone"} {
		if err := os.MkdirAll(ws+"/links", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, ws+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	w := open(t, workspace.Options{Dir: ws})
	for path, want := range map[string]string{
		"bare/config": "bare", "bare/hooks/x": "bare", "bare/Config.lock": "bare", "bare/info/attributes": "bare",
		"bare/modules/m/config": "bare", "bare/sub/config": "", "worktree/config": "worktree", "links/config": "links",
		"bare/description": "", "bare/info/exclude": "", "half/config": "", "config": "",
	} {
		got := strings.Join(w.GitShaped(t.Context(), ws+"/"+path), " ")
		if want != "" {
			want = ws + "/" + want
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{
		"half/HEAD": "half", "half/x": "", "bare/HEAD": "", "half/head": "half", "HEAD": "", "worktree/refs": "", "new/HEAD": "",
		"half/HEAD/x": "half",
	} {
		if want != "" {
			want = ws + "/" + want
		}
		if got := w.CompletesGit(t.Context(), ws+"/"+path); got != want {
			t.Errorf("%s completes %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{
		"bare/HEAD": "bare", "bare/objects": "bare", "half/refs": "", "bare/x": "", "links/refs": "links",
	} {
		if want != "" {
			want = ws + "/" + want
		}
		if got := w.MadeGit(t.Context(), ws+"/"+path); got != want {
			t.Errorf("%s made %q, want %q", path, got, want)
		}
	}
	if got := w.GitShaped(t.Context(), "/etc/config"); got != nil {
		t.Errorf("outside: %v", got)
	}
}

// core.hooksPath counts wherever the repository of a folder lies: a work tree of
// its own has only a file .git, and a folder may be a part of a work tree.
func TestHooksPathsOfOtherRepositories(t *testing.T) {
	ws, out := base(t)
	file := func(name, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := func(dir string, names ...string) {
		t.Helper()
		w := open(t, workspace.Options{Dir: dir})
		var full []string
		for _, n := range names {
			full = append(full, dir+"/"+n)
		}
		if got := w.HooksPaths(); !slices.Equal(got, full) {
			t.Errorf("%s: %q, want %q", dir, got, full)
		}
	}
	want(ws)
	file(ws+"/.git", "gitdir: "+out+"/main/.git/worktrees/ws\n")
	file(out+"/main/.git/worktrees/ws/commondir", "../..\n")
	file(out+"/main/.git/worktrees/ws/config.worktree", "[core]\nhooksPath = own\n")
	file(out+"/main/.git/config", "[core]\nhooksPath = .githooks\n")
	want(ws, ".githooks", "own")
	// A submodule.
	file(ws+"/.git", "gitdir: ../"+filepath.Base(out)+"/modules/ws\n")
	file(out+"/modules/ws/config", "[core]\nhooksPath = sub\n")
	want(ws, "sub")
	// A part of a work tree.
	file(out+"/mono/.git/config", "[core]\nhooksPath = packages/x/hooks\n")
	file(out+"/mono/packages/x/a", "")
	want(out+"/mono/packages/x", "hooks")
	file(out+"/mono/.git/config", "[core]\nhooksPath = hooks\n")
	want(out + "/mono/packages/x")
}
