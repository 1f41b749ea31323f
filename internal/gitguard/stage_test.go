package gitguard

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// stage is a workspace with a repository, beside the operator's home and state.
type stage struct {
	t      testing.TB
	ws     string
	home   string
	state  string
	marker string // what a planted command makes
	evil   string // the command
	guard  *Guard
	policy *policy.Policy
}

func newStage(t testing.TB) *stage {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, ws: dir + "/ws", home: dir + "/home", state: dir + "/state", marker: dir + "/marker"}
	s.evil = "touch " + s.marker
	for _, d := range []string{s.ws, s.home, s.state} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	template.Do(func() { s.makeTemplate() })
	if err := os.CopyFS(s.ws, templateFS); err != nil {
		t.Fatal(err)
	}
	return s
}

// template is a repository that is made once.
var (
	template   sync.Once
	templateFS = fstest.MapFS{}
)

func (s *stage) makeTemplate() {
	s.t.Helper()
	made := *s
	made.ws = s.t.TempDir()
	made.git(".", "init", "-q", "-b", "main")
	made.write("readme", "x")
	made.git(".", "add", ".")
	made.git(".", "commit", "-q", "-m", "first")
	made.git(".", "remote", "add", "origin", "https://example.invalid/x.git")
	err := fs.WalkDir(os.DirFS(made.ws), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file := &fstest.MapFile{Mode: fs.ModeDir | 0o755}
		if !d.IsDir() {
			text, err := os.ReadFile(made.path(name))
			if err != nil {
				return err
			}
			file = &fstest.MapFile{Data: text, Mode: 0o644}
			if name == "readme" {
				file.Mode = 0o755 // as write makes it
			}
		}
		templateFS[name] = file
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// open starts to guard. What the operator does to the repository comes before.
func (s *stage) open() *stage {
	s.t.Helper()
	ws, err := workspace.Open(s.t.Context(), workspace.Options{Dir: s.ws, NoSync: true})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { ws.Close() })
	s.policy, err = policy.Compile(policy.Config{Workspace: []string{s.ws}, Rules: []policy.Rule{
		{Name: "no-gen", Action: policy.Deny, Tools: []string{"file_write"}, Paths: []string{"gen/**"}},
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.guard = New(ws, covers.New(ws), s.state)
	return s
}

func (s *stage) path(rel string) string { return filepath.Join(s.ws, rel) }

func (s *stage) write(rel, content string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(rel)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(rel), []byte(content), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) read(rel string) string {
	text, _ := os.ReadFile(s.path(rel))
	return string(text)
}

func (s *stage) exists(rel string) bool {
	_, err := os.Lstat(s.path(rel))
	return err == nil
}

// try runs a program as the operator or the command would.
func (s *stage) try(dir, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = s.path(dir)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR_UNSET=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *stage) git(dir string, args ...string) string {
	s.t.Helper()
	out, err := s.try(dir, "git", args...)
	if err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// run plays one command: each configuration with a copy is a link to it meanwhile,
// as the sandbox's mount has it.
func (s *stage) run(command func()) Report {
	s.t.Helper()
	r := s.begin()
	restore := s.link(r)
	command()
	restore()
	report := s.finish(r)
	if left, _ := filepath.Glob(s.state + "/copies/*"); len(left) > 0 {
		s.t.Errorf("copies are left: %v", left)
	}
	return report
}

func (s *stage) begin() *Run {
	s.t.Helper()
	r, err := s.guard.Begin(s.t.Context(), s.policy)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *stage) finish(r *Run) Report {
	s.t.Helper()
	report, err := r.Finish(s.t.Context())
	if err != nil {
		s.t.Errorf("finish: %v", err)
	}
	for _, item := range report.Quarantined {
		if item.To == "" {
			continue
		}
		if _, err := os.Lstat(item.To); err != nil || !strings.HasPrefix(item.To, s.state) {
			s.t.Errorf("%s is not kept: %v", item.Path, err)
		}
	}
	return report
}

func (s *stage) link(r *Run) (restore func()) {
	s.t.Helper()
	aside := s.t.TempDir()
	for i, sh := range r.shadows {
		if err := os.Rename(sh.real, filepath.Join(aside, string(rune('a'+i)))); err != nil {
			s.t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(r.dir, sh.name), sh.real); err != nil {
			s.t.Fatal(err)
		}
	}
	return func() {
		for i, sh := range r.shadows {
			if err := os.Rename(filepath.Join(aside, string(rune('a'+i))), sh.real); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// ran tells whether something that was planted has run.
func (s *stage) ran() bool {
	_, err := os.Lstat(s.marker)
	_ = os.Remove(s.marker)
	return err == nil
}

// names lists what was reported, by path below the workspace.
func (s *stage) names(r Report) []string {
	var names []string
	for _, item := range r.Quarantined {
		rel, _ := filepath.Rel(s.ws, item.Path)
		names = append(names, rel)
	}
	return names
}
