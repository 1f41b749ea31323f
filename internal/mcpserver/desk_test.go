package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
)

// desk is a fixture whose approvals are real: a workspace in which whatever is
// named ask* is supervised, and the operator at a desk beside the server.
type desk struct {
	*fixture
	store *approval.Store
	state string
}

type deskOptions struct {
	wait    time.Duration // how long a call waits
	timeout string        // of a request
	elicit  bool
	more    string // configuration
}

// long is a wait that no test sees the end of.
const long = time.Hour

func newDesk(t testing.TB, o deskOptions) *desk {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{fixture: &fixture{t: t, root: base + "/ws", log: base + "/state/audit.log"}, state: base + "/state"}
	if o.timeout == "" {
		o.timeout = "1h"
	}
	text := fmt.Sprintf("[approval]\ntimeout = %q\n%s\n"+
		"[[security.policy.rules]]\nname = \"ask\"\naction = \"supervised\"\npaths = [\"ask*\"]\nmessage = \"look twice\"\n", o.timeout, o.more)
	for _, err := range []error{os.Mkdir(d.root, 0o700), os.WriteFile(base+"/config.toml", []byte(text), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	b, err := bailey.Open(ctx, bailey.Options{
		Workspace: d.root, StateDir: d.state, ConfigFile: base + "/config.toml", Task: "agent",
		Session: "s1", Principal: "alice", Env: func(string) string { return "" },
		Approver: &bailey.Approver{Can: CanAsk, Ask: func(ctx context.Context, e approval.Entry) (approval.Decision, error) {
			decision, err := Ask(ctx, e)
			if errors.Is(err, ErrLater) {
				err = bailey.ErrLater
			}
			return decision, err
		}},
		ApprovalWait: o.wait,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	// The operator decides from another process, as far as the store can tell.
	if d.store, err = bailey.OpenApprovals(ctx, d.state); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.store.Close() })
	d.opts = Options{
		Tools: b.Toolbox(), Request: b.Request, Version: "test", Logger: slog.New(slog.DiscardHandler), Elicit: o.elicit,
		Decide: func(ctx context.Context, id string, decision approval.Decision) error {
			_, err := b.Decide(ctx, id, decision)
			return err
		},
	}
	return d
}

// waiting returns the requests that wait, when there are n.
func (d *desk) waiting(n int) []approval.Entry {
	d.t.Helper()
	for {
		list, err := d.store.List(context.Background(), approval.Filter{States: []approval.State{approval.Pending}})
		if err != nil {
			d.t.Fatal(err)
		}
		if len(list) == n {
			return list
		}
		time.Sleep(time.Millisecond)
	}
}

func (d *desk) approve(id string) {
	d.t.Helper()
	if _, err := d.store.Approve(context.Background(), id, approval.Once, "operator"); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) entry(id string) approval.Entry {
	d.t.Helper()
	e, err := d.store.Get(context.Background(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return e
}

// content is what a file holds; "" if it is not there.
func (d *desk) content(name string) string {
	raw, err := os.ReadFile(filepath.Join(d.root, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.t.Fatal(err)
	}
	return string(raw)
}

// results are the records of calls of a tool, without intents, as "kind approval".
func (d *desk) results(name string) []string {
	d.t.Helper()
	var all []string
	for _, r := range d.records() {
		if r.Tool == name && r.Phase == "result" {
			all = append(all, r.ErrorKind)
		}
	}
	return all
}

const (
	helloForms   = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"Test\u001b[2J client","version":"1"}}}`
	writeAsk     = `{"path":"ask.txt","content":"new\n"}`
	approvalText = "make the very same call again"
)

// greetForms opens a session of a client that can show forms.
func (s *stdio) greetForms() *stdio {
	s.t.Helper()
	s.send(helloForms, initialized)
	if r := s.reply(); r.Error != nil {
		s.t.Fatalf("initialize: %s", r.Error.Message)
	}
	return s
}

// form is a question as a client gets it.
type form struct {
	Mode            string
	Message         string
	RequestedSchema struct {
		Properties struct {
			Decision struct{ Enum []string }
			Reason   struct{ MaxLength int }
		}
		Required []string
	}
}

// elicited is the question that the client gets next.
func (s *stdio) elicited() (id any, f form) {
	s.t.Helper()
	r := s.reply()
	if r.Method != "elicitation/create" {
		s.t.Fatalf("message %+v, want a question", r)
	}
	decodeJSON(s.t, string(r.Params), &f)
	return r.ID, f
}

// answerForm answers a question with a result.
func (s *stdio) answerForm(id any, result string) {
	s.t.Helper()
	raw, err := json.Marshal(id)
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, raw, result))
}

// result is the answer to a call.
func (s *stdio) result(id int) toolResult {
	s.t.Helper()
	r := s.reply()
	if r.ID != float64(id) || r.Error != nil {
		s.t.Fatalf("message %+v %s, want the answer to %d", r, r.Params, id)
	}
	var result toolResult
	decodeJSON(s.t, string(r.Result), &result)
	return result
}

// approvalOf is what an answer tells of its request.
func approvalOf(t testing.TB, r toolResult) (data struct {
	ID, State string
	Expires   *time.Time
},
) {
	t.Helper()
	var d struct {
		Approval *json.RawMessage
	}
	decodeJSON(t, string(r.Structured.Data), &d)
	if d.Approval == nil {
		t.Fatalf("no approval in %s", r.Structured.Data)
	}
	decodeJSON(t, string(*d.Approval), &data)
	return data
}

func equal(a, b []string) bool { return strings.Join(a, "|") == strings.Join(b, "|") }
