package gitguard

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/sandbox"
)

// inSandbox runs a script behind the real walls, between Begin and Finish.
func (s *stage) inSandbox(script string) (output string, report Report) {
	s.t.Helper()
	box, err := sandbox.New(sandbox.Options{TmpSize: 16 << 20, Home: s.home})
	if err != nil {
		s.t.Fatal(err)
	}
	defer box.Close()
	r := s.begin()
	handle, err := s.guard.ws.Jail().Tree(0).Handle()
	if err != nil {
		s.t.Fatal(err)
	}
	defer handle.Close()
	var out bytes.Buffer
	spec := sandbox.Spec{
		Argv: []string{"/bin/sh", "-c", script}, Dir: s.ws, Stdout: &out, Stderr: &out, Covers: r.Covers,
		Folders: []sandbox.Folder{{Path: s.ws, Dir: handle, Writable: true}},
		Files:   []sandbox.File{{Path: "/run/gitconfig", Content: Identity{"Op", "op@example.invalid"}.GlobalConfig(), Mode: 0o444}},
		Env:     []string{"GIT_CONFIG_GLOBAL=/run/gitconfig"},
	}
	if r.Copies != nil {
		spec.Folders = append(spec.Folders, sandbox.Folder{Path: Inside, Dir: r.Copies, Writable: true})
	}
	_, err = box.Run(s.t.Context(), spec)
	report = s.finish(r)
	if errors.Is(err, sandbox.ErrUnavailable) {
		s.t.Skipf("needs bubblewrap: %v", err)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return out.String(), report
}

func TestInTheSandbox(t *testing.T) {
	t.Run("git works on the copy", func(t *testing.T) {
		s := newStage(t).open()
		out, report := s.inSandbox(`set -e
			git remote add fork https://example.invalid/fork.git
			git config branch.main.merge refs/heads/main
			git config core.fsmonitor '` + s.evil + `'
			echo more > f; git -c core.fsmonitor=false add f; git -c core.fsmonitor=false commit -q -m second
			git init -q new; cd new; git commit -q --allow-empty -m in-new; git log --format=%an`)
		if !strings.HasSuffix(out, "Op\n") {
			t.Errorf("%q", out)
		}
		if got := s.names(report); len(got) != 1 || got[0] != ".git/config" || !strings.Contains(report.Quarantined[0].Reason, "core.fsmonitor") {
			t.Errorf("%v", report.Quarantined)
		}
		s.has(s.git(".", "remote"), "fork")
		s.has(s.git(".", "log", "--oneline"), "second")
		s.has(s.git("new", "log", "--oneline"), "in-new")
		s.git(".", "status")
		if s.ran() {
			t.Error("fsmonitor ran")
		}
	})
	t.Run("what is covered holds", func(t *testing.T) {
		s := newStage(t)
		s.write(".git/hooks/pre-commit.sample", "x")
		s.write(".vscode/settings.json", "mine")
		s.write("a/b/.env", "SECRET")
		s.write("a/b/plain", "public")
		s.write("target", "x")
		if err := os.Symlink("target", s.path(".bashrc")); err != nil {
			t.Fatal(err)
		}
		s.open()
		for _, attack := range []string{
			"mv .git .g", "rm .git/config", "mv .git/config .git/c", "mv .git/hooks .git/h", "echo x > .git/hooks/pre-commit", "rm -r .git/hooks",
			"echo x > .vscode/settings.json", "mv .vscode .v", "touch .vscode/tasks.json", "cat a/b/.env", "mv a/b/.env a/b/c", "mv a/b a/c", "mv a c",
			"rm -f a/b/.env", "ln a/b/.env x", "chmod 666 a/b/.env", "echo x > a/b/.env", "rm .bashrc", "mv .bashrc x", "ln -sf evil .bashrc",
		} {
			out, report := s.inSandbox(attack + " 2>&1 && echo DONE; true")
			if strings.Contains(out, "DONE") || len(report.Quarantined) != 0 {
				t.Errorf("%s: %q, %v", attack, out, report.Quarantined)
			}
		}
		out, _ := s.inSandbox("cat a/b/plain; echo y > a/b/new && ls a/b")
		if !strings.Contains(out, "public") || s.read("a/b/new") != "y\n" {
			t.Errorf("the control: %q", out)
		}
		if s.read("a/b/.env") != "SECRET" || s.read(".vscode/settings.json") != "mine" {
			t.Error("something was changed")
		}
	})
	t.Run("what is planted goes", func(t *testing.T) {
		s := newStage(t).open()
		_, report := s.inSandbox(`mkdir -p x/.vscode; echo x > x/.vscode/tasks.json; echo x > .git/commondir
			mkdir shut; git init -q shut/r; git -C shut/r config alias.st '!x'; chmod 0 shut/r shut; mkfifo .zshrc`)
		want := []string{".git/commondir", ".zshrc", "shut/r/.git/config", "x/.vscode"}
		if got := s.names(report); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%v, want %v", got, want)
		}
		if left, _ := filepath.Glob(s.ws + "/x/.*"); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
	})
}
