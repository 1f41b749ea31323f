package conformance

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/internal/compat"
	"github.com/baileyhq/bailey/internal/mcpserver"
)

// fixture is a workspace behind HTTP, twice: with Bailey's own tools and the files
// as resources, and with tools of the names that the suite calls. Both are
// mcpserver's; a tool of the suite is answered by calls of the toolbox.
type fixture struct {
	root   string
	log    string
	bailey *bailey.Bailey
	urls   map[face]string
}

const (
	pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	tone  = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA=="
)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{root: filepath.Join(base, "ws"), log: filepath.Join(base, "state", "audit.log")}
	f.fill(t)
	env := map[string]string{"HOME": base}
	f.bailey, err = bailey.Open(context.Background(), bailey.Options{
		Workspace: f.root, StateDir: filepath.Dir(f.log), Task: "code_review", Session: "suite", Principal: "suite",
		Env: func(name string) string { return env[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.bailey.Close(); err != nil {
			t.Error(err)
		}
	})
	f.urls = map[face]string{own: serve(t, f.server(nil)), named: serve(t, f.server(f.tools()))}
	return f
}

// fill writes the files that the suite's resources and tools are.
func (f *fixture) fill(t *testing.T) {
	t.Helper()
	files := map[string][]byte{
		"simple-text":       []byte("This is a simple text response for testing."),
		"static-text":       []byte("This is the content of the static text resource."),
		"template/123/data": []byte(`{"id":"123","templateTest":true,"data":"Data for ID: 123"}`),
		"static-binary":     decode(t, pixel),
		"tone.wav":          decode(t, tone),
	}
	for i := range 3 * 64 { // three reports of progress
		files[fmt.Sprintf("many/%03d", i)] = []byte("x\n")
	}
	for name, content := range files {
		name = filepath.Join(f.root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func decode(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func (f *fixture) server(named []compat.Tool) *mcp.Server {
	s := mcpserver.New(mcpserver.Options{
		Tools: f.bailey.Toolbox(), Request: f.bailey.Request, Instructions: f.bailey.Prompt(), Version: "test",
		Logger: slog.New(slog.DiscardHandler), Compat: named,
	})
	s.AddReceivingMiddleware(f.renameResources, composeCalls)
	s.AddSendingMiddleware(paceProgress)
	return s
}

// firstStateless is the first protocol version without sessions.
const firstStateless = "2026-07-28"

// serve offers a server to both eras of the protocol, as a host over HTTP does.
func serve(t *testing.T, s *mcp.Server) string {
	t.Helper()
	get := func(*http.Request) *mcp.Server { return s }
	sessions := mcp.NewStreamableHTTPHandler(get, nil)
	stateless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	eras := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("MCP-Protocol-Version") >= firstStateless {
			stateless.ServeHTTP(w, r)
		} else {
			sessions.ServeHTTP(w, r)
		}
	})
	h := httptest.NewServer(http.NewCrossOriginProtection().Handler(eras))
	t.Cleanup(func() {
		h.CloseClientConnections()
		for session := range s.Sessions() {
			_ = session.Close()
		}
		h.Close()
	})
	return h.URL + "/mcp"
}

// renameResources gives the files of the workspace the suite's URIs.
func (f *fixture) renameResources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, ok := req.(*mcp.ReadResourceRequest)
		if !ok {
			return next(ctx, method, req)
		}
		asked := r.Params.URI
		name, renamed := strings.CutPrefix(asked, "test://")
		if _, err := os.Stat(filepath.Join(f.root, name)); !renamed || err != nil {
			return next(ctx, method, req)
		}
		r.Params.URI = "file://" + filepath.Join(f.root, name)
		result, err := next(ctx, method, req)
		if read, ok := result.(*mcp.ReadResourceResult); ok && err == nil {
			for _, c := range read.Contents {
				c.URI = asked
			}
		}
		return result, err
	}
}

// composed are tools that are several: a call of Bailey has one content block and
// logs one message.
var composed = map[string][]string{
	"test_multiple_content_types": {"test_simple_text", "test_image_content", "test_embedded_resource"},
	"test_tool_with_logging":      {"test_simple_text", "test_simple_text", "test_simple_text"},
}

func composeCalls(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, ok := req.(*mcp.CallToolRequest)
		if !ok || composed[r.Params.Name] == nil {
			return next(ctx, method, req)
		}
		var whole *mcp.CallToolResult
		for _, name := range composed[r.Params.Name] {
			params := *r.Params
			params.Name = name
			result, err := next(ctx, method, &mcp.CallToolRequest{Session: r.Session, Params: &params, Extra: r.Extra})
			if err != nil {
				return nil, err
			}
			part := result.(*mcp.CallToolResult)
			if whole == nil {
				whole = part
				continue
			}
			whole.Content = append(whole.Content, part.Content...)
			whole.IsError = whole.IsError || part.IsError
		}
		return whole, nil
	}
}

// paceProgress takes its time for each report of progress. The call waits for it,
// so that none comes too soon after the one before to be sent.
func paceProgress(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if method == "notifications/progress" {
			time.Sleep(120 * time.Millisecond)
		}
		return result, err
	}
}

// tools are those that the suite calls.
func (f *fixture) tools() []compat.Tool {
	embedded := f.tool("test_embedded_resource", "file_read", `{"path":"static-binary","encoding":"base64"}`)
	read := embedded.Call
	embedded.Call = func(ctx context.Context, args json.RawMessage) *compat.Answer {
		a := read(ctx, args)
		a.MediaType, a.URI = "image/png", "test://embedded-resource"
		return a
	}
	schema := f.tool("json_schema_2020_12_tool", "file_info", `{"path":"."}`)
	schema.Definition.InputSchema = json.RawMessage(schema2020)
	image := f.tool("test_image_content", "file_read", `{"path":"static-binary","encoding":"base64"}`)
	audio := f.tool("test_audio_content", "file_read", `{"path":"tone.wav","encoding":"base64"}`)
	return []compat.Tool{
		f.tool("test_simple_text", "file_read", `{"path":"simple-text"}`),
		withMedia(image, "image/png"), withMedia(audio, "audio/wav"), embedded, schema,
		f.tool("test_error_handling", "file_read", `{"path":"../outside"}`),
		f.tool("test_tool_with_progress", "file_find", `{"pattern":"**/*","path":"many"}`),
		f.tool("test_logging_tool", "file_read", `{"path":"../outside"}`),
	}
}

// tool is a tool of the suite's name that is one call of the toolbox.
func (f *fixture) tool(name, native, args string) compat.Tool {
	return compat.Tool{
		Definition: &mcp.Tool{Name: name, Description: "Calls " + native + ".", InputSchema: json.RawMessage(`{"type":"object"}`)},
		Call: func(ctx context.Context, _ json.RawMessage) *compat.Answer {
			r := f.bailey.Toolbox().Call(ctx, f.bailey.Request(native, json.RawMessage(args)))
			if !r.Success {
				return &compat.Answer{Text: r.Error, Kind: r.ErrorKind}
			}
			return &compat.Answer{Text: r.Output}
		},
	}
}

func withMedia(t compat.Tool, media string) compat.Tool {
	read := t.Call
	t.Call = func(ctx context.Context, args json.RawMessage) *compat.Answer {
		a := read(ctx, args)
		if a.Kind == "" {
			a.MediaType = media
		}
		return a
	}
	return t
}

// schema2020 has what the suite looks for of JSON Schema 2020-12.
const schema2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`
