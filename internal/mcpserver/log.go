package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// logEntry is what a client that asked for log messages learns of a call.
type logEntry struct {
	Tool      string `json:"tool"`
	ErrorKind string `json:"error_kind,omitempty"`
	Error     string `json:"error,omitempty"`
}

// tell logs a call to the client: a failed one as a warning, for the human in
// front of the client, any other for debugging. Nothing is sent to a client that
// did not set a level.
func tell(ctx context.Context, session *mcp.ServerSession, name string, a *answer) {
	entry := logEntry{Tool: clip(name)}
	message := &mcp.LoggingMessageParams{Logger: "bailey", Level: "debug"} //nolint:staticcheck // deprecated by one protocol version of five
	if a.kind != "" {
		entry.ErrorKind, entry.Error, message.Level = string(a.kind), a.text, "warning"
	}
	message.Data = entry
	_ = session.Log(ctx, message) //nolint:staticcheck // as above
}
