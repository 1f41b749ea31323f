package compat

import (
	"context"
	"fmt"
	"strings"

	"github.com/baileyhq/bailey/tool"
)

type writeArgs struct {
	Path    string `json:"path" jsonschema:"the file"`
	Content string `json:"content" jsonschema:"the whole new content"`
}

func (t *translator) write(ctx context.Context, a *writeArgs) (*Answer, *tool.Result) {
	given := a.Path
	if fail := t.paths(ctx, writeTool, &a.Path); fail != nil {
		return nil, fail
	}
	if _, fail := t.call(ctx, writeTool, map[string]any{"path": a.Path, "content": a.Content}, nil); fail != nil {
		return nil, fail
	}
	return success("Successfully wrote to " + given), nil
}

type editArgs struct {
	Path   string     `json:"path" jsonschema:"the file"`
	Edits  []editPart `json:"edits" jsonschema:"carried out one after another"`
	DryRun bool       `json:"dryRun,omitempty" jsonschema:"show the diff and write nothing"`
}

type editPart struct {
	OldText string `json:"oldText" jsonschema:"text to replace"`
	NewText string `json:"newText" jsonschema:"text to put in its place"`
}

func (t *translator) edit(ctx context.Context, a *editArgs) (*Answer, *tool.Result) {
	if fail := t.paths(ctx, editTool, &a.Path); fail != nil {
		return nil, fail
	}
	edits := make([]map[string]string, len(a.Edits))
	for i, e := range a.Edits {
		edits[i] = map[string]string{"old_text": e.OldText, "new_text": e.NewText}
	}
	var data struct {
		Path string `json:"path"`
		Diff string `json:"diff"`
	}
	_, fail := t.call(ctx, editTool, map[string]any{"path": a.Path, "edits": edits, "dry_run": a.DryRun}, &data)
	if fail != nil {
		return nil, fail
	}
	return success(fenced(data.Path, data.Diff)), nil
}

// fenced puts a diff under the reference server's head and into a fence that is
// longer than any in it.
func fenced(path, diff string) string {
	for range 2 { // Bailey's own head: the names before and after
		_, diff, _ = strings.Cut(diff, "\n")
	}
	fence := "```"
	for strings.Contains(diff, fence) {
		fence += "`"
	}
	return fmt.Sprintf("%[1]sdiff\nIndex: %[2]s\n%[3]s\n--- %[2]s\toriginal\n+++ %[2]s\tmodified\n%[4]s%[1]s\n\n",
		fence, path, strings.Repeat("=", 67), diff)
}

func (t *translator) mkdir(ctx context.Context, a *pathArgs) (*Answer, *tool.Result) {
	given := a.Path
	if fail := t.paths(ctx, mkdirTool, &a.Path); fail != nil {
		return nil, fail
	}
	if _, fail := t.call(ctx, mkdirTool, map[string]any{"path": a.Path}, nil); fail != nil {
		return nil, fail
	}
	return success("Successfully created directory " + given), nil
}

type moveArgs struct {
	Source      string `json:"source" jsonschema:"what to move"`
	Destination string `json:"destination" jsonschema:"the new path"`
}

func (t *translator) move(ctx context.Context, a *moveArgs) (*Answer, *tool.Result) {
	given := *a
	if fail := t.paths(ctx, moveTool, &a.Source, &a.Destination); fail != nil {
		return nil, fail
	}
	if _, fail := t.call(ctx, moveTool, map[string]any{"source": a.Source, "destination": a.Destination}, nil); fail != nil {
		return nil, fail
	}
	return success(fmt.Sprintf("Successfully moved %s to %s", given.Source, given.Destination)), nil
}
