package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestProtocolVersions(t *testing.T) {
	spoken := mcp.SupportedProtocolVersions()
	slices.Reverse(spoken)
	if got, want := ProtocolVersions(), strings.Join(spoken, ", "); got != want {
		t.Errorf("ProtocolVersions = %s, the SDK speaks %s", got, want)
	}
	f := newFixture(t, "code_review")
	f.write("a.txt", "inside\n")
	for _, v := range protocolVersions {
		t.Run(v, func(t *testing.T) {
			s := f.serve()
			s.t = t
			defer s.end()
			meta := ""
			if v < "2026" {
				s.send(strings.Replace(hello, "2025-06-18", v, 1), initialized)
				var r struct {
					ProtocolVersion, Instructions string
				}
				decodeJSON(t, string(s.reply().Result), &r)
				if r.ProtocolVersion != v || r.Instructions != "Stay inside." {
					t.Errorf("initialize: %+v", r)
				}
			} else {
				meta = fmt.Sprintf(`,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}`, v)
				s.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta[1:] + `}}`)
				var r struct {
					SupportedVersions []string
					Instructions      string
				}
				decodeJSON(t, string(s.reply().Result), &r)
				if !slices.Contains(r.SupportedVersions, v) || r.Instructions != "Stay inside." {
					t.Errorf("server/discover: %+v", r)
				}
			}
			s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + strings.TrimPrefix(meta, ",") + `}}`)
			var list struct{ Tools []struct{ Name string } }
			decodeJSON(t, string(s.reply().Result), &list)
			if len(list.Tools) < 7 {
				t.Errorf("%d tools", len(list.Tools))
			}
			s.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"file_read","arguments":{"path":"a.txt"}` + meta + `}}`)
			reply := s.reply()
			var r toolResult
			decodeJSON(t, string(reply.Result), &r)
			if r.IsError || len(r.Content) != 1 || r.Content[0].Text != "inside\n" || r.Structured.Output != "inside\n" || !r.Structured.Success {
				t.Errorf("file_read: %s", reply.Result)
			}
			s.send(`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"file://` + f.root + `/a.txt"` + meta + `}}`)
			resource := string(s.reply().Result)
			s.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nothing"` + meta + `}}`)
			unknown := string(s.reply().Result)
			for _, other := range []string{resource, unknown} {
				if strings.Contains(other, `"resultType":"complete"`) != (v >= "2026") {
					t.Errorf("resultType: %s", other)
				}
			}
			if isNew := strings.Contains(string(reply.Result), `"resultType":"complete"`); isNew != (v >= "2026") {
				t.Errorf("resultType: %s", reply.Result)
			}
		})
	}
	s := f.serve()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	if r := s.reply(); r.Error == nil || r.Error.Code != mcp.CodeUnsupportedProtocolVersion {
		t.Errorf("an unknown version: %+v", r)
	}
}

func TestToolList(t *testing.T) {
	s := newFixture(t, "code_review").serve().greet()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var list struct {
		Tools []struct {
			Name, Title, Description string
			InputSchema              struct{ Type string }
			OutputSchema             struct{ Type string }
			Annotations              struct {
				Title           string
				ReadOnlyHint    bool
				DestructiveHint *bool
				OpenWorldHint   *bool
			}
		}
	}
	decodeJSON(t, string(s.reply().Result), &list)
	var names []string
	for _, d := range list.Tools {
		names = append(names, d.Name)
		if d.Title == "" || d.Description == "" || d.InputSchema.Type != "object" || d.OutputSchema.Type != "object" ||
			d.Annotations.Title != d.Title || d.Annotations.DestructiveHint == nil || d.Annotations.OpenWorldHint == nil {
			t.Errorf("%s is not described in full: %+v", d.Name, d)
		}
		if d.Annotations.ReadOnlyHint != (d.Name != "file_write") {
			t.Errorf("%s: readOnlyHint %v", d.Name, d.Annotations.ReadOnlyHint)
		}
	}
	slices.Sort(names)
	want := "file_find file_grep file_info file_list file_read file_read_many file_tree file_write"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("listed are %s, want %s", got, want)
	}
}

// A reviewer may list but not write: a tool that is not granted, or not even
// known, still is a call that is recorded.
func TestRefusals(t *testing.T) {
	f := newFixture(t, "code_review")
	s := f.serve().greet()
	for i, tt := range []struct{ tool, args, kind string }{
		{"file_write", `{"path":"x","content":""}`, "op_denied"},
		{"file_delete", `{"path":"x"}`, "op_denied"},
		{"nothing", `{}`, "invalid_argument"},
		{"", `{}`, "invalid_argument"},
		{"file_read", `{"path":"../x"}`, "path_escape"},
		{"file_read", `[]`, "invalid_argument"},
		{"file_read", `"text"`, "invalid_argument"},
		{"file_read", `null`, "invalid_argument"},
		{"file_read", `{"path":"x","path":"y"}`, "invalid_argument"},
		{"file_read", `{"path":"` + strings.Repeat("x", 1<<20) + `"}`, "invalid_argument"},
	} {
		r := s.call(i, tt.tool, tt.args)
		if !r.IsError || r.Structured.ErrorKind != tt.kind || r.Structured.Success ||
			len(r.Content) != 1 || r.Content[0].Text != r.Structured.Error || !strings.HasPrefix(r.Structured.Error, tt.kind+": ") {
			t.Errorf("%s %.60s: %+v, want %s", tt.tool, tt.args, r, tt.kind)
		}
		records := f.records()
		if last := records[len(records)-1]; len(records) != i+1 || last.Tool != tt.tool || last.ErrorKind != tt.kind {
			t.Errorf("%s %.60s: record %+v", tt.tool, tt.args, last)
		}
	}
}

func TestEndOfInput(t *testing.T) {
	f := newFixture(t, "code_review")
	f.write("a.txt", strings.Repeat("line\n", 1000))
	s := f.serve()
	const calls = 200
	lines := []string{hello, initialized}
	for i := range calls {
		lines = append(lines, callLine(i, "file_read", `{"path":"a.txt"}`))
	}
	go func() {
		s.send(lines...)
		_ = s.in.Close()
	}()
	answered := map[any]bool{}
	for line := s.line(); line != ""; line = s.line() {
		var r reply
		decodeJSON(t, line, &r)
		if answered[r.ID] || r.Error != nil {
			t.Fatalf("answer %.200s", line)
		}
		answered[r.ID] = true
	}
	if len(answered) != calls+1 {
		t.Errorf("%d answers, want %d", len(answered), calls+1)
	}
	if n := len(f.records()); n != calls {
		t.Errorf("%d records, want %d", n, calls)
	}
	if err := <-s.served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	s.served <- nil
}

// Being told to stop ends a server whose client says nothing, after the answers to
// what is under way.
func TestStop(t *testing.T) {
	keepPlaces(t)
	f := newFixture(t, "code_review", holdRule)
	f.write("hold", "")
	s := f.serve().greet()
	const calls = maxRunning + 3 // three wait
	for i := range calls {
		s.send(callLine(i, "file_read", `{"path":"hold"}`))
	}
	for range maxRunning {
		<-f.asked
	}
	s.send(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
	if r := s.reply(); r.ID != "alive" {
		t.Fatalf("answer to %v, want to the ping: it must not wait behind the calls", r.ID)
	}
	was := stopGrace
	stopGrace = time.Minute
	defer func() { stopGrace = was }()
	s.stop()
	answers := 0
	for line := s.line(); line != ""; line = s.line() {
		var r reply
		decodeJSON(t, line, &r)
		var result toolResult
		decodeJSON(t, string(r.Result), &result)
		if result.Structured.ErrorKind != "cancelled" {
			t.Errorf("answer %s", line)
		}
		answers++
	}
	if answers < maxRunning {
		t.Errorf("%d answers, want one to each call that ran", answers)
	}
	s.end()
	records := f.records()
	for _, r := range records {
		if r.ErrorKind != "cancelled" {
			t.Errorf("record %+v", r)
		}
	}
	if len(records) != calls {
		t.Errorf("%d records, want %d", len(records), calls)
	}
}

// When the time for answers after the end of the input is over, calls are cancelled,
// and those whose turn never came are recorded too.
func TestEndOfGrace(t *testing.T) {
	keepPlaces(t)
	was := leaveGrace
	leaveGrace = 50 * time.Millisecond
	defer func() { leaveGrace = was }()
	f := newFixture(t, "code_review", holdRule)
	f.write("hold", "")
	s := f.serve().greet()
	const calls = maxRunning + 3
	for i := range calls {
		s.send(callLine(i, "file_read", `{"path":"hold"}`))
	}
	s.end()
	records := f.records()
	for _, r := range records {
		if r.ErrorKind != "cancelled" {
			t.Errorf("record %+v", r)
		}
	}
	if len(records) != calls {
		t.Errorf("%d records, want %d", len(records), calls)
	}
}

// A client that does not take its answers can't keep the server from ending.
func TestStuckClient(t *testing.T) {
	wasLeave, wasStop, wasClose := leaveGrace, stopGrace, closeGrace
	leaveGrace, stopGrace, closeGrace = 50*time.Millisecond, 50*time.Millisecond, time.Minute
	t.Cleanup(func() { leaveGrace, stopGrace, closeGrace = wasLeave, wasStop, wasClose })
	for _, how := range []string{"stop", "close"} {
		t.Run(how, func(t *testing.T) {
			f := newFixture(t, "code_review")
			f.write("big", strings.Repeat("x", 1<<20))
			s := f.serve().greet()
			for i := range 8 {
				s.send(callLine(i, "file_read", `{"path":"big"}`))
			}
			if how == "stop" {
				s.stop()
			} else {
				_ = s.in.Close()
			}
			if err := <-s.served; err != nil {
				t.Errorf("Serve: %v", err)
			}
			s.served <- nil
		})
	}
}

// A client that has died ends the session, without an error.
func TestDeadClient(t *testing.T) {
	f := newFixture(t, "code_review")
	f.write("big", strings.Repeat("x", 1<<20))
	s := f.serve().greet()
	s.send(callLine(1, "file_read", `{"path":"big"}`))
	if _, err := s.out.Peek(1); err != nil {
		t.Fatal(err)
	}
	_ = s.outEnd.Close()
	if err := <-s.served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	s.served <- nil
	if n := len(f.records()); n != 1 {
		t.Errorf("%d records, want 1", n)
	}
}

// Every schema that is listed stands alone: clients compile them.
func TestSchemasResolve(t *testing.T) {
	for _, d := range newFixture(t, "agent").opts.Tools.List() {
		described := describe(d)
		for what, schema := range map[string]any{"input": described.InputSchema, "output": described.OutputSchema} {
			raw, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			var s jsonschema.Schema
			decodeJSON(t, string(raw), &s)
			if _, err := s.Resolve(nil); err != nil {
				t.Errorf("%s of %s: %v", what, d.Name, err)
			}
		}
	}
}
