package mcpserver

import (
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/tool"
)

// BenchmarkRead is a file_read over pipes, client included.
func BenchmarkRead(b *testing.B) {
	f := newFixture(b, "code_review")
	for name, size := range map[string]int{"4KiB": 4 << 10, "1MiB": 1 << 20} {
		f.write(name, strings.Repeat("\tif value[17] != \"3f2a90bc\" {\n", size)[:size])
		b.Run(name, func(b *testing.B) {
			s := f.serve().greet()
			defer s.end()
			call := callLine(1, "file_read", `{"path":"`+name+`"}`) + "\n"
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = io.WriteString(s.in, call)
				for {
					if _, err := s.out.ReadSlice('\n'); err == nil {
						break
					}
				}
			}
		})
	}
}

// BenchmarkDeliver is the way of a result of 1 MiB from the toolbox to the bytes on
// the wire: as the SDK encodes it whole, and with the text spliced in.
func BenchmarkDeliver(b *testing.B) {
	text := strings.Repeat("\tif value[17] != \"3f2a90bc\" {\n", 1<<16)[:1<<20]
	r := &tool.Result{Success: true, Output: text, Data: map[string]any{"size": len(text)}}
	id, err := jsonrpc.MakeID("id")
	if err != nil {
		b.Fatal(err)
	}
	marshalled := func(b *testing.B, result *mcp.CallToolResult) *jsonrpc.Response {
		raw, err := marshal(result)
		if err != nil {
			b.Fatal(err)
		}
		return &jsonrpc.Response{ID: id, Result: raw}
	}
	b.Run("whole", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			response := marshalled(b, &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: r})
			if _, err := jsonrpc.EncodeMessage(response); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("spliced", func(b *testing.B) {
		b.ReportAllocs()
		c := &conn{calls: newCalls()}
		for b.Loop() {
			k := &call{}
			if _, err := encode(marshalled(b, c.deliver(k, nativeAnswer(r))), k.payload); err != nil {
				b.Fatal(err)
			}
			k.payload.release()
		}
	})
}
