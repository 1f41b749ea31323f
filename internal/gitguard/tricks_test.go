package gitguard

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// trick is a way in which a command would have the operator's git run something.
type trick struct {
	name    string
	before  func(s *stage) // what the operator had set up
	plant   func(s *stage) // by the command
	trigger func(s *stage) // by the operator, later
}

func config(key, value string) func(*stage) {
	return func(s *stage) { s.git(".", "config", key, strings.ReplaceAll(value, "EVIL", s.evil)) }
}

func then(args ...string) func(*stage) {
	return func(s *stage) { s.try(".", "git", args...) }
}

func askCredential(s *stage) {
	s.try(".", "sh", "-c", `printf 'protocol=https\nhost=example.invalid\n\n' | git credential fill`)
}

func (s *stage) script() string { return "#!/bin/sh\n" + s.evil + "\n" }

// repository lays out by hand what git takes for a repository, under any name.
func (s *stage) repository(dir, config string) {
	s.write(dir+"/HEAD", "ref: refs/heads/main\n")
	s.write(dir+"/objects/x", "")
	s.write(dir+"/refs/x", "")
	s.write(dir+"/config", "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "+s.evil+"\n"+config)
}

func (s *stage) withSubmodule() {
	s.git(".", "init", "-q", "-b", "main", "lib")
	s.write("lib/f", "x")
	s.git("lib", "add", ".")
	s.git("lib", "commit", "-q", "-m", "x")
	s.git(".", "-c", "protocol.file.allow=always", "submodule", "add", "-q", s.path("lib"), "sub")
	s.git(".", "commit", "-q", "-m", "sub")
}

var tricks = []trick{
	{name: "core.fsmonitor", plant: config("core.fsmonitor", "EVIL"), trigger: then("status")},
	{name: "alias", plant: config("alias.st", "!EVIL"), trigger: then("st")},
	{name: "sequence.editor", plant: config("sequence.editor", "EVIL"), trigger: then("rebase", "-i", "--root")},
	{name: "core.editor", plant: config("core.editor", "EVIL"), trigger: then("commit", "--allow-empty")},
	{name: "core.sshCommand", before: config("remote.origin.url", "ssh://example.invalid/x"), plant: config("core.sshCommand", "EVIL"), trigger: then("fetch")},
	{name: "credential.helper", plant: config("credential.helper", "!EVIL"), trigger: askCredential},
	{name: "core.askPass", plant: func(s *stage) {
		s.write("ask", s.script())
		s.git(".", "config", "core.askPass", s.path("ask"))
	}, trigger: askCredential},
	{name: "gpg.program", plant: func(s *stage) {
		s.write("gpg", s.script())
		s.git(".", "config", "gpg.program", s.path("gpg"))
		s.git(".", "config", "commit.gpgsign", "true")
	}, trigger: then("commit", "--allow-empty", "-m", "x")},
	{name: "diff.external", plant: config("diff.external", "EVIL"), trigger: func(s *stage) { s.write("readme", "y"); s.try(".", "git", "diff") }},
	{name: "url.insteadOf", plant: func(s *stage) {
		s.git(".", "config", "url.ext::"+s.evil+" %S .insteadOf", "https://example.invalid/")
		s.git(".", "config", "protocol.ext.allow", "always")
	}, trigger: then("fetch")},
	{name: "a remote's address", plant: func(s *stage) {
		s.git(".", "config", "remote.origin.url", "ext::"+s.evil)
		s.git(".", "config", "protocol.ext.allow", "always")
	}, trigger: then("fetch")},
	{name: "include.path", plant: func(s *stage) {
		s.write("conf/git", "[core]\n\tfsmonitor = "+s.evil+"\n")
		s.git(".", "config", "include.path", "../conf/git")
	}, trigger: then("status")},
	{name: "includeIf", plant: func(s *stage) {
		s.write("conf/git", "[core]\n\tfsmonitor = "+s.evil+"\n")
		s.git(".", "config", "includeIf.gitdir:**.path", s.path("conf/git"))
	}, trigger: then("status")},
	{name: "core.hooksPath", plant: func(s *stage) {
		s.write("h/pre-commit", s.script())
		s.git(".", "config", "core.hooksPath", "h")
	}, trigger: then("commit", "--allow-empty", "-m", "x")},
	{
		name:   "the target of core.hooksPath",
		before: config("core.hooksPath", "tools/h"),
		plant:  func(s *stage) { s.write("tools/h/pre-commit", s.script()) }, trigger: then("commit", "--allow-empty", "-m", "x"),
	},
	{
		name:   "hooks where there were none",
		before: func(s *stage) { os.RemoveAll(s.path(".git/hooks")) },
		plant:  func(s *stage) { s.write(".git/hooks/pre-commit", s.script()) }, trigger: then("commit", "--allow-empty", "-m", "x"),
	},
	{
		name:   "hooks by a link",
		before: func(s *stage) { os.RemoveAll(s.path(".git/hooks")) },
		plant: func(s *stage) {
			s.write("h/pre-commit", s.script())
			os.Symlink("../h", s.path(".git/hooks"))
		}, trigger: then("commit", "--allow-empty", "-m", "x"),
	},
	{name: "commondir", plant: func(s *stage) {
		s.repository("evil", "")
		s.write(".git/commondir", "../evil\n")
	}, trigger: then("status")},
	{name: "config.worktree", plant: func(s *stage) {
		s.git(".", "config", "extensions.worktreeConfig", "true")
		s.write(".git/config.worktree", "[core]\n\tfsmonitor = "+s.evil+"\n")
	}, trigger: then("status")},
	{
		name: "config.worktree where it is in use", before: config("extensions.worktreeConfig", "true"),
		plant:   func(s *stage) { s.git(".", "config", "--worktree", "core.fsmonitor", s.evil) },
		trigger: then("status"),
	},
	{name: "attributes with a filter", plant: func(s *stage) {
		s.git(".", "config", "filter.x.clean", s.evil)
		s.write(".git/info/attributes", "* filter=x\n")
	}, trigger: func(s *stage) { s.write("readme", "y"); s.try(".", "git", "add", ".") }},
	{
		name: "attributes for the operator's filter", before: func(s *stage) { s.git(".", "config", "filter.x.clean", s.evil) },
		plant:   func(s *stage) { s.write(".git/info/attributes", "* filter=x\n") },
		trigger: func(s *stage) { s.write("readme", "y"); s.try(".", "git", "add", ".") },
	},
	{name: "a directory in the shape of a repository", plant: func(s *stage) { s.repository("docs", "\tbare = false\n\tworktree = .\n") }, trigger: func(s *stage) { s.try("docs", "git", "status") }},
	{
		name: "the last part of a repository's shape",
		before: func(s *stage) {
			s.write("docs/config", "[core]\n\tfsmonitor = "+s.evil+"\n\tworktree = .\n\trepositoryformatversion = 0\n")
			s.write("docs/objects/x", "")
		},
		plant:   func(s *stage) { s.write("docs/HEAD", "ref: refs/heads/main\n"); s.write("docs/refs/x", "") },
		trigger: func(s *stage) { s.try("docs", "git", "status") },
	},
	{
		name: "the last part of it in the folder itself",
		before: func(s *stage) {
			os.RemoveAll(s.path(".git"))
			s.write("config", "[core]\n\tfsmonitor = "+s.evil+"\n\tworktree = .\n\trepositoryformatversion = 0\n")
			s.write("HEAD", "ref: refs/heads/main\n")
			s.write("refs/x", "")
		},
		plant:   func(s *stage) { s.write("objects/x", "") },
		trigger: then("status"),
	},
	{name: "a repository with a configuration", plant: func(s *stage) {
		s.git(".", "init", "-q", "sub")
		s.git("sub", "config", "core.fsmonitor", s.evil)
	}, trigger: func(s *stage) { s.try("sub", "git", "status") }},
	{name: "a repository with a hook", plant: func(s *stage) {
		s.git(".", "init", "-q", "sub")
		s.write("sub/.git/hooks/pre-commit", s.script())
	}, trigger: func(s *stage) { s.try("sub", "git", "commit", "--allow-empty", "-m", "x") }},
	{name: "a repository with an include", plant: func(s *stage) {
		s.git(".", "init", "-q", "sub")
		s.write("sub/x", "[core]\n\tfsmonitor = "+s.evil+"\n")
		s.git("sub", "config", "include.path", "../x")
	}, trigger: func(s *stage) { s.try("sub", "git", "status") }},
	{name: "a repository in a directory that is shut", plant: func(s *stage) {
		s.git(".", "init", "-q", "shut/sub")
		s.git("shut/sub", "config", "core.fsmonitor", s.evil)
		os.Chmod(s.path("shut/sub/.git"), 0)
		os.Chmod(s.path("shut/sub"), 0)
		os.Chmod(s.path("shut"), 0)
	}, trigger: func(s *stage) {
		os.Chmod(s.path("shut"), 0o755)
		os.Chmod(s.path("shut/sub"), 0o755)
		os.Chmod(s.path("shut/sub/.git"), 0o755)
		s.try("shut/sub", "git", "status")
	}},
	{name: "a repository in the folder of a writer's left-overs", plant: func(s *stage) {
		s.git(".", "init", "-q", ".bailey-tmp-0123456789abcdef")
		s.git(".bailey-tmp-0123456789abcdef", "config", "core.fsmonitor", s.evil)
	}, trigger: func(s *stage) { s.try(".bailey-tmp-0123456789abcdef", "git", "status") }},
	{name: "a .git file", plant: func(s *stage) {
		s.repository("evil", "\tworktree = ../sub\n")
		s.write("sub/.git", "gitdir: ../evil\n")
	}, trigger: func(s *stage) { s.try("sub", "git", "status") }},
	{
		name: "a .git file to a repository of the operator's", before: func(s *stage) { s.elsewhere() },
		plant:   func(s *stage) { s.write("sub/.git", "gitdir: "+s.home+"/evil\n") },
		trigger: func(s *stage) { s.try("sub", "git", "status") },
	},
	{name: "a link named .git", plant: func(s *stage) {
		s.write("sub/x", "")
		s.repository("evil", "\tworktree = ../sub\n")
		os.Symlink("../evil", s.path("sub/.git"))
	}, trigger: func(s *stage) { s.try("sub", "git", "status") }},
	{name: "a submodule's repository", plant: func(s *stage) {
		s.repository(".git/modules/sub", "\tworktree = ../../../sub\n")
		s.write("sub/.git", "gitdir: ../.git/modules/sub\n")
	}, trigger: func(s *stage) { s.try("sub", "git", "status") }},
	{
		name: "a submodule's update command", before: (*stage).withSubmodule,
		plant:   config("submodule.sub.update", "!EVIL;"),
		trigger: then("submodule", "update", "--force"),
	},
	{
		name: "a submodule's configuration", before: (*stage).withSubmodule,
		plant:   func(s *stage) { s.git("sub", "config", "core.fsmonitor", s.evil) },
		trigger: func(s *stage) { s.try("sub", "git", "status") },
	},
	{name: "a linked work tree's own configuration", before: config("extensions.worktreeConfig", "true"), plant: func(s *stage) {
		s.git(".", "worktree", "add", "-q", "wt")
		s.git("wt", "config", "--worktree", "core.fsmonitor", s.evil)
	}, trigger: func(s *stage) { s.try("wt", "git", "status") }},
	{name: "a linked work tree of another repository", plant: func(s *stage) {
		s.git(".", "worktree", "add", "-q", "wt")
		s.repository("evil", "")
		s.write(".git/worktrees/wt/commondir", s.path("evil")+"\n")
	}, trigger: func(s *stage) { s.try("wt", "git", "status") }},
	{name: "husky", before: config("core.hooksPath", ".husky/_"), plant: func(s *stage) { s.write(".husky/_/pre-commit", s.script()) }, trigger: then("commit", "--allow-empty", "-m", "x")},
}

// elsewhere makes a repository of the operator's with something that runs.
func (s *stage) elsewhere() {
	old := s.ws
	s.ws = s.home
	s.repository("evil", "\tbare = false\n\tworktree = "+old+"/sub\n")
	s.ws = old
}

func TestTricks(t *testing.T) {
	for _, tr := range tricks {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			prepare := func() *stage {
				s := newStage(t)
				if tr.before != nil {
					tr.before(s)
				}
				s.ran()
				return s
			}
			control := prepare()
			tr.plant(control)
			control.ran()
			tr.trigger(control)
			if !control.ran() {
				t.Fatal("the control ran nothing: the trick is none")
			}
			s := prepare().open()
			report := s.run(func() { tr.plant(s) })
			s.ran()
			tr.trigger(s)
			if s.ran() {
				t.Errorf("git ran what the command planted; reported %v", report)
			}
			if len(report.Quarantined) == 0 {
				t.Error("nothing was reported")
			}
			if again := s.run(func() {}); len(again.Quarantined) > 0 {
				t.Errorf("a second run reports %v", again.Quarantined)
			}
		})
	}
}

// TestProtectedNames: what editors, agents and shells would run later.
func TestProtectedNames(t *testing.T) {
	for _, name := range []string{
		".vscode/tasks.json", ".idea/x", ".devcontainer/devcontainer.json", ".devcontainer.json", ".mcp.json", ".claude/settings.json",
		".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json", ".husky/pre-commit", ".bashrc", ".zshenv", ".profile", ".envrc",
		"gen/x.go", ".git/gitdir",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t).open()
			places := []string{name, "a/b/" + name}
			if strings.HasPrefix(name, "gen") || strings.HasPrefix(name, ".git/") {
				places = places[:1]
			}
			report := s.run(func() {
				for _, p := range places {
					s.write(p, "planted")
				}
				s.write("plain/file", "kept")
			})
			if len(report.Quarantined) != len(places) {
				t.Errorf("reported %v", report.Quarantined)
			}
			for _, p := range places {
				if s.exists(p) {
					t.Errorf("%s is there", p)
				}
			}
			if s.read("plain/file") != "kept" {
				t.Error("what is not protected was touched")
			}
			for _, item := range report.Quarantined {
				if item.To == "" || item.Reason == "" {
					t.Errorf("%+v", item)
				}
			}
		})
	}
}

// TestExistingNamesStay: only what appeared is taken away.
func TestExistingNamesStay(t *testing.T) {
	s := newStage(t)
	s.write(".vscode/settings.json", "mine")
	s.write(".env", "SECRET=1")
	s.open()
	report := s.run(func() { s.write("x/.env", "of the command"); s.write("y", "z") })
	if len(report.Quarantined) != 0 || s.read(".vscode/settings.json") != "mine" || s.read("x/.env") == "" {
		t.Errorf("%v", report.Quarantined)
	}
}

func TestLeftLocks(t *testing.T) {
	s := newStage(t)
	s.write(".git/HEAD.lock", "")
	s.open()
	report := s.run(func() {
		s.write(".git/index.lock", "")
		s.write(".git/refs/heads/x.lock", "")
		s.write("yarn.lock", "")
	})
	if got := fmt.Sprint(report.LeftLocks); got != fmt.Sprint([]string{s.path(".git/index.lock"), s.path(".git/refs/heads/x.lock")}) {
		t.Errorf("%v", report.LeftLocks)
	}
	if len(report.Quarantined) != 0 {
		t.Errorf("%v", report.Quarantined)
	}
}
