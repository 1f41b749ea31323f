package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/policy"
)

// docSection is a heading of docs/policy.md with the blocks and tables below it.
type docSection struct {
	title  string
	blocks []string   // of TOML
	rows   [][]string // of tables, without their head
}

// readDoc takes the page apart.
func readDoc(t *testing.T) []docSection {
	t.Helper()
	raw, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := []docSection{{}}
	block, inTable := "", false
	for line := range strings.Lines(string(raw)) {
		at := &sections[len(sections)-1]
		text := strings.TrimSpace(line)
		switch {
		case block != "" && text == "```":
			if toml, ok := strings.CutPrefix(block, "toml\n"); ok {
				at.blocks = append(at.blocks, toml)
			}
			block = ""
		case block != "":
			block += line
		case strings.HasPrefix(line, "```"):
			block = strings.TrimPrefix(line, "```")
		case strings.HasPrefix(line, "#"):
			sections = append(sections, docSection{title: strings.TrimLeft(text, "# ")})
		case strings.HasPrefix(line, "| ---"):
			inTable = true
		case inTable && strings.HasPrefix(line, "|"):
			at.rows = append(at.rows, cells(text))
		default:
			inTable = false
		}
	}
	return sections
}

// cells splits a row of a table, in which \| stands for a bar.
func cells(row string) []string {
	row = strings.ReplaceAll(strings.Trim(row, "| "), `\|`, "\x00")
	parts := strings.Split(row, " | ")
	for i := range parts {
		parts[i] = strings.ReplaceAll(strings.Trim(strings.TrimSpace(parts[i]), "`"), "\x00", "|")
	}
	return parts
}

func sectionOf(t *testing.T, sections []docSection, title string) docSection {
	t.Helper()
	i := slices.IndexFunc(sections, func(s docSection) bool { return s.title == title })
	if i < 0 {
		t.Fatalf("docs/policy.md has no section %q", title)
	}
	return sections[i]
}

// recipePlace is where a recipe is tried: a workspace, and stand-ins for the paths of the page.
type recipePlace struct {
	ws, home string
	real     *strings.Replacer
}

func newPlace(t *testing.T) recipePlace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := recipePlace{ws: filepath.Join(dir, "ws"), home: filepath.Join(dir, "home")}
	for path, content := range map[string]string{
		"ws/src/main.go": "package main\n", "ws/conf/secrets/db": "hush\n", "ws/tls/server.pem": "hush\n", "ws/.env": "T=1\n",
		"ws/docs/a.md": "# A\n", "ws/old.txt": "old\n", "srv/reference/api.md": "# API\n", "srv/reference/drafts/api.md": "draft\n",
		"go/bin/go": "#!/bin/sh\n", "home/.keep": "",
	} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.real = strings.NewReplacer("/usr/local/go", filepath.Join(dir, "go"), "/srv/", filepath.Join(dir, "srv")+"/")
	return p
}

// configure writes a configuration and returns the command line's way to it.
func (p *recipePlace) configure(t *testing.T, text string) (*app, *bytes.Buffer) {
	t.Helper()
	file := filepath.Join(p.home, "config.toml")
	if err := os.WriteFile(file, []byte(p.real.Replace(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	env := map[string]string{"HOME": p.home, "XDG_STATE_HOME": filepath.Join(p.home, "state"), "BAILEY_WORKSPACE": p.ws, "BAILEY_CONFIG": file}
	return &app{stdin: strings.NewReader(""), stdout: &out, stderr: &out, env: func(key string) string { return env[key] }}, &out
}

// splitCall splits a call as a shell would, as far as the page needs it.
func splitCall(call string) []string {
	var all []string
	for _, word := range regexp.MustCompile(`('[^']*'|[^ '])+`).FindAllString(call, -1) {
		all = append(all, strings.ReplaceAll(word, "'", ""))
	}
	return all
}

// TestRecipes loads the very blocks of docs/policy.md and checks the verdicts that
// the page promises. No recipe does less than it seems to.
func TestRecipes(t *testing.T) {
	sections := readDoc(t)
	first := slices.IndexFunc(sections, func(s docSection) bool { return s.title == "Recipes" })
	last := slices.IndexFunc(sections, func(s docSection) bool { return s.title == "Traps" })
	recipes := sections[first+1 : last]
	if len(recipes) < 10 {
		t.Errorf("only %d recipes", len(recipes))
	}
	for _, r := range recipes {
		t.Run(r.title, func(t *testing.T) {
			if len(r.blocks) != 1 || len(r.rows) < 3 {
				t.Fatalf("%d blocks and %d calls", len(r.blocks), len(r.rows))
			}
			p := newPlace(t)
			a, _ := p.configure(t, r.blocks[0])
			i, err := a.inspect(t.Context(), a.options())
			if err != nil {
				t.Fatal(err)
			}
			defer i.Close()
			for _, n := range i.view().Notes {
				t.Errorf("note: %s", n.Text)
			}
			verdicts := map[string]bool{}
			for _, row := range r.rows {
				call := splitCall(p.real.Replace(row[0]))
				raw, err := a.arguments(call[1:])
				if err != nil {
					t.Fatal(err)
				}
				v := i.Check(t.Context(), call[0], raw)
				if v.Verdict != row[1] || v.Rule != row[2] {
					t.Errorf("%s: %s by %s (%s), the page says %s by %s", row[0], v.Verdict, v.Rule, v.Message, row[1], row[2])
				}
				verdicts[row[1]] = true
			}
			if len(verdicts) < 2 {
				t.Error("all calls get the same verdict: it lacks a control")
			}
		})
	}
}

// TestDocumentedCases runs the page's file of cases against its own recipe.
func TestDocumentedCases(t *testing.T) {
	sections := readDoc(t)
	p := newPlace(t)
	a, out := p.configure(t, sectionOf(t, sections, "Protect secrets").blocks[0])
	if err := os.WriteFile(filepath.Join(p.home, casesName), []byte(sectionOf(t, sections, "See, ask, test").blocks[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := a.run(t.Context(), []string{"policy", "test"}); code != 0 || !strings.Contains(out.String(), "3 cases: 3 passed") {
		t.Errorf("exit %d: %s", code, out)
	}
	if _, err := os.Stat(filepath.Join(p.home, "state")); err == nil {
		t.Error("the state directory was made")
	}
	// The control: against the defaults the same cases fail.
	a, out = p.configure(t, "")
	if code := a.run(t.Context(), []string{"policy", "test"}); code != exitCasesFailed {
		t.Errorf("against the defaults: exit %d: %s", code, out)
	}
}

// TestDocumentedTraps: what the page says is refused is refused, and its example of
// a rule loads.
func TestDocumentedTraps(t *testing.T) {
	sections := readDoc(t)
	traps := sectionOf(t, sections, "Traps").rows
	if len(traps) < 10 {
		t.Errorf("only %d traps", len(traps))
	}
	for _, row := range traps {
		text, isCommand := strings.CutSuffix(row[0], "` (a command)")
		r := policy.Rule{Name: "r", Action: policy.Deny}
		if isCommand {
			r.Commands = []string{text}
		} else {
			r.Paths = []string{text}
		}
		if _, err := policy.Compile(policy.Config{Workspace: []string{"/ws"}, Home: "/home/me", Rules: []policy.Rule{r}}); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if _, err := config.Parse("policy.md", []byte(sectionOf(t, sections, "Writing a rule").blocks[0])); err != nil {
		t.Error(err)
	}
}
