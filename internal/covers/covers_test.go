package covers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/sandbox"
	"github.com/baileyhq/bailey/workspace"
)

// ground is a workspace with a policy.
type ground struct {
	t       testing.TB
	root    string
	ws      *workspace.Workspace
	policy  *policy.Policy
	scanner *covers.Scanner
}

// lay makes a workspace, or one with further folders, from lines of filetree.
func lay(t testing.TB, rules []policy.Rule, lines ...string) *ground {
	t.Helper()
	return layWith(t, policy.Config{Rules: rules}, workspace.Options{}, lines...)
}

func layWith(t testing.TB, config policy.Config, options workspace.Options, lines ...string) *ground {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{t: t, root: root}
	filetree.Make(t, root, map[string]string{"$ROOT": root}, lines...)
	options.Dir, options.NoSync = root, true
	for i := range options.Folders {
		options.Folders[i].Given = strings.ReplaceAll(options.Folders[i].Given, "$ROOT", root)
	}
	if g.ws, err = workspace.Open(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.ws.Close() })
	config.Workspace = []string{root}
	if g.policy, err = policy.Compile(config); err != nil {
		t.Fatal(err)
	}
	g.scanner = covers.New(g.ws)
	return g
}

func (g *ground) scan() *covers.Scan {
	g.t.Helper()
	s, err := g.scanner.Scan(context.Background(), g.policy)
	if err != nil {
		g.t.Fatal(err)
	}
	return s
}

// list writes covers as "mask a/b", those of further folders as "1:mask b".
func list(s *covers.Scan) []string {
	var out []string
	for _, c := range s.Covers {
		kind := map[sandbox.CoverKind]string{sandbox.Mask: "mask", sandbox.ReadOnly: "ro", sandbox.Pin: "pin"}[c.Kind]
		line := kind + " " + c.Rel
		if c.Folder > 0 {
			line = fmt.Sprintf("%d:%s", c.Folder, line)
		}
		out = append(out, line)
	}
	return out
}

func guarded(all []covers.Guarded) []string {
	var out []string
	for _, g := range all {
		out = append(out, [...]string{"protected", "git", "hooks"}[g.Reason]+" "+g.Rel)
	}
	return out
}

func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func deny(name string, paths ...string) policy.Rule {
	return policy.Rule{Name: name, Action: policy.Deny, Paths: paths, Tools: []string{"file_read", "file_write"}}
}

func TestCovers(t *testing.T) {
	repository := []string{
		"file .git/HEAD x", "dir .git/objects", "dir .git/refs", "file .git/config x", "file .git/hooks/pre-commit.sample x",
	}
	for _, c := range []struct {
		name   string
		config policy.Config
		tree   []string
		want   []string
	}{
		{"nothing to cover", policy.Config{}, []string{"file a/b.txt x", "file environment.ts x"}, nil},
		{
			"sensitive files are masked and the way to them pinned",
			policy.Config{},
			[]string{"file a/b/.env x", "file a/b/.env.example x", "file a/.ssh/id x", "file a/.ssh/config x"},
			[]string{"pin a", "mask a/.ssh", "pin a/b", "mask a/b/.env"},
		},
		{
			"a directory that a rule denies is one cover",
			policy.Config{Rules: []policy.Rule{deny("s", "**/secrets/**")}},
			[]string{"file a/secrets/x/y z", "file a/secrets/k z", "dir secrets", "file other/k z"},
			[]string{"pin a", "mask a/secrets", "mask secrets"},
		},
		{
			"supervised reading is masked too",
			policy.Config{Rules: []policy.Rule{{Action: policy.Supervised, Paths: []string{"**/*.key"}, Tools: []string{"file_read"}}}},
			[]string{"file a.key x", "file b.txt x"},
			[]string{"mask a.key"},
		},
		{
			"writing denied or supervised is read-only",
			policy.Config{Rules: []policy.Rule{
				{Action: policy.Deny, Paths: []string{"**/gen/**"}, Tools: []string{"file_write"}},
				{Action: policy.Supervised, Paths: []string{"**/*.lock"}, Tools: []string{"file_write"}},
			}},
			[]string{"file src/gen/a x", "file src/go.lock x", "file src/b x"},
			[]string{"pin src", "ro src/gen", "ro src/go.lock"},
		},
		{
			"a repository",
			policy.Config{},
			repository,
			[]string{"pin .git", "ro .git/config", "ro .git/hooks"},
		},
		{
			"repositories at any depth, their modules and work trees",
			policy.Config{},
			[]string{
				"file a/b/.git/HEAD x", "file a/b/.git/config x", "file a/b/.git/info/attributes x", "file a/b/.git/info/exclude x",
				"file a/b/.git/modules/x/y/config x", "dir a/b/.git/modules/x/y/hooks", "file a/b/.git/modules/x/y/index x",
				"file a/b/.git/worktrees/w/commondir x", "file a/b/.git/worktrees/w/gitdir x", "file a/b/.git/worktrees/w/HEAD x",
				"file w/.git x", "file w/.gitignore x",
			},
			[]string{
				"pin a", "pin a/b", "pin a/b/.git", "ro a/b/.git/config", "pin a/b/.git/info", "ro a/b/.git/info/attributes",
				"pin a/b/.git/modules", "pin a/b/.git/modules/x", "pin a/b/.git/modules/x/y",
				"ro a/b/.git/modules/x/y/config", "ro a/b/.git/modules/x/y/hooks",
				"pin a/b/.git/worktrees", "pin a/b/.git/worktrees/w", "ro a/b/.git/worktrees/w/commondir", "ro a/b/.git/worktrees/w/gitdir",
				"pin w", "ro w/.git",
			},
		},
		{
			"a repository by another name",
			policy.Config{},
			[]string{"file docs/HEAD x", "dir docs/objects", "dir docs/refs", "file docs/config x", "file docs/hooks/x x", "file other/config x", "file other/HEAD x"},
			[]string{"pin docs", "ro docs/config", "ro docs/hooks"},
		},
		{
			"case does not matter",
			policy.Config{},
			[]string{"file .GIT/Config x", "file A/.ENV x", "file d/head x", "dir d/OBJECTS", "dir d/Refs", "file d/CONFIG x"},
			[]string{"pin .GIT", "ro .GIT/Config", "pin A", "mask A/.ENV", "pin d", "ro d/CONFIG"},
		},
		{
			"editor and agent configuration",
			policy.Config{},
			[]string{"file .vscode/tasks.json x", "dir a/.husky", "file .mcp.json x", "file a/.bashrc x", "file .claude/.env x"},
			[]string{"ro .claude", "mask .claude/.env", "ro .mcp.json", "ro .vscode", "pin a", "ro a/.bashrc", "ro a/.husky"},
		},
		{
			"what rules lift beneath a sensitive directory is left open",
			policy.Config{Rules: []policy.Rule{{Name: "l", Action: policy.Allow, Paths: []string{"**/.ssh/config"}}}},
			[]string{"file .ssh/config x", "file .ssh/id_rsa x", "dir .ssh/old", "file a/.ssh/known x"},
			[]string{"pin .ssh", "mask .ssh/id_rsa", "mask .ssh/old", "pin a", "mask a/.ssh"},
		},
		{
			"default deny with what is allowed deeper",
			policy.Config{DefaultAction: policy.Deny, Rules: []policy.Rule{{Name: "l", Action: policy.Allow, Paths: []string{"src/**/*.go"}}}},
			[]string{"file src/a.go x", "file src/x/b.go x", "file src/x/b.c x", "file src/y/b.c x", "file doc/a x"},
			[]string{"mask doc", "pin src", "pin src/x", "mask src/x/b.c", "mask src/y"},
		},
		{
			"a link is covered as a name, never for its target",
			policy.Config{},
			[]string{"file target x", "link .bashrc -> target", "link .env -> target", "link .husky -> target", "link plain -> target"},
			[]string{"ro .bashrc", "ro .env", "ro .husky"},
		},
		{
			"host sockets and FIFOs",
			policy.Config{},
			[]string{"dir run", "sock run/docker.sock", "fifo run/f", "file run/x y"},
			[]string{"pin run", "mask run/docker.sock", "mask run/f"},
		},
		{
			"hard links",
			policy.Config{},
			[]string{"file a/.env x", "dir b", "hard b/copy -> a/.env", "file .git/config x", "dir c/d", "hard c/d/alias -> .git/config", "file b/other x"},
			[]string{"pin .git", "ro .git/config", "pin a", "mask a/.env", "pin b", "mask b/copy", "pin c", "pin c/d", "ro c/d/alias"},
		},
		{
			"the tool policy is about tools, not files",
			policy.Config{Tools: map[string]policy.Action{"file_read": policy.Deny, "file_write": policy.Supervised}},
			[]string{"file a x", "file .env x"},
			[]string{"mask .env"},
		},
		{
			"a rule about the shell alone",
			policy.Config{Rules: []policy.Rule{{Action: policy.Deny, Paths: []string{"**/private/**"}, Tools: []string{"shell"}}}},
			[]string{"file private/x y", "file public/x y"},
			[]string{"mask private"},
		},
		{
			"names with everything in them",
			policy.Config{},
			[]string{`file a\u0020b,'é/.env x`, "file *?[/.netrc x"},
			[]string{"pin *?[", "mask *?[/.netrc", "pin a b,'é", "mask a b,'é/.env"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := layWith(t, c.config, workspace.Options{}, c.tree...)
			s := g.scan()
			same(t, "covers", list(s), c.want...)
			same(t, "covers from the cache", list(g.scan()), c.want...)
			for _, cover := range s.Covers {
				info, err := os.Lstat(filepath.Join(g.root, cover.Rel))
				if err != nil {
					t.Fatal(err)
				}
				if dev, ino := identity(info); dev != cover.Dev || ino != cover.Ino {
					t.Errorf("%s: %d:%d, want %d:%d", cover.Rel, cover.Dev, cover.Ino, dev, ino)
				}
			}
		})
	}
}

func TestFurtherFolders(t *testing.T) {
	g := layWith(t, policy.Config{}, workspace.Options{Folders: []jail.Folder{
		{Given: "$ROOT/vendor/lib", Mode: jail.ReadOnly},
	}}, "file vendor/lib/.git/config x", "file vendor/lib/.env x", "file vendor/.env x", "file a x")
	same(t, "covers", list(g.scan()), "pin vendor", "mask vendor/.env", "1:mask .env")
}

func freshScanner(g *ground) *covers.Scanner { return covers.New(g.ws) }
