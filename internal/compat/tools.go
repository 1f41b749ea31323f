package compat

import (
	"context"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/tool"
)

// Options say what stands behind the tools.
type Options struct {
	Tools   *tool.Toolbox
	Request func(name string, args json.RawMessage) tool.Request // adds who calls
	Folders []jail.Folder                                        // the allowed folders, the workspace first
	Home    string                                               // what ~ at the start of a path stands for; "" leaves it as it is
}

// A Tool is one tool of the reference server.
type Tool struct {
	Definition *mcp.Tool
	// Call carries out one call and never returns nil. It is safe for concurrent use.
	Call func(ctx context.Context, args json.RawMessage) *Answer
}

// alwaysListed are Bailey's tools whose names are offered whatever the task
// grants, as without compat: a refusal says what is missing.
var alwaysListed = map[string]bool{readTool: true, writeTool: true}

// Bailey's tools that do the work.
const (
	readTool     = "file_read"
	readManyTool = "file_read_many"
	writeTool    = "file_write"
	editTool     = "file_edit"
	mkdirTool    = "dir_create"
	listTool     = "file_list"
	treeTool     = "file_tree"
	moveTool     = "file_move"
	findTool     = "file_find"
	infoTool     = "file_info"
)

// Tools lists the tools of the reference server in its order, but for those
// whose work this task or the tool policy does not grant.
func Tools(o Options) []Tool {
	granted := map[string]bool{}
	for _, d := range o.Tools.List() {
		granted[d.Name] = d.Granted || alwaysListed[d.Name]
	}
	var tools []Tool
	for _, e := range all(&translator{o}) {
		if granted[e.native] {
			tools = append(tools, Tool{e.definition, e.call})
		}
	}
	return tools
}

// entry is a tool and the one of Bailey's that decides whether it is offered.
type entry struct {
	native     string
	definition *mcp.Tool
	call       func(context.Context, json.RawMessage) *Answer
}

func all(t *translator) []entry {
	path := property("string", "the path, absolute or relative to the workspace")
	lines := schemas{
		"path": path,
		"tail": property("number", "only the last lines, this many"),
		"head": property("number", "only the first lines, this many"),
	}
	return []entry{
		define(t, readTool, "read_file", "Read File (Deprecated)", reads,
			"Reads a file as text. Kept for clients that know only this name; read_text_file is the same.",
			input([]string{"path"}, lines), textOutput(), t.readText),
		define(t, readTool, "read_text_file", "Read Text File", reads,
			"Reads a text file, whole or only its first (head) or last (tail) lines. UTF-8 and UTF-16 are recognised; a binary file is refused, take read_media_file for it.",
			input([]string{"path"}, lines), textOutput(), t.readText),
		define(t, readTool, "read_media_file", "Read Media File", reads,
			"Reads any file as base64: an image or audio file by its extension comes as such, another as an embedded resource.",
			input([]string{"path"}, schemas{"path": path}), mediaOutput(), t.readMedia),
		define(t, readManyTool, "read_multiple_files", "Read Multiple Files", reads,
			"Reads several text files at once, each headed by its path. One that can't be read is answered with its error and does not fail the others.",
			input([]string{"paths"}, schemas{"paths": {Type: "array", MinItems: jsonschema.Ptr(1), Items: &jsonschema.Schema{Type: "string"}, Description: "the files"}}),
			textOutput(), t.readMany),
		define(t, writeTool, "write_file", "Write File", changes(true, true),
			"Writes a whole file and replaces what was there, in one step: a reader sees the old content or the new. Missing directories are made.",
			input([]string{"path", "content"}, schemas{"path": path, "content": property("string", "the whole new content")}), textOutput(), t.write),
		define(t, editTool, "edit_file", "Edit File", changes(false, true),
			"Replaces parts of a text file. Each oldText must occur exactly once, else nothing is written. Line endings are kept. Answers a diff; with dryRun it only shows it.",
			input([]string{"path", "edits"}, schemas{
				"path": path,
				"edits": {Type: "array", Items: input([]string{"oldText", "newText"}, schemas{
					"oldText": property("string", "text to replace; it must occur exactly once"),
					"newText": property("string", "text to put in its place"),
				})},
				"dryRun": {Type: "boolean", Default: json.RawMessage("false"), Description: "show the diff and write nothing"},
			}), textOutput(), t.edit),
		define(t, mkdirTool, "create_directory", "Create Directory", changes(true, false),
			"Creates a directory with its missing parents. One that is there already is a success.",
			input([]string{"path"}, schemas{"path": path}), textOutput(), t.mkdir),
		define(t, listTool, "list_directory", "List Directory", reads,
			"Lists the entries of one directory, a line each: [DIR] or [FILE], then the name.",
			input([]string{"path"}, schemas{"path": path}), textOutput(), t.list),
		define(t, listTool, "list_directory_with_sizes", "List Directory with Sizes", reads,
			"Lists the entries of one directory with their sizes, and sums them up.",
			input([]string{"path"}, schemas{
				"path":   path,
				"sortBy": {Type: "string", Enum: []any{"name", "size"}, Default: json.RawMessage(`"name"`), Description: "by name, or by size with the largest first"},
			}), textOutput(), t.listSizes),
		define(t, treeTool, "directory_tree", "Directory Tree", reads,
			"Shows everything below a directory as JSON: name, type and, for directories, children. Links are not followed.",
			input([]string{"path"}, schemas{"path": path, "excludePatterns": globs("globs of what to leave out; one without * is a name or path at any depth")}), textOutput(), t.tree),
		define(t, moveTool, "move_file", "Move File", changes(false, true),
			"Moves or renames a file or directory. The destination is the whole new path; something that is there already is an error.",
			input([]string{"source", "destination"}, schemas{
				"source":      property("string", "what to move"),
				"destination": property("string", "the new path, name included"),
			}), textOutput(), t.move),
		define(t, findTool, "search_files", "Search Files", reads,
			"Finds files and directories whose path below the start matches a glob: *.md directly below it, **/*.md at any depth. Answers full paths. Links are not followed.",
			input([]string{"path", "pattern"}, schemas{
				"path":            path,
				"pattern":         property("string", "glob below path"),
				"excludePatterns": globs("globs below path of what to leave out"),
			}), textOutput(), t.search),
		define(t, infoTool, "get_file_info", "Get File Info", reads,
			"Tells size, times, permissions and type of what a path names. Content is not read.",
			input([]string{"path"}, schemas{"path": path}), textOutput(), t.info),
		define(t, infoTool, "list_allowed_directories", "List Allowed Directories", reads,
			"Lists the folders that these tools may reach, with all that lies below them.",
			input(nil, schemas{}), textOutput(), t.folders),
	}
}

// define makes an entry of a translation. A is the struct of its arguments.
func define[A any](t *translator, native, name, title string, ann *mcp.ToolAnnotations, description string, in, out *jsonschema.Schema, do func(context.Context, *A) (*Answer, *tool.Result)) entry {
	return entry{
		native: native,
		definition: &mcp.Tool{
			Name: name, Title: title, Description: description,
			InputSchema: in, OutputSchema: out, Annotations: ann,
		},
		call: func(ctx context.Context, raw json.RawMessage) *Answer {
			var a A
			if err := decode(raw, &a); err != nil {
				return failure(t.refuse(ctx, native, raw, name+": "+err.Error()))
			}
			reply, failed := do(ctx, &a)
			if failed != nil {
				return failure(failed)
			}
			return reply
		},
	}
}

type schemas = map[string]*jsonschema.Schema

func property(typ, description string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: typ, Description: description}
}

func globs(description string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "array", Items: &jsonschema.Schema{Type: "string"}, Default: json.RawMessage("[]"), Description: description,
	}
}

func input(required []string, properties schemas) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: required, Properties: properties}
}

func output(content *jsonschema.Schema) *jsonschema.Schema {
	return exact(schemas{"content": content}, "content")
}

func exact(properties schemas, required ...string) *jsonschema.Schema {
	s := input(required, properties)
	s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}} // written as false
	return s
}

func textOutput() *jsonschema.Schema { return output(&jsonschema.Schema{Type: "string"}) }

func mediaOutput() *jsonschema.Schema {
	plain := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }
	return output(&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		exact(schemas{
			"type": {Type: "string", Enum: []any{"image", "audio"}},
			"data": plain(), "mimeType": plain(),
		}, "type", "data", "mimeType"),
		exact(schemas{
			"type":     {Type: "string", Const: jsonschema.Ptr[any]("resource")},
			"resource": exact(schemas{"uri": plain(), "mimeType": plain(), "blob": plain()}, "uri", "blob"),
		}, "type", "resource"),
	}}})
}

// reads annotates the tools that change nothing.
var reads = &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: jsonschema.Ptr(false)}

// changes annotates those that change something.
func changes(idempotent, destructive bool) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{IdempotentHint: idempotent, DestructiveHint: &destructive, OpenWorldHint: jsonschema.Ptr(false)}
}
