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

type findArgs struct {
	Pattern   string   `json:"pattern" jsonschema:"glob below the start: ** crosses directories, * does not, {a,b} is either; a trailing / finds directories only"`
	Path      string   `json:"path,omitempty" default:"\".\"" jsonschema:"the directory to start at, relative to the workspace or absolute"`
	Exclude   []string `json:"exclude,omitempty" max:"256" jsonschema:"globs of what to leave out: one without a slash is a name at any depth"`
	Gitignore bool     `json:"gitignore,omitempty" default:"true" jsonschema:"leave out what .gitignore files name"`
	Limit     int64    `json:"limit,omitempty" default:"1000" min:"1" max:"100000" jsonschema:"entries to find at most"`
}

type findData struct {
	Entries   []foundEntry `json:"entries"`
	Hidden    int          `json:"hidden" jsonschema:"entries that the policy left out"`
	Ignored   int          `json:"ignored" jsonschema:"entries that .gitignore left out; a directory counts once"`
	Failed    int          `json:"failed" jsonschema:"directories that could not be read"`
	Truncated bool         `json:"truncated" jsonschema:"there are more entries than limit"`
}

type foundEntry struct {
	Path string `json:"path" jsonschema:"relative to the workspace, or absolute where it lies in another folder"`
	Type string `json:"type"`
}

func fileFind() *spec {
	return define(spec{
		name: "file_find", title: "Find files by name", op: workspace.OpList,
		description: "Finds files and directories whose path matches a glob, such as **/*.go. Symbolic links are found but not followed. What .gitignore names is left out unless gitignore is false.",
		hints:       Annotations{ReadOnly: true, Idempotent: true},
	}, func(a *findArgs) []use {
		return []use{{path: a.Path, how: jail.Existing, effect: policy.List}}
	}, findFiles)
}

func findFiles(ctx context.Context, c *call, a *findArgs) (string, *findData, error) {
	g := c.targets[0]
	data := &findData{Entries: []foundEntry{}}
	var out strings.Builder
	stats, err := search.Find(ctx, g.obj, search.FindOptions{
		Jail: c.box.Workspace.Jail(), Pattern: text.ParseName(a.Pattern), Exclude: a.Exclude,
		Gitignore: a.Gitignore, Limit: int(a.Limit), Judge: c.visible(g),
	}, func(f search.Found) error {
		e := foundEntry{Path: c.box.display(f.Real), Type: typeName(f.Type)}
		data.Entries = append(data.Entries, e)
		fmt.Fprintf(&out, "%s%s\n", text.VisibleControl(e.Path), markOf(e.Type))
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	data.Hidden, data.Ignored, data.Failed, data.Truncated = stats.Hidden, stats.Ignored, stats.Failed, stats.Truncated
	c.rec.Hidden = int64(stats.Hidden)
	if len(data.Entries) == 0 {
		out.WriteString("(nothing found)\n")
		if hint := search.GlobHint(a.Pattern); hint != "" {
			fmt.Fprintf(&out, "(%s)\n", hint)
		}
	}
	noteSearch(&out, leftOut{data.Hidden, data.Ignored, data.Failed, data.Truncated})
	return out.String(), data, nil
}

// leftOut is what a search did not show.
type leftOut struct {
	hidden, ignored, failed int
	truncated               bool
}

// noteSearch tells what was left out, so that an absence is not taken for a fact.
func noteSearch(b *strings.Builder, l leftOut) {
	if l.truncated {
		b.WriteString("(there is more: raise limit or narrow the search)\n")
	}
	noteHidden(b, int64(l.hidden))
	if l.ignored > 0 {
		fmt.Fprintf(b, "(%d more ignored by .gitignore)\n", l.ignored)
	}
	if l.failed > 0 {
		fmt.Fprintf(b, "(%d could not be read)\n", l.failed)
	}
}
