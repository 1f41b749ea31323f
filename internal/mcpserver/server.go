// Package mcpserver offers the tools of a workspace to an MCP client. It is a
// face: it translates between the protocol and package tool and decides nothing.
//
// Every tools/call goes to the toolbox, also one for a tool that is not listed
// or does not exist: only so is each refusal in the audit log. A failed call is
// a result with isError, not an error of the protocol.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/tool"
)

// maxMessage bounds one message of the client, in bytes.
const maxMessage = 16 << 20

// Options say what to serve.
type Options struct {
	Tools        *tool.Toolbox
	Request      func(name string, args json.RawMessage) tool.Request // adds who calls
	Instructions string                                               // told to the client at the start
	Version      string
	Logger       *slog.Logger
}

// Serve talks to one client until it closes r or ctx ends.
func Serve(ctx context.Context, o Options, r io.ReadCloser, w io.WriteCloser) error {
	err := newServer(o).Run(ctx, &mcp.IOTransport{Reader: r, Writer: w, MaxLineLength: maxMessage})
	if errors.Is(err, io.EOF) {
		return nil // the client has left
	}
	return err
}

func newServer(o Options) *mcp.Server {
	s := mcp.NewServer(
		&mcp.Implementation{Name: "bailey", Title: "Bailey", Version: o.Version},
		&mcp.ServerOptions{Instructions: o.Instructions, Logger: o.Logger, Capabilities: &mcp.ServerCapabilities{}},
	)
	for _, d := range o.Tools.List() {
		if listed(d) {
			s.AddTool(describe(d), o.handle)
		}
	}
	s.AddReceivingMiddleware(o.everyCall)
	return s
}

// alwaysListed are offered whatever the task grants: clients count on them, and
// a refusal says what is missing.
var alwaysListed = map[string]bool{"file_read": true, "file_write": true}

func listed(d tool.Description) bool { return d.Granted || alwaysListed[d.Name] }

func describe(d tool.Description) *mcp.Tool {
	return &mcp.Tool{
		Name: d.Name, Title: d.Title, Description: d.Description,
		InputSchema: d.Input, OutputSchema: resultSchema(d.Output),
		Annotations: &mcp.ToolAnnotations{
			Title: d.Title, ReadOnlyHint: d.Annotations.ReadOnly, IdempotentHint: d.Annotations.Idempotent,
			DestructiveHint: &d.Annotations.Destructive, OpenWorldHint: &d.Annotations.OpenWorld,
		},
	}
}

// resultSchema describes the result shape around a tool's own data. A failed
// call has other data, or none, so that nothing of data is required here.
func resultSchema(data *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"success":    {Type: "boolean"},
			"output":     {Type: "string", Description: "the text for the model"},
			"error":      {Type: "string", Description: "KIND: what was refused, by which rule, what to do now"},
			"error_kind": {Type: "string"},
			"data":       {AnyOf: []*jsonschema.Schema{data, {Type: "object"}}},
		},
		Required: []string{"success", "output", "data"},
	}
}

// everyCall takes tools/call before the server looks the tool up.
func (o Options) everyCall(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok && method == "tools/call" {
			return o.handle(ctx, call)
		}
		return next(ctx, method, req)
	}
}

func (o Options) handle(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r := o.Tools.Call(ctx, o.Request(req.Params.Name, req.Params.Arguments))
	told := r.Output
	if !r.Success {
		told = r.Error
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: told}},
		StructuredContent: r,
		IsError:           !r.Success,
	}, nil
}
