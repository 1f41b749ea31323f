// Package mcpserver offers the tools of a workspace to an MCP client over a pair
// of streams. It is a face: it translates between the protocol and package tool
// and decides nothing. The protocol is the official SDK's; what is ours is the
// connection beneath it (conn.go), which puts bounds on a client, and the way a
// large result goes out (splice.go).
//
// # What holds
//
//   - Every tools/call is in the audit log, whatever its name or shape. Also one
//     for a tool that is not listed or does not exist goes to the toolbox; one
//     that the protocol refuses is recorded before the error leaves; one whose
//     turn never comes is recorded as cancelled.
//   - Resources are read and listed by the same calls (file_read, file_find), so
//     that they are judged and recorded like them.
//   - A failed call is a result with isError. An error of the protocol means that
//     a message was none, or was no request that the protocol knows.
//   - A message that is broken, too large or too deep costs an error and nothing
//     else: the session goes on.
//   - At most 32 calls are under way, and what they answer is held back while the
//     client does not take it: memory is bounded, whatever is sent.
//   - A call that waits for a human gives its place to others and takes one again
//     before it goes on. Those that wait have bounds of their own (asking.go).
//   - A decision comes from a human's clear answer to our question and from nothing
//     else: an answer that was altered, is of another call, comes twice or too late
//     decides nothing (question.go, rounds.go).
//   - A cancelled call stops, gives its place to the next, is recorded as
//     cancelled and, as the protocol wants, gets no answer.
//
// # What does not
//
// Who answers a question is whoever the client lets answer it: a client can answer
// by itself. So elicitation is for operators who trust the client. Calls by way of
// resources are never asked about through the client; they wait for others.
//
// Resources can't be subscribed to: Bailey does not watch files. A batch is
// answered as one, also in protocol versions that no longer know batches.
package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/compat"
	"github.com/baileyhq/bailey/tool"
)

// Options say what to serve.
type Options struct {
	Tools        *tool.Toolbox
	Request      func(name string, args json.RawMessage) tool.Request // adds who calls
	Instructions string                                               // told to the client at the start
	Version      string
	Logger       *slog.Logger
	Compat       []compat.Tool // if not nil, offered instead of the toolbox's own tools

	// Elicit asks the human in front of a client that can show a form about calls that
	// wait for an approval: the toolbox's asker is to use CanAsk and Ask. Decide takes
	// an answer that comes with a call of its own.
	Elicit bool
	Decide func(ctx context.Context, id string, d approval.Decision) error
}

// server serves one client, or behind New all of them.
type server struct {
	Options
	catalog catalog
	states  *states
	conn    *conn // nil behind New
}

func prepare(o Options) *server { return &server{Options: o, catalog: offered(o), states: newStates()} }

// newServer puts the tools and resources before the SDK's server.
func (s *server) newServer() *mcp.Server {
	can := &mcp.ServerCapabilities{
		Logging: &mcp.LoggingCapabilities{}, //nolint:staticcheck // deprecated by one protocol version of five
		Tools:   &mcp.ToolCapabilities{},
	}
	if s.Compat == nil { // the servers that are stood in for have no resources
		can.Resources = &mcp.ResourceCapabilities{}
	}
	m := mcp.NewServer(
		&mcp.Implementation{Name: "bailey", Title: "Bailey", Version: s.Version},
		&mcp.ServerOptions{
			Instructions: s.Instructions,
			Logger:       s.Logger,
			Capabilities: can,
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = private },
		},
	)
	for _, t := range s.catalog.tools {
		m.AddTool(t, s.callTool)
	}
	if can.Resources != nil {
		m.AddResourceTemplate(fileTemplate(), s.readResource)
	}
	m.AddReceivingMiddleware(s.everyRequest)
	return m
}

// private is the scope in which a client may keep an answer: it depends on who asks.
const private = "private"

// everyRequest takes what touches the workspace before the SDK looks it up: a
// tool that is not listed has to be recorded, and the SDK's resources are a fixed
// list.
func (s *server) everyRequest(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if !s.offers(method) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("there is no %s here", method)}
		}
		if s.conn != nil {
			var done context.CancelFunc
			ctx, done = s.conn.bound(ctx)
			defer done()
		}
		switch r := req.(type) {
		case *mcp.CallToolRequest:
			// The SDK answers names that it does not know by itself: it is shown one
			// that it does, and callTool takes the right one. So with resources.
			ctx = context.WithValue(ctx, toolName{}, r.Params.Name)
			r.Params.Name = s.catalog.tools[0].Name
			return next(ctx, method, req)
		case *mcp.ListResourcesRequest:
			return s.listResources(ctx, r)
		case *mcp.ReadResourceRequest:
			ctx = context.WithValue(ctx, resourceURI{}, r.Params.URI)
			r.Params.URI = "file:///any" // of the template
			return next(ctx, method, req)
		default:
			return next(ctx, method, req)
		}
	}
}

// offers reports whether the capabilities promise a method. The SDK answers also
// others, with lists of nothing.
func (s *server) offers(method string) bool {
	subject, _, _ := strings.Cut(method, "/")
	switch subject {
	case "prompts", "completion":
		return false
	case "resources":
		return s.Compat == nil
	default:
		return true
	}
}

// Context keys of what the client asked for: a tool's name, a resource's URI.
type (
	toolName    struct{}
	resourceURI struct{}
)

func (s *server) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, _ := ctx.Value(toolName{}).(string)
	k := s.handOver(req.Extra)
	ctx = withProgress(ctx, req.Session, req.Params.GetProgressToken())
	ctx = s.whileAsking(ctx, k)
	call := s.Request(name, req.Params.Arguments)
	ctx, asked := s.withQuestions(ctx, req, call)
	a := s.catalog.call(ctx, name, req.Params.Arguments)
	if e := asked.question(a.kind); e != nil {
		return s.ask(e, asked.round, call)
	}
	tell(ctx, req.Session, name, a)
	return s.deliver(k, a)
}
