package compat

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"strings"

	"github.com/baileyhq/bailey/tool"
)

// maxDepth is how deep one call of file_tree goes.
const maxDepth = 100

type treeArgs struct {
	Path    string   `json:"path" jsonschema:"the directory"`
	Exclude []string `json:"excludePatterns,omitempty" jsonschema:"globs of what to leave out"`
}

// node is an entry of a tree as the reference server writes it: a directory has
// children, if only an empty list, and nothing else has.
type node struct {
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	Children *[]node `json:"children,omitempty"`
}

// treeNode is an entry as file_tree answers it.
type treeNode struct {
	Name     string     `json:"name"`
	Type     string     `json:"type"`
	Children []treeNode `json:"children"`
}

func (t *translator) tree(ctx context.Context, a *treeArgs) (*Answer, *tool.Result) {
	if fail := t.paths(ctx, treeTool, &a.Path); fail != nil {
		return nil, fail
	}
	exclude, err := treeExcludes(a.Exclude)
	if err != nil {
		return nil, t.refuse(ctx, treeTool, nil, "excludePatterns: "+err.Error())
	}
	var data struct {
		Children  []treeNode `json:"children"`
		Truncated bool       `json:"truncated"`
	}
	args := map[string]any{"path": a.Path, "depth": maxDepth, "exclude": exclude.early()}
	if _, fail := t.call(ctx, treeTool, args, &data); fail != nil {
		return nil, fail
	}
	const narrow = "name a directory below it, or leave parts out by excludePatterns"
	if data.Truncated {
		return nil, failed(tool.TooLarge, "the tree has more entries than one answer may hold; "+narrow)
	}
	nodes, whole := convert(data.Children, "", 1, exclude)
	if !whole {
		return nil, failed(tool.TooLarge, "the tree is deeper than one answer may show; "+narrow)
	}
	text, err := indented(nodes)
	if err != nil {
		return nil, failed(tool.Internal, "the tree can't be written as JSON: "+err.Error())
	}
	return success(text), nil
}

// convert leaves out what is excluded. It reports whether the tree was shown to
// its leaves.
func convert(from []treeNode, dir string, depth int, exclude patterns) (nodes []node, whole bool) {
	nodes = []node{}
	for _, n := range from {
		rel := path.Join(dir, n.Name)
		if exclude.match(rel) {
			continue
		}
		if n.Type != "directory" {
			nodes = append(nodes, node{Name: n.Name, Type: "file"})
			continue
		}
		if depth == maxDepth {
			return nil, false
		}
		children, whole := convert(n.Children, rel, depth+1, exclude)
		if !whole {
			return nil, false
		}
		nodes = append(nodes, node{Name: n.Name, Type: n.Type, Children: &children})
	}
	return nodes, true
}

func indented(v any) (string, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return strings.TrimSuffix(buf.String(), "\n"), err
}
