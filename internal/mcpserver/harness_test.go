package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// fixture is a workspace and the toolbox over it.
type fixture struct {
	t    testing.TB
	root string
	log  string
	opts Options

	progress []tool.Progress // what a call reports that waits

	asked chan *tool.ApprovalRequest // a call that has begun and goes on only when its context ends
}

// holdRule has every call that touches a file named hold wait, until it is cancelled.
var holdRule = policy.Rule{Name: "hold", Action: policy.Supervised, Paths: []string{"hold"}}

func (f *fixture) ask(ctx context.Context, r *tool.ApprovalRequest) (*tool.Approval, error) {
	for _, p := range f.progress {
		tool.ReportProgress(ctx, p)
	}
	f.asked <- r
	<-ctx.Done()
	return nil, ctx.Err()
}

// keepPlaces has calls that wait for a human keep their place, as they do when too
// many wait.
func keepPlaces(t testing.TB) {
	old := maxAsking
	maxAsking = 0
	t.Cleanup(func() { maxAsking = old })
}

func newFixture(t testing.TB, task string, rules ...policy.Rule) *fixture {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, root: base + "/ws", log: base + "/state/audit.log"}
	if err := os.Mkdir(f.root, 0o700); err != nil {
		t.Fatal(err)
	}
	types := workspace.TaskTypes(map[string][]workspace.Op{"none": {}})
	kind, err := workspace.FindTask(types, task)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	space, err := workspace.Open(ctx, workspace.Options{Dir: f.root, Task: kind, TaskTypes: types, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = space.Close() })
	p, err := policy.Compile(policy.Config{Workspace: []string{f.root}, Rules: rules, KnownTools: tool.Names()})
	if err != nil {
		t.Fatal(err)
	}
	log, err := audit.Open(ctx, audit.Options{Path: f.log, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	f.asked = make(chan *tool.ApprovalRequest, maxQueued)
	box, err := tool.New(tool.Options{Workspace: space, Policy: p, Audit: log, Ask: f.ask})
	if err != nil {
		t.Fatal(err)
	}
	f.opts = Options{
		Tools: box, Instructions: "Stay inside.", Version: "test", Logger: slog.New(slog.DiscardHandler),
		Request: func(name string, args json.RawMessage) tool.Request {
			return tool.Request{Tool: name, Args: args, Session: "s1", Principal: "tester"}
		},
	}
	return f
}

func (f *fixture) write(name, content string) {
	f.t.Helper()
	name = filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// many writes n small files into a directory.
func (f *fixture) many(dir string, n int) {
	f.t.Helper()
	for i := range n {
		f.write(fmt.Sprintf("%s/%04d.txt", dir, i), "x\n")
	}
}

// records reads the audit log.
func (f *fixture) records() []audit.Record {
	f.t.Helper()
	file, err := os.Open(f.log)
	if err != nil {
		f.t.Fatal(err)
	}
	defer file.Close()
	var all []audit.Record
	for r, err := range audit.Records(file) {
		if err != nil {
			f.t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// stdio is a client that writes and reads lines.
type stdio struct {
	t      testing.TB
	in     *os.File // to the server
	out    *bufio.Reader
	outEnd *os.File
	stop   context.CancelFunc
	served chan error
	close  sync.Once
}

// serve starts a server on a pair of pipes, as it has them in a process.
func (f *fixture) serve() *stdio {
	f.t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		f.t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &stdio{t: f.t, in: inW, out: bufio.NewReaderSize(outR, 1<<16), outEnd: outR, stop: cancel, served: make(chan error, 1)}
	go func() { s.served <- Serve(ctx, f.opts, inR, outW) }()
	f.t.Cleanup(s.end)
	return s
}

// end closes the client's side and waits for the server.
func (s *stdio) end() {
	s.close.Do(func() {
		_ = s.in.Close()
		go func() { _, _ = io.Copy(io.Discard, s.out) }()
		err := <-s.served
		s.stop()
		_ = s.outEnd.Close()
		if err != nil {
			s.t.Errorf("Serve: %v", err)
		}
	})
}

func (s *stdio) send(lines ...string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, strings.Join(lines, "\n")+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// line is the next line of the server; "" at the end of the stream.
func (s *stdio) line() string {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil && err != io.EOF {
		s.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// reply is a message of the server.
type reply struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func (s *stdio) reply() reply {
	s.t.Helper()
	var r reply
	decodeJSON(s.t, s.line(), &r)
	return r
}

func decodeJSON(t testing.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
}

const (
	hello       = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// greet opens a session.
func (s *stdio) greet() *stdio {
	s.t.Helper()
	s.send(hello, initialized)
	if r := s.reply(); r.Error != nil {
		s.t.Fatalf("initialize: %s", r.Error.Message)
	}
	return s
}

func callLine(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

// toolResult is the result of a tools/call.
type toolResult struct {
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Data     string `json:"data"`
		MIMEType string `json:"mimeType"`
	} `json:"content"`
	Structured struct {
		Success   bool            `json:"success"`
		Output    string          `json:"output"`
		Error     string          `json:"error"`
		ErrorKind string          `json:"error_kind"`
		Data      json.RawMessage `json:"data"`
	} `json:"structuredContent"`
	IsError bool `json:"isError"`
}

// call calls a tool and returns its result.
func (s *stdio) call(id int, tool, args string) toolResult {
	s.t.Helper()
	s.send(callLine(id, tool, args))
	r := s.reply()
	if r.Error != nil {
		s.t.Fatalf("%s: %s", tool, r.Error.Message)
	}
	if r.ID != float64(id) {
		s.t.Fatalf("%s: answer to %v, want %d", tool, r.ID, id)
	}
	var result toolResult
	decodeJSON(s.t, string(r.Result), &result)
	return result
}
