package tool

import (
	"context"
	"fmt"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

type mkdirArgs struct {
	Path string `json:"path" jsonschema:"the directory, relative to the workspace or absolute; missing parents are made"`
}

type mkdirData struct {
	Path    string   `json:"path" jsonschema:"the real path of the directory"`
	Created []string `json:"created" jsonschema:"directories that were made, outermost first; none if it was there already"`
}

func dirCreate() *spec {
	return define(spec{
		name: "dir_create", title: "Create a directory", op: workspace.OpMkdir,
		description: "Creates a directory with its missing parents. One that is there already is a success.",
		hints:       Annotations{Idempotent: true},
	}, func(a *mkdirArgs) []use {
		return []use{{path: a.Path, how: jail.Target, effect: policy.Change, dir: true}}
	}, func(ctx context.Context, c *call, _ *mkdirArgs) (string, *mkdirData, error) {
		g := c.targets[0]
		made, err := g.obj.Mkdir(ctx, 0o777)
		if err != nil {
			return "", nil, err
		}
		d := &mkdirData{Path: text.DisplayName(g.Real()), Created: []string{}}
		for _, p := range made {
			d.Created = append(d.Created, text.DisplayName(p))
		}
		if len(made) == 0 {
			return fmt.Sprintf("Directory exists already: %s\n", text.VisibleControl(d.Path)), d, nil
		}
		return fmt.Sprintf("Directory created: %s\n", text.VisibleControl(d.Path)), d, nil
	})
}
