package tool_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

// escapeCase is one case of testdata/escapes.json.
type escapeCase struct {
	ID     string          `json:"id"`
	Setup  []string        `json:"setup"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Expect []string        `json:"expect"`
	Output string          `json:"output"`
	After  []string        `json:"after"`
	Task   string          `json:"task"`
	Config struct {
		Workspace string `json:"workspace"`
		TOML      string `json:"toml"`
	} `json:"config"`
}

const marker = "7f3a"

func loadCases(t *testing.T) []escapeCase {
	t.Helper()
	raw, err := os.ReadFile("testdata/escapes.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []escapeCase }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 100 {
		t.Fatalf("only %d cases", len(file.Cases))
	}
	return file.Cases
}

func TestEscapes(t *testing.T) {
	cases := loadCases(t)
	engines(t, func(t *testing.T, e jail.Engine) {
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) { c.run(t, e) })
		}
	})
}

func (c *escapeCase) run(t *testing.T, e jail.Engine) {
	b := c.open(t, e)
	before := filetree.Describe(t, b.out)
	start := time.Now()
	r := b.raw(c.Tool, string(c.Args))
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("answered only after %v", took)
	}
	got := string(r.ErrorKind)
	if r.Success {
		got = "ok"
	}
	if !slices.Contains(c.Expect, got) {
		t.Errorf("got %s, want one of %v\n%s%s", got, c.Expect, r.Error, r.Output)
	}
	if want := filetree.Expand(c.Output, b.vars); !strings.Contains(r.Output, want) {
		t.Errorf("output %q lacks %q", r.Output, want)
	}
	answer, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(answer), marker) {
		t.Errorf("the answer holds the secret: %s", answer)
	}
	if after := filetree.Describe(t, b.out); !maps.Equal(before, after) {
		t.Errorf("outside changed:\n%v\n%v", before, after)
	}
	for _, check := range c.After {
		b.check(check)
	}
	if b.Options.Audit == nil {
		return // a broken configuration: there is no log
	}
	if rec := b.last(); rec.Tool != c.Tool || (rec.Result == "allow") != r.Success || rec.ErrorKind != string(r.ErrorKind) {
		t.Errorf("recorded as %+v", rec)
	}
}

func (c *escapeCase) open(t *testing.T, e jail.Engine) *box {
	t.Helper()
	b := layout(t)
	filetree.Make(t, b.root, b.vars, c.Setup...)
	cfg, err := config.Parse("test.toml", []byte(filetree.Expand(c.Config.TOML, b.vars)))
	if err != nil {
		t.Fatal(err)
	}
	b.open(setup{
		task: c.Task, opened: filetree.Expand(c.Config.Workspace, b.vars),
		space:  func(o *workspace.Options) { o.Engine = e },
		policy: func(p *policy.Config) { p.Rules = rulesOf(t, cfg) },
	})
	return b
}

func rulesOf(t *testing.T, cfg *config.Config) []policy.Rule {
	t.Helper()
	var rules []policy.Rule
	for _, r := range cfg.Security.Policy.Rules {
		action, err := policy.ParseAction(string(r.Action))
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, policy.Rule{Name: r.Name, Action: action, Tools: r.Tools, Paths: r.Paths, Message: r.Message})
	}
	return rules
}

// check is one of a case's further checks.
func (b *box) check(line string) {
	b.t.Helper()
	verb, rest, _ := strings.Cut(filetree.Expand(line, b.vars), " ")
	name, want, _ := strings.Cut(rest, " ")
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.root, path)
	}
	info, err := os.Lstat(path)
	ok := false
	switch verb {
	case "absent":
		ok = os.IsNotExist(err)
	case "exists":
		ok = err == nil
	case "content":
		raw, rerr := os.ReadFile(path)
		ok = rerr == nil && string(raw) == strings.TrimPrefix(want, "= ")
	case "link":
		ok = err == nil && info.Mode()&fs.ModeSymlink != 0
	case "fifo":
		ok = err == nil && info.Mode()&fs.ModeNamedPipe != 0
	case "mode":
		mode, perr := strconv.ParseUint(want, 8, 32)
		ok = err == nil && perr == nil && info.Mode().Perm() == fs.FileMode(mode)
	case "nosuid":
		ok = err != nil || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) == 0
	case "notemp":
		ok = len(b.leftOver()) == 0
	case "noleak":
		ok = true // the marker is looked for in every answer
	}
	if !ok {
		b.t.Errorf("afterwards %q does not hold (%v)", line, err)
	}
}

// leftOver lists files that no test made.
func (b *box) leftOver() []string {
	var found []string
	for name := range filetree.Describe(b.t, b.root) {
		if strings.HasPrefix(filepath.Base(name), ".bailey") || strings.Contains(name, ".tmp") {
			found = append(found, name)
		}
	}
	return found
}

var _ = tool.Names
