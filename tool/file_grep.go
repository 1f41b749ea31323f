package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/baileyhq/bailey/internal/search"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// maxGrepOutput bounds the bytes of an answer.
const maxGrepOutput = 4 << 20

type grepArgs struct {
	Pattern    string `json:"pattern" jsonschema:"regular expression (RE2 syntax)"`
	Path       string `json:"path,omitempty" default:"\".\"" jsonschema:"directory or file to search, relative to the workspace or absolute"`
	Glob       string `json:"glob,omitempty" jsonschema:"search only files that match: a glob without a slash matches the name, such as *.go"`
	Literal    bool   `json:"literal,omitempty" jsonschema:"take the pattern as plain text"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"match upper and lower case alike"`
	Context    int64  `json:"context,omitempty" min:"0" max:"100" jsonschema:"lines to show before and after each match"`
	Gitignore  bool   `json:"gitignore,omitempty" default:"true" jsonschema:"leave out what .gitignore files name"`
	Limit      int64  `json:"limit,omitempty" default:"500" min:"1" max:"100000" jsonschema:"matching lines to find at most"`
}

type grepData struct {
	Matches   []grepLine `json:"matches" jsonschema:"matching lines, in the order of the output"`
	Files     int        `json:"files" jsonschema:"files searched"`
	Matched   int        `json:"matched_files"`
	Hidden    int        `json:"hidden" jsonschema:"files and directories that the policy left out"`
	Ignored   int        `json:"ignored" jsonschema:"files and directories that .gitignore left out; a directory counts once"`
	Failed    int        `json:"failed" jsonschema:"files and directories that could not be read"`
	Truncated bool       `json:"truncated" jsonschema:"there are more matches"`
}

type grepLine struct {
	Path   string `json:"path"`
	Line   int64  `json:"line,omitempty" jsonschema:"absent for a binary file"`
	Column int    `json:"column,omitempty" jsonschema:"first byte of the match in the line, counted from 1"`
	Text   string `json:"text,omitempty"`
	Binary bool   `json:"binary,omitempty" jsonschema:"the file is binary: only that it matches is told"`
}

func fileGrep() *spec {
	return define(spec{
		name: "file_grep", title: "Search in files", op: workspace.OpRead,
		description: "Searches the content of files for a regular expression (RE2: no backreferences, no lookaround). Answers path:line:text, with context lines as path-line-text. " +
			"What .gitignore names is left out unless gitignore is false.",
		hints: Annotations{ReadOnly: true, Idempotent: true},
	}, func(a *grepArgs) []use {
		return []use{{path: a.Path, how: jail.Existing, effect: policy.Reveal}}
	}, grepFiles)
}

func grepFiles(ctx context.Context, c *call, a *grepArgs) (string, *grepData, error) {
	g := c.targets[0]
	matcher, err := search.Compile(a.Pattern, search.PatternOptions{Literal: a.Literal, IgnoreCase: a.IgnoreCase})
	if err != nil {
		return "", nil, err
	}
	w := &grepWriter{box: c.box, data: &grepData{Matches: []grepLine{}}, context: a.Context > 0}
	stats, err := search.Grep(ctx, g.obj, search.GrepOptions{
		Jail: c.box.Workspace.Jail(), Matcher: matcher, Glob: text.ParseName(a.Glob), Context: int(a.Context),
		Gitignore: a.Gitignore, Limit: int(a.Limit), Judge: c.visible(g),
	}, w.file)
	if err != nil && err != errOutputFull { //nolint:errorlint // the writer's own value, handed back as it is
		return "", nil, err
	}
	data := w.data
	data.Files, data.Matched, data.Hidden, data.Ignored, data.Failed = stats.Files, stats.MatchedFiles, stats.Hidden, stats.Ignored, stats.Failed
	data.Truncated = stats.Truncated || err != nil
	c.rec.Hidden, c.rec.Bytes = int64(stats.Hidden), int64(w.out.Len())
	if len(data.Matches) == 0 {
		fmt.Fprintf(&w.out, "(no matches in %d files)\n", data.Files)
	}
	noteSearch(&w.out, leftOut{data.Hidden, data.Ignored, data.Failed, data.Truncated})
	return w.out.String(), data, nil
}

var errOutputFull = fail(LimitExceeded, "the answer is full")

// grepWriter writes matches as grep does.
type grepWriter struct {
	box     *Toolbox
	data    *grepData
	context bool
	out     strings.Builder

	path string // of the line before
	next int64  // number that would follow it
}

func (w *grepWriter) file(m *search.FileMatches) error {
	path := text.VisibleControl(w.box.display(m.Real))
	if m.Binary {
		w.data.Matches = append(w.data.Matches, grepLine{Path: path, Binary: true})
		fmt.Fprintf(&w.out, "%s: binary file matches\n", path)
	}
	for _, l := range m.Lines {
		if w.out.Len() > maxGrepOutput {
			return errOutputFull
		}
		w.line(path, l)
	}
	return nil
}

func (w *grepWriter) line(path string, l search.Line) {
	if w.context && w.next != 0 && (path != w.path || l.Number != w.next) {
		w.out.WriteString("--\n")
	}
	w.path, w.next = path, l.Number+1
	shown := text.VisibleText(strings.ToValidUTF8(l.Text, "\uFFFD"))
	sep := "-"
	if l.IsMatch() {
		sep = ":"
		w.data.Matches = append(w.data.Matches, grepLine{Path: path, Line: l.Number, Column: l.Column, Text: shown})
	}
	fmt.Fprintf(&w.out, "%s%s%d%s%s", path, sep, l.Number, sep, shown)
	if l.Cut {
		w.out.WriteString(" (line cut)")
	}
	w.out.WriteByte('\n')
}
