package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

// Bounds of resources/list. What lies beyond is found by the tools, and read by
// its URI all the same.
const (
	pageSize     = 500
	maxResources = 10_000
)

func fileTemplate() *mcp.ResourceTemplate {
	return &mcp.ResourceTemplate{
		Name: "file", Title: "A file",
		URITemplate: "file:///{+path}",
		Description: "A file of the workspace or of a further allowed folder, by its absolute path. It is read like file_read does.",
	}
}

// listResources lists the files of the workspace that file_find finds: by name,
// without links, without what .gitignore leaves out and what the policy hides.
func (s *server) listResources(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	start := 0
	if p := req.Params; p != nil {
		ctx = withProgress(ctx, req.Session, p.GetProgressToken())
		if p.Cursor != "" {
			n, err := strconv.Atoi(p.Cursor)
			if err != nil || n < 1 || n >= maxResources {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such cursor"}
			}
			start = n
		}
	}
	ctx = s.whileAsking(ctx, s.handOver(req.Extra))
	r := s.toolCall(ctx, "file_find", map[string]any{"pattern": "**/*", "limit": maxResources})
	if !r.Success {
		return nil, resourceError(r, "")
	}
	var found struct {
		Entries []struct {
			Path, Type string
		}
	}
	if err := remarshal(r.Data, &found); err != nil {
		return nil, err
	}
	list := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: mcp.Cacheable{CacheScope: private}}
	files := 0
	for _, e := range found.Entries {
		if e.Type != "file" {
			continue
		}
		if files++; files <= start {
			continue
		}
		if len(list.Resources) == pageSize {
			list.NextCursor = strconv.Itoa(files - 1)
			break
		}
		list.Resources = append(list.Resources, &mcp.Resource{
			Name: e.Path, Title: path.Base(e.Path), URI: fileURI(path.Join(s.Tools.Workspace.Root(), text.ParseName(e.Path))),
		})
	}
	return list, nil
}

// readResource reads a file as text, or, if it is none, as bytes.
func (s *server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri, _ := ctx.Value(resourceURI{}).(string)
	name, err := filePath(uri)
	if err != nil {
		return nil, resourceError(&tool.Result{Error: clip(err.Error()), ErrorKind: tool.InvalidArgument}, clip(uri))
	}
	ctx = withProgress(ctx, req.Session, req.Params.GetProgressToken())
	k := s.handOver(req.Extra)
	ctx = s.whileAsking(ctx, k)
	args := map[string]any{"path": text.DisplayName(name)}
	content := &mcp.ResourceContents{URI: uri, MIMEType: "text/plain"}
	r := s.toolCall(ctx, "file_read", args)
	binary := r.ErrorKind == tool.NotText
	if binary {
		args["encoding"] = "base64"
		r = s.toolCall(ctx, "file_read", args)
	}
	if !r.Success {
		return nil, resourceError(r, uri)
	}
	if binary {
		var data struct {
			MediaType string `json:"media_type"`
		}
		if err := remarshal(r.Data, &data); err != nil {
			return nil, err
		}
		content.MIMEType = data.MediaType
	}
	if err := s.fill(k, content, r.Output, binary); err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{
		Contents: []*mcp.ResourceContents{content}, Cacheable: mcp.Cacheable{CacheScope: private},
	}, nil
}

func (s *server) toolCall(ctx context.Context, name string, args map[string]any) *tool.Result {
	raw, err := marshal(args)
	if err != nil {
		raw = []byte("null") // refused and recorded by the toolbox
	}
	return s.Tools.Call(ctx, s.Request(name, raw))
}

func remarshal(from, into any) error {
	raw, err := marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// codeRefused is the code of a resource that is refused; JSON-RPC leaves the
// range to servers.
const codeRefused = -32000

// resourceError is a failed call as an error of the protocol, which resources
// have in place of isError. The kind is in its data.
func resourceError(r *tool.Result, uri string) error {
	code := int64(codeRefused)
	switch r.ErrorKind {
	case tool.NotFound, tool.InvalidArgument, tool.NotAFile:
		code = jsonrpc.CodeInvalidParams
	case tool.Internal:
		code = jsonrpc.CodeInternalError
	}
	data, err := marshal(struct {
		URI       string    `json:"uri,omitempty"`
		ErrorKind tool.Kind `json:"error_kind"`
	}{uri, r.ErrorKind})
	if err != nil {
		data = nil
	}
	return &jsonrpc.Error{Code: code, Message: r.Error, Data: data}
}

// fileURI spells an absolute path as a URI (RFC 8089); names are bytes.
func fileURI(name string) string {
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// filePath returns the path of a file URI. It takes every byte after the host as
// the path, so that a forgotten escape of ? or # does no harm.
func filePath(uri string) (string, error) {
	rest, ok := strings.CutPrefix(uri, "file://")
	if !ok {
		return "", fmt.Errorf("%q is no file:// URI", uri)
	}
	rest = strings.TrimPrefix(rest, "localhost")
	if !strings.HasPrefix(rest, "/") {
		return "", fmt.Errorf("%q names a host; want file:/// and an absolute path", uri)
	}
	name, err := url.PathUnescape(rest)
	if err != nil {
		return "", fmt.Errorf("%q: %w", uri, err)
	}
	return name, nil
}
