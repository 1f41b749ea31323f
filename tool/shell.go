package tool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/workspace"
)

// Bounds of a command. A text, an argument and a variable are what Linux takes
// for one argument.
const (
	maxWord  = 128<<10 - 1
	maxWords = 1 << 20 // bytes of all arguments and variables together
	maxStdin = 1 << 20 // bytes; a human may have to look at them
)

type shellArgs struct {
	Command    *string           `json:"command,omitempty" jsonschema:"a shell's text, run by bash -c where the host has bash, else by sh -c; give this or argv"`
	Argv       []string          `json:"argv,omitempty" min:"1" max:"4096" jsonschema:"a program and its arguments, run without a shell; give this or command"`
	Cwd        string            `json:"cwd,omitempty" default:"\".\"" jsonschema:"the working directory, relative to the workspace or absolute; by default the workspace"`
	Env        map[string]string `json:"env,omitempty" max:"256" jsonschema:"variables to set for the command"`
	Stdin      *string           `json:"stdin,omitempty" jsonschema:"what the command reads from standard input, at most 1 MiB; by default nothing"`
	Timeout    seconds           `json:"timeout,omitempty" jsonschema:"the longest that it may run: a duration such as 90s, or a number of seconds"`
	Network    string            `json:"network,omitempty" enum:"off,allow,full,host" jsonschema:"off; allow for the hosts that the operator lists; full for any public host; host for the host's own network. By default what the operator has set"`
	Background bool              `json:"background,omitempty" jsonschema:"answer at once and let the command run on"`
}

func shell() *spec {
	s := define(spec{
		name: "shell", title: "Run a command", op: workspace.OpExec,
		description: "Runs a command in a sandbox that sees the allowed folders and the host's programs. " +
			"Succeeds when the command ran, whatever its exit code. Pass argv where no shell is needed: it is read with certainty.",
		hints: Annotations{Destructive: true, OpenWorld: true},
	}, func(a *shellArgs) []use {
		return []use{{path: a.Cwd, how: jail.Existing}}
	}, runShell)
	s.check = func(args any) error { return args.(*shellArgs).check() }
	s.command = func(args any) *command { return newCommand(args.(*shellArgs)) }
	return s
}

// check refuses what no shell and no program could be given as it is. Shells
// disagree about control bytes, so that a text with one is not even read.
func (a *shellArgs) check() error {
	total := 0
	switch {
	case (a.Command == nil) == (a.Argv == nil):
		return fail(InvalidArgument, "shell: give either command or argv")
	case a.Command != nil && strings.Trim(*a.Command, " \t\n") == "":
		return fail(InvalidArgument, "shell: command is empty")
	case a.Command != nil && strings.ContainsFunc(*a.Command, isControl):
		return fail(InvalidArgument, "shell: command holds a control character; only line feeds and tabs may stand in it, write others with printf")
	case len(a.Argv) > 0 && a.Argv[0] == "":
		return fail(InvalidArgument, "shell: argv[0] must name a program")
	case a.Stdin != nil && len(*a.Stdin) > maxStdin:
		return fail(TooLarge, fmt.Sprintf("shell: %d bytes for stdin are more than %d; write them to a file that the command reads", len(*a.Stdin), maxStdin))
	}
	words := slices.Clone(a.Argv)
	if a.Command != nil {
		words = []string{*a.Command}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		if !isVariable(name) {
			return fail(InvalidArgument, fmt.Sprintf("shell: env: %q is no name of a variable: letters, digits and _, no digit in front", clip(name, 60)))
		}
		words = append(words, name+"="+a.Env[name])
	}
	for _, w := range words {
		total += len(w) + 1
		switch {
		case strings.IndexByte(w, 0) >= 0:
			return fail(InvalidArgument, "shell: a NUL byte can't be passed to a program")
		case len(w) > maxWord:
			return fail(InvalidArgument, fmt.Sprintf("shell: %d bytes are more than the %d that one argument may have; put them into a file", len(w), maxWord))
		}
	}
	if total > maxWords {
		return fail(InvalidArgument, fmt.Sprintf("shell: %d bytes of arguments and variables are more than %d", total, maxWords))
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }

func isVariable(name string) bool {
	for i, r := range name {
		switch {
		case r == '_', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', i > 0 && r >= '0' && r <= '9':
		default:
			return false
		}
	}
	return name != "" && len(name) <= 256
}

// runShell hands the command over to what runs it. Without a sandbox nothing runs.
func runShell(ctx context.Context, c *call, a *shellArgs) (string, *CommandResult, error) {
	if c.box.Shell == nil {
		return "", nil, &Error{
			Kind: NoSandboxAvailable, Rule: "sandbox",
			Message: "no command can be isolated here, so that none runs; use the file tools, or ask the operator to set up a sandbox",
		}
	}
	streams, stop := watched(ctx, c.req.Streams)
	defer stop()
	r, err := c.box.Shell(ctx, &Command{
		Shell: c.command.shell, Text: c.command.text(), Argv: slices.Clone(a.Argv), Dir: c.targets[0].Real(), Env: maps.Clone(a.Env),
		Stdin: deref(a.Stdin), Timeout: time.Duration(a.Timeout), Network: a.Network, Background: a.Background,
		Operator: c.req.Operator, Streams: streams,
	})
	if r == nil {
		return "", nil, err
	}
	if r.Layers == nil {
		r.Layers = []string{} // no tool answers null
	}
	c.rec.Sandbox, c.rec.Guarantee, c.rec.ExitCode = r.Backend, r.Guarantee, &r.ExitCode
	return shellOutput(r), r, err
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func shellOutput(r *CommandResult) string {
	var b strings.Builder
	b.WriteString(r.Stdout)
	if r.Stderr != "" {
		if r.Stdout != "" && !strings.HasSuffix(r.Stdout, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(r.Stderr)
	}
	if r.ExitCode != 0 || r.Signal != "" {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "exit code %d", r.ExitCode)
		if r.Signal != "" {
			fmt.Fprintf(&b, " (%s)", r.Signal)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
