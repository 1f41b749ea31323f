package mcpserver

import (
	"encoding/base64"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// New returns the server for connections of the SDK's own, as it has them over
// HTTP: the same tools, resources and records as behind Serve. What conn.go does
// for a stream is up to whoever brings the connection: bounds on a client, and the
// record of a call that the protocol refuses before it arrives here. Results go out
// as the SDK encodes them. The server may have many sessions at once.
func New(o Options) *mcp.Server {
	return prepare(o).newServer()
}

// handOver notes that the toolbox has a request; nil on a connection of the SDK's.
func (s *server) handOver(extra *mcp.RequestExtra) *call {
	if s.conn == nil {
		return nil
	}
	return s.conn.handOver(extra)
}

// deliver turns an answer into what the SDK sends.
func (s *server) deliver(k *call, a *answer) (*mcp.CallToolResult, error) {
	if k == nil {
		return a.whole()
	}
	return s.conn.deliver(k, a), nil
}

// whole is an answer with its text in it.
func (a *answer) whole() (*mcp.CallToolResult, error) {
	var raw []byte
	if a.media != "" {
		var err error
		if raw, err = base64.StdEncoding.DecodeString(a.text); err != nil {
			return nil, err
		}
	}
	r := &mcp.CallToolResult{Content: []mcp.Content{a.block(a.text, raw)}, IsError: a.kind != ""}
	if a.before != nil {
		r.StructuredContent = json.RawMessage(join(a.before, appendString(nil, a.text), a.after))
	}
	return r, nil
}

// fill puts what was read into the content of a resource.
func (s *server) fill(k *call, content *mcp.ResourceContents, output string, binary bool) error {
	if k == nil {
		if !binary {
			content.Text = output
			return nil
		}
		var err error
		content.Blob, err = base64.StdEncoding.DecodeString(output)
		return err
	}
	p, raw := newPayload(output, nil, nil)
	s.conn.carry(k, p)
	if binary {
		content.Blob = raw
	} else {
		content.Text = p.placeholder()
	}
	return nil
}
