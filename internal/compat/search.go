package compat

import (
	"context"
	"path"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

// maxFound is how many entries one call of file_find finds. Tests lower it.
var maxFound = 100_000

type searchArgs struct {
	Path    string   `json:"path" jsonschema:"the directory to start at"`
	Pattern string   `json:"pattern" jsonschema:"glob below path"`
	Exclude []string `json:"excludePatterns,omitempty" jsonschema:"globs of what to leave out"`
}

func (t *translator) search(ctx context.Context, a *searchArgs) (*Answer, *tool.Result) {
	if fail := t.paths(ctx, findTool, &a.Path); fail != nil {
		return nil, fail
	}
	want, err := parsePattern(a.Pattern)
	if err != nil {
		return nil, t.refuse(ctx, findTool, nil, "pattern: "+err.Error())
	}
	exclude, err := searchExcludes(a.Exclude)
	if err != nil {
		return nil, t.refuse(ctx, findTool, nil, "excludePatterns: "+err.Error())
	}
	start, fail := t.start(ctx, a.Path)
	if fail != nil {
		return nil, fail
	}
	found, fail := t.find(ctx, a.Path, want, exclude)
	if fail != nil {
		return nil, fail
	}
	var lines []string
	for _, p := range found {
		rel := strings.TrimPrefix(p, strings.TrimSuffix(start, "/")+"/")
		if want.match(rel) && !exclude.matchAbove(rel) {
			lines = append(lines, p)
		}
	}
	if len(lines) == 0 {
		return success("No matches found"), nil
	}
	return success(strings.Join(lines, "\n")), nil
}

// start is the real path of the directory to search.
func (t *translator) start(ctx context.Context, path string) (string, *tool.Result) {
	info, fail := t.stat(ctx, path)
	if fail != nil {
		return "", fail
	}
	return info.Path, nil
}

// find lists the real paths that match, in a form that can be shown.
func (t *translator) find(ctx context.Context, start string, want pattern, exclude patterns) ([]string, *tool.Result) {
	glob := want.glob
	if want.negate || want.never || !relative(glob) {
		glob = "**" // it is matched on the answer
	}
	var data struct {
		Entries []struct {
			Path string `json:"path"`
		} `json:"entries"`
		Truncated bool `json:"truncated"`
	}
	args := map[string]any{"path": start, "pattern": glob, "exclude": exclude.early(), "gitignore": false, "limit": maxFound}
	if _, fail := t.call(ctx, findTool, args, &data); fail != nil {
		return nil, fail
	}
	if data.Truncated {
		return nil, failed(tool.TooLarge, "more entries match than one answer may hold; narrow the pattern, or leave parts out by excludePatterns")
	}
	paths := make([]string, len(data.Entries))
	for i, e := range data.Entries {
		paths[i] = t.absolute(e.Path)
	}
	return paths, nil
}

// absolute turns a path as file_find answers it, which is relative to the
// workspace where it lies there, into a whole one.
func (t *translator) absolute(shown string) string {
	if path.IsAbs(shown) || len(t.Folders) == 0 {
		return shown
	}
	return path.Join(text.DisplayName(t.Folders[0].Real), shown)
}
