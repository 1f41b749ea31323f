package tool

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/baileyhq/bailey/internal/search"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// maxTree bounds the entries of one tree. Tests lower it.
var maxTree = 10_000

type treeArgs struct {
	Path    string   `json:"path,omitempty" default:"\".\"" jsonschema:"the directory, relative to the workspace or absolute"`
	Depth   int64    `json:"depth,omitempty" default:"3" min:"1" max:"100" jsonschema:"levels to show"`
	Exclude []string `json:"exclude,omitempty" max:"256" jsonschema:"globs of what to leave out: one without a slash is a name at any depth, one with a slash a path below the start; ** crosses directories"`
}

type treeData struct {
	Path        string     `json:"path" jsonschema:"the real path of the directory"`
	Children    []treeNode `json:"children"`
	Files       int        `json:"files" jsonschema:"entries shown that are no directories"`
	Directories int        `json:"directories" jsonschema:"directories shown"`
	Hidden      int64      `json:"hidden" jsonschema:"entries that the policy left out"`
	Excluded    int        `json:"excluded" jsonschema:"entries that exclude left out"`
	Truncated   bool       `json:"truncated" jsonschema:"there are more entries than a tree may have"`
}

// treeNode is an entry of a tree. A directory that was not entered because of
// depth has no children.
type treeNode struct {
	Name     string     `json:"name"`
	Type     string     `json:"type"`
	Children []treeNode `json:"children,omitempty"`
}

func fileTree() *spec {
	return define(spec{
		name: "file_tree", title: "Show a directory tree", op: workspace.OpList,
		description: "Shows what lies below a directory as an indented tree: directories end in /, symbolic links (which are not followed) in @.",
		hints:       Annotations{ReadOnly: true, Idempotent: true},
	}, func(a *treeArgs) []use {
		return []use{{path: a.Path, how: jail.Existing, effect: policy.List}}
	}, treeFiles)
}

func treeFiles(ctx context.Context, c *call, a *treeArgs) (string, *treeData, error) {
	g := c.targets[0]
	t := &tree{data: &treeData{Path: text.DisplayName(g.Real()), Children: []treeNode{}}}
	for _, x := range a.Exclude {
		glob, err := search.ParseGlob(x)
		if err != nil {
			return "", nil, err
		}
		t.exclude = append(t.exclude, glob)
	}
	t.open = []*[]treeNode{&t.data.Children}
	t.judges = []visible{c.visible(g)}
	fmt.Fprintf(&t.lines, "%s/\n", strings.TrimSuffix(text.VisibleControl(c.box.display(g.Real())), "/"))
	err := g.obj.Walk(ctx, jail.WalkOptions{Depth: int(a.Depth), Sorted: true, Ahead: true}, func(e *jail.WalkEntry) error {
		if err := ctx.Err(); err != nil {
			return err // Walk looks less often, and a pattern can make an entry slow
		}
		return t.visit(e)
	})
	if err != nil {
		return "", nil, err
	}
	c.rec.Hidden = t.data.Hidden
	if t.data.Truncated {
		fmt.Fprintf(&t.lines, "(cut at %d entries; name a directory below, or a smaller depth)\n", maxTree)
	}
	noteHidden(&t.lines, t.data.Hidden)
	return t.lines.String(), t.data, nil
}

// tree builds the answer while a walk goes through a directory.
type tree struct {
	data    *treeData
	exclude []*search.Glob
	judges  []visible     // by depth: of the directory whose entries come
	open    []*[]treeNode // by depth: where they go
	lines   strings.Builder
}

func (t *tree) visit(e *jail.WalkEntry) error {
	depth := e.Depth()
	judge := t.judges[depth-1]
	switch {
	case e.Err() != nil:
		return nil //nolint:nilerr // it was listed by its parent, and can't be looked into
	case t.excluded(e):
		t.data.Excluded++
		return skip(e)
	case !judge.Allowed(e.Name(), e.IsDir(), e.Type()&fs.ModeSymlink != 0):
		t.data.Hidden++
		return skip(e)
	case t.data.Files+t.data.Directories == maxTree:
		t.data.Truncated = true
		return fs.SkipAll
	}
	node := treeNode{Name: text.DisplayName(e.Name()), Type: typeName(e.Type())}
	fmt.Fprintf(&t.lines, "%s%s%s\n", strings.Repeat("  ", depth), text.VisibleControl(node.Name), markOf(node.Type))
	siblings := t.open[depth-1]
	*siblings = append(*siblings, node)
	if !e.IsDir() {
		t.data.Files++
		return nil
	}
	t.data.Directories++
	// The address holds as long as the walk is below this entry: only then do
	// siblings follow.
	t.open = append(t.open[:depth], &(*siblings)[len(*siblings)-1].Children)
	t.judges = append(t.judges[:depth], judge.enter(e.Name()))
	return nil
}

func (t *tree) excluded(e *jail.WalkEntry) bool {
	if len(t.exclude) == 0 {
		return false
	}
	path := e.Path()
	return slices.ContainsFunc(t.exclude, func(x *search.Glob) bool { return x.Match(path, e.Name(), e.IsDir()) })
}

func skip(e *jail.WalkEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// treeSchema describes a node, which holds nodes: inference refuses such a type.
func treeSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Required: []string{"name", "type"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Properties: map[string]*jsonschema.Schema{
			"name": {Type: "string"},
			"type": {Type: "string"},
			"children": {
				Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/node"},
				Description: "absent where the tree goes no deeper",
			},
		},
	}
}
