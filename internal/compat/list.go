package compat

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/baileyhq/bailey/tool"
)

// pageSize is how many entries one call of file_list takes. Tests lower it.
var pageSize = 10_000

type listed struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"`
}

func (e listed) isDir() bool { return e.Type == "directory" }

func (e listed) mark() string {
	if e.isDir() {
		return "[DIR] " + e.Name
	}
	return "[FILE] " + e.Name
}

// entries lists a whole directory, page by page.
func (t *translator) entries(ctx context.Context, path string, sizes bool, order string) ([]listed, *tool.Result) {
	if fail := t.paths(ctx, listTool, &path); fail != nil {
		return nil, fail
	}
	var entries []listed
	for page := 1; ; page++ {
		var data struct {
			Entries   []listed `json:"entries"`
			Truncated bool     `json:"truncated"`
		}
		args := map[string]any{"path": path, "sizes": sizes, "sort": order, "page": page, "limit": pageSize}
		if _, fail := t.call(ctx, listTool, args, &data); fail != nil {
			return nil, fail
		}
		entries = append(entries, data.Entries...)
		if !data.Truncated {
			return entries, nil
		}
	}
}

func (t *translator) list(ctx context.Context, a *pathArgs) (*Answer, *tool.Result) {
	entries, fail := t.entries(ctx, a.Path, false, "name")
	if fail != nil {
		return nil, fail
	}
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = e.mark()
	}
	return success(strings.Join(lines, "\n")), nil
}

type listSizesArgs struct {
	Path   string `json:"path" jsonschema:"the directory"`
	SortBy string `json:"sortBy,omitempty" default:"\"name\"" enum:"name,size" jsonschema:"name or size"`
}

func (t *translator) listSizes(ctx context.Context, a *listSizesArgs) (*Answer, *tool.Result) {
	entries, fail := t.entries(ctx, a.Path, true, a.SortBy)
	if fail != nil {
		return nil, fail
	}
	var lines []string
	var files, dirs int
	var total int64
	for _, e := range entries {
		size := ""
		if e.isDir() {
			dirs++
		} else {
			files++
			total += e.Size
			size = fmt.Sprintf("%10s", formatSize(e.Size))
		}
		lines = append(lines, fmt.Sprintf("%s%s %s", e.mark(), padding(e.Name, 30), size))
	}
	lines = append(lines, "",
		fmt.Sprintf("Total: %d files, %d directories", files, dirs),
		"Combined size: "+formatSize(total))
	return success(strings.Join(lines, "\n")), nil
}

// padding fills a name up to a width in UTF-16 units, which is how the reference
// server measures it.
func padding(name string, width int) string {
	return strings.Repeat(" ", max(0, width-len(utf16.Encode([]rune(name)))))
}

// formatSize spells a number of bytes with two decimals of the largest unit that
// fits, halves rounded up.
func formatSize(bytes int64) string {
	units := []string{"B", "KB", "MB", "GB", "TB"}
	unit, scale := 0, int64(1)
	for unit < len(units)-1 && bytes/scale >= 1024 {
		unit++
		scale *= 1024
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	hundredths := (bytes%scale*200 + scale) / (2 * scale)
	whole := bytes/scale + hundredths/100
	return fmt.Sprintf("%d.%02d %s", whole, hundredths%100, units[unit])
}
