package tool

import (
	"context"
	"fmt"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

type deleteArgs struct {
	Path      string `json:"path" jsonschema:"file, directory or symbolic link (the link itself), relative to the workspace or absolute"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"delete a directory with all it holds"`
}

type deleteData struct {
	Path    string `json:"path" jsonschema:"the real path"`
	Deleted bool   `json:"deleted" jsonschema:"false if nothing was there"`
	Entries int    `json:"entries" jsonschema:"files, links and directories that were deleted"`
}

func fileDelete() *spec {
	return define(spec{
		name: "file_delete", title: "Delete", op: workspace.OpDelete,
		description: "Deletes a file, a symbolic link (never its target), an empty directory, or with recursive a directory and all it holds. A path that is absent is a success.",
		hints:       Annotations{Destructive: true, Idempotent: true},
	}, func(a *deleteArgs) []use {
		return []use{{path: a.Path, how: jail.Entry, effect: policy.Change, recursive: a.Recursive, optional: true}}
	}, deleteFile)
}

func deleteFile(ctx context.Context, c *call, a *deleteArgs) (string, *deleteData, error) {
	g := c.targets[0]
	d := &deleteData{Path: text.DisplayName(g.Real())}
	if !g.exists() {
		return fmt.Sprintf("Nothing to delete: %s\n", text.VisibleControl(d.Path)), d, nil
	}
	d.Deleted, d.Entries = true, 1
	var err error
	if a.Recursive {
		d.Entries, err = g.obj.RemoveAll(ctx, c.guard(ctx, g, nil))
	} else {
		err = g.obj.Remove(ctx, c.guard(ctx, g, nil))
	}
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("Deleted: %s (%d entries)\n", text.VisibleControl(d.Path), d.Entries), d, nil
}
