package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

// execFlags are those of bailey exec.
type execFlags struct {
	cwd     string
	env     []string
	timeout string
	network string
	session string
	report  string
	ask     bool
	tty     bool
	noTTY   bool
}

// networks are the words for a command's network.
var networks = []string{"off", "allow", "full", "host"}

func (a *app) execCommand() *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] -- CMD [ARG...]",
		Short: "Run a command in the sandbox",
		Long: `Run a command in the sandbox: it sees the allowed folders and the host's
programs, and nothing else of this host. No shell reads its words again.

The command is yours, not an agent's: it runs as the task type agent unless --task
says otherwise, and typing it is the approval of what the policy supervises. What
the policy denies stays denied. With --ask you are asked as for an agent's call.

On a terminal the command gets a terminal of its own: every key reaches it, Ctrl-C
too, and its size follows yours. Otherwise its streams are pipes. Output is passed
on uncut. Standard input is passed on as it comes, also to a command that does not
read it (give it </dev/null where others read on); a terminal is not read from
while output goes elsewhere, so that bailey exec -- git log | less can be used.

The exit code is the command's own, 128+n if signal n ended it. That of Bailey is
another only where the command did not run or was ended: then a message says so.
With --report FILE, the result is in FILE as JSON, with error_kind where it is
Bailey's.`,
		Example: `  bailey exec -- go test ./...
  bailey exec -- bash                               # a shell that can't get out
  bailey exec -- sh -c 'grep -r TODO . | wc -l'
  git diff | bailey exec --cwd tools -- ./review    # stdin goes through
  bailey exec --network allow --timeout 10m -- npm ci
  bailey exec --report result.json -- make; jq .data.exit_code result.json`,
		Args: func(_ *cobra.Command, args []string) error { return f.check(args, a.flags.json) },
		RunE: func(cmd *cobra.Command, args []string) error { return a.exec(cmd.Context(), &f, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows the command is its own
	flags.StringVar(&f.cwd, "cwd", "", "where it starts, relative to the workspace or absolute (default: the workspace)")
	flags.StringArrayVar(&f.env, "env", nil, "set a variable, `KEY=VALUE`; may be given several times")
	flags.StringVar(&f.timeout, "timeout", "", "the longest that it may run: 90s, a number of seconds, or none (default: none on a terminal of its own, else the configuration's)")
	flags.StringVar(&f.network, "network", "", "off, allow, full or host (default: the configuration's)")
	flags.StringVar(&f.session, "session", "", "the session that it belongs to (default: one of its own)")
	flags.StringVar(&f.report, "report", "", "write the result as JSON to `FILE`")
	flags.BoolVar(&f.ask, "ask", false, "ask for what the policy supervises")
	flags.BoolVar(&f.tty, "tty", false, "give the command a terminal wherever its streams lead")
	flags.BoolVar(&f.noTTY, "no-tty", false, "give it pipes, on a terminal too")
	_ = cmd.RegisterFlagCompletionFunc("network", cobra.FixedCompletions(networks, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagDirname("cwd")
	_ = cmd.MarkFlagFilename("report")
	return cmd
}

func (f *execFlags) check(args []string, asJSON bool) error {
	switch {
	case len(args) == 0:
		return usage("exec needs a command: bailey exec [flags] -- CMD [ARG...]")
	case args[0] == "":
		return usage("exec: the command has no name")
	case f.tty && f.noTTY:
		return usage("--tty and --no-tty exclude each other")
	case f.tty && asJSON:
		return usage("--json captures the output, so that there is no terminal: leave out --tty")
	}
	return checkSession(f.session)
}

// request is what the flags and words ask for, but for the streams.
func (f *execFlags) request(argv []string) (bailey.ExecRequest, error) {
	r := bailey.ExecRequest{Argv: argv, Dir: f.cwd, Network: f.network, Ask: f.ask, Env: map[string]string{}}
	var err error
	if r.Timeout, err = execTimeout(f.timeout); err != nil {
		return r, err
	}
	for _, pair := range f.env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return r, usage("--env: want KEY=VALUE, got %q", pair)
		}
		r.Env[name] = value
	}
	return r, nil
}

func execTimeout(s string) (time.Duration, error) {
	switch s {
	case "":
		return 0, nil
	case "none":
		return bailey.Unlimited, nil
	}
	d, err := time.ParseDuration(s)
	if n, nerr := strconv.ParseFloat(s, 64); nerr == nil && math.Abs(n) <= bailey.Unlimited.Seconds() {
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || d <= 0 || d > bailey.Unlimited {
		return 0, usage("--timeout: want a duration above zero such as 90s, a number of seconds, or none, got %q", s)
	}
	return d, nil
}

// exec runs the command and leaves with its exit code.
func (a *app) exec(ctx context.Context, f *execFlags, argv []string) error {
	ctx, settle := endings(ctx)
	defer settle()
	request, err := f.request(argv)
	if err != nil {
		return err
	}
	var report *report
	if f.report != "" {
		if report, err = openReport(f.report); err != nil {
			return err
		}
		defer report.close()
	}
	s := a.connect(f)
	defer s.close()
	request.Streams = s.streams
	if s.streams.Terminal != nil && request.Timeout == 0 {
		request.Timeout = bailey.Unlimited // a human is there to end it
	}
	r := a.execute(ctx, f, request)
	s.close()
	if report != nil {
		err = report.write(r)
	}
	if err == nil {
		err = s.err()
	}
	return a.leave(r, err)
}

// endings has ctx end by the signals that end a terminal's programs as well, and
// keeps a reader of stdout that has gone from ending the process on the spot: the
// command must end first, and the record be written. (A signal that is ignored
// would be ignored by the command too, one that is caught is not.) What was ignored
// when the process began, as by nohup, stays so.
func endings(ctx context.Context) (_ context.Context, settle func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	stop := func() {}
	if !signal.Ignored(syscall.SIGHUP) {
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGHUP)
	}
	return ctx, stop
}

// execute carries out the call, also where nothing could be opened: the answer then
// says why.
func (a *app) execute(ctx context.Context, f *execFlags, request bailey.ExecRequest) *tool.Result {
	o := a.options()
	o.Session = f.session
	if o.Task == "" {
		o.Task = "agent"
	}
	if f.ask {
		a.attend(&o)
	}
	b, err := a.openWith(ctx, o)
	if err != nil {
		return tool.Broken(err).Call(ctx, tool.Request{Tool: "shell"})
	}
	r := b.Exec(ctx, request)
	if err := b.Close(); err != nil {
		fmt.Fprintf(a.stderr, "bailey: warning: %v\n", err)
	}
	return r
}

// leave says what is left to be said, and makes the exit code of it. The command has
// printed its output; a failure to pass that on, or to write the report, comes after
// a failure of the call.
func (a *app) leave(r *tool.Result, failure error) error {
	ran, _ := r.Data.(*tool.CommandResult)
	switch {
	case a.flags.json || !r.Success:
		if err := a.printResult(r); err != nil {
			return err
		}
	case ran != nil:
		a.remark(ran)
	}
	if failure != nil {
		return failure
	}
	if ran != nil && ran.ExitCode != 0 {
		return &exitError{ran.ExitCode}
	}
	return nil
}

// remark tells what the output does not.
func (a *app) remark(r *tool.CommandResult) {
	say := func(format string, args ...any) {
		fmt.Fprintln(a.stderr, "bailey: "+text.VisibleControl(fmt.Sprintf(format, args...)))
	}
	for _, d := range r.Denials {
		line := fmt.Sprintf("the sandbox refused %s %s (%s)", d.Op, d.Path+d.Host, d.Rule)
		if d.Hint != "" {
			line += ": " + d.Hint
		}
		say("%s", line)
	}
	for _, q := range r.Quarantined {
		say("taken back after the run: %s", q)
	}
	for _, l := range r.LeftLocks {
		say("a lock file is left behind: %s", l)
	}
}

// connection is what the command's streams lead to.
type connection struct {
	streams *tool.Streams
	out     *outlet
	errs    *outlet
	close   func() // gives the terminal back; may be called again
}

func (c *connection) err() error {
	for _, o := range []*outlet{c.out, c.errs} {
		if o == nil {
			continue
		}
		if err := o.failure(); err != nil {
			return err
		}
	}
	return nil
}

// connect chooses the streams. A terminal is given for a terminal: if one of the
// three leads elsewhere, the command would mix up what the operator keeps apart.
func (a *app) connect(f *execFlags) *connection {
	c := &connection{streams: &tool.Streams{Stdin: a.stdin}, close: func() {}}
	typed := isTerminal(a.stdin)
	if a.flags.json {
		if typed && !f.noTTY {
			c.streams.Stdin = nil
		}
		return c
	}
	c.out, c.errs = &outlet{name: "standard output", w: a.stdout}, &outlet{name: "standard error", w: a.stderr}
	c.streams.Stdout, c.streams.Stderr = c.out, c.errs
	all := typed && isTerminal(a.stdout) && isTerminal(a.stderr)
	switch {
	case f.noTTY:
	case f.tty || all && inForeground(a.stdin):
		c.streams.Terminal, c.streams.Stdin, c.close = ownTerminal(a.stdin, a.stdout)
	case typed:
		c.streams.Stdin = nil
	}
	return c
}
