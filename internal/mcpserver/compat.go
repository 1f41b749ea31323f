package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/internal/compat"
	"github.com/baileyhq/bailey/tool"
)

// offered is what a client is offered under these options.
func offered(o Options) catalog {
	if o.Compat == nil {
		return native(o)
	}
	return translated(o)
}

// translated offers another server's tools. A call of any other name, the
// toolbox's own among them, is refused and recorded.
func translated(o Options) catalog {
	names := map[string]compat.Tool{}
	tools := make([]*mcp.Tool, len(o.Compat))
	known := make([]string, len(o.Compat))
	for i, t := range o.Compat {
		tools[i], known[i] = t.Definition, t.Definition.Name
		names[known[i]] = t
	}
	return catalog{tools, func(ctx context.Context, name string, args json.RawMessage) *answer {
		t, offered := names[name]
		if !offered {
			r := o.Tools.Refuse(ctx, o.Request(name, args), &tool.Error{
				Kind: tool.InvalidArgument, Message: fmt.Sprintf("unknown tool %q; known are %s", name, strings.Join(known, ", ")),
			})
			return &answer{text: r.Error, kind: r.ErrorKind}
		}
		a := t.Call(ctx, args)
		return &answer{text: a.Text, media: a.MediaType, uri: a.URI, kind: a.Kind, before: a.Before, after: a.After}
	}}
}
