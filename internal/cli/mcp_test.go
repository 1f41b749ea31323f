package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/audit"
)

// server is bailey mcp as a process.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	outEnd io.ReadCloser
	stderr bytes.Buffer
	root   string
	state  string
}

// newServer prepares bailey mcp over a workspace with one file, a.txt. The command
// is this test binary, which testscript lets answer to that name.
func newServer(t *testing.T, flags ...string) *server {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, root: base + "/ws", state: base + "/state"}
	if err := os.Mkdir(s.root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.root+"/a.txt", []byte("inside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := base + "/bailey"
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(program, append([]string{"mcp", "--workspace", s.root, "--state", s.state}, flags...)...)
	s.cmd.Env = append(os.Environ(), "HOME="+base, "XDG_CONFIG_HOME="+base+"/config")
	s.cmd.Stderr = &s.stderr
	return s
}

func (s *server) start() *server {
	s.t.Helper()
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		s.t.Fatal(err)
	}
	if s.outEnd, err = s.cmd.StdoutPipe(); err != nil {
		s.t.Fatal(err)
	}
	s.out = bufio.NewReader(s.outEnd)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	s.line()
	return s
}

func (s *server) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) line() string {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatalf("%v; stderr: %s", err, s.stderr.String())
	}
	return line
}

func (s *server) call(tool, args string) string {
	s.t.Helper()
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args))
	return s.line()
}

// wait expects the process to end well.
func (s *server) wait() {
	s.t.Helper()
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("%v; stderr: %s", err, s.stderr.String())
	}
}

// kinds are the error kinds of the results in the audit log, which must verify.
func (s *server) kinds() []string {
	s.t.Helper()
	raw, err := os.ReadFile(s.state + "/audit.log")
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := audit.Verify(bytes.NewReader(raw)); err != nil {
		s.t.Error(err)
	}
	var kinds []string
	for r, err := range audit.Records(bytes.NewReader(raw)) {
		if err != nil {
			s.t.Fatal(err)
		}
		kinds = append(kinds, r.ErrorKind)
	}
	return kinds
}

func TestServerEnds(t *testing.T) {
	for name, end := range map[string]func(*server){
		"end of input": func(s *server) { _ = s.in.Close() },
		"SIGTERM":      func(s *server) { _ = s.cmd.Process.Signal(syscall.SIGTERM) }, // stdin stays open
		"SIGINT":       func(s *server) { _ = s.cmd.Process.Signal(os.Interrupt) },
		"the client dies": func(s *server) {
			_ = s.outEnd.Close()
			_ = s.in.Close()
		},
		"the client dies with a call under way": func(s *server) {
			_ = s.outEnd.Close()
			s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"file_list","arguments":{}}}`)
			_ = s.in.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t).start()
			if got := s.call("file_read", `{"path":"a.txt"}`); !strings.Contains(got, `"output":"inside\n"`) {
				t.Errorf("answer %s", got)
			}
			s.call("file_read", `{"path":"../x"}`)
			end(s)
			s.wait()
			if got := s.kinds(); len(got) < 2 || got[0] != "" || got[1] != "path_escape" {
				t.Errorf("recorded %q", got)
			}
		})
	}
}

// A client that takes no answers can't keep the server from ending.
func TestServerEndsWhenStuck(t *testing.T) {
	s := newServer(t)
	if err := os.WriteFile(s.root+"/big.txt", bytes.Repeat([]byte("x"), 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_read","arguments":{"path":"big.txt"}}}`)
	if _, err := s.out.Peek(1); err != nil { // the answer has begun
		t.Fatal(err)
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	if state, err := s.cmd.Process.Wait(); err != nil || state.ExitCode() != 0 {
		t.Errorf("%v %v; stderr: %s", state, err, s.stderr.String())
	}
	if got := s.kinds(); len(got) != 1 || got[0] != "" {
		t.Errorf("recorded %q", got)
	}
}

// Standard input need not be a pipe.
func TestServerReadsFile(t *testing.T) {
	s := newServer(t)
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(script)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s.cmd.Stdin = in
	out, err := s.cmd.Output()
	if err != nil || !strings.Contains(string(out), `"id":7,"result"`) {
		t.Errorf("%v: %s", err, out)
	}
}

// A configuration that can't be used refuses every call, where the agent's user
// sees it.
func TestServerWithoutConfiguration(t *testing.T) {
	for name, flags := range map[string][]string{
		"broken":  {"--config", "config.toml"},
		"missing": {"--config", "/nonexistent/config.toml"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, flags...)
			if name == "broken" {
				s.cmd.Dir = t.TempDir()
				if err := os.WriteFile(s.cmd.Dir+"/config.toml", []byte("[workspace]\nnonsense = 1\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.start()
			for _, tool := range []string{"file_read", "file_write", "nothing"} {
				got := s.call(tool, `{"path":"a.txt"}`)
				if !strings.Contains(got, `"error_kind":"config"`) || !strings.Contains(got, `"isError":true`) {
					t.Errorf("%s: %s", tool, got)
				}
			}
			s.send(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`)
			if got := s.line(); !strings.Contains(got, `"error_kind":"config"`) {
				t.Errorf("resources/list: %s", got)
			}
			_ = s.in.Close()
			s.wait()
			if !strings.Contains(s.stderr.String(), "bailey: config: ") {
				t.Errorf("stderr: %s", s.stderr.String())
			}
		})
	}
}

// The Go SDK's client, which begins without initialize where it can.
func TestServerWithSDK(t *testing.T) {
	s := newServer(t, "--task", "agent")
	ctx := context.Background()
	progress := make(chan float64, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Progress },
	})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: s.cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil || len(list.Tools) < 13 {
		t.Fatalf("tools: %v", err)
	}
	content := strings.Repeat("a \"line\" & <more>\n", 1<<16)
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "file_write", Arguments: map[string]any{"path": "big.txt", "content": content}})
	if err != nil || r.IsError {
		t.Fatalf("file_write: %v %+v", err, r)
	}
	params := &mcp.CallToolParams{Name: "file_read", Arguments: map[string]any{"path": "big.txt"}}
	params.SetProgressToken("t")
	if r, err = session.CallTool(ctx, params); err != nil || r.IsError {
		t.Fatalf("file_read: %v %+v", err, r)
	}
	text, _ := r.Content[0].(*mcp.TextContent)
	structured, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var shape struct {
		Output string `json:"output"`
	}
	if err := json.Unmarshal(structured, &shape); err != nil {
		t.Fatal(err)
	}
	if text == nil || text.Text != content || shape.Output != content {
		t.Error("the content does not come back")
	}
	if got := <-progress; got <= 0 {
		t.Errorf("progress %v", got)
	}
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "file://" + s.root + "/a.txt"})
	if err != nil || read.Contents[0].Text != "inside\n" {
		t.Errorf("resource: %v", err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if got := s.kinds(); slices.ContainsFunc(got, func(k string) bool { return k != "" }) {
		t.Errorf("recorded %q", got)
	}
}
