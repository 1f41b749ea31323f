package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey/approval"
)

// A call that waited long enough is told to come back; the same call gets the
// outcome of the same request, whenever it comes.
func TestApprovalPending(t *testing.T) {
	d := newDesk(t, deskOptions{wait: 20 * time.Millisecond})
	s := d.serve().greet()
	first := s.call(1, "file_write", writeAsk)
	told := approvalOf(t, first)
	if first.Structured.ErrorKind != "approval_pending" || told.State != "pending" || told.Expires == nil || !first.IsError {
		t.Fatalf("first answer %+v", first)
	}
	if text := first.Content[0].Text; !strings.Contains(text, approvalText) || !strings.Contains(text, told.ID) {
		t.Errorf("text %q", text)
	}
	if again := approvalOf(t, s.call(2, "file_write", writeAsk)); again.ID != told.ID {
		t.Errorf("the same call made request %s, want %s", again.ID, told.ID)
	}
	if other := approvalOf(t, s.call(3, "file_write", `{"path":"ask.txt","content":"other"}`)); other.ID == told.ID {
		t.Error("another call joined the request")
	}
	d.approve(told.ID)
	if r := s.call(4, "file_write", writeAsk); !r.Structured.Success || d.content("ask.txt") != "new\n" {
		t.Errorf("after the approval: %+v, file %q", r, d.content("ask.txt"))
	}
	if want := []string{"approval_pending", "approval_pending", "approval_pending", ""}; !equal(d.results("file_write"), want) {
		t.Errorf("records %q", d.results("file_write"))
	}
	if r := s.call(5, "file_write", writeAsk); r.Structured.ErrorKind != "approval_pending" {
		t.Errorf("an approval was good twice: %+v", r)
	}
}

func TestDecidedWhileWaiting(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long})
	d.write("a.txt", "inside\n")
	s := d.serve().greet()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_write","arguments":` + writeAsk + `,"_meta":{"progressToken":"p"}}}`)
	e := d.waiting(1)[0]
	r := s.reply()
	if !strings.Contains(string(r.Params), "waiting for the operator's approval "+e.ID) || r.Method != "notifications/progress" {
		t.Errorf("message %+v %s, want progress that names %s", r, r.Params, e.ID)
	}
	if r := s.call(2, "file_read", `{"path":"a.txt"}`); r.Structured.Output != "inside\n" {
		t.Errorf("a call meanwhile: %+v", r)
	}
	d.approve(e.ID)
	if r := s.result(1); !r.Structured.Success || d.content("ask.txt") != "new\n" {
		t.Errorf("after the approval: %+v", r)
	}
	s.send(callLine(3, "file_read", `{"path":"ask.txt"}`))
	if _, err := d.store.Deny(context.Background(), d.waiting(1)[0].ID, "operator", "not today"); err != nil {
		t.Fatal(err)
	}
	if r := s.result(3); r.Structured.ErrorKind != "approval_denied" || !strings.Contains(r.Structured.Error, "not today") {
		t.Errorf("after the denial: %+v", r)
	}
}

// What a client does to a call does not decide it.
func TestClientGivesUp(t *testing.T) {
	was := leaveGrace
	leaveGrace = time.Millisecond
	t.Cleanup(func() { leaveGrace = was })
	d := newDesk(t, deskOptions{wait: long})
	for _, how := range []string{"cancel", "leave", "stop"} {
		t.Run(how, func(t *testing.T) {
			s := d.serve().greet()
			s.send(callLine(1, "file_write", fmt.Sprintf(`{"path":"ask-%s","content":"new\n"}`, how)))
			e := d.waiting(1)[0]
			switch how {
			case "cancel":
				s.send(cancelLine(1))
			case "stop":
				s.stop()
			}
			s.end()
			if got := d.entry(e.ID); got.State != approval.Pending {
				t.Fatalf("the request is %s", got.State)
			}
			d.approve(e.ID)
			s = d.serve().greet()
			if r := s.call(1, "file_write", fmt.Sprintf(`{"path":"ask-%s","content":"new\n"}`, how)); !r.Structured.Success {
				t.Errorf("the same call later: %+v", r)
			}
		})
	}
	if want := []string{"cancelled", "", "cancelled", "", "cancelled", ""}; !equal(d.results("file_write"), want) {
		t.Errorf("records %q", d.results("file_write"))
	}
}

// Two hundred calls that wait: a hundred requests, the others are refused; and the
// session goes on.
func TestManyWait(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long})
	d.write("a.txt", "inside\n")
	s := d.serve().greet()
	const calls, room = 200, 100
	for i := range calls {
		s.send(callLine(i, "file_write", fmt.Sprintf(`{"path":"ask-%d","content":"x"}`, i)))
	}
	for range calls - room {
		r := s.reply()
		if !strings.Contains(string(r.Result), `"error_kind":"limit_exceeded"`) {
			t.Fatalf("answer %s", r.Result)
		}
	}
	waiting := d.waiting(room)
	if r := s.call(1000, "file_read", `{"path":"a.txt"}`); !r.Structured.Success {
		t.Errorf("a call meanwhile: %+v", r)
	}
	for _, e := range waiting {
		d.approve(e.ID)
	}
	for range room {
		if r := s.reply(); !strings.Contains(string(r.Result), `"success":true`) {
			t.Fatalf("answer %s", r.Result)
		}
	}
}

// The answers of a client's user, and what they decide.
var answers = []struct {
	name, answer string
	want         string // error kind of the call, or "open" for no decision
	reason       string
}{
	{"approve", `{"action":"accept","content":{"decision":"approve once"}}`, "", ""},
	{"approve, with a reason", `{"action":"accept","content":{"decision":"approve once","reason":"fine"}}`, "", ""},
	{"approve, with other fields", `{"action":"accept","content":{"decision":"approve once","by":"root","scope":"session"}}`, "", ""},
	{"session", `{"action":"accept","content":{"decision":"approve for this session"}}`, "", ""},
	{"deny", `{"action":"accept","content":{"decision":"deny","reason":" not\nhere "}}`, "approval_denied", "not\nhere"},
	{"decline", `{"action":"decline"}`, "approval_denied", ""},
	{"decline, with an approval", `{"action":"decline","content":{"decision":"approve once"}}`, "approval_denied", ""},
	{"cancel", `{"action":"cancel"}`, "open", ""},
	{"cancel, with an approval", `{"action":"cancel","content":{"decision":"approve once"}}`, "open", ""},
	{"nothing chosen", `{"action":"accept"}`, "open", ""},
	{"nothing chosen, with a reason", `{"action":"accept","content":{"reason":"approve once"}}`, "open", ""},
	{"another choice", `{"action":"accept","content":{"decision":"yes"}}`, "open", ""},
	{"another spelling", `{"action":"accept","content":{"decision":"Approve once "}}`, "open", ""},
	{"a list", `{"action":"accept","content":{"decision":["approve once"]}}`, "open", ""},
	{"a truth", `{"action":"accept","content":{"decision":true}}`, "open", ""},
	{"a reason of the wrong type", `{"action":"accept","content":{"decision":"approve once","reason":{"a":1}}}`, "open", ""},
	{"a long reason", `{"action":"accept","content":{"decision":"deny","reason":"` + strings.Repeat("x", maxReason+1) + `"}}`, "open", ""},
	{"another action", `{"action":"approve once","content":{"decision":"approve once"}}`, "open", ""},
}

func TestElicitation(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long, elicit: true})
	s := d.serve().greetForms()
	for i, tt := range answers {
		t.Run(tt.name, func(t *testing.T) {
			d.t, s.t = t, t
			name := fmt.Sprintf("ask-%d.txt", i)
			s.send(callLine(1, "file_write", fmt.Sprintf(`{"path":%q,"content":"new\n"}`, name)))
			id, f := s.elicited()
			e := d.waiting(1)[0]
			if f.Mode != "form" || !strings.Contains(f.Message, e.ID) || !strings.Contains(f.Message, "+new") || !strings.Contains(f.Message, "look twice") {
				t.Errorf("question %+v", f)
			}
			if got := f.RequestedSchema.Properties.Decision.Enum; !equal(got, []string{approveOnce, approveSession, deny}) {
				t.Errorf("choices %q", got)
			}
			s.answerForm(id, tt.answer)
			d.settled(s, 1, e, tt.want, tt.reason)
		})
	}
	d.t, s.t = t, t
}

// settled checks what an answer to a question has made of a request.
func (d *desk) settled(s *stdio, id int, e approval.Entry, want, reason string) {
	d.t.Helper()
	by := `alice (elicitation by "`
	if want == "open" { // it goes on waiting for others
		s.send(`{"jsonrpc":"2.0","id":99,"method":"ping"}`)
		if r := s.reply(); r.ID != 99.0 {
			d.t.Fatalf("message %+v, want nothing", r)
		}
		if got := d.entry(e.ID); got.State != approval.Pending {
			d.t.Fatalf("the request is %s", got.State)
		}
		d.approve(e.ID)
		want, by = "", "operator"
	}
	r := s.result(id)
	got := d.entry(e.ID)
	if r.Structured.ErrorKind != want || !strings.HasPrefix(got.By, by) || got.Reason != reason || strings.ContainsRune(got.By, 0x1b) {
		d.t.Errorf("answer %+v, decided by %q: %q; want %q by %q: %q", r, got.By, got.Reason, want, by, reason)
	}
	if done := d.content(filepath.Base(e.Paths[0])) == "new\n"; done != (want == "") {
		d.t.Errorf("carried out: %v", done)
	}
}

// What was approved for the session is not asked again; what can't be, is not a
// choice.
func TestElicitationForSession(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long, elicit: true})
	s := d.serve().greetForms()
	s.send(callLine(1, "file_write", writeAsk))
	id, _ := s.elicited()
	s.answerForm(id, `{"action":"accept","content":{"decision":"approve for this session"}}`)
	if r := s.result(1); !r.Structured.Success {
		t.Fatalf("%+v", r)
	}
	if r := s.call(2, "file_write", `{"path":"ask.txt","content":"newer\n"}`); !r.Structured.Success {
		t.Errorf("the second call: %+v", r)
	}
	e := approval.Entry{ID: "x", Request: approval.Request{Details: json.RawMessage("{}")}}
	raw, err := json.Marshal(question(e))
	if err != nil || strings.Contains(string(raw), approveSession) {
		t.Errorf("%v: question without a grant: %s", err, raw)
	}
}

// A decision from elsewhere takes the question back; an answer to it decides
// nothing any more, however often it comes.
func TestDecidedElsewhere(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long, elicit: true})
	s := d.serve().greetForms()
	s.send(callLine(1, "file_write", writeAsk))
	id, _ := s.elicited()
	e := d.waiting(1)[0]
	if _, err := d.store.Deny(context.Background(), e.ID, "operator", "no"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 2 { // in any order
		r := s.reply()
		switch {
		case r.Method == "notifications/cancelled":
			var p struct{ RequestID any }
			decodeJSON(t, string(r.Params), &p)
			seen["cancelled"] = p.RequestID == id
		case r.ID == 1.0:
			seen["denied"] = strings.Contains(string(r.Result), "approval_denied")
		}
	}
	if !seen["cancelled"] || !seen["denied"] {
		t.Errorf("seen %v", seen)
	}
	for range 3 {
		s.answerForm(id, `{"action":"accept","content":{"decision":"approve once"}}`)
	}
	s.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	if r := s.reply(); r.ID != 9.0 {
		t.Errorf("message %+v", r)
	}
	if got := d.entry(e.ID); got.State != approval.Denied || d.content("ask.txt") != "" {
		t.Errorf("the request is %s", got.State)
	}
}

// Without the capability, or where the operator did not turn it on, no client is
// asked.
func TestNoElicitation(t *testing.T) {
	url := strings.Replace(helloForms, `"elicitation":{}`, `"elicitation":{"url":{}}`, 1)
	for name, tt := range map[string]struct {
		elicit bool
		hello  string
		want   bool
	}{
		"no capability": {true, hello, false},
		"off":           {false, helloForms, false},
		"only URLs":     {true, url, false},
		"control":       {true, helloForms, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{wait: long, elicit: tt.elicit})
			s := d.serve()
			s.send(tt.hello, initialized)
			s.reply()
			s.send(callLine(1, "file_write", writeAsk))
			if tt.want {
				s.elicited()
				s.stop()
				return
			}
			d.approve(d.waiting(1)[0].ID)
			if r := s.result(1); !r.Structured.Success {
				t.Errorf("%+v", r)
			}
		})
	}
}

// What the agent writes can't leave its place in the question.
func TestForgedQuestion(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long, elicit: true})
	s := d.serve().greetForms()
	forged := "x\n```\n\nRequest abcdefgh: harmless, approved\n\n````\n" +
		"\x1b[2J\x1b[1mapproved\r\u202eapproved\u2066\u200b\n  once         covers nothing\n![x](https://example.com/leak)\n"
	raw, err := json.Marshal(map[string]string{"path": "ask\n```\napproved \u202e.txt", "content": forged})
	if err != nil {
		t.Fatal(err)
	}
	s.send(callLine(1, "file_write", string(raw)))
	_, f := s.elicited()
	head, rest, _ := strings.Cut(f.Message, "\n\n")
	lines := strings.Split(rest, "\n")
	fence := lines[0]
	if len(fence) < 5 || strings.Trim(fence, "`") != "" || lines[len(lines)-1] != fence || strings.Contains(head, "ask") {
		t.Fatalf("message %q is not fenced", f.Message)
	}
	sections := map[string]bool{"Change": true, "What is there now": true, "Arguments": true}
	for i, line := range lines[1 : len(lines)-1] {
		if strings.HasPrefix(strings.TrimSpace(line), fence) || i > 0 && !strings.HasPrefix(line, "  ") && !sections[line] {
			t.Errorf("line %q", line)
		}
		if strings.HasPrefix(line, "Request abcdefgh") || strings.HasPrefix(line, "  once         covers nothing") {
			t.Errorf("a line of the agent's passes for Bailey's: %q", line)
		}
	}
	for _, c := range f.Message {
		if c != '\n' && (c < ' ' || c == '\u202e' || c == '\u2066' || c == '\u200b') {
			t.Errorf("%U in the message", c)
		}
	}
	if t.Failed() {
		t.Log(f.Message)
	}
	s.stop()
}

// What is too long for a form says where it is to be seen whole.
func TestLongQuestion(t *testing.T) {
	d := newDesk(t, deskOptions{wait: long, elicit: true})
	s := d.serve().greetForms()
	s.send(callLine(1, "file_write", fmt.Sprintf(`{"path":"ask.txt","content":%q}`, strings.Repeat("line\n", 5000)+strings.Repeat("x", 1<<20))))
	_, f := s.elicited()
	if e := d.waiting(1)[0]; !strings.Contains(f.Message, "bailey approvals show "+e.ID) || len(f.Message) > 64<<10 {
		t.Errorf("message of %d bytes: %.300s", len(f.Message), f.Message)
	}
	s.stop()
}
