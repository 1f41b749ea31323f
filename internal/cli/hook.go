package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey/internal/hook"
	"github.com/baileyhq/bailey/tool"
)

// maxEvent bounds an event, in bytes: it holds what a call would write.
const maxEvent = 64 << 20

func (a *app) hookCommand() *cobra.Command {
	var names []string
	var list strings.Builder
	for _, agent := range hook.Agents() {
		names = append(names, agent.Name)
		fmt.Fprintf(&list, "  %-12s %s\n", agent.Name, agent.Title)
	}
	var approve bool
	cmd := &cobra.Command{
		Use:   "hook AGENT",
		Short: "Judge another agent's tool call from a hook event (advisory)",
		Long: `Judge a call that an agent is about to make with tools of its own. The agent
sends the event on standard input and reads the answer on standard output, in its
own form; docs/clients.md shows how to set it up. The agents:

` + list.String() + `
The call is judged by the same policy as any other and recorded in the audit log,
with a detail that begins with "advisory".

It is advice and no wall: the agent acts by itself after the check, on a path that
may have come to name something else, and nothing runs in a sandbox. What the
policy allows is left to the agent's own permission rules and prompts, unless
--approve is given. Shell commands are judged by the programs that they would run
and the files that their redirects open; one that the policy allows is left to the
agent in any case. Tools that are not known get no opinion.`,
		Example:   `  bailey hook claude-code --workspace /home/me/project --task agent`,
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("hook takes the name of one agent: %s", strings.Join(names, ", "))
			}
			agent, known := hook.Find(args[0])
			switch {
			case !known:
				return usage("unknown agent %q; known are %s", args[0], strings.Join(names, ", "))
			case approve && !agent.CanApprove:
				return usage("--approve: %s has no answer that spares its own prompt", agent.Title)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			agent, _ := hook.Find(args[0])
			return a.hook(cmd.Context(), agent, approve)
		},
	}
	cmd.Flags().BoolVar(&approve, "approve", false, "let a call that the policy allows go on without the agent's own prompt")
	return cmd
}

func (a *app) hook(ctx context.Context, agent hook.Agent, approve bool) error {
	raw, err := io.ReadAll(io.LimitReader(a.stdin, maxEvent+1))
	switch {
	case err != nil:
		return &tool.Error{Kind: tool.IO, Message: fmt.Sprintf("standard input: %v", err), Err: err}
	case len(raw) > maxEvent:
		raw = nil // it can't be read, and is denied
	}
	event := agent.Read(raw)
	o := hook.Options{Approve: approve}
	if home := a.env("HOME"); filepath.IsAbs(home) {
		o.Home = filepath.Clean(home)
	}
	done := a.hookTools(ctx, &o, a.project(agent, event))
	_, err = a.stdout.Write(event.Judge(ctx, o))
	done()
	if err != nil {
		return &tool.Error{Kind: tool.IO, Message: fmt.Sprintf("standard output: %v", err), Err: err}
	}
	return nil
}

// project is the workspace where the operator has named none: what the agent
// calls its project. It is a better guess than the current directory, which the
// agent can change.
func (a *app) project(agent hook.Agent, event hook.Event) string {
	if agent.ProjectEnv != "" && a.env(agent.ProjectEnv) != "" {
		return a.env(agent.ProjectEnv)
	}
	return event.Project()
}

// hookTools opens what judges. What can't be opened denies.
func (a *app) hookTools(ctx context.Context, o *hook.Options, project string) (done func()) {
	open := a.options()
	if open.Workspace == "" && a.env("BAILEY_WORKSPACE") == "" {
		open.Workspace = project
	}
	b, err := a.openWith(ctx, open)
	if err != nil {
		a.complain(err)
		o.Tools = tool.Broken(err)
		o.Request = func(name string, args json.RawMessage) tool.Request { return tool.Request{Tool: name, Args: args} }
		return func() {}
	}
	o.Tools, o.Request = b.Toolbox(), b.Request
	return func() {
		if err := b.Close(); err != nil {
			fmt.Fprintf(a.stderr, "bailey: warning: %v\n", err)
		}
	}
}
