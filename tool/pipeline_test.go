package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

func TestCallsAreRecorded(t *testing.T) {
	b := newBox(t, setup{tree: []string{"hard h -> a.txt", "file .env K=1"}})
	for _, tt := range []struct {
		name   string
		args   args
		intent bool
		want   audit.Record
	}{
		{"file_read", args{"path": "sub/../a.txt"}, false, audit.Record{Path: "sub/../a.txt", Resolved: b.root + "/a.txt", Result: "allow", Op: "read", Rule: "default_action", Bytes: 7, Links: 2}},
		{"file_read", args{"path": "../outside/secret"}, false, audit.Record{Path: "../outside/secret", Result: "deny", Op: "read", Rule: "jail", ErrorKind: "path_escape"}},
		{"file_read", args{"path": "nothing"}, false, audit.Record{Path: "nothing", Resolved: "", Result: "error", Op: "read", ErrorKind: "not_found"}},
		{"file_read", args{"pth": "a.txt"}, false, audit.Record{Result: "error", Op: "read", ErrorKind: "invalid_argument"}},
		{"file_raed", args{"path": "a.txt"}, false, audit.Record{Result: "error", ErrorKind: "invalid_argument"}},
		{"file_read", args{"path": ".env"}, false, audit.Record{Path: ".env", Resolved: b.root + "/.env", Result: "deny", Op: "read", ErrorKind: "policy_denied"}},
		{"file_write", args{"path": "n.txt", "content": "x\n"}, true, audit.Record{Path: "n.txt", Resolved: b.root + "/n.txt", Result: "allow", Op: "write", Rule: "default_action", Bytes: 2}},
		{"file_copy", args{"source": "n.txt", "destination": "m.txt"}, true, audit.Record{Path: "n.txt", Resolved: b.root + "/n.txt", Destination: b.root + "/m.txt", Result: "allow", Op: "write", Rule: "default_action", Bytes: 2}},
		{"file_delete", args{"path": "m.txt"}, true, audit.Record{Path: "m.txt", Resolved: b.root + "/m.txt", Result: "allow", Op: "delete", Rule: "default_action"}},
		{"file_edit", args{"path": "n.txt", "edits": []args{{"old_text": "y", "new_text": "z"}}}, true, audit.Record{Path: "n.txt", Resolved: b.root + "/n.txt", Result: "error", Op: "write", ErrorKind: "edit_mismatch"}},
	} {
		before := 0
		if b.exists("../audit.log") {
			before = len(b.records())
		}
		r := b.call(tt.name, tt.args)
		added := b.records()[before:]
		want := 1
		if tt.intent {
			want = 2
		}
		if len(added) != want {
			t.Errorf("%s %v: %d records, want %d", tt.name, tt.args, len(added), want)
			continue
		}
		got := added[len(added)-1]
		if tt.intent && (added[0].Phase != "intent" || added[0].ID != got.ID || added[0].Resolved != got.Resolved) {
			t.Errorf("%s %v: intent %+v for %+v", tt.name, tt.args, added[0], got)
		}
		if got.Phase != "result" || got.ID == "" || got.DurationUS == 0 || got.Session != "s1" || got.Principal != "tester" || got.Task != "agent" || got.Tool != tt.name {
			t.Errorf("%s %v: %+v", tt.name, tt.args, got)
		}
		if (got.Detail != "") == r.Success {
			t.Errorf("%s %v: detail %q", tt.name, tt.args, got.Detail)
		}
		if tt.want.Rule == "" && got.ErrorKind == "policy_denied" {
			tt.want.Rule = "builtin:sensitive:.env"
		}
		short := audit.Record{
			Path: got.Path, Resolved: got.Resolved, Destination: got.Destination, Result: got.Result, Op: got.Op,
			Rule: got.Rule, ErrorKind: got.ErrorKind, Bytes: got.Bytes, Links: got.Links,
		}
		if !equal(short, tt.want) {
			t.Errorf("%s %v:\n got %+v\nwant %+v", tt.name, tt.args, short, tt.want)
		}
	}
	raw, err := os.ReadFile(b.log)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := audit.Verify(bytes.NewReader(raw)); err != nil || n != int64(len(b.records())) {
		t.Errorf("the log does not verify: %d, %v", n, err)
	}
}

func equal(a, b audit.Record) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func TestHashesAreRecorded(t *testing.T) {
	b := newBox(t, setup{})
	old := sum("inside\n")
	b.must("file_write", args{"path": "a.txt", "content": "new\n"})
	if r := b.last(); r.SHA256Before != old || r.SHA256After != sum("new\n") {
		t.Errorf("hashes %q %q", r.SHA256Before, r.SHA256After)
	}
}

// Where the log can't be written, nothing is done and nothing is told.
func TestAuditUnavailable(t *testing.T) {
	for _, policy := range []string{audit.OnFailureDeny, audit.OnFailureContinue} {
		t.Run(policy, func(t *testing.T) {
			b := newBox(t, setup{audit: audit.Options{OnFailure: policy, Report: func(error) {}}})
			b.must("file_read", args{"path": "a.txt"})
			b.must("file_write", args{"path": "first.txt", "content": "x"})
			// The log is replaced by a directory: neither root nor a user can append.
			if err := os.Remove(b.log); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(b.log, 0o700); err != nil {
				t.Fatal(err)
			}
			if policy == audit.OnFailureContinue {
				b.must("file_read", args{"path": "a.txt"})
				b.must("file_write", args{"path": "second.txt", "content": "x"})
				return
			}
			for _, r := range []*tool.Result{
				b.refused(tool.AuditUnavailable, "file_read", args{"path": "a.txt"}),
				b.refused(tool.AuditUnavailable, "file_read", args{"path": "../outside/secret"}),
				b.refused(tool.AuditUnavailable, "file_read", args{}),
				b.refused(tool.AuditUnavailable, "file_write", args{"path": "second.txt", "content": "x"}),
				b.refused(tool.AuditUnavailable, "file_delete", args{"path": "a.txt"}),
			} {
				if strings.Contains(r.Output+r.Error, "inside") {
					t.Errorf("content is told: %+v", r)
				}
			}
			if b.exists("second.txt") || !b.exists("a.txt") {
				t.Error("something changed without a record")
			}
		})
	}
}

func TestOperations(t *testing.T) {
	calls := map[string]args{
		"file_read": {"path": "a.txt"}, "file_read_many": {"paths": []string{"a.txt"}}, "file_grep": {"pattern": "x"},
		"file_list": {}, "file_tree": {}, "file_find": {"pattern": "*"}, "file_info": {"path": "a.txt"},
		"file_write": {"path": "w", "content": ""}, "file_edit": {"path": "a.txt", "edits": []args{{"old_text": "inside", "new_text": "inside!"}}},
		"file_copy": {"source": "a.txt", "destination": "c"}, "file_move": {"source": "c", "destination": "d"},
		"dir_create": {"path": "e"}, "file_delete": {"path": "e"}, "shell": {"command": "true"},
	}
	read, list, write := "file_read file_read_many file_grep", "file_list file_tree file_find file_info", "file_write file_edit file_copy file_move"
	for task, granted := range map[string]string{
		"code_review": read + " " + list,
		"refactor":    read + " " + list + " " + write + " dir_create",
		"cleanup":     read + " " + list + " file_delete",
		"agent":       read + " " + list + " " + write + " dir_create file_delete shell",
	} {
		b := newBox(t, setup{task: task, runs: true, tree: []string{"file c x"}, policy: allowShell})
		for _, d := range b.List() {
			want := slices.Contains(strings.Fields(granted), d.Name)
			if d.Granted != want {
				t.Errorf("%s: %s is listed as granted %v", task, d.Name, d.Granted)
			}
			a := calls[d.Name]
			if d.Name == "file_copy" {
				a = args{"source": "a.txt", "destination": "copied"}
			}
			r := b.call(d.Name, a)
			if r.Success != want || !want && r.ErrorKind != tool.OpDenied {
				t.Errorf("%s: %s answers %q %s", task, d.Name, r.ErrorKind, r.Error)
			}
			if !want && !strings.Contains(r.Error, "agent") {
				t.Errorf("%s: %s does not say who may: %s", task, d.Name, r.Error)
			}
		}
	}
}

func TestOpDeniedNamesTheTaskTypes(t *testing.T) {
	b := newBox(t, setup{task: "code_review"})
	r := b.refused(tool.OpDenied, "file_write", args{"path": "x", "content": ""})
	if !strings.Contains(r.Error, "agent, refactor") || strings.Contains(r.Error, "cleanup") {
		t.Error(r.Error)
	}
	// The operation is refused before the path is looked at.
	b.refused(tool.OpDenied, "file_write", args{"path": "../outside/x", "content": ""})
}

func TestBroken(t *testing.T) {
	for _, tt := range []struct {
		err  error
		kind tool.Kind
	}{
		{errors.New("config.toml:3:1: unknown key"), tool.Config},
		{&workspace.UnknownTaskError{Name: "nonsense", Known: []string{"agent"}}, tool.InvalidArgument},
		{&tool.Error{Kind: tool.IO, Message: "x"}, tool.IO},
	} {
		box := tool.Broken(tt.err)
		r := box.Call(t.Context(), tool.Request{Tool: "file_read", Args: json.RawMessage(`{"path":"a.txt"}`)})
		if r.Success || r.ErrorKind != tt.kind || !strings.Contains(r.Error, tt.err.Error()) && tt.kind != tool.IO {
			t.Errorf("%v: %+v", tt.err, r)
		}
		for _, d := range box.List() {
			if d.Granted {
				t.Errorf("%s is granted", d.Name)
			}
		}
		if v := box.Check(t.Context(), tool.Request{Tool: "file_read"}); v.Verdict != "deny" || v.Kind != tt.kind {
			t.Errorf("check: %+v", v)
		}
	}
}

func TestNewNeedsItsParts(t *testing.T) {
	if _, err := tool.New(tool.Options{}); err == nil {
		t.Error("a toolbox without policy and log was made")
	}
}

func TestCancelAndDeadline(t *testing.T) {
	b := newBox(t, setup{})
	for kind, make := range map[tool.Kind]func() (context.Context, context.CancelFunc){
		tool.Cancelled: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx, cancel
		},
		tool.Timeout: func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), 0) },
	} {
		ctx, cancel := make()
		for _, req := range []tool.Request{
			{Tool: "file_write", Args: json.RawMessage(`{"path":"n.txt","content":"x"}`)},
			{Tool: "file_grep", Args: json.RawMessage(`{"pattern":"x"}`)},
			{Tool: "file_read_many", Args: json.RawMessage(`{"paths":["a.txt","a.txt"]}`)},
		} {
			if r := b.Call(ctx, req); r.ErrorKind != kind {
				t.Errorf("%s: got %q (%s), want %s", req.Tool, r.ErrorKind, r.Error, kind)
			}
			if rec := b.last(); rec.ErrorKind != string(kind) {
				t.Errorf("%s: recorded as %q", req.Tool, rec.ErrorKind)
			}
		}
		cancel()
	}
	if b.exists("n.txt") {
		t.Error("a cancelled write was made")
	}
}

// At most 32 calls run at once, and a bounded number waits.
func TestCallsAtOnce(t *testing.T) {
	entered := make(chan struct{}, 400)
	leave := make(chan struct{})
	b := newBox(t, setup{})
	b.AddTool("slow", func(context.Context) { entered <- struct{}{}; <-leave })
	const calls = 32 + 256 + 10
	results := make(chan *tool.Result, calls)
	var all sync.WaitGroup
	for range calls {
		all.Go(func() { results <- b.call("slow", nil) })
	}
	// Those for which there is no room answer while the others wait.
	for range 10 {
		if r := <-results; r.Success || r.ErrorKind != tool.LimitExceeded {
			t.Errorf("got %q %s", r.ErrorKind, r.Error)
		}
	}
	for range 32 {
		<-entered
	}
	select {
	case <-entered:
		t.Error("a 33rd call runs")
	default:
	}
	close(leave)
	all.Wait()
	close(results)
	for r := range results {
		if !r.Success {
			t.Errorf("a call that waited failed: %s", r.Error)
		}
	}
}

// Calls that wait for a human keep nobody else from running.
func TestWaitingForHumansLeavesRoom(t *testing.T) {
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	b := newBox(t, setup{
		tree: []string{"file vault/x.txt x\n"}, rules: supervised(),
		ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
			asked <- struct{}{}
			<-answer
			return &tool.Approval{ID: "1"}, nil
		},
	})
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if r := b.call("file_read", args{"path": "vault/x.txt"}); !r.Success {
				t.Error(r.Error)
			}
		})
	}
	for range 40 {
		<-asked
	}
	b.must("file_read", args{"path": "a.txt"})
	close(answer)
	all.Wait()
}

func TestPanicsAreAnswered(t *testing.T) {
	b := newBox(t, setup{})
	b.AddTool("bad", func(context.Context) { panic("secret detail") })
	for range 40 { // more than there are slots: a panic gives its slot back
		if r := b.refused(tool.Internal, "bad", nil); strings.Contains(r.Error, "secret detail") {
			t.Error(r.Error)
		}
	}
	if rec := b.last(); rec.Result != "error" || rec.ErrorKind != "internal" || !strings.Contains(rec.Detail, "secret detail") {
		t.Errorf("%+v", rec)
	}
	b.must("file_read", args{"path": "a.txt"})
}

func TestStages(t *testing.T) {
	if got := strings.Join(tool.StageNames(), " "); got != "decode operation resolve decide ask intend act" {
		t.Errorf("the way of a call is %q", got)
	}
}

func TestPathSpellings(t *testing.T) {
	b := layout(t)
	b.vars["$ROOT"] = b.root
	if err := os.Symlink(b.root, b.vars["$ALIAS"]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.root+"/a\xffb", []byte("odd name\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.open(setup{opened: b.vars["$ALIAS"]})
	for _, path := range []string{"a.txt", b.root + "/a.txt", b.vars["$ALIAS"] + "/a.txt", "sub/../a.txt", "../ws/a.txt"} {
		if r := b.must("file_read", args{"path": path}); r.Output != "inside\n" {
			t.Errorf("%s: %q", path, r.Output)
		}
	}
	if r := b.must("file_read", args{"path": `a\xffb`}); r.Output != "odd name\n" {
		t.Errorf("odd name: %q", r.Output)
	}
	for _, r := range []*tool.Result{b.must("file_list", args{}), b.must("file_find", args{"pattern": "a*b"}), b.must("file_grep", args{"pattern": "odd"})} {
		if !strings.Contains(r.Output, `a\xffb`) {
			t.Errorf("the odd name is shown as %q", r.Output)
		}
	}
}

func TestFolders(t *testing.T) {
	ref := ""
	b := newBox(t, setup{space: func(o *workspace.Options) {
		ref = strings.TrimSuffix(o.Dir, "/ws") + "/outside"
		o.Folders = []jail.Folder{{Given: ref, Mode: jail.ReadOnly}}
	}})
	if r := b.must("file_read", args{"path": ref + "/plain"}); r.Output != "plain\n" {
		t.Errorf("%q", r.Output)
	}
	r := b.must("file_find", args{"pattern": "pl*", "path": ref})
	if !strings.Contains(r.Output, ref+"/plain") {
		t.Errorf("%q", r.Output)
	}
	for name, a := range map[string]args{
		"file_write":  {"path": ref + "/new", "content": ""},
		"file_edit":   {"path": ref + "/plain", "edits": []args{{"old_text": "plain", "new_text": "x"}}},
		"file_delete": {"path": ref + "/plain"},
		"dir_create":  {"path": ref + "/newdir"},
		"file_copy":   {"source": "a.txt", "destination": ref + "/new"},
		"file_move":   {"source": ref + "/plain", "destination": "p"},
	} {
		r := b.refused(tool.PolicyDenied, name, a)
		if !strings.Contains(r.Error, "may only be read") {
			t.Errorf("%s: %s", name, r.Error)
		}
		if rec := b.last(); rec.Rule != "folder:read-only" || rec.Result != "deny" {
			t.Errorf("%s: %+v", name, rec)
		}
	}
	for _, rec := range b.records() {
		if rec.Phase == "intent" {
			t.Errorf("an intent was recorded for what was refused: %+v", rec)
		}
	}
	b.must("file_copy", args{"source": ref + "/plain", "destination": "p"}) // the control
}

func TestHardLinks(t *testing.T) {
	tree := []string{"hard h -> $OUT/plain"}
	b := newBox(t, setup{tree: tree})
	b.must("file_read", args{"path": "h"})
	if b.last().Links != 2 {
		t.Error("the links are not recorded")
	}
	b.must("file_write", args{"path": "h", "content": "new\n"})
	if got, _ := os.ReadFile(b.out + "/plain"); string(got) != "plain\n" {
		t.Errorf("the file outside became %q", got)
	}
	b = newBox(t, setup{tree: tree, space: func(o *workspace.Options) { o.DenyHardLinks = true }})
	b.refused(tool.PolicyDenied, "file_read", args{"path": "h"})
	if r := b.must("file_grep", args{"pattern": "plain"}); strings.Contains(r.Output, "h:") {
		t.Errorf("grep reads it: %q", r.Output)
	}
	b.must("file_read", args{"path": "a.txt"})
}

// A path that is denied is answered alike whatever is there, or nothing.
func TestDeniedTellsNothing(t *testing.T) {
	long := strings.Repeat("n", 300)
	b := newBox(t, setup{
		tree: []string{
			"file closed/f x", "fifo closed/pipe", "link closed/loop -> loop", "link closed/dangling -> none", "link loop -> loop", "dir open",
		},
		rules: []policy.Rule{{Name: "no", Action: policy.Deny, Paths: []string{"closed", "gone"}}},
	})
	for _, name := range []string{"file_read", "file_info", "file_list", "dir_create", "file_write", "file_delete"} {
		for _, path := range []string{
			"closed/f", "closed/f/x", "closed/none", "closed/pipe", "closed/loop", "closed/loop/x", "closed/dangling",
			"closed/" + long, "gone/" + long, "gone/x",
		} {
			a := args{"path": path}
			if name == "file_write" {
				a["content"] = ""
			}
			b.refused(tool.PolicyDenied, name, a)
		}
	}
	b.refused(tool.InvalidArgument, "file_read", args{"path": "loop"})
	b.refused(tool.InvalidArgument, "file_read", args{"path": "open/" + long})
}
