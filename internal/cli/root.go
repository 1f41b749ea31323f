// Package cli is the command bailey: one file a command. A command translates
// between the terminal and package bailey and decides nothing.
//
// stdout carries the result and nothing else; messages go to stderr. Every
// failure leaves with the exit code of its kind.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/tool"
)

// Main runs the command with the process's arguments and streams, and returns the
// exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv}
	return a.run(ctx, os.Args[1:])
}

// app is one run of the command.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    func(string) string
	flags  globalFlags
}

// globalFlags are those that every command takes.
type globalFlags struct {
	workspace string
	group     string
	task      string
	config    string
	state     string
	json      bool
	logLevel  string
	forceRoot bool
	engine    string
}

// An exitError ends the command with a code after everything has been said.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var exit *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.code
	default:
		return a.complain(err)
	}
}

// complain prints an error as users see it and returns its exit code.
func (a *app) complain(err error) int {
	var own *tool.Error
	if !errors.As(err, &own) {
		own = &tool.Error{Kind: tool.Internal, Message: err.Error()}
	}
	for line := range strings.Lines(own.Error()) {
		fmt.Fprintf(a.stderr, "bailey: %s\n", text.VisibleControl(strings.TrimSuffix(line, "\n")))
	}
	return own.Kind.ExitCode()
}

// usage is an error in the words of the command line.
func usage(format string, args ...any) error {
	return &tool.Error{Kind: tool.InvalidArgument, Message: fmt.Sprintf(format, args...)}
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "bailey",
		Short: "Keep an AI agent inside its own folder",
		Long: `Bailey keeps an AI agent inside its own folder: file tools behind a race-free
path jail, every call judged by your policy on the real object that it would
touch, and every call, refused ones first, in an audit log that shows tampering.

Begin with "bailey tour" to see it at work, then "bailey init".`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: a.prepare,
		Args:              noArguments,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v; see %s --help", err, cmd.CommandPath())
	})
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	f := root.PersistentFlags()
	f.StringVar(&a.flags.workspace, "workspace", "", "the agent's folder (default: $BAILEY_WORKSPACE, else the current directory)")
	f.StringVar(&a.flags.group, "group", "", "label of the group in the audit log")
	f.StringVar(&a.flags.task, "task", "", "the task type, which fixes the operations (default: $BAILEY_TASK, else the configuration's)")
	f.StringVar(&a.flags.config, "config", "", "the configuration file (default: $BAILEY_CONFIG, else the user's, else the host's)")
	f.StringVar(&a.flags.state, "state", "", "the state directory (default: $BAILEY_STATE, else $XDG_STATE_HOME/bailey)")
	f.BoolVar(&a.flags.json, "json", false, "print JSON")
	f.StringVar(&a.flags.logLevel, "log-level", "warn", "what to log on stderr: debug, info, warn or error")
	f.BoolVar(&a.flags.forceRoot, "force-root", false, "permit a workspace that is refused for what it holds, with a warning")
	f.StringVar(&a.flags.engine, "engine", "auto", "how files are reached: auto, openat2 or os.Root")
	root.AddCommand(
		a.tourCommand(), a.initCommand(), a.mcpCommand(), a.callCommand(), a.toolsCommand(), a.execCommand(),
		a.policyCommand(), a.approvalsCommand(), a.doctorCommand(), a.configCommand(), a.hookCommand(), a.versionCommand(),
	)
	return root
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return usage("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
	}
	hint := fmt.Sprintf("see %s --help", cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	return usage("unknown command %q; %s", args[0], hint)
}

// prepare runs before every command.
func (a *app) prepare(*cobra.Command, []string) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.flags.logLevel)); err != nil {
		return usage("--log-level: want debug, info, warn or error, got %q", a.flags.logLevel)
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level})))
	if _, err := a.engine(); err != nil {
		return err
	}
	if os.Geteuid() == 0 && isTerminal(a.stderr) {
		fmt.Fprintln(a.stderr, "bailey: warning: running as root; a user of its own for Bailey is safer")
	}
	return nil
}

func (a *app) engine() (jail.Engine, error) {
	for _, e := range []jail.Engine{jail.EngineAuto, jail.EngineOpenat2, jail.EngineOSRoot} {
		if strings.EqualFold(a.flags.engine, e.String()) {
			return e, nil
		}
	}
	return 0, usage("--engine: want auto, openat2 or os.Root, got %q", a.flags.engine)
}

// options are what the flags say to package bailey.
func (a *app) options() bailey.Options {
	engine, _ := a.engine() // checked by prepare
	return bailey.Options{
		Workspace: a.flags.workspace, Task: a.flags.task, ConfigFile: a.flags.config,
		StateDir: a.flags.state, Group: a.flags.group, ForceRoot: a.flags.forceRoot,
		Engine: engine, Env: a.env,
	}
}

// open opens the workspace and prints what the operator should know.
func (a *app) open(ctx context.Context) (*bailey.Bailey, error) { return a.openWith(ctx, a.options()) }

func (a *app) openWith(ctx context.Context, o bailey.Options) (*bailey.Bailey, error) {
	b, err := bailey.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, w := range b.Warnings() {
		fmt.Fprintf(a.stderr, "bailey: warning: %s\n", text.VisibleControl(w))
	}
	return b, nil
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
