package gitguard

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestGitWorks: what is harmless stays, and git goes on with it.
func TestGitWorks(t *testing.T) {
	for _, c := range []struct {
		name     string
		before   func(s *stage)
		command  func(s *stage)
		reported []string // paths
		after    func(s *stage)
	}{
		{name: "commit and branch", command: func(s *stage) {
			s.git(".", "switch", "-q", "-c", "topic")
			s.write("f", "x")
			s.git(".", "add", ".")
			s.git(".", "commit", "-q", "-m", "second")
		}, after: func(s *stage) { s.has(s.git(".", "log", "--oneline", "topic"), "second") }},
		{name: "init", command: func(s *stage) {
			s.git(".", "init", "-q", "new")
			s.write("new/f", "x")
			s.git("new", "add", ".")
			s.git("new", "commit", "-q", "-m", "in new")
		}, after: func(s *stage) {
			s.has(s.git("new", "log", "--oneline"), "in new")
			if !s.exists("new/.git/hooks/pre-commit.sample") {
				s.t.Error("the sample hooks are gone")
			}
		}},
		{name: "init --bare", command: func(s *stage) { s.git(".", "init", "-q", "--bare", "x.git") }, after: func(s *stage) {
			s.git(".", "push", "-q", s.path("x.git"), "main")
		}},
		{name: "clone", command: func(s *stage) { s.git(".", "clone", "-q", s.ws, "copy") }, after: func(s *stage) {
			s.has(s.git("copy", "remote", "-v"), s.ws)
			s.git("copy", "fetch", "-q")
			s.has(s.git("copy", "status", "-sb"), "main...origin/main")
		}},
		{name: "clone --shared", command: func(s *stage) { s.git(".", "clone", "-q", "--shared", s.ws, "copy") }, after: func(s *stage) {
			s.git("copy", "fsck")
		}},
		{name: "clone --mirror", command: func(s *stage) { s.git(".", "clone", "-q", "--mirror", s.ws, "m.git") }, after: func(s *stage) {
			s.git("m.git", "fetch", "-q")
		}},
		{name: "clone with a configuration of the user's", command: func(s *stage) {
			s.git(".", "clone", "-q", s.ws, "copy")
			s.git("copy", "config", "user.name", "Somebody # else; x")
			s.git("copy", "config", "pull.rebase", "true")
			s.git("copy", "config", "core.editor", "vi")
		}, reported: []string{"copy/.git/config"}, after: func(s *stage) {
			if got := s.git("copy", "config", "user.name"); got != "Somebody # else; x\n" {
				s.t.Errorf("%q", got)
			}
			if got, _ := s.try("copy", "git", "config", "core.editor"); got != "" {
				s.t.Errorf("%q", got)
			}
		}},
		{name: "worktree add", command: func(s *stage) { s.git(".", "worktree", "add", "-q", "wt") }, after: func(s *stage) {
			s.has(s.git("wt", "status", "-sb"), "## wt")
			s.has(s.git(".", "worktree", "list"), "/wt")
		}},
		{name: "worktree removed again", command: func(s *stage) {
			s.git(".", "worktree", "add", "-q", "wt")
			os.RemoveAll(s.path("wt"))
		}, after: func(s *stage) { s.git(".", "worktree", "prune") }},
		{name: "submodule add", before: func(s *stage) {
			s.git(".", "init", "-q", "-b", "main", "lib")
			s.git("lib", "commit", "-q", "--allow-empty", "-m", "in lib")
		}, command: func(s *stage) {
			s.git(".", "-c", "protocol.file.allow=always", "submodule", "add", "-q", s.path("lib"), "sub")
		}, reported: []string{".git/config"}, after: func(s *stage) {
			s.has(s.git("sub", "log", "--oneline"), "in lib")
			s.has(s.git("sub", "rev-parse", "--show-toplevel"), s.path("sub"))
		}},
		{name: "separate git directory", command: func(s *stage) { s.git(".", "init", "-q", "--separate-git-dir", "store", "work") }, after: func(s *stage) {
			s.git("work", "status")
		}},
		{name: "remote and upstream", command: func(s *stage) {
			s.git(".", "remote", "add", "fork", "git@example.invalid:me/x.git")
			s.git(".", "config", "branch.main.remote", "origin")
			s.git(".", "config", "branch.main.merge", "refs/heads/main")
		}, after: func(s *stage) {
			s.has(s.git(".", "remote", "-v"), "fork\tgit@example.invalid:me/x.git")
			s.has(s.git(".", "config", "branch.main.merge"), "refs/heads/main")
		}},
		{name: "a branch is renamed", before: func(s *stage) {
			s.git(".", "config", "branch.main.remote", "origin")
			s.git(".", "config", "branch.main.merge", "refs/heads/main")
		}, command: func(s *stage) { s.git(".", "branch", "-m", "trunk") }, reported: []string{".git/config"}, after: func(s *stage) {
			s.has(s.git(".", "config", "branch.trunk.merge"), "refs/heads/main")
			s.has(s.git(".", "branch", "--show-current"), "trunk")
		}},
		{name: "sparse checkout", command: func(s *stage) {
			s.write("d/f", "x")
			s.git(".", "add", ".")
			s.git(".", "commit", "-q", "-m", "d")
			s.git(".", "sparse-checkout", "set", "d")
		}, reported: []string{".git/config", ".git/config.worktree"}, after: func(s *stage) { s.git(".", "status") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if c.before != nil {
				c.before(s)
			}
			s.open()
			before := s.git(".", "config", "--local", "--list")
			report := s.run(func() { c.command(s) })
			got := s.names(report)
			slices.Sort(got)
			if !slices.Equal(got, c.reported) {
				t.Errorf("reported %v, want %v", report.Quarantined, c.reported)
			}
			for _, line := range strings.Split(strings.TrimSpace(before), "\n") {
				if now := s.git(".", "config", "--local", "--list"); !strings.Contains(now, line) {
					t.Errorf("%q is gone from\n%s", line, now)
				}
			}
			c.after(s)
			if again := s.run(func() {}); len(again.Quarantined) != 0 {
				t.Errorf("a second run reports %v", again.Quarantined)
			}
		})
	}
}

func (s *stage) has(text, want string) {
	s.t.Helper()
	if !strings.Contains(text, want) {
		s.t.Errorf("%q is missing in %q", want, text)
	}
}

// TestHostileCopies: what a command leaves in the place of a copy is never used,
// and nothing waits for it.
func TestHostileCopies(t *testing.T) {
	for name, plant := range map[string]func(copy string){
		"a link": func(copy string) { os.Remove(copy); os.Symlink("/etc/passwd", copy) },
		"a FIFO": func(copy string) { os.Remove(copy); mkfifo(copy) },
		"gone":   func(copy string) { os.Remove(copy) },
		"a directory": func(copy string) {
			os.Remove(copy)
			os.Mkdir(copy, 0)
		},
		"huge":    func(copy string) { os.Truncate(copy, 8<<30) },
		"no text": func(copy string) { os.WriteFile(copy, []byte("[core]\n\x00"), 0o600) },
		"half":    func(copy string) { os.WriteFile(copy, []byte("[core]\nfsmonitor = \"x"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t).open()
			before := s.read(".git/config")
			r := s.begin()
			plant(r.dir + "/" + r.shadows[0].name)
			report := s.finish(r)
			if s.read(".git/config") != before || len(report.Quarantined) != 1 || report.Quarantined[0].Path != s.path(".git/config") {
				t.Errorf("reported %v, configuration %q", report.Quarantined, s.read(".git/config"))
			}
		})
	}
}

// TestConcurrentRuns: each sees its own copy, and both changes are taken over.
func TestConcurrentRuns(t *testing.T) {
	s := newStage(t).open()
	a, b := s.begin(), s.begin()
	edit := func(r *Run, remote string) {
		file := r.dir + "/" + r.shadows[0].name
		s.git(".", "config", "--file", file, "remote."+remote+".url", "https://example.invalid/"+remote)
		s.git(".", "config", "--file", file, "remote."+remote+".fetch", "+refs/heads/*:refs/remotes/"+remote+"/*")
	}
	edit(a, "one")
	edit(b, "two")
	s.git(".", "config", "user.name", "changed on the host meanwhile")
	s.finish(a)
	s.finish(b)
	got := s.git(".", "remote")
	if got != "one\norigin\ntwo\n" || !strings.Contains(s.git(".", "config", "user.name"), "meanwhile") {
		t.Errorf("%q", got)
	}
}

// TestHardLinkedConfig: another name of a new repository's configuration would be
// a way to change it later.
func TestHardLinkedConfig(t *testing.T) {
	s := newStage(t).open()
	s.run(func() {
		s.git(".", "init", "-q", "new")
		if err := os.Link(s.path("new/.git/config"), s.path("alias")); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.WriteFile(s.path("alias"), []byte("[core]\n\tfsmonitor = "+s.evil+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.try("new", "git", "status")
	if s.ran() {
		t.Error("the configuration was changed by its other name")
	}
}

// TestPlantedSpecial: a FIFO or a link in a protected place holds nobody up.
func TestPlantedSpecial(t *testing.T) {
	s := newStage(t).open()
	report := s.run(func() {
		mkfifo(s.path(".bashrc"))
		os.Symlink("/etc/passwd", s.path(".zshrc"))
		os.MkdirAll(s.path("a/.vscode"), 0o755)
		mkfifo(s.path("a/.vscode/f"))
	})
	if len(report.Quarantined) != 3 || s.exists(".bashrc") || s.exists(".zshrc") || s.exists("a/.vscode") {
		t.Errorf("%v", report.Quarantined)
	}
}

// TestOtherFileSystem has the quarantine on another one.
func TestOtherFileSystem(t *testing.T) {
	s := newStage(t)
	shm, err := os.MkdirTemp("/dev/shm", "bailey-test-")
	if err != nil {
		t.Skipf("needs a second file system at /dev/shm: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(shm) })
	s.state = shm
	s.open()
	report := s.run(func() {
		s.write(".vscode/a/b", "planted")
		s.write(".bashrc", "planted")
		os.Symlink("x", s.path(".vscode/link"))
		os.Chmod(s.path(".vscode/a"), 0)
		mkfifo(s.path("q/.zshrc"))
		os.MkdirAll(s.path("q/.idea"), 0o755)
		mkfifo(s.path("q/.idea/f"))
	})
	for _, item := range report.Quarantined {
		if strings.HasPrefix(item.Path, s.path("q")) != (item.To == "") {
			t.Errorf("%+v", item)
		}
		if s.exists(strings.TrimPrefix(item.Path, s.ws+"/")) {
			t.Errorf("%s is there", item.Path)
		}
	}
	if len(report.Quarantined) != 4 {
		t.Errorf("%v", report.Quarantined)
	}
}

func TestIdentity(t *testing.T) {
	s := newStage(t)
	for name, text := range map[string]string{
		"a": "[user]\n\tname = First\n\temail = first@example.invalid\n[core]\n\tfsmonitor = evil\n",
		"b": "[include]\r\n\tpath = c\r\n",
		"c": "[user]\n\tname = \"Jürgen # 2\"\n",
		"d": "[broken",
	} {
		if err := os.WriteFile(s.home+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := OperatorIdentity([]string{s.home + "/a", s.home + "/b", s.home + "/d", s.home + "/missing"}, s.home)
	if want := (Identity{"Jürgen # 2", "first@example.invalid"}); id != want {
		t.Errorf("%+v", id)
	}
	got, ok := gitList(t, id.GlobalConfig())
	want := []string{"safe.directory\n*", "user.name\nJürgen # 2", "user.email\nfirst@example.invalid", "gc.autodetach\nfalse", "maintenance.autodetach\nfalse"}
	if !ok || !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestOthersNamesStay: names that are the operator's own do not become git's, and
// are not taken away, because a command adds what they lacked.
func TestOthersNamesStay(t *testing.T) {
	s := newStage(t)
	s.write("app/config/routes", "the operator's")
	s.write("app/objects/x", "the operator's")
	s.write("app/HEAD", "the operator's")
	s.open()
	time.Sleep(2 * clockTick)
	report := s.run(func() { s.write("app/refs/x", "y") })
	if got := s.names(report); len(got) != 1 || got[0] != "app/refs" {
		t.Errorf("%v", report.Quarantined)
	}
	if s.read("app/config/routes") == "" || s.read("app/HEAD") == "" || s.read("app/objects/x") == "" {
		t.Error("something of the operator's is gone")
	}
}
