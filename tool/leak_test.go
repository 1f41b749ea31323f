package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

const hidden = "XYZZY-4711"

// leakTree has a secret and the ways to it. It has a .gitignore'd name too, so
// that searches have another reason to leave something out.
func leakTree() []string {
	return []string{
		"file secrets/k " + hidden + "\n", "file secrets/deep/k2 " + hidden + "\n", "file open/t.txt plain\n", "file open/secrets-not/x plain\n",
		"link door -> secrets/k", "link absolute -> $ROOT/secrets/k", "link twice -> door", "link dir -> secrets",
		"link open/back -> ..", "link open/up -> ../secrets/k", "file outer/secrets/k " + hidden + "\n", "file outer/y y\n",
		"file doors/a a\n", "link doors/door -> ../secrets/k", "hard hardlink -> secrets/k",
	}
}

// waysTo are spellings of secrets/k.
func waysTo(root string) []string {
	return []string{
		"secrets/k", "./secrets/k", "secrets//k", "secrets/./k", "open/../secrets/k", "secrets/deep/../k", root + "/secrets/k", "../ws/secrets/k",
		"door", "absolute", "twice", "dir/k", "open/back/secrets/k", "open/up", "doors/door", "open/back/dir/k", `secr\x65ts/k`, "outer/secrets/k",
	}
}

// revealing are calls that would show or pass on what is at a path.
func revealing(path string) []struct {
	tool string
	args args
} {
	guess := []args{{"old_text": hidden, "new_text": "x"}}
	return []struct {
		tool string
		args args
	}{
		{"file_read", args{"path": path}},
		{"file_read", args{"path": path, "encoding": "base64"}},
		{"file_read", args{"path": path, "byte_offset": 1, "max_bytes": 6}},
		{"file_read", args{"path": path, "tail": 1}},
		{"file_read_many", args{"paths": []string{"open/t.txt", path}}},
		{"file_grep", args{"pattern": ".", "path": path, "context": 3}},
		{"file_grep", args{"pattern": hidden[:3], "path": path, "literal": true}},
		{"file_edit", args{"path": path, "edits": guess, "dry_run": true}},
		{"file_edit", args{"path": path, "edits": guess}},
		{"file_edit", args{"path": path, "edits": []args{{"old_text": "no such text", "new_text": "x"}}}},
		{"file_write", args{"path": path, "content": "x", "if_match": sum(hidden + "\n")}},
		{"file_write", args{"path": path, "content": "x", "if_match": sum("another\n")}},
		{"file_copy", args{"source": path, "destination": "open/harmless.txt"}},
		{"file_move", args{"source": path, "destination": "open/harmless.txt"}},
		{"file_write", args{"path": path, "content": "x\n"}}, // last: it is allowed, but for the diff
	}
}

// tellsSecret reports whether an answer holds the secret, in any form that is
// used here.
func tellsSecret(t *testing.T, r *tool.Result) bool {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	answer := string(raw)
	for _, form := range []string{hidden, hidden[1:7], "WFlaWlktNDcxMQ", sum(hidden + "\n")} {
		if strings.Contains(answer, form) {
			return true
		}
	}
	return false
}

// spread lists the files outside of secrets directories that hold the secret.
func spread(t *testing.T, root string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(path, "/secrets/") || strings.HasSuffix(path, "/hardlink") {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), hidden) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Nothing that may not be read is told by any tool, by any way. Without the rule
// the same calls tell it.
func TestNothingDeniedLeaks(t *testing.T) {
	rule := policy.Rule{Name: "no-secrets", Action: policy.Deny, Tools: []string{"file_read"}, Paths: []string{"**/secrets/**"}}
	for _, denied := range []bool{true, false} {
		told := map[string]bool{}
		var rules []policy.Rule
		if denied {
			rules = append(rules, rule)
		}
		b := newBox(t, setup{rules: rules})
		for _, way := range waysTo(b.root) {
			for _, c := range revealing(way) {
				filetree.Make(t, freshRoot(t, b), b.vars, leakTree()...)
				r := b.call(c.tool, c.args)
				leaks := tellsSecret(t, r)
				if copies := spread(t, b.root); len(copies) > 0 {
					leaks = true
				}
				told[c.tool] = told[c.tool] || leaks
				if denied && leaks {
					t.Errorf("%s %v: %s%s %v", c.tool, c.args, r.Output, r.Error, r.Data)
				}
			}
		}
		for _, name := range []string{"file_read", "file_read_many", "file_grep", "file_edit", "file_write", "file_copy", "file_move"} {
			if told[name] == denied {
				t.Errorf("%s tells it: %v, with the rule: %v", name, told[name], denied)
			}
		}
	}
}

// freshRoot empties the workspace but for what every box has.
func freshRoot(t *testing.T, b *box) string {
	t.Helper()
	entries, err := os.ReadDir(b.root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(b.root, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return b.root
}

// Whole trees don't carry it out either, nor links that are copied along.
func TestTreesDoNotCarrySecretsOut(t *testing.T) {
	b := newBox(t, setup{tree: leakTree(), rules: []policy.Rule{
		{Name: "no-secrets", Action: policy.Deny, Tools: []string{"file_read"}, Paths: []string{"**/secrets/**"}},
	}})
	for _, c := range []struct {
		tool string
		args args
	}{
		{"file_copy", args{"source": "outer", "destination": "inner"}},
		{"file_move", args{"source": "outer", "destination": "inner"}},
		{"file_copy", args{"source": "secrets", "destination": "inner"}},
		{"file_move", args{"source": "secrets", "destination": "inner"}},
		{"file_move", args{"source": "secrets/deep", "destination": "inner"}},
		{"file_copy", args{"source": "dir", "destination": "inner"}},
	} {
		b.refused(tool.PolicyDenied, c.tool, c.args)
	}
	b.must("file_copy", args{"source": "doors", "destination": "copied"})
	b.must("file_move", args{"source": "dir", "destination": "renamed"}) // the link itself
	for _, path := range []string{"copied/door", "renamed/k"} {
		b.refused(tool.PolicyDenied, "file_read", args{"path": path})
	}
	if r := b.must("file_grep", args{"pattern": "4711"}); tellsSecret(t, r) && !strings.Contains(r.Output, "hardlink") {
		t.Errorf("%s", r.Output)
	}
	if copies := spread(t, b.root); len(copies) > 0 {
		t.Errorf("%v", copies)
	}
}

// Where listing is denied too, neither names nor numbers tell what is there.
func TestDeniedNamesDoNotLeak(t *testing.T) {
	answers := map[string]string{}
	for _, tree := range [][]string{
		{"file secrets/" + hidden + " x\n", "file secrets/sub/" + hidden + " y\n", "file open/t.txt x\n"},
		{"file secrets/other 1234567\n", "file open/t.txt x\n"},
		{"dir secrets", "file open/t.txt x\n"},
	} {
		b := newBox(t, setup{tree: tree, rules: []policy.Rule{{Name: "closed", Action: policy.Deny, Paths: []string{"secrets"}}}})
		for _, c := range []struct {
			tool string
			args args
		}{
			{"file_list", args{}},
			{"file_list", args{"path": "secrets"}},
			{"file_tree", args{}},
			{"file_tree", args{"path": "secrets"}},
			{"file_find", args{"pattern": "**"}},
			{"file_find", args{"pattern": "*" + hidden[:3] + "*"}},
			{"file_find", args{"pattern": "**", "path": "secrets"}},
			{"file_grep", args{"pattern": "x"}},
			{"file_grep", args{"pattern": "x", "path": "secrets"}},
			{"file_info", args{"path": "secrets"}},
			{"file_info", args{"path": "secrets/" + hidden}},
			{"file_read", args{"path": "secrets/" + hidden}},
			{"file_read", args{"path": "secrets/" + hidden + "/x"}},
			{"dir_create", args{"path": "secrets/" + hidden}},
			{"file_delete", args{"path": "secrets/" + hidden}},
			{"file_delete", args{"path": "secrets", "recursive": true}},
			{"file_write", args{"path": "secrets/" + hidden, "content": "", "create_only": true}},
			{"file_copy", args{"source": "open/t.txt", "destination": "secrets/" + hidden}},
			{"file_copy", args{"source": "secrets/" + hidden, "destination": "n"}},
			{"shell", args{"command": "ls > secrets/" + hidden}},
			{"shell", args{"command": "ls", "cwd": "secrets"}},
		} {
			r := b.call(c.tool, c.args)
			raw, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			answer := strings.ReplaceAll(string(raw), b.root, "ROOT")
			key := c.tool + fmt.Sprint(c.args)
			if was, seen := answers[key]; seen && stripTimes(was) != stripTimes(answer) {
				t.Errorf("%s tells what is there:\n%s\n%s", key, was, answer)
			}
			answers[key] = answer
		}
	}
	b := newBox(t, setup{tree: []string{"file secrets/" + hidden + " x\n"}})
	if r := b.must("file_find", args{"pattern": "**"}); !strings.Contains(r.Output, hidden) {
		t.Errorf("the control: %s", r.Output)
	}
}

// stripTimes takes out what differs between two runs of anything.
func stripTimes(answer string) string {
	for _, key := range []string{`"mtime":"`, `"size":`} {
		for {
			i := strings.Index(answer, key)
			if i < 0 {
				break
			}
			j := strings.IndexAny(answer[i+len(key):], ",}")
			answer = answer[:i] + answer[i+len(key)+j:]
		}
	}
	return answer
}

// Guesses at what may not be read are all answered alike, right or wrong.
func TestGuessesAreAnsweredAlike(t *testing.T) {
	for _, action := range []policy.Action{policy.Deny, policy.Supervised} {
		asked := 0
		b := newBox(t, setup{
			tree:  leakTree(),
			rules: []policy.Rule{{Name: "secret", Action: action, Tools: []string{"file_read"}, Paths: []string{"**/secrets/**"}}},
			ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
				asked++
				return nil, &tool.Error{Kind: tool.ApprovalDenied, Message: "no"}
			},
		})
		alike := func(name string, right, wrong args) {
			t.Helper()
			before := asked
			r := b.call(name, right)
			once := asked - before
			w := b.call(name, wrong)
			if r.ErrorKind != w.ErrorKind || r.Error != w.Error || r.Success || asked-before != 2*once {
				t.Errorf("%v %s: %s / %s, asked %d times", action, name, r.Error, w.Error, asked-before)
			}
		}
		edit := func(text string, dry bool) args {
			return args{"path": "secrets/k", "edits": []args{{"old_text": text, "new_text": "x"}}, "dry_run": dry}
		}
		alike("file_edit", edit(hidden, false), edit("WRONG-1234", false))
		alike("file_edit", edit(hidden, true), edit("WRONG-1234", true))
		alike("file_edit", edit("4", false), edit("1", false)) // twice and once
		alike("file_write", args{"path": "secrets/k", "content": "x", "if_match": sum(hidden + "\n")}, args{"path": "secrets/k", "content": "x", "if_match": sum("wrong")})
		right, wrong := edit(hidden, false), edit(hidden, false)
		right["if_match"], wrong["if_match"] = sum(hidden+"\n"), sum("wrong")
		alike("file_edit", right, wrong)
		alike("file_grep", args{"path": "secrets/k", "pattern": "XYZZY"}, args{"path": "secrets/k", "pattern": "WRONG"})
		if action == policy.Deny {
			b.refused(tool.PolicyDenied, "file_grep", args{"path": "secrets", "pattern": "x"})
		} else if asked == 0 {
			t.Error("nobody was asked")
		}
		all := func(pattern string) string {
			r := b.must("file_grep", args{"pattern": pattern, "glob": "secrets/**"})
			return r.Output + fmt.Sprint(data[searchCounts](t, r))
		}
		if all("XYZZY") != all("WRONG") {
			t.Errorf("%v: grep counts differ: %s / %s", action, all("XYZZY"), all("WRONG"))
		}
		if b.content("secrets/k") != hidden+"\n" {
			t.Error("it was changed")
		}
	}
}

// What the operator is shown is the operator's.
func TestTheOperatorsDiffStaysWithTheOperator(t *testing.T) {
	for name, outcome := range map[string]func(b *box) (*tool.Approval, error){
		"approved": func(*box) (*tool.Approval, error) { return &tool.Approval{ID: "1"}, nil },
		"denied": func(*box) (*tool.Approval, error) {
			return nil, &tool.Error{Kind: tool.ApprovalDenied, Message: "not now"}
		},
		"pending": func(*box) (*tool.Approval, error) {
			return nil, &tool.Error{Kind: tool.ApprovalPending, Message: "later", Data: map[string]string{"id": "1"}}
		},
		"conflict": func(b *box) (*tool.Approval, error) {
			return &tool.Approval{ID: "1"}, os.WriteFile(b.root+"/secrets/k", []byte(hidden+" 2\n"), 0o644)
		},
	} {
		var b *box
		shown := ""
		b = newBox(t, setup{
			tree: leakTree(),
			rules: []policy.Rule{
				{Name: "no-secrets", Action: policy.Deny, Tools: []string{"file_read"}, Paths: []string{"**/secrets/**"}},
				{Name: "ask", Action: policy.Supervised, Tools: []string{"file_write"}, Paths: []string{"**/secrets/**"}},
			},
			ask: func(_ context.Context, r *tool.ApprovalRequest) (*tool.Approval, error) {
				shown = r.Diff
				return outcome(b)
			},
		})
		r := b.call("file_write", args{"path": "secrets/k", "content": "x\n"})
		if !strings.Contains(shown, "-"+hidden) {
			t.Errorf("%s: the operator sees %q", name, shown)
		}
		if tellsSecret(t, r) || r.Success != (name == "approved") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// An approved call reveals what was approved, and the next one asks again.
func TestApprovalRevealsWhatWasApproved(t *testing.T) {
	d := &desk{}
	b := newBox(t, setup{
		tree: []string{"file vault/a MARK-A\n", "file vault/b MARK-B\n", "file safe/c MARK-C\n", "file never/d MARK-D\n", "file free/e MARK-E\n"},
		ask:  d.ask,
		rules: []policy.Rule{
			{Name: "vault", Action: policy.Supervised, Tools: []string{"file_read"}, Paths: []string{"vault/**"}},
			{Name: "safe", Action: policy.Supervised, Tools: []string{"file_read"}, Paths: []string{"safe/**"}},
			{Name: "never", Action: policy.Deny, Tools: []string{"file_read"}, Paths: []string{"never/**"}},
		},
	})
	for _, tt := range []struct {
		tool  string
		args  args
		asks  string // objects that the operator is asked about
		tells string // marks that are in the answer
	}{
		{"file_read", args{"path": "vault/a"}, "vault/a", "A"},
		{"file_read", args{"path": "free/e"}, "", "E"},
		{"file_read_many", args{"paths": []string{"vault/a", "safe/c", "never/d", "free/e"}}, "vault/a safe/c", "ACE"},
		{"file_grep", args{"pattern": "MARK", "path": "vault"}, "vault", "AB"},
		{"file_grep", args{"pattern": "MARK", "path": "vault/b"}, "vault/b", "B"},
		{"file_grep", args{"pattern": "MARK"}, "", "E"},
		{"file_edit", args{"path": "vault/a", "edits": []args{{"old_text": "MARK-A", "new_text": "MARK-A!"}}, "dry_run": true}, "vault/a", "A"},
		{"file_copy", args{"source": "vault/b", "destination": "free/b"}, "vault/b", ""},
	} {
		before := len(d.seen)
		d.used.Clear()
		r := b.must(tt.tool, tt.args)
		asked := ""
		if len(d.seen) > before {
			asked = strings.ReplaceAll(strings.Join(d.last().Objects, " "), b.root+"/", "")
		}
		if asked != tt.asks {
			t.Errorf("%s %v: asked about %q, want %q", tt.tool, tt.args, asked, tt.asks)
		}
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		for _, mark := range "ABCDE" {
			if strings.Contains(string(raw), "MARK-"+string(mark)) {
				told += string(mark)
			}
		}
		if told != tt.tells {
			t.Errorf("%s %v: tells %q, want %q", tt.tool, tt.args, told, tt.tells)
		}
	}
	if len(d.seen) != 6 {
		t.Errorf("asked %d times", len(d.seen))
	}
}
