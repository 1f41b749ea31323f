package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

// desk stands for the operator and the store of approvals: it approves, does
// something meanwhile, and gives each digest out once.
type desk struct {
	during  func()
	claimed atomic.Int32
	used    sync.Map
	seen    []*tool.ApprovalRequest
	mu      sync.Mutex
}

func (d *desk) ask(_ context.Context, r *tool.ApprovalRequest) (*tool.Approval, error) {
	d.mu.Lock()
	d.seen = append(d.seen, r)
	d.mu.Unlock()
	if d.during != nil {
		d.during()
	}
	return &tool.Approval{ID: "appr-1", Claim: func(context.Context) error {
		if _, twice := d.used.LoadOrStore(r.Digest, true); twice {
			return &tool.Error{Kind: tool.Conflict, Message: "an equal call has used this approval"}
		}
		d.claimed.Add(1)
		return nil
	}}, nil
}

func (d *desk) last() *tool.ApprovalRequest {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.seen) == 0 {
		return &tool.ApprovalRequest{}
	}
	return d.seen[len(d.seen)-1]
}

func askForAll(tools ...string) func(*policy.Config) {
	return func(c *policy.Config) {
		c.Tools = map[string]policy.Action{}
		for _, name := range tools {
			c.Tools[name] = policy.Supervised
		}
	}
}

// What was approved is what happens. Whatever else is there after the wait is a
// conflict, and the approval is not used up.
func TestApprovedIsWhatHappens(t *testing.T) {
	write := func(name, content string) func(string) error {
		return func(root string) error { return os.WriteFile(filepath.Join(root, name), []byte(content), 0o644) }
	}
	all := func(steps ...func(string) error) func(string) error {
		return func(root string) error {
			var errs []error
			for _, s := range steps {
				errs = append(errs, s(root))
			}
			return errors.Join(errs...)
		}
	}
	remove := func(name string) func(string) error {
		return func(root string) error { return os.RemoveAll(filepath.Join(root, name)) }
	}
	link := func(to, name string) func(string) error {
		return func(root string) error { return os.Symlink(to, filepath.Join(root, name)) }
	}
	rename := func(from, to string) func(string) error {
		return func(root string) error { return os.Rename(filepath.Join(root, from), filepath.Join(root, to)) }
	}
	edit := args{"path": "x.txt", "edits": []args{{"old_text": "one", "new_text": "two"}}}
	put := args{"path": "x.txt", "content": "two\n"}
	move, cp := args{"source": "x.txt", "destination": "y.txt"}, args{"source": "x.txt", "destination": "y.txt"}
	moveDir, cpDir := args{"source": "d", "destination": "e"}, args{"source": "d", "destination": "e"}
	fill := args{"source": "d", "destination": "full", "overwrite": true}
	drop, dropDir := args{"path": "x.txt"}, args{"path": "d", "recursive": true}
	read, readMany := args{"path": "x.txt"}, args{"paths": []string{"x.txt", "a.txt", "nothing"}}
	script, script2 := args{"command": "./run.sh"}, args{"argv": []string{"sh", "run.sh"}}
	from, to := args{"command": "cat < x.txt"}, args{"command": "ls > x.txt"}
	for name, tt := range map[string]struct {
		tool   string
		args   args
		during func(root string) error
		kind   tool.Kind // "" for success
	}{
		"write":                          {"file_write", put, nil, ""},
		"write, content":                 {"file_write", put, write("x.txt", "mallory\n"), tool.Conflict},
		"write, replaced by the same":    {"file_write", put, all(write("new", "one\n"), rename("new", "x.txt")), tool.Conflict},
		"write, removed":                 {"file_write", put, remove("x.txt"), tool.Conflict},
		"write, by way of a link":        {"file_write", args{"path": "l", "content": "two\n"}, nil, ""},
		"write, link leads elsewhere":    {"file_write", args{"path": "l", "content": "two\n"}, all(remove("l"), link("a.txt", "l")), tool.Conflict},
		"write, link leads out":          {"file_write", args{"path": "l", "content": "two\n"}, all(remove("l"), link("../outside/plain", "l")), tool.PathEscape},
		"write, link becomes a file":     {"file_write", args{"path": "l", "content": "two\n"}, all(remove("l"), write("l", "one\n")), tool.Conflict},
		"write, new":                     {"file_write", args{"path": "n", "content": "x"}, nil, ""},
		"write, appeared":                {"file_write", args{"path": "n", "content": "x"}, write("n", ""), tool.Conflict},
		"write, becomes denied":          {"file_write", args{"path": "l", "content": "x"}, all(remove("l"), link("never/f", "l")), tool.PolicyDenied},
		"write, directory in its place":  {"file_write", put, all(remove("x.txt"), rename("d", "x.txt")), tool.Conflict},
		"edit":                           {"file_edit", edit, nil, ""},
		"edit, elsewhere in the file":    {"file_edit", edit, write("x.txt", "one\nmallory\n"), tool.Conflict},
		"edit, mode":                     {"file_edit", edit, func(root string) error { return os.Chmod(root+"/x.txt", 0o600) }, tool.Conflict},
		"edit, does not fit any more":    {"file_edit", edit, write("x.txt", "mallory\n"), tool.Conflict},
		"delete":                         {"file_delete", drop, nil, ""},
		"delete, content":                {"file_delete", drop, write("x.txt", "mallory\n"), tool.Conflict},
		"delete, gone":                   {"file_delete", drop, remove("x.txt"), tool.Conflict},
		"delete, link leads elsewhere":   {"file_delete", args{"path": "l"}, all(remove("l"), link("a.txt", "l")), tool.Conflict},
		"delete all":                     {"file_delete", dropDir, nil, ""},
		"delete all, something new":      {"file_delete", dropDir, write("d/late", ""), tool.Conflict},
		"delete all, content beneath":    {"file_delete", dropDir, write("d/deep/z.txt", "mallory"), tool.Conflict},
		"delete all, swapped beneath":    {"file_delete", dropDir, all(write("new", "z\n"), rename("new", "d/deep/z.txt")), tool.Conflict},
		"delete all, less beneath":       {"file_delete", dropDir, remove("d/deep/z.txt"), tool.Conflict},
		"delete all, denied beneath":     {"file_delete", dropDir, rename("never", "d/never"), tool.PolicyDenied},
		"move":                           {"file_move", move, nil, ""},
		"move, content":                  {"file_move", move, write("x.txt", "mallory\n"), tool.Conflict},
		"move, destination appeared":     {"file_move", move, write("y.txt", ""), tool.Conflict},
		"move all":                       {"file_move", moveDir, nil, ""},
		"move all, content beneath":      {"file_move", moveDir, write("d/deep/z.txt", "mallory"), tool.Conflict},
		"copy":                           {"file_copy", cp, nil, ""},
		"copy, content":                  {"file_copy", cp, write("x.txt", "mallory\n"), tool.Conflict},
		"copy, destination appeared":     {"file_copy", cp, link("a.txt", "y.txt"), tool.Conflict},
		"copy all":                       {"file_copy", cpDir, nil, ""},
		"copy all, content beneath":      {"file_copy", cpDir, write("d/deep/z.txt", "mallory"), tool.Conflict},
		"copy into":                      {"file_copy", fill, nil, ""},
		"copy into, destination beneath": {"file_copy", fill, write("full/f", "mallory"), tool.Conflict},
		"make a directory":               {"dir_create", args{"path": "n"}, nil, ""},
		"make a directory, appeared":     {"dir_create", args{"path": "n"}, func(root string) error { return os.Mkdir(root+"/n", 0o755) }, tool.Conflict},
		"read":                           {"file_read", read, nil, ""},
		"read, content":                  {"file_read", read, write("x.txt", "mallory\n"), tool.Conflict},
		"read, link leads elsewhere":     {"file_read", args{"path": "l"}, all(remove("l"), link("a.txt", "l")), tool.Conflict},
		"read several":                   {"file_read_many", readMany, nil, ""},
		"read several, content":          {"file_read_many", readMany, write("a.txt", "mallory\n"), tool.Conflict},
		"read several, one appeared":     {"file_read_many", readMany, write("nothing", "mallory\n"), tool.Conflict},
		"run a script":                   {"shell", script, nil, ""},
		"run a script, content":          {"shell", script, write("run.sh", "echo mallory\n"), tool.Conflict},
		"run a script, gone":             {"shell", script, remove("run.sh"), tool.Conflict},
		"run a script, another":          {"shell", script, all(remove("run.sh"), link("d/deep/z.txt", "run.sh")), tool.Conflict},
		"run sh with a script, content":  {"shell", script2, write("run.sh", "echo mallory\n"), tool.Conflict},
		"run, unrelated file":            {"shell", script, write("a.txt", "mallory\n"), ""},
		"run, from a file":               {"shell", from, nil, ""},
		"run, from a file, content":      {"shell", from, write("x.txt", "mallory\n"), tool.Conflict},
		"run, into a file":               {"shell", to, nil, ""},
		"run, into a file, elsewhere":    {"shell", to, all(remove("x.txt"), link("a.txt", "x.txt")), tool.Conflict},
		"run, into a file, denied":       {"shell", to, all(remove("x.txt"), link("never/f", "x.txt")), tool.PolicyDenied},
		"run in":                         {"shell", args{"command": "ls", "cwd": "d"}, nil, ""},
		"run in, another directory":      {"shell", args{"command": "ls", "cwd": "d"}, all(rename("d", "old"), rename("full", "d")), tool.Conflict},
		"run in, leads out":              {"shell", args{"command": "ls", "cwd": "d"}, all(rename("d", "old"), link("../outside", "d")), tool.PathEscape},
	} {
		t.Run(name, func(t *testing.T) {
			d := &desk{}
			b := newBox(t, setup{
				tree: []string{
					"file x.txt one\n", "link l -> x.txt", "file d/y.txt y\n", "file d/deep/z.txt z\n", "file full/f f\n", "file run.sh echo\n", "file never/f f\n",
				},
				rules:  []policy.Rule{{Name: "never", Action: policy.Deny, Paths: []string{"**/never/**"}}},
				policy: askForAll("file_*", "dir_create", "shell"), ask: d.ask, runs: true,
			})
			outside := filetree.Describe(t, b.out)
			var before map[string]string
			d.during = func() {
				if tt.during != nil {
					if err := tt.during(b.root); err != nil {
						t.Error(err)
					}
				}
				before = filetree.Describe(t, b.root)
			}
			r := b.call(tt.tool, tt.args)
			if r.ErrorKind != tt.kind {
				t.Fatalf("got %q %s, want %q", r.ErrorKind, r.Error, tt.kind)
			}
			want := int32(1)
			if tt.kind != "" {
				want = 0
				if after := filetree.Describe(t, b.root); !maps.Equal(after, before) {
					t.Errorf("something was done:\n%v\n%v", before, after)
				}
				if strings.Contains(r.Error+r.Output, "mallory") || len(b.commands) > 0 {
					t.Errorf("it was told, or ran: %+v %v", r, b.commands)
				}
			}
			if got := d.claimed.Load(); got != want {
				t.Errorf("claimed %d times, want %d", got, want)
			}
			if rec := b.last(); rec.Approval != "appr-1" || (rec.Result == "allow") != r.Success && tt.tool != "file_read_many" {
				t.Errorf("%+v", rec)
			}
			for _, rec := range b.records() {
				if rec.Phase == "intent" && tt.kind != "" {
					t.Error("an intent was recorded")
				}
			}
			if after := filetree.Describe(t, b.out); !maps.Equal(after, outside) {
				t.Errorf("something was done outside: %v", after)
			}
		})
	}
}

// An approval that can't be claimed is none.
func TestClaimFails(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		kind tool.Kind
	}{
		"used":    {&tool.Error{Kind: tool.Conflict, Message: "an equal call has used this approval"}, tool.Conflict},
		"expired": {&tool.Error{Kind: tool.ApprovalTimeout, Message: "it has expired"}, tool.ApprovalTimeout},
		"denied":  {&tool.Error{Kind: tool.ApprovalDenied, Message: "taken back"}, tool.ApprovalDenied},
		"broken":  {errors.New("disk I/O"), tool.ApprovalDenied},
		"odd":     {&tool.Error{Kind: tool.NotFound, Message: "x"}, tool.ApprovalDenied},
		"none":    {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, setup{
				tree: []string{"file vault/x.txt one\n"}, policy: askForAll("file_*", "shell"), runs: true,
				ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
					return &tool.Approval{ID: "1", Claim: func(context.Context) error { return tt.err }}, nil
				},
			})
			for _, c := range []struct {
				tool string
				args args
			}{{"file_read", args{"path": "vault/x.txt"}}, {"shell", args{"command": "ls"}}, {"file_delete", args{"path": "vault/x.txt"}}} {
				r := b.call(c.tool, c.args)
				if r.ErrorKind != tt.kind || strings.Contains(r.Output, "one") == (tt.kind != "") && c.tool == "file_read" {
					t.Errorf("%s: %+v", c.tool, r)
				}
			}
			if done := !b.exists("vault/x.txt") && len(b.commands) == 1; done != (tt.kind == "") {
				t.Errorf("done: %v", done)
			}
			for _, rec := range b.records() {
				if rec.Phase == "intent" && tt.kind != "" {
					t.Error("an intent was recorded")
				}
			}
		})
	}
}

// Of equal calls that wait for one approval, one is carried out.
func TestEqualCallsUseOneApproval(t *testing.T) {
	const calls = 8
	asked, answer := make(chan struct{}, calls), make(chan struct{})
	d := &desk{during: func() { asked <- struct{}{}; <-answer }}
	b := newBox(t, setup{policy: askForAll("shell"), ask: d.ask, runs: true})
	results := make(chan *tool.Result, calls)
	for i := range calls {
		go func() {
			raw := json.RawMessage(`{"command":"make"}`)
			if i%2 == 0 {
				raw = json.RawMessage(`{ "cwd": ".", "command": "make" }`)
			}
			// Another session of the same principal asks for the same.
			results <- b.Call(context.Background(), tool.Request{Tool: "shell", Args: raw, Principal: "tester", Session: string(rune('a' + i))})
		}()
	}
	for range calls {
		<-asked
	}
	close(answer)
	done := 0
	for range calls {
		switch r := <-results; {
		case r.Success:
			done++
		case r.ErrorKind != tool.Conflict:
			t.Errorf("%+v", r)
		}
	}
	if done != 1 || len(b.commands) != 1 {
		t.Errorf("%d calls succeeded, %d commands ran", done, len(b.commands))
	}
}

// A call that waits keeps neither a slot nor the turn of a path.
func TestWaitingHoldsNothing(t *testing.T) {
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	d := &desk{during: func() { asked <- struct{}{}; <-answer }}
	b := newBox(t, setup{
		tree: []string{"file vault/x.txt one\n"}, ask: d.ask,
		rules: []policy.Rule{{Name: "ask", Action: policy.Supervised, Tools: []string{"file_delete", "file_copy"}, Paths: []string{"vault/**"}}},
	})
	var all sync.WaitGroup
	for range 40 { // more than there are slots
		all.Go(func() {
			// Nothing is left of it when the others come.
			if r := b.call("file_delete", args{"path": "vault/x.txt"}); !r.Success && r.ErrorKind != tool.Conflict {
				t.Error(r.Error)
			}
		})
	}
	for range 40 {
		<-asked
	}
	if n := b.Turns(b.root + "/vault/x.txt"); n != 0 {
		t.Errorf("%d calls have the turn of the path or wait for it", n)
	}
	b.must("file_write", args{"path": "vault/x.txt", "content": "one\n"}) // by somebody who need not ask
	close(answer)
	all.Wait()
}

// A face learns of the wait, and of its end before the call goes on.
func TestWaitingIsTold(t *testing.T) {
	var told []bool
	during := -1
	d := &desk{during: func() { during = len(told) }}
	b := newBox(t, setup{policy: askForAll("file_read"), ask: d.ask})
	ctx := tool.WithWaiting(t.Context(), func(waiting bool) { told = append(told, waiting) })
	if r := b.Call(ctx, tool.Request{Tool: "file_read", Args: []byte(`{"path":"a.txt"}`)}); !r.Success {
		t.Fatal(r.Error)
	}
	if len(told) != 2 || !told[0] || told[1] || during != 1 {
		t.Errorf("told %v, %d of it during the wait", told, during)
	}
	if r := b.Call(ctx, tool.Request{Tool: "file_list", Args: []byte(`{}`)}); !r.Success || len(told) != 2 {
		t.Errorf("a call that asks nobody: %v, %+v", told, r)
	}
}

// An asker can report that it waits.
func TestProgressWhileWaiting(t *testing.T) {
	b := newBox(t, setup{policy: askForAll("file_read"), ask: func(ctx context.Context, _ *tool.ApprovalRequest) (*tool.Approval, error) {
		tool.ReportProgress(ctx, tool.Progress{Done: 1, Message: "waiting for the operator"})
		return &tool.Approval{ID: "1"}, nil
	}})
	var got []tool.Progress
	ctx := tool.WithProgress(t.Context(), func(p tool.Progress) { got = append(got, p) })
	if r := b.Call(ctx, tool.Request{Tool: "file_read", Args: []byte(`{"path":"a.txt"}`)}); !r.Success {
		t.Fatal(r.Error)
	}
	if len(got) != 1 || got[0].Message != "waiting for the operator" {
		t.Errorf("%+v", got)
	}
	b.must("file_read", args{"path": "a.txt"}) // nobody wants to know
}

// All rules that ask are shown, each once, with their messages.
func TestEveryRuleIsShown(t *testing.T) {
	d := &desk{}
	b := newBox(t, setup{
		tree: []string{"file src/x y\n", "file src/z z\n"}, ask: d.ask,
		rules: []policy.Rule{
			{Name: "from", Action: policy.Supervised, Paths: []string{"src/**"}, Message: "Why read?"},
			{Name: "to", Action: policy.Supervised, Paths: []string{"dst/**"}, Message: "Why write?"},
		},
	})
	b.must("file_copy", args{"source": "src", "destination": "dst"})
	r := d.last()
	if len(r.Rules) != 2 || r.Rules[0] != (tool.RuleView{Rule: "from", Message: "Why read?"}) || r.Rules[1] != (tool.RuleView{Rule: "to", Message: "Why write?"}) ||
		r.Rule != "from" || r.Message != "Why read?" {
		t.Errorf("%+v", r.Rules)
	}
	if r.Contents[0].Type != "directory" || r.Contents[0].Entries != 2 || r.Contents[0].State == "" || r.Contents[1].Type != "absent" {
		t.Errorf("%+v", r.Contents)
	}
}

// What a human would have to look at is bounded.
func TestRequestIsBounded(t *testing.T) {
	d := &desk{}
	b := newBox(t, setup{policy: askForAll("file_*", "shell"), ask: d.ask, runs: true})
	b.refused(tool.LimitExceeded, "file_write", args{"path": "big", "content": strings.Repeat("x", 5<<20)})
	// A command that unfolds to more than it says.
	b.refused(tool.LimitExceeded, "shell", args{"command": "ls" + strings.Repeat("; ls "+strings.Repeat("x", 500)+"{"+strings.Repeat("a,", 240)+"b}", 100)})
	if len(d.seen) != 0 || b.exists("big") {
		t.Error("the operator was asked")
	}
	b.must("file_write", args{"path": "big", "content": strings.Repeat("x", 1<<20)})
}

// The last moment at which something can be swapped is between the claim and the
// act: a change is not made then, nothing runs, and what was read is not told.
func TestSwappedAfterTheClaim(t *testing.T) {
	edit := args{"path": "x.txt", "edits": []args{{"old_text": "one", "new_text": "two"}}}
	ends, trees := args{"source": "x.txt", "destination": "y.txt"}, args{"source": "d", "destination": "e"}
	const x, beneath, script = "x.txt", "d/z.txt", "run.sh"
	for _, tt := range []struct {
		tool, name string // name is what is swapped
		args       args
	}{
		{"file_read", x, args{"path": "x.txt"}},
		{"file_read_many", x, args{"paths": []string{"x.txt"}}},
		{"file_grep", x, args{"path": "x.txt", "pattern": "."}},
		{"file_write", x, args{"path": "x.txt", "content": "two\n"}},
		{"file_edit", x, edit},
		{"file_copy", x, ends},
		{"file_copy", beneath, trees},
		{"file_move", x, ends},
		{"file_move", beneath, trees},
		{"file_delete", x, args{"path": "x.txt"}},
		{"file_delete", beneath, args{"path": "d", "recursive": true}},
		{"shell", script, args{"command": "./run.sh"}},
		{"shell", x, args{"command": "cat < x.txt"}},
	} {
		for _, swap := range []bool{false, true} {
			var b *box
			b = newBox(t, setup{
				tree: []string{"file x.txt one\n", "file d/z.txt one\n", "file run.sh one\n"}, policy: askForAll("file_*", "shell"), runs: true,
				ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
					return &tool.Approval{ID: "1", Claim: func(context.Context) error {
						if swap {
							return os.WriteFile(filepath.Join(b.root, tt.name), []byte("one\nmallory\n"), 0o644)
						}
						return nil
					}}, nil
				},
			})
			r := b.call(tt.tool, tt.args)
			switch raw, err := json.Marshal(r); {
			case err != nil:
				t.Fatal(err)
			case !swap && !r.Success:
				t.Errorf("%s: %s", tt.tool, r.Error)
			case swap && (r.ErrorKind != tool.Conflict || strings.Contains(string(raw), "mallory")):
				t.Errorf("%s %s: %s", tt.tool, tt.name, raw)
			case swap && (!b.exists(tt.name) || b.content(tt.name) != "one\nmallory\n" || b.exists("y.txt") || b.exists("e") || len(b.commands) > 0):
				t.Errorf("%s %s: it was carried out", tt.tool, tt.name)
			}
		}
	}
}

// What is swapped when all was looked at for the last time, and the act begins, is
// not what was approved.
func TestSwappedDuringTheAct(t *testing.T) {
	edit := args{"path": "x.txt", "edits": []args{{"old_text": "one", "new_text": "two"}}}
	rewrite := func(b *box) error { return os.WriteFile(b.root+"/x.txt", []byte("one\neve\n"), 0o644) }
	more := func(b *box) error { return os.WriteFile(b.root+"/d/late", nil, 0o644) }
	for name, tt := range map[string]struct {
		like string // "late …" is interrupted behind its reading
		args args
		swap func(*box) error
	}{
		"copy":       {"file_copy", args{"source": "x.txt", "destination": "y.txt", "overwrite": true}, rewrite},
		"write":      {"file_write", args{"path": "x.txt", "content": "two\n"}, rewrite},
		"edit":       {"file_edit", edit, rewrite},
		"late edit":  {"late edit", edit, rewrite},
		"late write": {"late write", args{"path": "x.txt", "content": "two\n"}, rewrite},
		"delete all": {"file_delete", args{"path": "d", "recursive": true}, more},
		"copy all":   {"file_copy", args{"source": "d", "destination": "e"}, more},
	} {
		for _, swap := range []bool{false, true} {
			d := &desk{}
			b := newBox(t, setup{
				tree: []string{"file x.txt one\n", "file y.txt y\n", "file d/z.txt z\n"}, ask: d.ask,
				rules: []policy.Rule{{Name: "ask", Action: policy.Supervised, Paths: []string{"**/*.txt", "d/**", "e/**"}}},
			})
			var before map[string]string
			between := func() {
				if swap {
					if err := tt.swap(b); err != nil {
						t.Error(err)
					}
				}
				before = filetree.Describe(t, b.root)
			}
			switch tt.like {
			case "late edit":
				b.AddSlowEdit("slow", between)
			case "late write":
				b.AddSlowWrite("slow", between)
			default:
				b.AddSlow("slow", tt.like, between)
			}
			r := b.call("slow", tt.args)
			if r.Success == swap || swap && r.ErrorKind != tool.Conflict {
				t.Errorf("%s: %+v", name, r)
			}
			if done := !maps.Equal(filetree.Describe(t, b.root), before); done == swap {
				t.Errorf("%s: something was done: %v", name, done)
			}
		}
	}
}

// A call that waits for a human is none of those that run, and takes its turn again.
func TestWaitingTakesNoSlot(t *testing.T) {
	var b *box
	waiting, claiming := -1, -1
	b = newBox(t, setup{policy: askForAll("file_read"), ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
		waiting = b.Running()
		return &tool.Approval{ID: "1", Claim: func(context.Context) error {
			claiming = b.Running()
			return nil
		}}, nil
	}})
	b.must("file_read", args{"path": "a.txt"})
	if waiting != 0 || claiming != 1 || b.Running() != 0 {
		t.Errorf("%d calls ran during the wait, %d behind it, %d at the end", waiting, claiming, b.Running())
	}
}

// Only an approval lets a call go on, and what it ends with names the rule that
// asked.
func TestNoApproval(t *testing.T) {
	for name, tt := range map[string]struct {
		approval *tool.Approval
		err      error
		cancel   bool // the caller gives up while it waits
		kind     tool.Kind
		rule     string
	}{
		"approved":          {&tool.Approval{ID: "1"}, nil, false, "", "ask-me"},
		"nothing":           {nil, nil, false, tool.ApprovalDenied, "ask-me"},
		"denied":            {nil, &tool.Error{Kind: tool.ApprovalDenied, Message: "no"}, false, tool.ApprovalDenied, "ask-me"},
		"too late":          {nil, &tool.Error{Kind: tool.ApprovalTimeout, Message: "late"}, false, tool.ApprovalTimeout, "ask-me"},
		"both":              {&tool.Approval{ID: "1"}, errors.New("disk I/O"), false, tool.ApprovalDenied, "ask-me"},
		"given up":          {nil, context.Canceled, true, tool.Cancelled, ""},
		"given up, anyway":  {&tool.Approval{ID: "1"}, nil, true, tool.Cancelled, ""},
		"the asker gave up": {nil, context.Canceled, false, tool.Cancelled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			b := newBox(t, setup{tree: []string{"file vault/x.txt x\n"}, rules: supervised(), ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
				if tt.cancel {
					cancel()
				}
				return tt.approval, tt.err
			}})
			r := b.Call(ctx, tool.Request{Tool: "file_delete", Args: []byte(`{"path":"vault/x.txt"}`), Principal: "tester"})
			if r.ErrorKind != tt.kind || b.exists("vault/x.txt") != (tt.kind != "") {
				t.Errorf("%+v", r)
			}
			rec := b.last()
			if rec.Rule != tt.rule || rec.ErrorKind != string(tt.kind) || rec.Approval != "" != (tt.approval != nil) {
				t.Errorf("%+v", rec)
			}
		})
	}
}
