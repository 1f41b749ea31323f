package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/compat"
)

// join connects a client over a connection of the SDK's.
func (f *fixture) join() *mcp.ClientSession {
	f.t.Helper()
	ctx := context.Background()
	ours, theirs := mcp.NewInMemoryTransports()
	server, err := New(f.opts).Connect(ctx, ours, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		_ = client.Close()
		_ = server.Wait()
	})
	return client
}

// What Serve answers over a stream, New answers over a connection of the SDK's, and
// records it too.
func TestHostedLikeServed(t *testing.T) {
	f := newFixture(t, "code_review")
	f.write("text", "a \"b\" <c> \u2028\n")
	raw, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	f.write("pixel.png", string(raw))
	hosted := f.join()
	streamed := f.serve().greet()
	ctx := context.Background()
	calls := []struct{ tool, args, media string }{
		{"file_read", `{"path":"text"}`, "text"},
		{"file_read", `{"path":"pixel.png","encoding":"base64"}`, "image"},
		{"file_read", `{"path":"../outside"}`, "text"},
		{"file_delete", `{"path":"text"}`, "text"},
		{"nothing", `{}`, "text"},
	}
	for i, tt := range calls {
		r, err := hosted.CallTool(ctx, &mcp.CallToolParams{Name: tt.tool, Arguments: json.RawMessage(tt.args)})
		if err != nil {
			t.Fatalf("%s %s: %v", tt.tool, tt.args, err)
		}
		encoded, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var got toolResult
		decodeJSON(t, string(encoded), &got)
		want := streamed.call(i, tt.tool, tt.args)
		if len(got.Content) != 1 || len(want.Content) != 1 || got.Content[0] != want.Content[0] || want.Content[0].Type != tt.media {
			t.Errorf("%s %s: content %+v, want %+v", tt.tool, tt.args, got.Content, want.Content)
		}
		if got.IsError != want.IsError || !sameStructure(t, got, want) {
			t.Errorf("%s %s: %+v, want %+v", tt.tool, tt.args, got.Structured, want.Structured)
		}
	}
	for _, name := range []string{"text", "pixel.png"} {
		r, err := hosted.ReadResource(ctx, &mcp.ReadResourceParams{URI: fileURI(f.root + "/" + name)})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Contents[0]; c.Text != "a \"b\" <c> \u2028\n" && string(c.Blob) != string(raw) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	results := 0
	for _, r := range f.records() {
		if r.Phase != audit.PhaseIntent {
			results++
		}
	}
	// The picture is asked for as text first.
	if want := 2*len(calls) + 3; results != want {
		t.Errorf("%d results in the log, want %d", results, want)
	}
}

// sameStructure compares structured content whatever the order of its members is.
func sameStructure(t *testing.T, a, b toolResult) bool {
	t.Helper()
	var members [2]map[string]any
	for i, r := range []toolResult{a, b} {
		raw, err := json.Marshal(r.Structured)
		if err != nil {
			t.Fatal(err)
		}
		decodeJSON(t, string(raw), &members[i])
	}
	return reflect.DeepEqual(members[0], members[1])
}

// The SDK would answer these with lists of nothing, as if there could be something.
func TestOnlyWhatIsOffered(t *testing.T) {
	for _, tt := range []struct {
		method    string
		resources bool
	}{
		{"prompts/list", false},
		{"prompts/get", false},
		{"completion/complete", false},
		{"resources/list", true},
		{"resources/templates/list", true},
	} {
		for _, standsIn := range []bool{false, true} {
			f := newFixture(t, "code_review")
			if standsIn {
				f.opts.Compat = compat.Tools(compat.Options{Tools: f.opts.Tools, Request: f.opts.Request})
			}
			s := f.serve().greet()
			s.send(`{"jsonrpc":"2.0","id":1,"method":"` + tt.method + `","params":{"name":"x","ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":"x"}}}`)
			r := s.reply()
			offered := tt.resources && !standsIn
			if refused := r.Error != nil && r.Error.Code == jsonrpc.CodeMethodNotFound; refused == offered {
				t.Errorf("%s, standing in %v: %+v", tt.method, standsIn, r.Error)
			}
		}
	}
}
