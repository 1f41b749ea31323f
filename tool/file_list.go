package tool

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// maxKept bounds the entries that are kept in memory to find those of one page.
const maxKept = 1 << 19

type listArgs struct {
	Path  string `json:"path,omitempty" default:"\".\"" jsonschema:"the directory, relative to the workspace or absolute"`
	Sizes bool   `json:"sizes,omitempty" jsonschema:"show sizes and times too"`
	Sort  string `json:"sort,omitempty" default:"\"name\"" enum:"name,size,mtime" jsonschema:"by name, by size (largest first) or by time of change (newest first)"`
	Page  int64  `json:"page,omitempty" default:"1" min:"1" jsonschema:"page of the listing, counted from 1"`
	Limit int64  `json:"limit,omitempty" default:"1000" min:"1" max:"10000" jsonschema:"entries on a page"`
}

type listData struct {
	Path      string      `json:"path" jsonschema:"the real path of the directory"`
	Entries   []listEntry `json:"entries"`
	Total     int         `json:"total" jsonschema:"entries on all pages"`
	Page      int64       `json:"page"`
	Pages     int64       `json:"pages"`
	Hidden    int64       `json:"hidden" jsonschema:"entries that the policy left out"`
	Truncated bool        `json:"truncated" jsonschema:"there are further pages"`
}

type listEntry struct {
	Name  string `json:"name"`
	Type  string `json:"type" enum:"file,directory,symlink,fifo,socket,device"`
	Size  *int64 `json:"size,omitempty" jsonschema:"bytes, with sizes"`
	MTime string `json:"mtime,omitempty" jsonschema:"time of the last change, with sizes"`
}

func fileList() *spec {
	return define(spec{
		name: "file_list", title: "List a directory", op: workspace.OpList,
		description: "Lists the entries of one directory, a name a line: directories end in /, symbolic links in @. For what lies beneath use file_tree or file_find.",
		hints:       Annotations{ReadOnly: true, Idempotent: true},
	}, func(a *listArgs) []use {
		return []use{{path: a.Path, how: jail.Existing, effect: policy.List}}
	}, listFiles)
}

func listFiles(ctx context.Context, c *call, a *listArgs) (string, *listData, error) {
	g := c.targets[0]
	if a.Page > maxKept/a.Limit {
		return "", nil, fail(InvalidArgument, fmt.Sprintf("page: a listing goes no further than %d entries; use file_find with a pattern", maxKept))
	}
	top := &firsts{order: orders[a.Sort], most: int(a.Page * a.Limit)}
	data := &listData{Path: text.DisplayName(g.Real()), Page: a.Page, Entries: []listEntry{}}
	judge := c.visible(g)
	stat := a.Sizes || a.Sort != "name"
	err := g.obj.Walk(ctx, jail.WalkOptions{Depth: 1, Stat: stat}, func(e *jail.WalkEntry) error {
		if !judge.Allowed(e.Name(), e.IsDir(), e.Type()&fs.ModeSymlink != 0) {
			data.Hidden++
			return nil
		}
		data.Total++
		top.add(listItem(e, stat))
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	c.rec.Hidden = data.Hidden
	data.Pages = (int64(data.Total) + a.Limit - 1) / a.Limit
	data.Truncated = data.Pages > a.Page
	items := top.sorted()
	for _, it := range items[min(int((a.Page-1)*a.Limit), len(items)):] {
		data.Entries = append(data.Entries, it.shown(a.Sizes))
	}
	return listOutput(data, a.Sizes), data, nil
}

// item is an entry of a directory as it is sorted.
type item struct {
	name  string
	mode  fs.FileMode
	size  int64
	mtime time.Time
}

// listItem notes an entry. Of one that went away meanwhile, or that lies on a
// mount that may not be entered, the name is all that can be said.
func listItem(e *jail.WalkEntry, stat bool) item {
	it := item{name: e.Name(), mode: e.Type()}
	if !stat {
		return it
	}
	if info, err := e.Info(); err == nil {
		it.size, it.mtime = info.Size(), info.ModTime()
	}
	return it
}

func (it item) shown(sizes bool) listEntry {
	e := listEntry{Name: text.DisplayName(it.name), Type: typeName(it.mode)}
	if sizes && !it.mtime.IsZero() {
		e.Size, e.MTime = &it.size, stamp(it.mtime)
	}
	return e
}

var orders = map[string]func(a, b item) int{
	"name": func(a, b item) int { return cmp.Compare(a.name, b.name) },
	"size": func(a, b item) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name)) },
	"mtime": func(a, b item) int {
		return cmp.Or(b.mtime.Compare(a.mtime), cmp.Compare(a.name, b.name))
	},
}

// firsts keeps the first few of many items: a heap with the last of them on top.
type firsts struct {
	order func(a, b item) int
	most  int
	items []item
}

func (f *firsts) Len() int           { return len(f.items) }
func (f *firsts) Less(i, j int) bool { return f.order(f.items[i], f.items[j]) > 0 }
func (f *firsts) Swap(i, j int)      { f.items[i], f.items[j] = f.items[j], f.items[i] }
func (f *firsts) Push(x any)         { f.items = append(f.items, x.(item)) }

func (f *firsts) Pop() any {
	last := f.items[len(f.items)-1]
	f.items = f.items[:len(f.items)-1]
	return last
}

func (f *firsts) add(it item) {
	if len(f.items) < f.most {
		heap.Push(f, it)
		return
	}
	if f.order(it, f.items[0]) < 0 {
		f.items[0] = it
		heap.Fix(f, 0)
	}
}

func (f *firsts) sorted() []item {
	slices.SortFunc(f.items, f.order)
	return f.items
}

func listOutput(d *listData, sizes bool) string {
	var b strings.Builder
	for _, e := range d.Entries {
		if sizes {
			size := "-"
			if e.Size != nil && e.Type != "directory" {
				size = fmt.Sprint(*e.Size)
			}
			fmt.Fprintf(&b, "%12s  %-19.19s  ", size, e.MTime)
		}
		b.WriteString(text.VisibleControl(e.Name))
		b.WriteString(markOf(e.Type))
		b.WriteByte('\n')
	}
	switch {
	case len(d.Entries) == 0 && d.Total > 0:
		fmt.Fprintf(&b, "(no entries on page %d of %d)\n", d.Page, d.Pages)
	case len(d.Entries) == 0:
		b.WriteString("(empty)\n")
	case d.Pages > 1:
		fmt.Fprintf(&b, "(page %d of %d, %d entries in all)\n", d.Page, d.Pages, d.Total)
	}
	noteHidden(&b, d.Hidden)
	return b.String()
}

// noteHidden tells that entries were left out, so that an absence is not taken
// for a fact.
func noteHidden(b *strings.Builder, hidden int64) {
	if hidden > 0 {
		fmt.Fprintf(b, "(%d more hidden by policy)\n", hidden)
	}
}
