package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

func denyRead() []policy.Rule {
	return []policy.Rule{{Name: "no-secrets", Action: policy.Deny, Tools: []string{"file_read"}, Paths: []string{"**/secrets/**"}, Message: "Ask for test data."}}
}

func secretTree() []string {
	return []string{"file secrets/t.txt MARKER one\n", "file open/t.txt MARKER two\n", "link door -> secrets/t.txt", "file both/x.txt x\n", "link both/secrets -> ../secrets"}
}

// A rule that denies file_read covers everything that reveals content.
func TestReadRuleCoversAllThatReveals(t *testing.T) {
	b := newBox(t, setup{tree: secretTree(), rules: denyRead()})
	for _, path := range []string{"secrets/t.txt", "door", "open/../secrets/t.txt", "both/secrets/t.txt"} {
		r := b.refused(tool.PolicyDenied, "file_read", args{"path": path})
		if !strings.Contains(r.Error, "no-secrets") || !strings.Contains(r.Error, "Ask for test data.") || !strings.Contains(r.Error, path) {
			t.Errorf("%s: %s", path, r.Error)
		}
		b.refused(tool.PolicyDenied, "file_copy", args{"source": path, "destination": "copied"})
		b.refused(tool.PolicyDenied, "file_edit", args{"path": path, "edits": []args{{"old_text": "MARKER one", "new_text": "x"}}})
		b.refused(tool.PolicyDenied, "file_edit", args{"path": path, "edits": []args{{"old_text": "x", "new_text": "y"}}, "dry_run": true})
		b.refused(tool.PolicyDenied, "file_grep", args{"pattern": "MARKER", "path": path})
	}
	b.refused(tool.PolicyDenied, "file_move", args{"source": "secrets/t.txt", "destination": "moved"})
	b.refused(tool.PolicyDenied, "file_move", args{"source": "secrets", "destination": "moved"})
	b.refused(tool.PolicyDenied, "file_copy", args{"source": "secrets", "destination": "moved"})
	b.refused(tool.PolicyDenied, "file_grep", args{"pattern": "MARKER", "path": "secrets"})
	if b.exists("copied") || b.exists("moved") || !b.exists("secrets/t.txt") {
		t.Error("something was copied or moved")
	}
	r := b.must("file_grep", args{"pattern": "MARKER"})
	if d := data[searchCounts](t, r); d.Hidden != 1 || strings.Contains(r.Output, "one") || !strings.Contains(r.Output, "open/t.txt:1:MARKER two") {
		t.Errorf("grep: %+v %q", d, r.Output)
	}
	if b.last().Hidden != 1 {
		t.Errorf("recorded %d hidden", b.last().Hidden)
	}
	// Listing shows names, which the rule does not deny.
	if r := b.must("file_list", args{"path": "secrets"}); !strings.Contains(r.Output, "t.txt") {
		t.Errorf("list: %q", r.Output)
	}
	// The controls: the same calls on the other directory.
	b.must("file_read", args{"path": "open/t.txt"})
	b.must("file_edit", args{"path": "open/t.txt", "edits": []args{{"old_text": "two", "new_text": "2"}}})
	b.must("file_copy", args{"source": "open/t.txt", "destination": "copied"})
	b.must("file_move", args{"source": "open", "destination": "moved"})
}

type searchCounts struct {
	Hidden    int
	Ignored   int
	Truncated bool
}

func TestReadManyJudgesEachFile(t *testing.T) {
	b := newBox(t, setup{tree: secretTree(), rules: denyRead()})
	r := b.must("file_read_many", args{"paths": []string{"open/t.txt", "secrets/t.txt", "../outside/secret", "nothing", "a.txt", "sub"}})
	if strings.Contains(r.Output, "one") || strings.Contains(r.Output, marker) {
		t.Errorf("revealed: %q", r.Output)
	}
	d := data[struct {
		Files []struct {
			Success   bool
			ErrorKind string `json:"error_kind"`
			Start     int    `json:"output_start"`
			End       int    `json:"output_end"`
		}
		Read, Failed int
	}](t, r)
	kinds := []string{"", "policy_denied", "path_escape", "not_found", "", "not_a_file"}
	for i, want := range kinds {
		if d.Files[i].ErrorKind != want || d.Files[i].Success != (want == "") {
			t.Errorf("file %d: %+v, want %q", i, d.Files[i], want)
		}
	}
	if got := r.Output[d.Files[4].Start:d.Files[4].End]; got != "inside\n" {
		t.Errorf("the fifth file is told to be %q", got)
	}
	rec := b.last()
	if rec.Result != "deny" || rec.ErrorKind != "policy_denied" || rec.Rule != "no-secrets" || len(rec.Paths) != 6 || !strings.Contains(rec.Detail, "path_escape") {
		t.Errorf("the refusals are recorded as %+v", rec)
	}
	b.must("file_read_many", args{"paths": []string{"open/t.txt"}})
	if rec := b.last(); rec.Result != "allow" || rec.ErrorKind != "" {
		t.Errorf("the control is recorded as %+v", rec)
	}
}

// A write to a file that may not be read is made, without telling what was there.
func TestWriteWithoutDiff(t *testing.T) {
	b := newBox(t, setup{tree: secretTree(), rules: denyRead()})
	old := sum("MARKER one\n")
	r := b.refused(tool.PolicyDenied, "file_write", args{"path": "secrets/t.txt", "content": "x\n", "if_match": old})
	if !strings.Contains(r.Error, "if_match") {
		t.Error(r.Error)
	}
	r = b.refused(tool.PolicyDenied, "file_write", args{"path": "secrets/t.txt", "content": "x\n", "if_match": sum("guess")})
	if strings.Contains(r.Error, "changed") {
		t.Errorf("a wrong guess is answered differently: %s", r.Error)
	}
	r = b.must("file_write", args{"path": "secrets/t.txt", "content": "new\n"})
	answer, _ := json.Marshal(r)
	if strings.Contains(string(answer), "MARKER") || strings.Contains(string(answer), old) {
		t.Errorf("the old content shows: %s", answer)
	}
	if b.content("secrets/t.txt") != "new\n" {
		t.Error("the write was not made")
	}
	if b.last().SHA256Before != old {
		t.Error("the operator's log lacks the old hash")
	}
	r = b.must("file_write", args{"path": "open/t.txt", "content": "new\n", "if_match": sum("MARKER two\n")})
	if !strings.Contains(r.Output, "-MARKER two") || !strings.Contains(r.Output, "+new") {
		t.Errorf("the control has no diff: %q", r.Output)
	}
}

// A rule that denies file_write covers every change.
func TestWriteRuleCoversAllThatChanges(t *testing.T) {
	b := newBox(t, setup{
		tree:  []string{"file keep/k.txt k\n", "file free/f.txt f\n", "dir keep/d"},
		rules: []policy.Rule{{Name: "keep", Action: policy.Deny, Tools: []string{"file_write"}, Paths: []string{"keep/**"}}},
	})
	for _, c := range []struct {
		tool string
		args args
	}{
		{"file_write", args{"path": "keep/k.txt", "content": "x"}},
		{"file_write", args{"path": "keep/new.txt", "content": "x"}},
		{"file_edit", args{"path": "keep/k.txt", "edits": []args{{"old_text": "k", "new_text": "x"}}}},
		{"file_delete", args{"path": "keep/k.txt"}},
		{"file_delete", args{"path": "keep", "recursive": true}},
		{"file_delete", args{"path": "keep/absent"}},
		{"dir_create", args{"path": "keep/new"}},
		{"file_copy", args{"source": "free/f.txt", "destination": "keep/f.txt"}},
		{"file_copy", args{"source": "free", "destination": "keep/free"}},
		{"file_move", args{"source": "free/f.txt", "destination": "keep/f.txt"}},
		{"file_move", args{"source": "keep/k.txt", "destination": "free/k.txt"}},
		{"file_move", args{"source": "keep", "destination": "kept"}},
	} {
		b.refused(tool.PolicyDenied, c.tool, c.args)
	}
	if b.content("keep/k.txt") != "k\n" || b.exists("kept") || b.exists("keep/new.txt") || b.exists("keep/f.txt") {
		t.Error("something changed")
	}
	b.must("file_read", args{"path": "keep/k.txt"})
	b.must("file_copy", args{"source": "keep/k.txt", "destination": "free/k.txt"})
	b.must("file_move", args{"source": "free", "destination": "kept"})
	b.must("file_delete", args{"path": "kept", "recursive": true})
}

// Moving a directory onto a denied place, or so that what it holds gets a denied
// name, is refused although the directory itself may go anywhere.
func TestDescendantsAreJudgedAtBothEnds(t *testing.T) {
	b := newBox(t, setup{
		tree:  []string{"file p/x/y.txt y\n"},
		rules: []policy.Rule{{Name: "deep", Action: policy.Deny, Tools: []string{"file_write"}, Paths: []string{"q/x/*.txt"}}},
	})
	b.refused(tool.PolicyDenied, "file_move", args{"source": "p", "destination": "q"})
	b.refused(tool.PolicyDenied, "file_copy", args{"source": "p", "destination": "q"})
	if b.exists("q") || !b.exists("p/x/y.txt") {
		t.Error("something changed")
	}
	b.must("file_copy", args{"source": "p", "destination": "r"})
	b.must("file_move", args{"source": "p", "destination": "s"})
}

// Listings leave out what is denied to them, and say how much that was.
func TestListingsHide(t *testing.T) {
	b := newBox(t, setup{
		tree:  []string{"file secrets/t.txt x", "file open/secrets/u.txt x", "file open/v.txt x", "link s -> secrets"},
		rules: []policy.Rule{{Name: "hide", Action: policy.Deny, Paths: []string{"**/secrets/**"}}},
	})
	for _, c := range []struct {
		tool   string
		args   args
		hidden int
	}{
		{"file_list", args{}, 1},
		{"file_list", args{"sizes": true, "sort": "size"}, 1},
		{"file_list", args{"path": "open"}, 1},
		{"file_tree", args{"depth": 9}, 2},
		{"file_find", args{"pattern": "**"}, 2},
		{"file_grep", args{"pattern": "x"}, 2},
	} {
		r := b.must(c.tool, c.args)
		answer, _ := json.Marshal(r)
		if strings.Contains(strings.ReplaceAll(string(answer), "hidden by policy", ""), "secrets") || strings.Contains(string(answer), "t.txt") {
			t.Errorf("%s shows what is hidden: %s", c.tool, answer)
		}
		if d := data[searchCounts](t, r); d.Hidden != c.hidden {
			t.Errorf("%s %v: %d hidden, want %d", c.tool, c.args, d.Hidden, c.hidden)
		}
		if b.last().Hidden != int64(c.hidden) {
			t.Errorf("%s: %d recorded", c.tool, b.last().Hidden)
		}
	}
	b.refused(tool.PolicyDenied, "file_list", args{"path": "secrets"})
	b.refused(tool.PolicyDenied, "file_list", args{"path": "s"})
	b.refused(tool.PolicyDenied, "file_info", args{"path": "secrets/t.txt"})
	if r := b.must("file_info", args{"path": "s"}); strings.Contains(r.Output, "secrets") {
		t.Errorf("the link's target is told: %q", r.Output)
	}
	// Whether something exists there is not told either.
	was := b.refused(tool.PolicyDenied, "file_read", args{"path": "secrets/t.txt"})
	is := b.refused(tool.PolicyDenied, "file_read", args{"path": "secrets/nothing"})
	if strings.ReplaceAll(was.Error, "t.txt", "nothing") != is.Error {
		t.Errorf("%s\n%s", was.Error, is.Error)
	}
	b.refused(tool.PolicyDenied, "file_read", args{"path": "secrets/t.txt/x"})
	b.refused(tool.NotFound, "file_read", args{"path": "open/nothing"})
}

func TestToolPolicy(t *testing.T) {
	b := newBox(t, setup{runs: true, policy: func(c *policy.Config) {
		c.Tools = map[string]policy.Action{"file_grep": policy.Deny, "file_list": policy.Supervised}
	}})
	r := b.refused(tool.PolicyDenied, "file_grep", args{"pattern": "x"})
	if !strings.Contains(r.Error, "tool_policy:file_grep") {
		t.Error(r.Error)
	}
	b.refused(tool.ApprovalDenied, "file_list", args{})
	for _, d := range b.List() {
		if want := d.Name != "file_grep"; d.Granted != want {
			t.Errorf("%s granted: %v", d.Name, d.Granted)
		}
	}
	b.must("file_find", args{"pattern": "*"})
}

func TestDefaultDeny(t *testing.T) {
	b := newBox(t, setup{
		tree:   []string{"file pub/x.txt x"},
		policy: func(c *policy.Config) { c.DefaultAction = policy.Deny },
		rules: []policy.Rule{
			{Name: "r", Action: policy.Allow, Tools: []string{"file_read"}, Paths: []string{"pub/**"}},
			{Name: "w", Action: policy.Allow, Tools: []string{"file_write"}, Paths: []string{"new/**"}},
		},
	})
	b.must("file_read", args{"path": "pub/x.txt"})
	if b.last().Rule != "r" {
		t.Errorf("rule %q", b.last().Rule)
	}
	b.refused(tool.PolicyDenied, "file_read", args{"path": "a.txt"})
	b.refused(tool.PolicyDenied, "file_list", args{})
	b.must("file_write", args{"path": "new/deep/y.txt", "content": "x"})
	b.refused(tool.PolicyDenied, "file_write", args{"path": "pub/x.txt", "content": "x"})
}
