package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

type writeArgs struct {
	Path       string `json:"path" jsonschema:"the file, relative to the workspace or absolute; missing directories are made"`
	Content    string `json:"content" jsonschema:"the whole new content"`
	Encoding   string `json:"encoding,omitempty" jsonschema:"text (the default: UTF-8), base64 if content is base64 of the bytes, or a charset label such as shift_jis"`
	CreateOnly bool   `json:"create_only,omitempty" jsonschema:"fail with exists if something is there already"`
	IfMatch    string `json:"if_match,omitempty" jsonschema:"SHA-256 (hex) that the present content must have, else conflict"`
	Mode       string `json:"mode,omitempty" jsonschema:"octal permissions such as 0755; by default an existing file keeps its own"`
}

type writeData struct {
	Path    string `json:"path" jsonschema:"the real path of the file"`
	Created bool   `json:"created" jsonschema:"nothing was there before"`
	Size    int64  `json:"size" jsonschema:"bytes of the file now"`
	SHA256  string `json:"sha256" jsonschema:"of the file now"`
	Mode    string `json:"mode" jsonschema:"octal permissions now"`
	Diff    string `json:"diff,omitempty" jsonschema:"unified diff to what was there"`
	DiffCut bool   `json:"diff_truncated,omitempty" jsonschema:"the diff is longer than 1 MiB and was cut"`
	NoDiff  string `json:"diff_withheld,omitempty" jsonschema:"why there is no diff"`
}

func fileWrite() *spec {
	s := define(spec{
		name: "file_write", title: "Write a file", op: workspace.OpWrite,
		description: "Writes a whole file, replacing it in one step: a reader sees the old content or the new, never a part. Makes missing directories. " +
			"To change a part of a file use file_edit.",
		hints: Annotations{Destructive: true, Idempotent: true},
	}, func(a *writeArgs) []use {
		return []use{{path: a.Path, how: jail.Target, effect: policy.Change, quiet: policy.Reveal}}
	}, writeFile)
	s.preview = func(ctx context.Context, c *call, args any) (*rewrite, error) {
		return planWrite(ctx, c, args.(*writeArgs))
	}
	return s
}

func writeFile(ctx context.Context, c *call, a *writeArgs) (string, *writeData, error) {
	g := c.targets[0]
	r, err := planWrite(ctx, c, a)
	if err != nil {
		return "", nil, err
	}
	opts := jail.ReplaceOptions{Perm: 0o666, Exclusive: a.CreateOnly, Parents: true}
	if a.Mode != "" {
		if opts.Perm, err = parseMode(a.Mode); err != nil {
			return "", nil, err
		}
		opts.SetPerm = true
	}
	info, err := c.commit(ctx, g, r, opts)
	if err != nil {
		return "", nil, err
	}
	data := &writeData{
		Path: text.DisplayName(g.Real()), Created: !r.before.exists, Size: int64(len(r.content)), SHA256: r.after,
		Mode: fmt.Sprintf("%04o", info.Mode().Perm()),
	}
	c.showDiff(g, r, data)
	return writeOutput(data), data, nil
}

// showDiff adds the diff, where what was there may be seen.
func (c *call) showDiff(g *target, r *rewrite, data *writeData) {
	switch {
	case r.before.exists && g.withheld&policy.Reveal != 0:
		data.NoDiff = "the old content may not be read"
	case r.before.exists && r.before.content == nil:
		data.NoDiff = "the old content is too large"
	default:
		data.Diff, data.DiffCut = r.diff()
	}
}

// writeOutput leaves out the diff of a new file, which would only repeat what
// the caller has just sent.
func writeOutput(d *writeData) string {
	var b strings.Builder
	fmt.Fprintf(&b, "File written: %s\n", text.VisibleControl(d.Path))
	switch {
	case d.Created:
		fmt.Fprintf(&b, "created, %d bytes\n", d.Size)
	case d.NoDiff != "":
		fmt.Fprintf(&b, "%d bytes; no diff: %s\n", d.Size, d.NoDiff)
	case d.Diff == "":
		fmt.Fprintf(&b, "%d bytes\n", d.Size)
	default:
		b.WriteString(d.Diff)
	}
	return b.String()
}

// planWrite works out what a write would make of the file.
func planWrite(ctx context.Context, c *call, a *writeArgs) (*rewrite, error) {
	g := c.targets[0]
	enc, err := text.Lookup(a.Encoding)
	if err != nil {
		return nil, err
	}
	content, err := text.Content(a.Content, enc)
	if err != nil {
		return nil, err
	}
	if a.CreateOnly && g.exists() {
		return nil, fail(Exists, shown(g.path)+" exists already and create_only is set")
	}
	if a.CreateOnly && a.IfMatch != "" {
		return nil, fail(InvalidArgument, "create_only and if_match contradict each other")
	}
	hashLimit := int64(maxHashed)
	if a.IfMatch != "" && g.exists() {
		hashLimit = max(hashLimit, g.obj.Info().Size())
	}
	before, err := c.snapshot(ctx, g, maxDiffed, hashLimit)
	if err != nil {
		return nil, err
	}
	if err := c.checkMatch(g, a.IfMatch, before); err != nil {
		return nil, err
	}
	if enc == text.Base64 {
		enc = text.Detect
	}
	return &rewrite{
		name: c.box.display(g.Real()), before: before, content: content, after: hashOf(content),
		encoding: enc, exact: a.IfMatch != "",
	}, nil
}

// checkMatch compares the file with the hash that the caller expects. Where the
// content may not be read, comparing would be a way to guess it.
func (c *call) checkMatch(g *target, want string, have snapshot) error {
	if want == "" {
		return nil
	}
	if g.withheld&policy.Reveal != 0 {
		return &Error{Kind: PolicyDenied, Rule: c.rec.Rule, Message: shown(g.path) + ": if_match would tell about content that may not be read; write without it"}
	}
	if !isHash(want) {
		return fail(InvalidArgument, "if_match: want the SHA-256 of the content in hex, 64 digits")
	}
	if !have.exists || !strings.EqualFold(want, have.sha256) {
		return conflictWith(g)
	}
	return nil
}

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
