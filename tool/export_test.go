package tool

import (
	"context"
	"testing"
	"time"

	"github.com/baileyhq/bailey/jail"
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

// AddSlowEdit adds a tool with the arguments of file_edit that does what between
// says when it has read the file, before it writes.
func (t *Toolbox) AddSlowEdit(name string, between func()) {
	edit := *fileEdit()
	edit.name = name
	edit.act = func(ctx context.Context, c *call, a any) (string, any, error) {
		r, err := planEdit(ctx, c, a.(*editArgs))
		if err != nil {
			return "", nil, err
		}
		between()
		_, err = c.commit(ctx, c.targets[0], r, jail.ReplaceOptions{})
		return "done", nil, err
	}
	t.specs[name] = &edit
}

// AddSlowWrite is AddSlowEdit with the arguments of file_write.
func (t *Toolbox) AddSlowWrite(name string, between func()) {
	write := *fileWrite()
	write.name = name
	write.act = func(ctx context.Context, c *call, a any) (string, any, error) {
		r, err := planWrite(ctx, c, a.(*writeArgs))
		if err != nil {
			return "", nil, err
		}
		between()
		_, err = c.commit(ctx, c.targets[0], r, jail.ReplaceOptions{})
		return "done", nil, err
	}
	t.specs[name] = &write
}

// AddSlow adds a tool like another one that does what between says when all was
// looked at, before it acts.
func (t *Toolbox) AddSlow(name, like string, between func()) {
	slow := *t.specs[like]
	slow.name = name
	act := slow.act
	slow.act = func(ctx context.Context, c *call, a any) (string, any, error) {
		between()
		return act(ctx, c, a)
	}
	t.specs[name] = &slow
}

// Turns tells how many calls have the turn of a real path or wait for it.
func (t *Toolbox) Turns(real string) int {
	t.locks.mu.Lock()
	defer t.locks.mu.Unlock()
	if l := t.locks.paths[real]; l != nil {
		return l.users
	}
	return 0
}

// Running tells how many calls run.
func (t *Toolbox) Running() int { return len(t.slots) }

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

// ReportOutputEvery sets the time between two reports of what a command prints.
func ReportOutputEvery(t *testing.T, every time.Duration) {
	was := outputEvery
	outputEvery = every
	t.Cleanup(func() { outputEvery = was })
}
