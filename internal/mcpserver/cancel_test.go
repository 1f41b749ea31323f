package mcpserver

import (
	"fmt"
	"testing"

	"github.com/baileyhq/bailey/tool"
)

func cancelLine(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"test"}}`, id)
}

// A cancelled call stops, is recorded, gets no answer and gives its place away.
func TestCancel(t *testing.T) {
	keepPlaces(t)
	f := newFixture(t, "code_review", holdRule)
	f.write("hold", "")
	f.write("a.txt", "inside\n")
	s := f.serve().greet()
	for i := range maxRunning {
		s.send(callLine(i, "file_read", `{"path":"hold"}`))
		<-f.asked
	}
	s.send(
		callLine(100, "file_read", `{"path":"a.txt"}`), // waits for a place
		callLine(101, "file_read", `{"path":"a.txt"}`), // and is cancelled before it gets one
		cancelLine(101),
		cancelLine(7),
	)
	if r := s.reply(); r.ID != float64(100) || r.Error != nil {
		t.Fatalf("first answer %+v, want that to the call which waited", r)
	}
	// Ids that are free again, and cancellations that concern nothing.
	s.send(cancelLine(7), cancelLine(100), cancelLine(999), `{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	if r := s.call(7, "file_read", `{"path":"a.txt"}`); r.Structured.Output != "inside\n" {
		t.Errorf("the call after: %+v", r)
	}
	kinds := map[string]int{}
	for _, r := range f.records() {
		kinds[r.ErrorKind]++
	}
	if kinds["cancelled"] != 2 || kinds[""] != 2 {
		t.Errorf("records by kind: %v, want two cancelled and two that were answered", kinds)
	}
	s.stop()
}

func TestProgressNotifications(t *testing.T) {
	f := newFixture(t, "code_review")
	f.many("many", 600)
	s := f.serve().greet()
	for _, token := range []string{`"t"`, `17`} {
		s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_grep","arguments":{"pattern":"nothing"},"_meta":{"progressToken":` + token + `}}}`)
		r := s.reply()
		if r.Method != "notifications/progress" {
			t.Fatalf("first message %+v, want progress", r)
		}
		last := 0.0
		for ; r.Method != ""; r = s.reply() {
			var p struct {
				ProgressToken any
				Progress      float64
				Message       string
			}
			decodeJSON(t, string(r.Params), &p)
			if got := fmt.Sprintf("%#v", p.ProgressToken); got != token || p.Progress <= last || p.Message == "" {
				t.Errorf("progress %+v after %v", p, last)
			}
			last = p.Progress
		}
	}
	s.send(callLine(2, "file_grep", `{"pattern":"nothing"}`))
	if r := s.reply(); r.Method != "" {
		t.Errorf("progress that nobody asked for: %+v", r)
	}
}

// Progress grows, as the protocol wants it, whatever a call counts and says.
func TestProgressGrows(t *testing.T) {
	was := progressEvery
	progressEvery = 0
	t.Cleanup(func() { progressEvery = was })
	f := newFixture(t, "code_review", holdRule)
	f.write("hold", "")
	f.progress = []tool.Progress{{Done: 0, Message: "waits"}, {Done: 100, Total: 100, Unit: "bytes"}, {Done: 0, Message: "waits"}, {Done: 64, Total: 80, Unit: "entries"}}
	s := f.serve().greet()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_read","arguments":{"path":"hold"},"_meta":{"progressToken":"t"}}}`)
	var got []string
	for range f.progress {
		var p struct {
			Progress, Total float64
			Message         string
		}
		decodeJSON(t, string(s.reply().Params), &p)
		got = append(got, fmt.Sprintf("%v %v %s", p.Progress, p.Total, p.Message))
	}
	if want := []string{"0 0 waits", "100 100 100 bytes", "101 0 waits", "102 0 64 entries"}; !equal(got, want) {
		t.Errorf("progress %q, want %q", got, want)
	}
	s.stop()
}

func TestLogMessages(t *testing.T) {
	f := newFixture(t, "code_review")
	f.write("a.txt", "")
	s := f.serve().greet()
	s.call(1, "file_read", `{"path":"../x"}`) // no level, no message: the answer comes first
	for _, tt := range []struct {
		level, path, want string
	}{
		{"warning", "a.txt", ""},
		{"warning", "../x", `{"data":{"tool":"file_read","error_kind":"path_escape","error":"path_escape: ../x lies outside the workspace; use a path inside it"},"level":"warning","logger":"bailey"}`},
		{"debug", "a.txt", `{"data":{"tool":"file_read"},"level":"debug","logger":"bailey"}`},
	} {
		s.send(`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"` + tt.level + `"}}`)
		s.reply()
		s.send(callLine(3, "file_read", `{"path":"`+tt.path+`"}`))
		r, got := s.reply(), ""
		if r.Method == "notifications/message" {
			got = string(r.Params)
			r = s.reply()
		}
		if got != tt.want || r.ID != float64(3) {
			t.Errorf("%s %s: message %s, want %s", tt.level, tt.path, got, tt.want)
		}
	}
}
