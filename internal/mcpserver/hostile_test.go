package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// hostile are lines that a client should not send, and what has to come of each:
// the code of an error, 0 for a result, or silence; and whether it is a call that
// has to be recorded.
var hostile = []struct {
	name, line string
	code       int
	silent     bool
	recorded   string // error kind; "" for none
}{
	{name: "no JSON", line: `hello`, code: -32700},
	{name: "half a message", line: `{"jsonrpc":"2.0","id":1,"meth`, code: -32700},
	{name: "bytes that are not UTF-8", line: "\xff\xfe\x00", code: -32700},
	{name: "two messages in one", line: `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, code: -32700},
	{name: "a number", line: `7`, code: -32600},
	{name: "null", line: `null`, code: -32600},
	{name: "an empty object", line: `{}`, code: -32600},
	{name: "an empty batch", line: `[]`, code: -32600},
	{name: "no version", line: `{"id":1,"method":"ping"}`, code: -32600},
	{name: "another version", line: `{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"file_read","arguments":{"path":"a.txt"}}}`, code: -32600, recorded: "invalid_argument"},
	{name: "a method that is a number", line: `{"jsonrpc":"2.0","id":1,"method":7}`, code: -32600},
	{name: "an id that is null", line: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, code: -32600},
	{name: "an id that is an object", line: `{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"file_read"}}`, code: -32600, recorded: "invalid_argument"},
	{name: "an id with a fraction", line: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, code: -32600},
	{name: "an id that a float64 can't hold", line: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, code: -32600},
	{name: "an unknown method", line: `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, code: -32601},
	{name: "an answer to nothing", line: `{"jsonrpc":"2.0","id":1,"result":{}}`, silent: true},
	{name: "an unknown notification", line: `{"jsonrpc":"2.0","method":"notifications/no/such"}`, silent: true},
	{name: "a call without an id", line: `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"file_read","arguments":{"path":"a.txt"}}}`, silent: true, recorded: "invalid_argument"},
	{name: "a call without params", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, code: -32600, recorded: "invalid_argument"},
	{name: "params that are null", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, code: -32600, recorded: "invalid_argument"},
	{name: "params that are a string", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}`, code: -32602, recorded: "invalid_argument"},
	{name: "params that are an array", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, code: -32602, recorded: "invalid_argument"},
	{name: "a tool that is a number", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, code: -32602, recorded: "invalid_argument"},
	{name: "arguments that are a number", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_read","arguments":7}}`, recorded: "invalid_argument"},
	{name: "a _meta that is a number", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_read","_meta":7}}`, code: -32602, recorded: "invalid_argument"},
	{name: "a version without capabilities", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_read","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, code: -32602, recorded: "invalid_argument"},
	{name: "a progress token that is an object", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_list","arguments":{},"_meta":{"progressToken":{}}}}`},
	{name: "a second initialize", line: hello, code: -32600},
	{name: "deep arguments", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_read","arguments":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `}}`, code: -32602, recorded: "invalid_argument"},
	{name: "deeper than JSON is read", line: strings.Repeat(`[`, 1<<20), code: -32700},
	{name: "a long error", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["` + strings.Repeat("x", 1<<20) + `"]}}`, code: -32602, recorded: "invalid_argument"},
	{name: "larger than 16 MiB", line: strings.Repeat(" ", maxMessage+1), code: -32600},
	{name: "blank", line: " \t\r", silent: true},
	{name: "too many in a batch", line: `[` + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/call"},`, maxBatch) + `1]`, code: -32600, recorded: "invalid_argument"},
}

// Whatever comes, it costs an error at most; what calls a tool is recorded.
func TestHostileMessages(t *testing.T) {
	f := newFixture(t, "code_review")
	f.write("a.txt", "inside\n")
	s := f.serve().greet()
	before := 0
	for _, tt := range hostile {
		s.send(tt.line, `{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
		line := s.line()
		if len(line) > 4<<10 {
			t.Errorf("%s: an answer of %d bytes", tt.name, len(line))
		}
		var r reply
		decodeJSON(t, line, &r)
		alive := r.ID == "alive"
		switch {
		case tt.silent && !alive:
			t.Errorf("%s: answer %s, want none", tt.name, line)
		case !tt.silent && alive:
			r = s.reply() // the ping was quicker
			fallthrough
		case !tt.silent:
			if code := codeOf(r); code != tt.code {
				t.Errorf("%s: answer %+v, want code %d", tt.name, r, tt.code)
			}
		}
		if !alive {
			if r := s.reply(); r.ID != "alive" || r.Error != nil {
				t.Fatalf("%s: the session is broken: %+v", tt.name, r)
			}
		}
		records := f.records()
		got := records[before:]
		switch {
		case tt.recorded == "" && tt.code == 0 && !tt.silent: // a call that went well
			if len(got) != 1 || got[0].ErrorKind != "" {
				t.Errorf("%s: records %+v", tt.name, got)
			}
		case tt.recorded == "":
			if len(got) != 0 {
				t.Errorf("%s: records %+v, want none", tt.name, got)
			}
		default:
			if len(got) == 0 || got[0].ErrorKind != tt.recorded || got[0].Resolved != "" {
				t.Errorf("%s: records %+v, want %s", tt.name, got, tt.recorded)
			}
		}
		before = len(records)
	}
}

func codeOf(r reply) int {
	if r.Error == nil {
		return 0
	}
	return r.Error.Code
}

func TestDuplicateID(t *testing.T) {
	f := newFixture(t, "code_review", holdRule)
	f.write("hold", "")
	s := f.serve().greet()
	s.send(callLine(1, "file_read", `{"path":"hold"}`))
	<-f.asked
	s.send(callLine(1, "file_list", `{}`))
	r := s.reply()
	if r.Error == nil || r.Error.Code != -32600 || r.ID != nil {
		t.Errorf("a second call with the id: %+v", r)
	}
	if records := f.records(); len(records) != 1 || records[0].Tool != "file_list" || records[0].ErrorKind != "invalid_argument" {
		t.Errorf("records %+v", records)
	}
	s.stop()
}

// A call before initialize is refused by the protocol, and recorded.
func TestCallBeforeInitialize(t *testing.T) {
	f := newFixture(t, "agent")
	s := f.serve()
	s.send(callLine(1, "file_write", `{"path":"new","content":"x"}`))
	if r := s.reply(); codeOf(r) != -32600 {
		t.Errorf("answer %+v", r)
	}
	records := f.records()
	if len(records) != 1 || records[0].Tool != "file_write" || records[0].ErrorKind != "invalid_argument" {
		t.Errorf("records %+v", records)
	}
}

func TestBatch(t *testing.T) {
	f := newFixture(t, "code_review", holdRule)
	f.write("a.txt", "inside\n")
	f.write("hold", "")
	s := f.serve().greet()
	s.send(`[` + strings.Join([]string{
		callLine(1, "file_read", `{"path":"a.txt"}`), `{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/no/such"}`, `{"id":3}`, callLine(4, "file_read", `{"path":"hold"}`),
	}, ",") + `]`)
	<-f.asked
	s.send(cancelLine(4))
	var replies []reply
	decodeJSON(t, s.line(), &replies)
	got := map[any]int{}
	for _, r := range replies {
		got[r.ID] = codeOf(r)
	}
	want := map[any]int{1.0: 0, 2.0: 0, 3.0: -32600}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("answers %v, want %v", got, want)
	}
	s.send(`[` + callLine(6, "file_read", `{"path":"hold"}`) + `]`)
	<-f.asked
	s.send(cancelLine(6), `[{"jsonrpc":"2.0","method":"notifications/no/such"}]`)
	for len(f.records()) < 3 { // until the cancelled call is done with
		s.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
		if r := s.reply(); r.ID != 5.0 {
			t.Fatalf("a batch that wants no answer gets one: %+v", r)
		}
	}
	s.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	if r := s.reply(); r.ID != 5.0 {
		t.Errorf("a batch that wants no answer gets one: %+v", r)
	}
}

// FuzzMessages sends lines to a session. It must go on, and record what calls a
// tool.
func FuzzMessages(f *testing.F) {
	for _, tt := range hostile {
		if len(tt.line) < 4<<10 {
			f.Add([]byte(tt.line))
		}
	}
	f.Add([]byte(callLine(1, "file_read", `{"path":"a.txt"}`) + "\n" + callLine(1, "file_list", `{}`) + "\n" + cancelLine(1)))
	f.Add([]byte(`[` + callLine(1, "file_find", `{"pattern":"**"}`) + `,` + cancelLine(1) + `]`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a.txt"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`))
	fix := newFixture(f, "code_review")
	fix.write("a.txt", "inside\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		fix.t = t
		before := len(fix.records())
		s := fix.serve().greet()
		s.t = t
		go func() {
			_, _ = s.in.Write(append(data, "\n"+`{"jsonrpc":"2.0","id":"the last","method":"ping"}`+"\n"...))
		}()
		for {
			line := s.line()
			if line == "" {
				t.Fatal("the session is over")
			}
			if !json.Valid([]byte(line)) {
				t.Fatalf("not JSON: %s", line)
			}
			if strings.Contains(line, `"id":"the last"`) {
				break
			}
		}
		s.end()
		calls := 0
		for line := range bytes.Lines(data) {
			calls += countCalls(bytes.TrimSpace(line))
		}
		if got := len(fix.records()) - before; got < calls {
			t.Errorf("%d records for %d calls", got, calls)
		}
	})
}

// countCalls counts the tool calls of a line as another reader would see them.
func countCalls(line []byte) (n int) {
	var m struct{ Method string }
	if json.Unmarshal(line, &m) == nil && m.Method == "tools/call" {
		return 1
	}
	var batch []struct{ Method string }
	if json.Unmarshal(line, &batch) == nil {
		for _, m := range batch {
			if m.Method == "tools/call" {
				n++
			}
		}
	}
	return n
}
