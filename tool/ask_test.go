package tool_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

func supervised(tools ...string) []policy.Rule {
	return []policy.Rule{{Name: "ask-me", Action: policy.Supervised, Tools: tools, Paths: []string{"vault/**"}, Message: "Tell me why."}}
}

func TestNobodyToAsk(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file vault/x.txt x\n"}, rules: supervised()})
	r := b.refused(tool.ApprovalDenied, "file_write", args{"path": "vault/x.txt", "content": "y\n"})
	if !strings.Contains(r.Error, "ask-me") || !strings.Contains(r.Error, "approval") {
		t.Error(r.Error)
	}
	if b.content("vault/x.txt") != "x\n" {
		t.Error("it was written")
	}
	if rec := b.last(); rec.Result != "deny" || rec.Rule != "ask-me" || rec.ErrorKind != "approval_denied" {
		t.Errorf("%+v", rec)
	}
	for _, rec := range b.records() {
		if rec.Phase == "intent" {
			t.Error("an intent was recorded for what was refused")
		}
	}
	b.must("file_write", args{"path": "x.txt", "content": "y\n"})
}

func TestApproval(t *testing.T) {
	var seen []*tool.ApprovalRequest
	b := newBox(t, setup{
		tree: []string{"file vault/x.txt one\n", "file vault/d/y.txt y\n", "file vault/d/z.txt z\n"}, rules: supervised(),
		ask: func(_ context.Context, r *tool.ApprovalRequest) (*tool.Approval, error) {
			seen = append(seen, r)
			return &tool.Approval{ID: "appr-1"}, nil
		},
	})
	b.must("file_write", args{"path": "vault/x.txt", "content": "two\n"})
	r := seen[0]
	if r.Tool != "file_write" || r.Rule != "ask-me" || r.Message != "Tell me why." || !slices.Equal(r.Paths, []string{b.root + "/vault/x.txt"}) ||
		!strings.Contains(r.Diff, "-one\n+two") || !strings.Contains(string(r.Args), "two") || r.Workspace != b.root || r.Session != "s1" || len(r.Digest) != 64 {
		t.Errorf("the operator sees %+v", r)
	}
	if rec := b.last(); rec.Approval != "appr-1" || rec.Rule != "ask-me" || rec.Result != "allow" {
		t.Errorf("%+v", rec)
	}
	b.must("file_edit", args{"path": "vault/x.txt", "edits": []args{{"old_text": "two", "new_text": "three"}}})
	if !strings.Contains(seen[1].Diff, "-two\n+three") {
		t.Errorf("the operator sees %+v", seen[1])
	}
	b.must("file_delete", args{"path": "vault/d", "recursive": true})
	if want := []string{b.root + "/vault/d", b.root + "/vault/d/y.txt", b.root + "/vault/d/z.txt"}; !equalSets(seen[2].Objects, want) {
		t.Errorf("the operator is asked about %v", seen[2].Objects)
	}
	b.must("file_read", args{"path": "vault/x.txt"})
	b.must("file_read", args{"path": "a.txt"})
	if len(seen) != 4 {
		t.Errorf("asked %d times", len(seen))
	}
}

func equalSets(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// Everything that matters is in the digest, and nothing else.
func TestDigest(t *testing.T) {
	var digests []string
	ask := func(_ context.Context, r *tool.ApprovalRequest) (*tool.Approval, error) {
		digests = append(digests, r.Digest)
		return nil, &tool.Error{Kind: tool.ApprovalDenied, Message: "no"}
	}
	digest := func(b *box, name string, a args) string {
		b.t.Helper()
		b.refused(tool.ApprovalDenied, name, a)
		return digests[len(digests)-1]
	}
	b := newBox(t, setup{tree: []string{"file vault/x.txt one\n", "file vault/y.txt one\n"}, rules: supervised(), ask: ask})
	first := digest(b, "file_write", args{"path": "vault/x.txt", "content": "two\n"})
	if again := digest(b, "file_write", args{"content": "two\n", "path": "vault/x.txt"}); again != first {
		t.Error("the same call has another digest")
	}
	for what, other := range map[string]func() string{
		"path":    func() string { return digest(b, "file_write", args{"path": "vault/y.txt", "content": "two\n"}) },
		"content": func() string { return digest(b, "file_write", args{"path": "vault/x.txt", "content": "three\n"}) },
		"argument": func() string {
			return digest(b, "file_write", args{"path": "vault/x.txt", "content": "two\n", "mode": "0600"})
		},
		"tool": func() string { return digest(b, "file_delete", args{"path": "vault/x.txt"}) },
	} {
		if other() == first {
			t.Errorf("another %s has the same digest", what)
		}
	}
	if err := os.WriteFile(b.root+"/vault/x.txt", []byte("uno\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if digest(b, "file_write", args{"path": "vault/x.txt", "content": "two\n"}) == first {
		t.Error("another old content has the same digest")
	}
}

// Between the question and the answer anything may happen; what was approved is
// what was shown, or nothing.
func TestWhatChangesDuringTheWait(t *testing.T) {
	edit := args{"path": "vault/x.txt", "edits": []args{{"old_text": "one", "new_text": "two"}}}
	put := args{"path": "vault/x.txt", "content": "two\n"}
	drop := args{"path": "vault/d", "recursive": true}
	for name, tt := range map[string]struct {
		tool   string
		args   args
		during func(b *box) error
		kind   tool.Kind
	}{
		"nothing": {"file_edit", edit, func(*box) error { return nil }, ""},
		"content in place": {"file_write", put, func(b *box) error {
			return os.WriteFile(b.root+"/vault/x.txt", []byte("eve\n"), 0o644)
		}, tool.Conflict},
		"content edited in place": {"file_edit", edit, func(b *box) error {
			return os.WriteFile(b.root+"/vault/x.txt", []byte("one\neve\n"), 0o644)
		}, tool.Conflict},
		"file replaced": {"file_write", put, func(b *box) error {
			return errors.Join(os.WriteFile(b.root+"/new", []byte("one\n"), 0o644), os.Rename(b.root+"/new", b.root+"/vault/x.txt"))
		}, tool.Conflict},
		"file removed": {"file_edit", edit, func(b *box) error { return os.Remove(b.root + "/vault/x.txt") }, tool.Conflict},
		"parent replaced by a link": {"file_write", put, func(b *box) error {
			return errors.Join(os.Rename(b.root+"/vault", b.root+"/old"), os.Symlink(b.out, b.root+"/vault"))
		}, tool.Conflict},
		"file appeared": {"file_write", args{"path": "vault/new.txt", "content": "x"}, func(b *box) error {
			return os.WriteFile(b.root+"/vault/new.txt", []byte("eve\n"), 0o644)
		}, tool.Conflict},
		"descendant appeared": {"file_delete", drop, func(b *box) error {
			return os.WriteFile(b.root+"/vault/d/late.txt", []byte("late\n"), 0o644)
		}, tool.Conflict},
		"protected descendant appeared": {"file_delete", drop, func(b *box) error {
			return os.MkdirAll(b.root+"/vault/d/.vscode", 0o755)
		}, tool.ProtectedPath},
		"nothing beneath": {"file_delete", drop, func(*box) error { return nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b *box
			b = newBox(t, setup{
				tree: []string{"file vault/x.txt one\n", "file vault/d/y.txt y\n"}, rules: supervised(),
				ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
					return &tool.Approval{ID: "1"}, tt.during(b)
				},
			})
			r := b.call(tt.tool, tt.args)
			if r.ErrorKind != tt.kind && !(tt.kind == tool.Conflict && r.ErrorKind == tool.PathEscape) {
				t.Fatalf("got %q %s, want %q", r.ErrorKind, r.Error, tt.kind)
			}
			if tt.kind == "" {
				return
			}
			if late := filepath.Join(b.root, "vault/d/late.txt"); name == "descendant appeared" && !b.exists("vault/d/late.txt") {
				t.Errorf("%s is gone", late)
			}
			if eve := "eve"; name == "content edited in place" && !strings.Contains(b.content("vault/x.txt"), eve) {
				t.Error("what was written meanwhile is lost")
			}
			if _, err := os.Stat(b.out + "/x.txt"); err == nil {
				t.Error("it was written outside")
			}
		})
	}
}

func TestAnswersOtherThanYes(t *testing.T) {
	for name, tt := range map[string]struct {
		approval *tool.Approval
		err      error
		kind     tool.Kind
	}{
		"no answer":  {nil, nil, tool.ApprovalDenied},
		"denied":     {nil, &tool.Error{Kind: tool.ApprovalDenied, Message: "not today"}, tool.ApprovalDenied},
		"timeout":    {nil, &tool.Error{Kind: tool.ApprovalTimeout, Message: "nobody came"}, tool.ApprovalTimeout},
		"pending":    {nil, &tool.Error{Kind: tool.ApprovalPending, Message: "later", Data: map[string]string{"id": "7"}}, tool.ApprovalPending},
		"broken":     {nil, errors.New("database"), tool.ApprovalDenied},
		"wrong kind": {&tool.Approval{ID: "1"}, &tool.Error{Kind: tool.NotFound, Message: "x"}, tool.ApprovalDenied},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, setup{
				tree: []string{"file vault/x.txt one\n"}, rules: supervised(),
				ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) { return tt.approval, tt.err },
			})
			r := b.refused(tt.kind, "file_delete", args{"path": "vault/x.txt"})
			if !b.exists("vault/x.txt") {
				t.Error("it is gone")
			}
			if rec := b.last(); rec.Rule != "ask-me" || rec.Result != "deny" {
				t.Errorf("%+v", rec)
			}
			if tt.kind == tool.ApprovalPending && data[map[string]string](t, r)["id"] != "7" {
				t.Errorf("data %v", r.Data)
			}
		})
	}
}

// Listing a directory for which the operator agreed shows what that rule holds
// back, and no more.
func TestListingAfterApproval(t *testing.T) {
	ask := func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
		return &tool.Approval{ID: "1"}, nil
	}
	rules := append(supervised(), policy.Rule{Name: "never", Action: policy.Deny, Paths: []string{"**/never.txt"}})
	b := newBox(t, setup{tree: []string{"file vault/x.txt x\n", "file vault/never.txt x\n"}, rules: rules, ask: ask})
	if r := b.must("file_list", args{"path": "vault"}); !strings.Contains(r.Output, "x.txt") || strings.Contains(r.Output, "never") {
		t.Errorf("%q", r.Output)
	}
	if r := b.must("file_grep", args{"path": "vault", "pattern": "x"}); !strings.Contains(r.Output, "x.txt") || strings.Contains(r.Output, "never") {
		t.Errorf("%q", r.Output)
	}
	// From further up nobody was asked about it.
	if r := b.must("file_tree", args{}); strings.Contains(r.Output, "vault") || !strings.Contains(r.Output, "hidden") {
		t.Errorf("%q", r.Output)
	}
}

func TestSupervisedToolCoversItsEntries(t *testing.T) {
	b := newBox(t, setup{
		policy: func(c *policy.Config) { c.Tools = map[string]policy.Action{"file_list": policy.Supervised} },
		ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
			return &tool.Approval{ID: "1"}, nil
		},
	})
	if r := b.must("file_list", args{}); !strings.Contains(r.Output, "a.txt") {
		t.Errorf("%q", r.Output)
	}
}

func TestCheck(t *testing.T) {
	b := newBox(t, setup{
		tree:  []string{"file vault/x.txt x\n", "file .env K=1", "file d/.vscode/tasks.json {}"},
		rules: append(supervised(), policy.Rule{Name: "no", Action: policy.Deny, Tools: []string{"file_read"}, Paths: []string{"no/**"}}),
	})
	for _, tt := range []struct {
		tool, args          string
		verdict, rule, kind string
	}{
		{"file_read", `{"path":"a.txt"}`, "allow", "default_action", ""},
		{"file_read", `{"path":"not/there"}`, "allow", "default_action", ""},
		{"file_write", `{"path":"new/x","content":""}`, "allow", "default_action", ""},
		{"file_read", `{"path":"vault/x.txt"}`, "supervised", "ask-me", ""},
		{"file_read", `{"path":"vault/not/there"}`, "supervised", "ask-me", ""},
		{"file_read", `{"path":"no/x"}`, "deny", "no", "policy_denied"},
		{"file_read", `{"path":".env"}`, "deny", "builtin:sensitive:.env", "policy_denied"},
		{"file_read", `{"path":"../outside/secret"}`, "deny", "jail", "path_escape"},
		{"file_read", `{"pth":"x"}`, "deny", "", "invalid_argument"},
		{"nonsense", `{}`, "deny", "", "invalid_argument"},
		{"file_delete", `{"path":"d","recursive":true}`, "deny", "builtin:protected:.vscode/**", "protected_path"},
		{"file_copy", `{"source":"a.txt","destination":"vault/a"}`, "supervised", "ask-me", ""},
	} {
		v := b.Check(t.Context(), tool.Request{Tool: tt.tool, Args: []byte(tt.args)})
		if v.Verdict != tt.verdict || v.Rule != tt.rule || string(v.Kind) != tt.kind || len(v.Steps) == 0 {
			t.Errorf("%s %s: %+v", tt.tool, tt.args, v)
		}
	}
	if _, err := os.ReadFile(b.log); err == nil && len(b.records()) > 0 {
		t.Error("a check was recorded")
	}
	if b.exists("new") || !b.exists("d") {
		t.Error("a check did something")
	}
}

// A text that an encoding makes of bytes is not what an interpreter finds in them.
func TestDisguisedContent(t *testing.T) {
	const script = "\n\techo mallory >x\n"
	utf16 := func(s string) string {
		var b strings.Builder
		for i := 0; i < len(s); i += 2 {
			b.WriteRune(rune(s[i]) | rune(s[i+1])<<8)
		}
		return b.String()
	}
	inBase64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	d := &desk{}
	b := newBox(t, setup{
		tree:   []string{"file x.txt one\n"},
		policy: askForAll("file_write", "file_edit"), ask: d.ask,
	})
	if err := os.WriteFile(b.root+"/w.txt", []byte("\xff\xfea\x00\n\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tool string
		args args
		told bool
	}{
		{"file_write", args{"path": "n1", "encoding": "base64", "content": inBase64("\xff\xfe" + script)}, true},
		{"file_write", args{"path": "n2", "encoding": "utf-16le", "content": utf16(script)}, true},
		{"file_write", args{"path": "x.txt", "encoding": "utf-16le", "content": utf16(script)}, true},
		{"file_edit", args{"path": "w.txt", "edits": []args{{"old_text": "a", "new_text": utf16(script)}}}, true},
		{"file_write", args{"path": "n3", "encoding": "iso-2022-jp", "content": "漢字\n"}, true},
		{"file_write", args{"path": "n4", "encoding": "utf-16le", "content": "plain\n"}, false},
		{"file_write", args{"path": "n5", "encoding": "windows-1252", "content": "Käse\n"}, false},
		{"file_write", args{"path": "n6", "encoding": "utf-8-bom", "content": "漢字\n"}, false},
		{"file_write", args{"path": "n7", "content": "漢字\n"}, false},
		{"file_write", args{"path": "n8", "encoding": "base64", "content": inBase64(script)}, false},
		{"file_write", args{"path": "n9", "encoding": "base64", "content": inBase64("\x00\x01\xff" + script)}, false},
	} {
		b.must(tt.tool, tt.args)
		r := d.last()
		if got := r.Bytes != ""; got != tt.told {
			t.Errorf("%v: %q", tt.args, r.Bytes)
		}
		if wants := strings.Contains("n1 n2 x.txt w.txt", fmt.Sprint(tt.args["path"])); wants && !strings.Contains(r.Bytes, "echo mallory") {
			t.Errorf("%v: %q", tt.args, r.Bytes)
		}
	}
}
