package compat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/baileyhq/bailey/tool"
)

// translator turns calls of the reference server's tools into calls of Bailey's.
type translator struct{ Options }

// Answer is the outcome of a call on its way to the client. Its text may be
// large: it is kept apart from what stands around it, so that it is encoded once
// for the content block and for the structured content.
type Answer struct {
	Text      string    // of the content block: base64 where MediaType is set
	MediaType string    // of a picture or sound, or with URI of an embedded resource; "" for text
	URI       string    // of an embedded resource
	Kind      tool.Kind // "" for success
	// The structured content is Before, Text as a JSON string, and After. A
	// failure has none: the output schemas describe successes only.
	Before, After []byte
}

func success(text string) *Answer {
	return &Answer{Text: text, Before: []byte(`{"content":`), After: []byte(`}`)}
}

func failure(r *tool.Result) *Answer { return &Answer{Text: r.Error, Kind: r.ErrorKind} }

// decode reads arguments as strictly as Bailey's own tools do. A tool without
// arguments takes whatever it is sent: some clients can't send none.
func decode(raw json.RawMessage, into any) error {
	if _, none := into.(*struct{}); none {
		return nil
	}
	return tool.Decode(raw, into)
}

// call makes one call of Bailey's tools. data receives the structured result,
// and may be nil.
func (t *translator) call(ctx context.Context, name string, args map[string]any, data any) (string, *tool.Result) {
	raw, err := encode(args)
	if err != nil {
		return "", t.refuse(ctx, name, nil, err.Error())
	}
	r := t.Tools.Call(ctx, t.Request(name, raw))
	if !r.Success {
		return "", r
	}
	if data == nil {
		return r.Output, nil
	}
	// The result's type is the tool's own; its JSON form is what is fixed.
	raw, err = encode(r.Data)
	if err == nil {
		err = json.Unmarshal(raw, data)
	}
	if err != nil {
		return "", failed(tool.Internal, fmt.Sprintf("the result of %s can't be read: %v", name, err))
	}
	return r.Output, nil
}

func encode(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// refuse answers a call that can't be translated, and has it recorded.
func (t *translator) refuse(ctx context.Context, name string, raw json.RawMessage, message string) *tool.Result {
	return t.Tools.Refuse(ctx, t.Request(name, raw), &tool.Error{Kind: tool.InvalidArgument, Message: message})
}

// failed is a failure after the calls that it stems from were recorded.
func failed(kind tool.Kind, message string) *tool.Result {
	e := &tool.Error{Kind: kind, Message: message}
	return &tool.Result{Error: e.Error(), ErrorKind: kind, Data: struct{}{}}
}

// drive recognises paths of Windows, which below a Linux folder would be odd
// names of files there.
var drive = regexp.MustCompile(`^[A-Za-z]:([\\/]|$)`)

// paths makes the paths of a call ready for Bailey's tools, which take every
// name as it is: ~ stands for the home directory here.
func (t *translator) paths(ctx context.Context, native string, paths ...*string) *tool.Result {
	for _, p := range paths {
		if drive.MatchString(*p) {
			return t.refuse(ctx, native, nil, fmt.Sprintf("%q is a path of Windows; use a path of this host, absolute or relative to the workspace", *p))
		}
		*p = t.expand(*p)
	}
	return nil
}

func (t *translator) expand(path string) string {
	if t.Home != "" && (path == "~" || strings.HasPrefix(path, "~/")) {
		return t.Home + path[1:]
	}
	return path
}
