package bailey

import (
	"fmt"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/policy"
)

// Prompt tells an agent, in a few lines, where it is and what it may do. Telling
// is a courtesy: the code is the wall.
func (b *Bailey) Prompt() string {
	var p strings.Builder
	for i, f := range b.space.Jail().Folders() {
		label := "Further folder"
		if i == 0 {
			label = "Workspace"
		}
		fmt.Fprintf(&p, "%s: %s (%s)\n", label, text.VisibleControl(text.DisplayName(f.Real)), f.Mode)
	}
	task := b.space.Task()
	ops := make([]string, len(task.Ops))
	for i, op := range task.Ops {
		ops[i] = string(op)
	}
	fmt.Fprintf(&p, "Task type: %s. Operations granted: %s.\n", task.Name, strings.Join(ops, ", "))
	if asked := b.supervised(); len(asked) > 0 {
		fmt.Fprintf(&p, "A human is asked before: %s.\n", strings.Join(asked, ", "))
	}
	p.WriteString("Paths are absolute or relative to the workspace. Paths outside these folders are refused by code, however they are spelled; don't try them.\n")
	p.WriteString("A refusal reads \"KIND: what was refused, by which rule, what to do now\". Don't repeat a refused call with another spelling: ask the operator.\n")
	return p.String()
}

func (b *Bailey) supervised() []string {
	var names []string
	for _, d := range b.tools.List() {
		if d.Granted && d.Policy == policy.Supervised.String() {
			names = append(names, d.Name)
		}
	}
	return names
}
