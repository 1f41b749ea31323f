package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

// agreeing draws policies and calls.
type agreeing struct{ *rand.Rand }

func (g agreeing) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g agreeing) path() string {
	return g.pick("a.txt", "sub", "sub/in", "sub/deep/x", "secrets", "secrets/k", "Secrets/K", "SECRETS", "new", "new/below/x", "secrets/new", "sub/../secrets/k", "./a.txt",
		"door", "dir/k", "dangling", "out", "out/x", "sub/.env", ".env", ".git/config", ".git/hooks/x", ".bashrc", "fifo", ".", "", "$ROOT/secrets/k", "$OUT/secret", "hard",
		"a.txt/x", "secrets/", "dir", "dir/", "dir/new", "sub/up/secrets/k", ".vscode/a", "x/.git/hooks/y", "sécrets/k", "..", "empty")
}

func (g agreeing) policy() []policy.Rule {
	tools := [][]string{nil, {"file_read"}, {"file_write"}, {"file_*"}, {"file_delete"}, {"file_list"}, {"shell"}, {"file_move", "file_copy"}, {"file_grep"}}
	var rules []policy.Rule
	for i := range 1 + g.IntN(5) {
		rules = append(rules, policy.Rule{
			Name: fmt.Sprintf("r%d", i), Action: policy.Action(g.IntN(3)), Tools: tools[g.IntN(len(tools))],
			Paths: []string{g.pick("secrets", "secrets/**", "**/k", "sub/**", "**/.env", "new/**", "**", "a.*", "**/deep", "hard", "dir", "door", "sub/*", "**/[s]ecrets/**", ".git/**", "{new,sub}/**")},
		})
	}
	return rules
}

func (g agreeing) call() (string, args) {
	a, b := g.path(), g.path()
	yes := g.IntN(2) == 0
	switch g.IntN(18) {
	case 0:
		return "file_read", args{"path": a}
	case 1:
		return "file_read_many", args{"paths": []string{a}}
	case 2:
		return "file_write", args{"path": a, "content": "x"}
	case 3:
		return "file_write", args{"path": a, "content": "x", "create_only": yes}
	case 4:
		return "file_edit", args{"path": a, "edits": []args{{"old_text": "a", "new_text": "b"}}, "dry_run": yes}
	case 5:
		return "file_list", args{"path": a}
	case 6:
		return "file_tree", args{"path": a}
	case 7:
		return "file_find", args{"path": a, "pattern": "**"}
	case 8:
		return "file_grep", args{"path": a, "pattern": "."}
	case 9:
		return "file_info", args{"path": a}
	case 10, 11:
		return "file_copy", args{"source": a, "destination": b, "overwrite": yes}
	case 12, 13:
		return "file_move", args{"source": a, "destination": b, "overwrite": yes}
	case 14:
		return "dir_create", args{"path": a}
	case 15:
		return "file_delete", args{"path": a, "recursive": yes}
	default:
		return "shell", args{"command": g.pick("cat", "cat <", "echo x >", "echo >>", "./", "sort -o ", "cd / && cat <", "sh ") + g.pick(a, "'"+a+"'"), "cwd": g.pick(".", "sub", "secrets")}
	}
}

// judged are the kinds of the refusals that a check foretells.
var judged = map[tool.Kind]bool{
	tool.PolicyDenied: true, tool.ProtectedPath: true, tool.SpecialPath: true, tool.PathEscape: true, tool.OpDenied: true, tool.MemoryACL: true,
}

// listing is what lies in the workspace.
func (b *box) listing() string {
	b.t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		content := []byte(nil)
		if d.Type().IsRegular() {
			content, err = os.ReadFile(path)
		}
		fmt.Fprintf(&all, "%s %s %q\n", path, d.Type(), content)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return all.String()
}

// closed are the contents that may be read by none of the names that they have.
func (b *box) closed() (marks []string) {
	b.t.Helper()
	open := map[string]bool{}
	err := filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(content), "MARK-") {
			return err
		}
		mark := strings.TrimSpace(string(content))
		open[mark] = open[mark] || b.mayRead(path)
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	for mark, may := range open {
		if !may {
			marks = append(marks, mark)
		}
	}
	return marks
}

// mayRead reports whether a file may be read, or searched: a rule may allow one
// alone.
func (b *box) mayRead(path string) bool {
	b.t.Helper()
	for name, a := range map[string]args{"file_read": {"path": path}, "file_grep": {"path": path, "pattern": "."}} {
		raw, err := json.Marshal(a)
		if err != nil {
			b.t.Fatal(err)
		}
		v := b.Check(b.t.Context(), tool.Request{Tool: name, Args: raw, Session: "s1", Principal: "tester"})
		if v.Verdict == isAllowed {
			return true
		}
	}
	return false
}

// agree reports whether a call came out as the check of it foretold. A check tells
// what the policy says also where the call fails of itself, or finds nothing to do:
// such a call asks nobody.
func agree(v *tool.Verdict, name string, r *tool.Result, asked bool) bool {
	idle := r.Success && (name == "file_delete" || name == "file_read_many")
	switch v.Verdict {
	case isAllowed:
		return !asked && !judged[r.ErrorKind]
	case isAsked:
		return asked || idle || !r.Success && !judged[r.ErrorKind]
	default:
		return !r.Success && (judged[v.Kind] == judged[r.ErrorKind] || asked && v.Kind == tool.SpecialPath)
	}
}

// What a check tells is what becomes of the call.
func TestChecksAgreeWithCalls(t *testing.T) {
	rounds := 40
	if os.Getenv("BAILEY_LONG") != "" {
		rounds = 2000
	}
	seen := map[string]int{}
	for round := range rounds {
		g := agreeing{rand.New(rand.NewPCG(uint64(round), 1))}
		asked := 0
		b := newBox(t, setup{
			runs: true, rules: g.policy(), tree: []string{
				"file secrets/k MARK-1\n", "file sub/in MARK-2\n", "file sub/deep/x MARK-3\n", "file sub/.env MARK-4\n", "link door -> secrets/k", "link dir -> secrets", "link dangling -> new/x",
				"link out -> $OUT", "link sub/up -> ..", "hard hard -> secrets/k", "fifo fifo", "file .git/config MARK-5", "dir empty",
			},
			policy: func(c *policy.Config) {
				c.Tools = map[string]policy.Action{"shell": policy.Action(g.IntN(2)), "file_info": policy.Action(g.IntN(3))}
				c.DefaultAction = policy.Action(g.IntN(3))
			},
			ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
				asked++
				return nil, &tool.Error{Kind: tool.ApprovalDenied, Message: "no"}
			},
		})
		for range 12 {
			name, a := g.call()
			raw, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			expanded := filetree.Expand(string(raw), b.vars)
			v := b.Check(t.Context(), tool.Request{Tool: name, Args: json.RawMessage(expanded), Session: "s1", Principal: "tester"})
			before, closed := b.listing(), b.closed()
			asked = 0
			r := b.raw(name, string(raw))
			if name == "file_read_many" && v.Verdict == isDenied && strings.Contains(r.Output, string(v.Kind)) {
				continue // it fails for one path alone
			}
			seen[v.Verdict]++
			if v.Verdict != isAllowed && b.listing() != before {
				t.Errorf("round %d: %s %s: checked %s, and something has changed", round, name, expanded, v.Verdict)
			}
			answer, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, mark := range closed {
				if strings.Contains(string(answer), mark) {
					t.Errorf("round %d: %s %s tells %s, which no name lets be read: %s", round, name, expanded, mark, answer)
				}
			}
			if agree(v, name, r, asked > 0) {
				continue
			}
			t.Errorf("round %d: %s %s: checked %s by %s (%s), called %v asked %d %s %s", round, name, expanded, v.Verdict, v.Rule, v.Kind, r.Success, asked, r.ErrorKind, r.Error)
		}
	}
	for _, verdict := range []string{isAllowed, isAsked, isDenied} {
		if seen[verdict] < 20 {
			t.Errorf("only %d calls were checked %s", seen[verdict], verdict)
		}
	}
}
