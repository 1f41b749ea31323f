package mcpserver

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/tool"
)

// catalog is what a client is offered: the tools that are listed, and what a call
// of any name does. call takes every name, and answers only what the toolbox has
// recorded.
type catalog struct {
	tools []*mcp.Tool
	call  func(ctx context.Context, name string, args json.RawMessage) *answer
}

// answer is the outcome of a call on its way to the client.
type answer struct {
	text   string    // of the content block: base64 where media is set
	media  string    // media type of a picture, a sound or an embedded resource; "" for text
	uri    string    // of an embedded resource
	kind   tool.Kind // "" for success
	before []byte    // structured content: before, text as a JSON string, after; nil for none
	after  []byte
}

// native offers the toolbox as it is.
func native(o Options) catalog {
	var tools []*mcp.Tool
	for _, d := range o.Tools.List() {
		if listed(d) {
			tools = append(tools, describe(d))
		}
	}
	return catalog{tools, func(ctx context.Context, name string, args json.RawMessage) *answer {
		return nativeAnswer(o.Tools.Call(ctx, o.Request(name, args)))
	}}
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
// call has other data, or none, so that nothing of data is required here. What the
// schema of the data refers to moves up with it: #/$defs is that of the whole.
func resultSchema(data *jsonschema.Schema) *jsonschema.Schema {
	inner := *data
	defs := inner.Defs
	inner.Defs = nil
	return &jsonschema.Schema{
		Type: "object", Defs: defs,
		Properties: map[string]*jsonschema.Schema{
			"success":    {Type: "boolean"},
			"output":     {Type: "string", Description: "the text for the model"},
			"error":      {Type: "string", Description: "KIND: what was refused, by which rule, what to do now"},
			"error_kind": {Type: "string"},
			"data":       {AnyOf: []*jsonschema.Schema{&inner, {Type: "object"}}},
		},
		Required: []string{"success", "output", "data"},
	}
}

// nativeAnswer writes the result shape: the JSON of r around the one text that
// may be long.
func nativeAnswer(r *tool.Result) *answer {
	data, err := marshal(r.Data)
	if err != nil {
		r = &tool.Result{Error: string(tool.Internal) + ": the result can't be written as JSON", ErrorKind: tool.Internal}
		data = []byte("{}")
	}
	if r.Success {
		return &answer{
			text: r.Output, media: media(r.Output, data),
			before: []byte(`{"success":true,"output":`),
			after:  join([]byte(`,"data":`), data, []byte(`}`)),
		}
	}
	return &answer{
		text: r.Error, kind: r.ErrorKind,
		before: []byte(`{"success":false,"output":"","error":`),
		after:  join([]byte(`,"error_kind":`), appendString(nil, string(r.ErrorKind)), []byte(`,"data":`), data, []byte(`}`)),
	}
}

// shownMedia are the media types that go out as a block of their own. Of pictures
// those that models take: another one would end the conversation in clients that
// hand every picture on.
var shownMedia = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true,
	"audio/wav": true, "audio/mpeg": true, "audio/ogg": true, "audio/flac": true,
	"audio/aac": true, "audio/mp4": true, "audio/x-m4a": true, "audio/aiff": true, "audio/midi": true,
}

// media returns the media type of a result that is a whole picture or sound in
// base64, by the data of file_read, and else "".
func media(output string, data []byte) string {
	if !bytes.Contains(data, []byte(`"media_type"`)) {
		return ""
	}
	var read struct {
		MediaType string `json:"media_type"`
		Encoding  string `json:"encoding"`
		Size      int    `json:"size"`
	}
	if json.Unmarshal(data, &read) != nil || read.Encoding != "base64" || !shownMedia[read.MediaType] {
		return ""
	}
	if read.Size == 0 || base64.StdEncoding.EncodedLen(read.Size) != len(output) {
		return "" // a part of it
	}
	return read.MediaType
}

// marshal is json.Marshal without the escapes that only HTML needs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
