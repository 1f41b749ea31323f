package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/tool"
)

// progressEvery is the least time between two notifications about a call. The
// first one goes out at once. Tests set it.
var progressEvery = 100 * time.Millisecond

// withProgress has a call tell the client how far it is, if the client asked by a
// token. Clients may take it as a sign of life and go on waiting.
func withProgress(ctx context.Context, session *mcp.ServerSession, token any) context.Context {
	switch token.(type) {
	case string, float64:
	default:
		return ctx // none, or no token
	}
	var last time.Time
	done := float64(-1)
	return tool.WithProgress(ctx, func(p tool.Progress) {
		now := time.Now()
		if ctx.Err() != nil || !last.IsZero() && now.Sub(last) < progressEvery {
			return
		}
		last = now
		// The protocol wants it to grow, whatever is counted.
		done = max(float64(p.Done), done+1)
		total := float64(p.Total)
		if done > total {
			total = 0
		}
		message := p.Message
		if message == "" {
			message = fmt.Sprintf("%d %s", p.Done, p.Unit)
		}
		// That it does not arrive is no reason to stop working.
		_ = session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: done, Total: total, Message: message,
		})
	})
}
