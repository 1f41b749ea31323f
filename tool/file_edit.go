package tool

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

type editArgs struct {
	Path     string     `json:"path" jsonschema:"the file, relative to the workspace or absolute"`
	Edits    []editPart `json:"edits" min:"1" jsonschema:"carried out one after another; if one fails nothing is written"`
	DryRun   bool       `json:"dry_run,omitempty" jsonschema:"show the diff and write nothing"`
	IfMatch  string     `json:"if_match,omitempty" jsonschema:"SHA-256 (hex) that the present content must have, else conflict"`
	Encoding string     `json:"encoding,omitempty" jsonschema:"text (the default) or a charset label such as shift_jis"`
}

type editPart struct {
	OldText    string `json:"old_text" jsonschema:"text to replace; it must occur exactly once unless replace_all is set"`
	NewText    string `json:"new_text" jsonschema:"text to put in its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
}

type editData struct {
	Path         string     `json:"path" jsonschema:"the real path of the file"`
	DryRun       bool       `json:"dry_run" jsonschema:"nothing was written"`
	Changed      bool       `json:"changed" jsonschema:"the content differs from before"`
	Replacements int        `json:"replacements" jsonschema:"number of places that were replaced"`
	Edits        []editDone `json:"edits" jsonschema:"one for each edit, in order"`
	Size         int64      `json:"size" jsonschema:"bytes of the file afterwards"`
	SHA256       string     `json:"sha256" jsonschema:"of the file afterwards"`
	Diff         string     `json:"diff" jsonschema:"unified diff"`
	DiffCut      bool       `json:"diff_truncated,omitempty" jsonschema:"the diff is longer than 1 MiB and was cut"`
}

type editDone struct {
	Count int   `json:"count" jsonschema:"places that this edit replaced"`
	Lines []int `json:"lines" jsonschema:"lines at which it met, the first 20"`
}

func fileEdit() *spec {
	s := define(spec{
		name: "file_edit", title: "Edit a file", op: workspace.OpWrite,
		description: "Replaces parts of a text file. Each old_text must occur exactly once, unless replace_all is set; else nothing is written. " +
			"Line endings, byte order mark, encoding and mode are kept. Answers a unified diff; with dry_run it only shows it.",
		hints: Annotations{Destructive: true},
	}, func(a *editArgs) []use {
		return []use{{path: a.Path, how: jail.Target, effect: policy.Change | policy.Reveal, dryRun: a.DryRun}}
	}, editFile)
	s.preview = func(ctx context.Context, c *call, args any) (*rewrite, error) {
		return planEdit(ctx, c, args.(*editArgs))
	}
	return s
}

func editFile(ctx context.Context, c *call, a *editArgs) (string, *editData, error) {
	g := c.targets[0]
	r, err := planEdit(ctx, c, a)
	if err != nil {
		return "", nil, err
	}
	data := &editData{
		Path: text.DisplayName(g.Real()), DryRun: a.DryRun, Changed: r.before.sha256 != r.after,
		Size: int64(len(r.content)), SHA256: r.after, Edits: []editDone{},
	}
	for _, done := range r.applied {
		data.Replacements += done.Count
		data.Edits = append(data.Edits, editDone{Count: done.Count, Lines: append([]int{}, done.Lines...)})
	}
	data.Diff, data.DiffCut = r.diff()
	if !a.DryRun {
		if _, err := c.commit(ctx, g, r, jail.ReplaceOptions{}); err != nil {
			return "", nil, err
		}
	}
	return editOutput(data), data, nil
}

func editOutput(d *editData) string {
	var b strings.Builder
	switch {
	case d.DryRun:
		fmt.Fprintf(&b, "Dry run, nothing written: %s (%d replacements)\n", text.VisibleControl(d.Path), d.Replacements)
	default:
		fmt.Fprintf(&b, "File edited: %s (%d replacements)\n", text.VisibleControl(d.Path), d.Replacements)
	}
	b.WriteString(d.Diff)
	return b.String()
}

// planEdit works out what an edit would make of the file.
func planEdit(ctx context.Context, c *call, a *editArgs) (*rewrite, error) {
	g := c.targets[0]
	enc, err := text.Lookup(a.Encoding)
	if err != nil {
		return nil, err
	}
	if !g.exists() {
		return nil, asError(&fs.PathError{Op: "edit", Path: g.path, Err: fs.ErrNotExist})
	}
	if g.isDir() {
		return nil, asError(&fs.PathError{Op: "edit", Path: g.path, Err: jail.ErrNotRegular})
	}
	if size := g.obj.Info().Size(); size > text.MaxEditBytes {
		return nil, fail(TooLarge, fmt.Sprintf("%s: %d bytes are more than the %d that can be edited", shown(g.path), size, text.MaxEditBytes))
	}
	before, err := c.snapshot(ctx, g, text.MaxEditBytes, 0)
	if err != nil {
		return nil, err
	}
	if before.content == nil {
		return nil, conflictWith(g) // it grew while it was read
	}
	if err := c.checkMatch(g, a.IfMatch, before); err != nil {
		return nil, err
	}
	edits := make([]text.Edit, len(a.Edits))
	for i, e := range a.Edits {
		edits[i] = text.Edit{OldText: e.OldText, NewText: e.NewText, ReplaceAll: e.ReplaceAll}
	}
	content, applied, err := text.Apply(before.content, enc, edits)
	if err != nil {
		return nil, inFile(g.path, err)
	}
	return &rewrite{
		name: c.box.display(g.Real()), before: before, content: content, after: hashOf(content),
		encoding: enc, exact: true, applied: applied,
	}, nil
}
