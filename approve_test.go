package bailey_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/tool"
)

// supervised is a configuration in which a human is asked for everything.
const supervised = "[security.policy]\ndefault_action = \"supervised\"\n"

// house is a workspace with a state and a configuration.
type house struct{ ws, state, config string }

func newHouse(t *testing.T, config string) house {
	t.Helper()
	base := t.TempDir()
	h := house{filepath.Join(base, "ws"), filepath.Join(base, "state"), filepath.Join(base, "bailey.toml")}
	if err := errors.Join(os.Mkdir(h.ws, 0o700), os.WriteFile(h.config, []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	return h
}

func noEnv(string) string { return "" }

// open opens the house, with what change makes of the options.
func (h house) open(t *testing.T, change func(*bailey.Options)) *bailey.Bailey {
	t.Helper()
	o := bailey.Options{Workspace: h.ws, Task: "refactor", ConfigFile: h.config, StateDir: h.state, Principal: "agent", Env: noEnv}
	if change != nil {
		change(&o)
	}
	b, err := bailey.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (h house) desk(t *testing.T) *bailey.Desk {
	t.Helper()
	d, err := bailey.OpenDesk(context.Background(), bailey.Options{ConfigFile: h.config, StateDir: h.state, Env: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (h house) content(name string) string {
	b, err := os.ReadFile(filepath.Join(h.ws, name))
	if err != nil {
		return ""
	}
	return string(b)
}

func write(ctx context.Context, b *bailey.Bailey, content string) *tool.Result {
	return b.Call(ctx, "file_write", map[string]any{"path": "a.txt", "content": content})
}

var (
	yes = approval.Decision{Approve: true, Scope: approval.Once, By: "bob"}
	no  = approval.Decision{By: "bob", Reason: "because"}
)

// answering is an approver that answers d to everything.
func answering(d approval.Decision) *bailey.Approver {
	return &bailey.Approver{Ask: func(context.Context, approval.Entry) (approval.Decision, error) { return d, nil }}
}

// TestOutcomes: each way in which a request can end has its own answer, and only
// one of them lets the call go on.
func TestOutcomes(t *testing.T) {
	silent := &bailey.Approver{Ask: func(ctx context.Context, _ approval.Entry) (approval.Decision, error) {
		return approval.Decision{}, errors.New("asleep")
	}}
	later := &bailey.Approver{Ask: func(context.Context, approval.Entry) (approval.Decision, error) {
		return approval.Decision{}, fmt.Errorf("a form is open: %w", bailey.ErrLater)
	}}
	short := supervised + "[approval]\ntimeout = \"50ms\"\n"
	deny := supervised + "[approval]\nunattended = \"deny\"\n"
	for _, c := range []struct {
		name, config string
		approver     *bailey.Approver
		wait         time.Duration
		kind         tool.Kind
		says         string
	}{
		{"approved", supervised, answering(yes), 0, "", ""},
		{"denied", supervised, answering(no), 0, tool.ApprovalDenied, ": because"},
		{"denied without a reason", supervised, answering(approval.Decision{By: "bob"}), 0, tool.ApprovalDenied, "denied"},
		{"nobody answers", short, silent, 0, tool.ApprovalTimeout, "in time"},
		{"nobody answers yet", supervised, silent, time.Millisecond, tool.ApprovalPending, "make the very same call again"},
		{"asked by another call", supervised, later, 0, tool.ApprovalPending, "make the very same call again"},
		{"nobody is there", deny, nil, 0, tool.ApprovalDenied, "nobody is there"},
		{"the approver can't", deny, &bailey.Approver{Can: func(context.Context) bool { return false }, Ask: answering(yes).Ask}, 0, tool.ApprovalDenied, "nobody is there"},
		{"the approver can", deny, answering(yes), 0, "", ""},
		{"no such scope", short, answering(approval.Decision{Approve: true, Scope: "forever", By: "bob"}), 0, tool.ApprovalTimeout, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, before) }) // behind the closing of what is opened below
			h := newHouse(t, c.config)
			b := h.open(t, func(o *bailey.Options) { o.Approver, o.ApprovalWait = c.approver, c.wait })
			r := write(context.Background(), b, "new")
			if r.ErrorKind != c.kind || !strings.Contains(r.Error, c.says) {
				t.Errorf("%+v, want %q with %q", r, c.kind, c.says)
			}
			if want := map[bool]string{true: "new", false: ""}[c.kind == ""]; h.content("a.txt") != want {
				t.Errorf("the file holds %q, want %q", h.content("a.txt"), want)
			}
			h.checkRecords(t, b)
		})
	}
}

// checkRecords checks that each record of the house's only request names it.
func (h house) checkRecords(t *testing.T, b *bailey.Bailey) {
	t.Helper()
	store, err := b.Approvals(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	entries, err := store.List(context.Background(), approval.Filter{})
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	log, err := os.ReadFile(filepath.Join(h.state, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	results, intents, decisions := 0, 0, 0
	for line := range bytes.Lines(log) {
		var r audit.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Approval != entries[0].ID || strings.HasSuffix(r.Detail, ": ") {
			t.Errorf("%s", line)
		}
		switch {
		case r.Phase == audit.PhaseResult && r.Tool == "file_write":
			results++
		case r.Phase == audit.PhaseIntent && r.Tool == "approvals":
			intents++
		case r.Tool == "approvals":
			decisions++
		}
	}
	if decided := entries[0].By != ""; results != 1 || intents != decisions || (intents == 1) != decided {
		t.Errorf("%d results of the call, %d intents of decisions and %d results of them are recorded", results, intents, decisions)
	}
}

// TestPending: the answer of a call that waits no longer names the request, and the
// same call gets the outcome, also from another process's session.
func TestPending(t *testing.T) {
	h := newHouse(t, supervised)
	waits := func(o *bailey.Options) { o.ApprovalWait = time.Millisecond }
	r := write(context.Background(), h.open(t, waits), "new")
	raw, err := json.Marshal(r.Data)
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Approval struct {
			ID, State string
			Expires   time.Time
		}
	}
	if err := json.Unmarshal(raw, &data); err != nil || r.ErrorKind != tool.ApprovalPending {
		t.Fatalf("%+v, %v", r, err)
	}
	if data.Approval.ID == "" || data.Approval.State != "pending" || data.Approval.Expires.Before(time.Now()) {
		t.Errorf("%s", raw)
	}
	if _, err := h.desk(t).Decide(context.Background(), data.Approval.ID, yes); err != nil {
		t.Fatal(err)
	}
	if r := write(context.Background(), h.open(t, waits), "new"); !r.Success || h.content("a.txt") != "new" {
		t.Errorf("%+v", r)
	}
	if r := write(context.Background(), h.open(t, waits), "new"); r.ErrorKind != tool.ApprovalPending {
		t.Errorf("a second call: %+v", r)
	}
}

// TestSettledElsewhere: the approver is told when there is nothing to answer any
// more, and by whom it was decided.
func TestSettledElsewhere(t *testing.T) {
	h := newHouse(t, supervised)
	asked, cause := make(chan string, 1), make(chan error, 1)
	b := h.open(t, func(o *bailey.Options) {
		o.Approver = &bailey.Approver{Ask: func(ctx context.Context, e approval.Entry) (approval.Decision, error) {
			asked <- e.ID
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return yes, ctx.Err() // an answer beside an error is none
		}}
	})
	go func() { _, _ = b.Decide(context.Background(), <-asked, no) }()
	if r := write(context.Background(), b, "new"); r.ErrorKind != tool.ApprovalDenied {
		t.Errorf("%+v", r)
	}
	var settled *bailey.SettledError
	if err := <-cause; !errors.As(err, &settled) || settled.Entry.State != approval.Denied || settled.Entry.By != "bob" {
		t.Errorf("%v", err)
	}
}

// TestWithdraw: a call that is given up takes its request back where the face says
// so, but not one that an equal call waits for too.
func TestWithdraw(t *testing.T) {
	for _, c := range []struct {
		name     string
		withdraw bool
		calls    int
		want     approval.State
	}{
		{"a terminal", true, 1, approval.Cancelled},
		{"a client", false, 1, approval.Pending},
		{"two terminals", true, 2, approval.Pending},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, supervised)
			waiting := make(chan approval.Entry, c.calls)
			b := h.open(t, func(o *bailey.Options) {
				o.Withdraw = c.withdraw
				o.OnWait = func(e approval.Entry) { waiting <- e }
			})
			var calls sync.WaitGroup
			defer calls.Wait()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			first, giveUp := context.WithCancel(ctx)
			results := make(chan *tool.Result, c.calls)
			for i := range c.calls {
				calls.Go(func() {
					if i == 0 {
						results <- write(first, b, "new")
					} else {
						write(ctx, b, "new")
					}
				})
			}
			var e approval.Entry
			for range c.calls {
				e = <-waiting
			}
			giveUp()
			if r := <-results; r.ErrorKind != tool.Cancelled {
				t.Errorf("%+v", r)
			}
			got, err := h.desk(t).Get(context.Background(), e.ID)
			if err != nil || got.State != c.want {
				t.Errorf("%v, %v, want %v", got.State, err, c.want)
			}
		})
	}
}

// TestDecideErrors: each reason why a decision is refused has its kind.
func TestDecideErrors(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t, supervised+"[approval]\ntimeout = \"1h\"\n")
	d := h.desk(t)
	submit := func(digest, grant string, ttl time.Duration) string {
		e, err := d.Store().Submit(ctx, approval.Request{Digest: digest, Grant: grant, Session: "s", Tool: "file_write"}, ttl)
		if err != nil {
			t.Fatal(err)
		}
		return e.ID
	}
	decided, once, over := submit("d", "g", time.Hour), submit("o", "", time.Hour), submit("e", "g", time.Nanosecond)
	if _, err := d.Decide(ctx, decided, no); err != nil {
		t.Fatal(err)
	}
	session := approval.Decision{Approve: true, Scope: approval.Session, By: "bob"}
	for _, c := range []struct {
		name, id string
		d        approval.Decision
		kind     tool.Kind
		says     string
	}{
		{"unknown", "zzzzzzzz", yes, tool.NotFound, "zzzzzzzz"},
		{"decided", decided, yes, tool.Conflict, "denied by bob"},
		{"expired", over, yes, tool.Conflict, "expired"},
		{"expired", over, no, tool.Conflict, "expired"},
		{"no such scope", once, approval.Decision{Approve: true, Scope: "forever", By: "bob"}, tool.InvalidArgument, "forever"},
		{"no session", once, session, tool.InvalidArgument, "session"},
		{"control", once, yes, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := d.Decide(ctx, c.id, c.d)
			var own *tool.Error
			if errors.As(err, &own) != (c.kind != "") || own != nil && (own.Kind != c.kind || !strings.Contains(own.Message, c.says)) {
				t.Errorf("%v, want %q with %q", err, c.kind, c.says)
			}
		})
	}
}

// TestDecisionNeedsRecord: a decision that can't be recorded is not made.
func TestDecisionNeedsRecord(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t, supervised)
	d, b := h.desk(t), h.open(t, nil)
	e, err := d.Store().Submit(ctx, approval.Request{Digest: "d", Tool: "file_write"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(h.state, "audit.log")
	if err := errors.Join(os.Remove(log), os.Mkdir(log, 0o700)); err != nil {
		t.Fatal(err)
	}
	var own *tool.Error
	for _, decide := range []func(context.Context, string, approval.Decision) (approval.Entry, error){d.Decide, b.Decide} {
		if _, err := decide(ctx, e.ID, yes); !errors.As(err, &own) || own.Kind != tool.AuditUnavailable {
			t.Errorf("%v", err)
		}
	}
	if e, err := d.Get(ctx, e.ID); err != nil || e.State != approval.Pending {
		t.Errorf("%v, %v: the decision counts without a record", e.State, err)
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decide(ctx, e.ID, yes); err != nil {
		t.Errorf("control: %v", err)
	}
}

// TestRace: of many equal calls and many approvers, each approval lets exactly one
// call go on, and the log has each.
func TestRace(t *testing.T) {
	const calls, approvers = 100, 4
	ctx := context.Background()
	h := newHouse(t, supervised)
	b := h.open(t, nil)
	d := h.desk(t)
	if err := os.WriteFile(filepath.Join(h.ws, "source.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	var made, approved atomic.Int64
	var running, deciding sync.WaitGroup
	end := make(chan struct{})
	for i := range approvers {
		deciding.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
				}
				pending, err := d.Store().List(ctx, approval.Filter{States: []approval.State{approval.Pending}})
				if err != nil {
					t.Error(err)
					return
				}
				for _, e := range pending {
					decision := yes
					decision.By = fmt.Sprint("approver ", i)
					_, err := d.Decide(ctx, e.ID, decision)
					switch {
					case err == nil:
						approved.Add(1)
					case !errors.Is(err, approval.ErrDecided):
						t.Error(err)
					}
				}
			}
		})
	}
	for range calls {
		running.Go(func() {
			r := b.Call(ctx, "file_copy", map[string]any{"source": "source.txt", "destination": "copy.txt", "overwrite": true})
			switch {
			case r.Success:
				made.Add(1)
			case r.ErrorKind != tool.Conflict:
				t.Errorf("%+v", r)
			}
		})
	}
	running.Wait()
	close(end)
	deciding.Wait()
	if made.Load() == 0 || made.Load() > approved.Load() {
		t.Errorf("%d calls went on by %d approvals", made.Load(), approved.Load())
	}
	executed, err := d.Store().List(ctx, approval.Filter{States: []approval.State{approval.Executed}})
	if err != nil || int64(len(executed)) < made.Load() {
		t.Errorf("%d calls went on, %d approvals were used, %v", made.Load(), len(executed), err)
	}
	log, err := os.ReadFile(filepath.Join(h.state, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := audit.Verify(bytes.NewReader(log)); err != nil {
		t.Error(err)
	}
	used := map[string]int{}
	for r, err := range audit.Records(bytes.NewReader(log)) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Tool == "file_copy" && r.Phase == audit.PhaseIntent {
			used[r.Approval]++
		}
	}
	for id, n := range used {
		if id == "" || n != 1 {
			t.Errorf("approval %q let %d calls go on", id, n)
		}
	}
}
