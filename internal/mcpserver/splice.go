package mcpserver

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK encodes a result again and again on its way out: the content block, the
// result around it, the response around that, each with a check of what is inside.
// For a small result that is nothing. A file of 1 MiB, which goes out twice (text
// and structured content), takes 51 ms and 11 MB of memory that way, and 2 ms and
// 6 KB the way that follows (BenchmarkDeliver; what counts is the ratio).
//
// So the SDK gets a small result in which a random token stands for the text, and
// the connection, which writes the response, puts the text in the token's place:
// escaped once, written twice. The seam is three things: deliver makes the small
// result, RequestExtra ties it to its request, and conn.Write calls splice. All
// that the SDK adds to a result (its type, the server's name) stays as it is.

// payload is a long text on its way past the SDK.
type payload struct {
	token         []byte // as it stands in the result, quotes included
	text          []byte // what takes its place: a JSON string
	before, after []byte // around text in the second place, if before is not nil
}

var errSplice = errors.New("mcpserver: the result does not hold its token")

// splice appends result to pieces, with text in the place of the first token and
// before, text, after in that of the second.
func (p *payload) splice(pieces [][]byte, result []byte) ([][]byte, error) {
	head, rest, ok := bytes.Cut(result, p.token)
	if !ok {
		return nil, errSplice
	}
	pieces = append(pieces, head, p.text)
	if p.before == nil {
		return append(pieces, rest), nil
	}
	head, rest, ok = bytes.Cut(rest, p.token)
	if !ok {
		return nil, errSplice
	}
	return append(pieces, head, p.before, p.text, p.after, rest), nil
}

// newPayload returns a payload and the bytes whose base64 is its token: a block
// that holds bytes shows the token just like one that holds text.
func newPayload(text string, before, after []byte) (p *payload, raw []byte) {
	raw = make([]byte, 24) // no padding in base64
	_, _ = rand.Read(raw)  // never fails
	token := `"` + base64.StdEncoding.EncodeToString(raw) + `"`
	return &payload{token: []byte(token), text: appendString(takeBuffer(len(text)), text), before: before, after: after}, raw
}

func (p *payload) placeholder() string { return string(p.token[1 : len(p.token)-1]) }

// deliver turns an answer into the small result that the SDK sees.
func (c *conn) deliver(k *call, a *answer) *mcp.CallToolResult {
	p, raw := newPayload(a.text, a.before, a.after)
	c.carry(k, p)
	r := &mcp.CallToolResult{Content: []mcp.Content{a.block(p.placeholder(), raw)}, IsError: a.kind != ""}
	if a.before != nil {
		r.StructuredContent = p.placeholder()
	}
	return r
}

// block is the content block of an answer: text, or what raw is the bytes of.
func (a *answer) block(text string, raw []byte) mcp.Content {
	kind, _, _ := strings.Cut(a.media, "/")
	switch {
	case a.uri != "":
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: a.uri, MIMEType: a.media, Blob: raw}}
	case kind == "image":
		return &mcp.ImageContent{MIMEType: a.media, Data: raw}
	case kind == "audio":
		return &mcp.AudioContent{MIMEType: a.media, Data: raw}
	default:
		return &mcp.TextContent{Text: text}
	}
}

// buffers are kept for the next payload, but for huge ones.
var buffers sync.Pool

const keepBuffer = 4 << 20

func takeBuffer(n int) []byte {
	n += n/8 + 16 // room for escapes
	if b, ok := buffers.Get().(*[]byte); ok && cap(*b) >= n {
		return (*b)[:0]
	}
	return make([]byte, 0, n)
}

// release gives the buffer of a payload back, once it is written.
func (p *payload) release() {
	if p == nil || cap(p.text) > keepBuffer {
		return
	}
	buffers.Put(&p.text)
}
