package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/tool"
)

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "eight888", "line\n\ttab\r\"quote\" \\", "\x00\x1f\x20\x7f", "é€😀", "\xff\xc3", "\u2028<&>", strings.Repeat("x", 100) + "\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := appendString([]byte("x"), s)[1:]
		var back string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if want := strings.ToValidUTF8(s, "\uFFFD"); back != want {
			t.Errorf("%q comes back as %q", s, back)
		}
		if utf8.ValidString(s) && len(got) > 2+6*len(s) {
			t.Errorf("%q: %d bytes", s, len(got))
		}
	})
}

// What goes out by way of a token is what the SDK would have encoded.
func TestSpliceIsTheWholeResult(t *testing.T) {
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG"))
	for name, r := range map[string]*tool.Result{
		"text":    {Success: true, Output: "a \"line\"\n<&>\u2028\x01", Data: map[string]any{"n": 1}},
		"empty":   {Success: true, Data: struct{}{}},
		"failed":  {Error: "not_found: \"x\" does not exist\n", ErrorKind: tool.NotFound, Data: []int{1}},
		"picture": {Success: true, Output: png, Data: map[string]any{"media_type": "image/png", "encoding": "base64", "size": 4}},
		"sound":   {Success: true, Output: png, Data: map[string]any{"media_type": "audio/mpeg", "encoding": "base64", "size": 4}},
		"a part":  {Success: true, Output: png, Data: map[string]any{"media_type": "image/png", "encoding": "base64", "size": 400}},
		"a bmp":   {Success: true, Output: png, Data: map[string]any{"media_type": "image/bmp", "encoding": "base64", "size": 4}},
	} {
		a := nativeAnswer(r)
		if want := map[string]string{"picture": "image/png", "sound": "audio/mpeg"}[name]; a.media != want {
			t.Errorf("%s: media %q, want %q", name, a.media, want)
		}
		c := &conn{calls: newCalls()}
		k := &call{}
		small, err := json.Marshal(c.deliver(k, a))
		if err != nil {
			t.Fatal(err)
		}
		id, _ := jsonrpc.MakeID("id")
		pieces, err := encode(&jsonrpc.Response{ID: id, Result: small}, k.payload)
		if err != nil {
			t.Fatal(err)
		}
		told := r.Output
		if !r.Success {
			told = r.Error
		}
		raw, _ := base64.StdEncoding.DecodeString(told)
		whole, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "id", "result": &mcp.CallToolResult{
			Content: []mcp.Content{a.block(told, raw)}, StructuredContent: r, IsError: !r.Success,
		}})
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		decodeJSON(t, string(join(pieces...)), &got)
		decodeJSON(t, string(whole), &want)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %s\nwant %s", name, join(pieces...), whole)
		}
	}
}

func TestSpliceWithoutToken(t *testing.T) {
	p, _ := newPayload("text", []byte("{"), []byte("}"))
	for _, result := range []string{`{}`, `{"a":` + string(p.token) + `}`} {
		if _, err := p.splice(nil, []byte(result)); err == nil {
			t.Errorf("%s was taken for a whole result", result)
		}
	}
}

func TestMediaOfFiles(t *testing.T) {
	f := newFixture(t, "code_review")
	f.write("p.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00")
	f.write("s.wav", "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	f.write("text.png", "not a picture at all\n")
	f.write("z.bin", "\x00\x01\x02")
	s := f.serve().greet()
	for _, tt := range []struct{ args, typ, mime string }{
		{`{"path":"p.png","encoding":"base64"}`, "image", "image/png"},
		{`{"path":"s.wav","encoding":"base64"}`, "audio", "audio/wav"},
		{`{"path":"p.png","encoding":"base64","max_bytes":9}`, "text", ""},
		{`{"path":"text.png","encoding":"base64"}`, "text", ""},
		{`{"path":"z.bin","encoding":"base64"}`, "text", ""},
	} {
		r := s.call(1, "file_read", tt.args)
		if len(r.Content) != 1 || r.Content[0].Type != tt.typ || r.Content[0].MIMEType != tt.mime {
			t.Fatalf("%s: content %+v", tt.args, r.Content)
		}
		if got := r.Content[0].Text + r.Content[0].Data; got != r.Structured.Output || got == "" {
			t.Errorf("%s: the block has %q, the output is %q", tt.args, got, r.Structured.Output)
		}
	}
}
