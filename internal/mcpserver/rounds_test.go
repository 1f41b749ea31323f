package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/tool"
)

// round is a call of a client of version 2026-07-28, which says with each request
// who it is.
type round struct {
	tool, args, state, answers string
	noForms                    bool
}

func (r round) line(id int) string {
	p := map[string]any{
		"name": r.tool, "arguments": json.RawMessage(r.args),
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "test", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{}},
		},
	}
	if r.noForms {
		p["_meta"].(map[string]any)["io.modelcontextprotocol/clientCapabilities"] = map[string]any{}
	}
	if r.state != "" {
		p["requestState"] = r.state
	}
	if r.answers != "" {
		p["inputResponses"] = json.RawMessage(r.answers)
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": p})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// asked is the answer to a call that asks.
type asked struct {
	ResultType    string
	InputRequests map[string]struct {
		Method string
		Params form
	}
	RequestState string
	Content      []any
}

// question makes a call that has to end with a question.
func (s *stdio) question(id int, r round) asked {
	s.t.Helper()
	s.send(r.line(id))
	m := s.reply()
	if m.Error != nil || m.ID != float64(id) {
		s.t.Fatalf("message %+v", m)
	}
	var a asked
	decodeJSON(s.t, string(m.Result), &a)
	q := a.InputRequests[questionKey]
	if a.ResultType != "input_required" || len(a.InputRequests) != 1 || q.Method != "elicitation/create" || a.RequestState == "" || len(a.Content) > 0 {
		s.t.Fatalf("answer %s, want a question", m.Result)
	}
	return a
}

func answersOf(result string) string { return fmt.Sprintf(`{%q:%s}`, questionKey, result) }

const approves = `{"action":"accept","content":{"decision":"approve once"}}`

func writes(name string) round {
	return round{tool: "file_write", args: fmt.Sprintf(`{"path":%q,"content":"new\n"}`, name)}
}

func TestRounds(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long, elicit: true})
	s := d.serve()
	for i, tt := range answers {
		t.Run(tt.name, func(t *testing.T) {
			d.t, s.t = t, t
			was := len(d.results("file_write"))
			call := writes(fmt.Sprintf("ask-%d.txt", i))
			a := s.question(1, call)
			e := d.waiting(1)[0]
			f := a.InputRequests[questionKey].Params
			if f.Mode != "form" || !strings.Contains(f.Message, e.ID) || !equal(f.RequestedSchema.Properties.Decision.Enum, []string{approveOnce, approveSession, deny}) {
				t.Errorf("question %+v", f)
			}
			if strings.Contains(a.RequestState, e.Digest) {
				t.Error("the state tells the digest")
			}
			call.state, call.answers = a.RequestState, answersOf(tt.answer)
			s.send(call.line(2))
			if tt.want == "open" {
				d.approve(e.ID)
				if r := s.result(2); !r.Structured.Success {
					t.Errorf("%+v", r)
				}
			} else {
				d.settled(s, 2, e, tt.want, tt.reason)
			}
			kind := strings.Replace(tt.want, "open", "", 1)
			if got, want := d.results("file_write")[was:], []string{"approval_pending", kind}; !equal(got, want) {
				t.Errorf("records %q, want %q", got, want)
			}
		})
	}
	d.t, s.t = t, t
}

// A state that is not what this server gave to this very call decides nothing. It
// is recorded, and the call asks anew.
func TestStateOfOthers(t *testing.T) {
	other := newDesk(t, deskOptions{wait: long, elicit: true})
	foreign := other.serve().question(1, writes("ask.txt")).RequestState
	for name, change := range map[string]func(r *round, state string){
		"altered":            func(r *round, state string) { r.state = flip(state, 10) },
		"signature altered":  func(r *round, state string) { r.state = flip(state, len(state)-10) },
		"no signature":       func(r *round, state string) { r.state, _, _ = strings.Cut(state, ".") },
		"empty signature":    func(r *round, state string) { r.state, _, _ = strings.Cut(state, "."); r.state += "." },
		"of another server":  func(r *round, _ string) { r.state = foreign },
		"no state":           func(r *round, _ string) { r.state = "" },
		"garbage":            func(r *round, _ string) { r.state = strings.Repeat("A", 1<<20) },
		"with other content": func(r *round, state string) { r.state, r.args = state, `{"path":"ask.txt","content":"other"}` },
		"with another path":  func(r *round, state string) { r.state, r.args = state, `{"path":"ask2.txt","content":"new\n"}` },
		"with other argument": func(r *round, state string) {
			r.state, r.args = state, `{"path":"ask.txt","content":"new\n","mode":"0777"}`
		},
		"of another tool": func(r *round, state string) { r.state, r.tool, r.args = state, "file_delete", `{"path":"ask.txt"}` },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{wait: long, elicit: true})
			s := d.serve()
			d.write("ask.txt", "old\n")
			call := writes("ask.txt")
			state := s.question(1, call).RequestState
			first := d.waiting(1)[0].ID
			call.answers = answersOf(approves)
			change(&call, state)
			again := s.question(2, call)
			if got := d.entry(first); got.State != approval.Pending || d.content("ask.txt") != "old\n" {
				t.Fatalf("the request is %s, the file holds %q", got.State, d.content("ask.txt"))
			}
			refusals := 0
			for _, r := range d.records() {
				if r.Rule == "approval:state" && r.Result == "error" && r.ErrorKind == "invalid_argument" {
					refusals++
				}
			}
			if refusals != 1 {
				t.Errorf("%d records of the state, want 1", refusals)
			}
			call.state = again.RequestState // control: the fresh question can be answered
			s.send(call.line(3))
			if r := s.result(3); !r.Structured.Success {
				t.Errorf("the answer to the fresh question: %+v", r)
			}
		})
	}
}

func flip(s string, at int) string {
	c := byte('A')
	if s[at] == c {
		c = 'B'
	}
	return s[:at] + string(c) + s[at+1:]
}

// A state is good once, whatever became of it.
func TestStateTwice(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long, elicit: true})
	s := d.serve()
	call := writes("ask.txt")
	call.state = s.question(1, call).RequestState
	call.answers = answersOf(approves)
	s.send(call.line(2))
	if r := s.result(2); !r.Structured.Success {
		t.Fatalf("%+v", r)
	}
	if err := os.Remove(filepath.Join(d.root, "ask.txt")); err != nil {
		t.Fatal(err)
	}
	fresh := s.question(3, call)
	if d.content("ask.txt") != "" || fresh.RequestState == call.state {
		t.Error("an answer was good twice")
	}
	if want := []string{"approval_pending", "", "invalid_argument", "approval_pending"}; !equal(d.results("file_write"), want) {
		t.Errorf("records %q, want %q", d.results("file_write"), want)
	}
}

// Two answers to one request: the first decides.
func TestTwoAnswers(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long, elicit: true})
	s := d.serve()
	one, two := writes("ask.txt"), writes("ask.txt")
	one.state, two.state = s.question(1, one).RequestState, s.question(2, two).RequestState
	e := d.waiting(1)[0]
	one.answers, two.answers = answersOf(`{"action":"decline"}`), answersOf(approves)
	s.send(one.line(3))
	if r := s.result(3); r.Structured.ErrorKind != "approval_denied" {
		t.Fatalf("%+v", r)
	}
	s.question(4, two) // the denied call, made again, is a new request
	if got := d.entry(e.ID); got.State != approval.Denied || d.content("ask.txt") != "" {
		t.Errorf("the request is %s", got.State)
	}
}

// What changed between question and answer is asked about anew, and not for ever.
func TestChangedBetweenRounds(t *testing.T) {
	d := newDesk(t, deskOptions{wait: 20 * time.Millisecond, elicit: true})
	s := d.serve()
	call := writes("ask.txt")
	for i := range maxRounds {
		call.state = s.question(i, call).RequestState
		call.answers = answersOf(approves)
		d.write("ask.txt", fmt.Sprint(i))
	}
	s.send(call.line(9))
	if r := s.result(9); r.Structured.ErrorKind != "approval_pending" || d.content("ask.txt") != fmt.Sprint(maxRounds-1) {
		t.Errorf("after the last round: %+v, file %q", r, d.content("ask.txt"))
	}
}

// Decisions from elsewhere between the rounds count, and so does the end of a request.
func TestDecidedBetweenRounds(t *testing.T) {
	for name, tt := range map[string]struct {
		decide func(*desk, string)
		want   string
	}{
		"approved": {(*desk).approve, ""},
		"denied": {func(d *desk, id string) {
			if _, err := d.store.Deny(context.Background(), id, "operator", "no"); err != nil {
				d.t.Fatal(err)
			}
		}, "approval_denied"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{wait: long, elicit: true})
			s := d.serve()
			call := writes("ask.txt")
			call.state = s.question(1, call).RequestState
			tt.decide(d, d.waiting(1)[0].ID)
			call.answers = answersOf(`{"action":"decline"}`)
			if name == "denied" {
				call.answers = answersOf(approves)
			}
			s.send(call.line(2))
			if r := s.result(2); r.Structured.ErrorKind != tt.want {
				t.Errorf("%+v", r)
			}
		})
	}
	t.Run("expired", func(t *testing.T) {
		d := newDesk(t, deskOptions{wait: long, elicit: true, timeout: "300ms"})
		s := d.serve()
		call := writes("ask.txt")
		call.state = s.question(1, call).RequestState
		call.answers = answersOf(approves)
		d.waiting(0)
		s.send(call.line(2))
		if r := s.result(2); r.Structured.ErrorKind != "approval_timeout" || d.content("ask.txt") != "" {
			t.Errorf("%+v", r)
		}
	})
}

// Clients of that version that can't show forms, or are not to be asked, wait.
func TestRoundsWithoutForms(t *testing.T) {
	for name, tt := range map[string]struct{ elicit, noForms bool }{"off": {false, false}, "no capability": {true, true}} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{wait: 20 * time.Millisecond, elicit: tt.elicit})
			s := d.serve()
			call := writes("ask.txt")
			call.noForms = tt.noForms
			s.send(call.line(1))
			if r := s.result(1); r.Structured.ErrorKind != "approval_pending" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A malformed answer is an error of the protocol, and in the log.
func TestMalformedAnswers(t *testing.T) {
	d := newDesk(t, deskOptions{wait: 20 * time.Millisecond, elicit: true})
	s := d.serve()
	for i, answers := range []string{`[]`, `"x"`, `{"approval":[]}`, `{"approval":{"action":7}}`, `{"approval":{"decision":"approve once"}}`} {
		call := writes("ask.txt")
		call.state, call.answers = s.question(2*i, call).RequestState, answers
		s.send(call.line(2*i + 1))
		if r := s.reply(); r.Error == nil || r.ID != float64(2*i+1) {
			t.Errorf("%s: %+v %s", answers, r, r.Result)
		}
	}
	e := d.waiting(1)[0]
	for i, answers := range []string{
		`{}`, `null`, answersOf(`{"roots":[]}`), `{"other":` + approves + `}`,
		`{"approval":` + approves + `,"other":` + approves + `}`,
	} {
		call := writes("ask.txt")
		call.state, call.answers = s.question(100+2*i, call).RequestState, answers
		s.send(call.line(101 + 2*i))
		if r := s.result(101 + 2*i); r.Structured.ErrorKind != "approval_pending" {
			t.Errorf("%s: %+v", answers, r)
		}
	}
	if got := d.entry(e.ID); got.State != approval.Pending {
		t.Errorf("the request is %s", got.State)
	}
}

func TestStates(t *testing.T) {
	now := time.Now()
	s := newStates()
	first, err := s.seal(state{ID: "first", Call: "c"}, now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.take(first, "c", now.Add(maxStateAge)); err != errStateExpired {
		t.Errorf("a state that is too old: %v", err)
	}
	first, _ = s.seal(state{ID: "first", Call: "c", Until: now.Add(time.Minute)}, now)
	if st, err := s.take(first, "c", now.Add(time.Minute-1)); err != nil || st.ID != "first" {
		t.Errorf("%+v, %v", st, err)
	}
	first, _ = s.seal(state{ID: "first", Call: "c", Until: now.Add(time.Minute)}, now)
	last := ""
	for range maxStates {
		last, _ = s.seal(state{ID: "more", Call: "c", Until: now.Add(time.Hour)}, now)
	}
	if len(s.open) != maxStates {
		t.Errorf("%d states are kept", len(s.open))
	}
	if _, err := s.take(first, "c", now); err != errStateUsed {
		t.Errorf("the state that ends first, of too many: %v", err)
	}
	if _, err := s.take(last, "c", now); err != nil {
		t.Errorf("the last state: %v", err)
	}
	if _, _ = s.seal(state{Until: now.Add(3 * time.Hour)}, now.Add(2*time.Hour)); len(s.open) != 1 {
		t.Errorf("%d states are kept, one of them good", len(s.open))
	}
}

func TestCallDigest(t *testing.T) {
	base := tool.Request{Tool: "t", Args: json.RawMessage(`{"a":1,"b":"x"}`), Session: "s", Principal: "p", Group: "g"}
	digest := func(change func(*tool.Request)) string {
		r := base
		change(&r)
		d, err := callDigest(r)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	want := digest(func(*tool.Request) {})
	if got := digest(func(r *tool.Request) { r.Args = json.RawMessage("{ \"b\" : \"\\u0078\", \"a\":1 }") }); got != want {
		t.Error("another spelling of the same arguments is another call")
	}
	for name, change := range map[string]func(*tool.Request){
		"tool":      func(r *tool.Request) { r.Tool = "u" },
		"args":      func(r *tool.Request) { r.Args = json.RawMessage(`{"a":1.0,"b":"x"}`) },
		"no args":   func(r *tool.Request) { r.Args = nil },
		"session":   func(r *tool.Request) { r.Session = "x" },
		"principal": func(r *tool.Request) { r.Principal = "x" },
		"group":     func(r *tool.Request) { r.Group = "x" },
	} {
		if digest(change) == want {
			t.Errorf("another %s is the same call", name)
		}
	}
}
