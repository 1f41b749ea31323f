package tool

import (
	"context"
	"testing"

	"github.com/baileyhq/bailey/workspace"
)

// AddTool adds a tool without arguments that does what a test wants.
func (t *Toolbox) AddTool(name string, act func(ctx context.Context)) {
	type none struct{}
	t.specs[name] = define(spec{name: name, op: workspace.OpRead},
		func(*none) []use { return nil },
		func(ctx context.Context, _ *call, _ *none) (string, *none, error) {
			act(ctx)
			return "done", nil, nil
		})
}

// LimitTree lowers the bound on the entries of a tree until the test ends.
func LimitTree(t *testing.T, n int) {
	was := maxTree
	maxTree = n
	t.Cleanup(func() { maxTree = was })
}

// StageNames lists the stages of a call.
func StageNames() []string {
	var names []string
	for _, s := range stages {
		names = append(names, s.name)
	}
	return names
}
