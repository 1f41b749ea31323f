package bailey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/internal/gitguard"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/sandbox"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
	"github.com/baileyhq/bailey/workspace/gitconfig"
)

// confinement runs the commands of a workspace in the sandbox: it is the
// [tool.Shell] of a Bailey.
type confinement struct {
	b     *Bailey
	box   *sandbox.Sandbox
	guard *gitguard.Guard
}

const (
	// maxSetUps bounds how often a run is set up while what is to be covered keeps
	// being replaced.
	maxSetUps = 5
	// cleanTime bounds the clean-up after a run whose call was given up.
	cleanTime = time.Minute

	gitGlobal = "/run/bailey-gitconfig"
	cacheDir  = ".bailey/cache"
)

// confine prepares the sandbox, where the task may run commands at all.
func (b *Bailey) confine() error {
	if !b.space.Task().Has(workspace.OpExec) {
		return nil
	}
	box, err := sandbox.New(sandbox.Options{
		Backend: string(b.config.Security.SandboxBackend), TmpSize: b.config.Sandbox.TmpSize.Bytes(),
		Home: filepath.Clean(cmp.Or(homeDir(b.opts.Env), "/")),
	})
	if err != nil {
		return err
	}
	b.box = box
	scanner := covers.New(b.space)
	scanner.KeepIn(filepath.Join(b.state, "scans"))
	b.shell = (&confinement{
		b: b, box: box, guard: gitguard.New(b.space, scanner, filepath.Join(b.state, "guard")),
	}).run
	return nil
}

// run carries out one command.
func (c *confinement) run(ctx context.Context, cmd *tool.Command) (*tool.CommandResult, error) {
	if err := c.supported(cmd); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		result, err := c.attempt(ctx, cmd)
		if errors.Is(err, sandbox.ErrChanged) && try < maxSetUps {
			continue // nothing ran
		}
		return result, err
	}
}

// supported refuses what this version can't do.
func (c *confinement) supported(cmd *tool.Command) error {
	switch network := cmp.Or(cmd.Network, string(c.b.config.Sandbox.Network.Default)); {
	case network != "off":
		return &tool.Error{
			Kind: tool.NetworkDenied, Rule: "sandbox.network",
			Message: fmt.Sprintf("commands have no network in this version (%s was asked for); run it with network off", network),
		}
	case cmd.Background:
		return &tool.Error{Kind: tool.InvalidArgument, Message: "background: this version runs no commands in the background"}
	}
	return nil
}

// attempt sets the walls up, runs the command and cleans up after it.
func (c *confinement) attempt(ctx context.Context, cmd *tool.Command) (result *tool.CommandResult, err error) {
	run, err := c.guard.Begin(ctx, c.b.policy)
	if err != nil {
		return nil, notRun(err)
	}
	defer func() {
		report, ferr := finish(ctx, run)
		if result != nil {
			note(result, report)
		}
		if ferr != nil {
			err = errors.Join(err, &tool.Error{
				Kind: tool.IO, Err: ferr,
				Message: "the command has run, and what it may have planted could not be taken back; tell the operator",
			})
		}
	}()
	spec, done, err := c.spec(ctx, cmd, run)
	if err != nil {
		return nil, notRun(err)
	}
	defer done()
	out := newOutput(cmd.Streams, c.b.config.Sandbox.Output.Bytes())
	spec.Stdout, spec.Stderr = out.stdout, out.stderr
	report, err := c.box.Run(ctx, spec)
	if err != nil {
		return nil, notRun(err)
	}
	result = out.result(cmd, report)
	return result, c.cutShort(ctx, report, result, &spec)
}

func finish(ctx context.Context, run *gitguard.Run) (gitguard.Report, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
	defer cancel()
	report, err := run.Finish(ctx)
	if err != nil {
		slog.ErrorContext(ctx, "the clean-up after a command failed", "error", err)
	}
	return report, err
}

// cutShort is the error of a command that was not let come to its end.
func (c *confinement) cutShort(ctx context.Context, report *sandbox.Report, result *tool.CommandResult, spec *sandbox.Spec) error {
	switch {
	case report.TimedOut:
		return &tool.Error{
			Kind: tool.Timeout, Data: result,
			Message: fmt.Sprintf("the command took longer than %v and was ended with all that it had started; pass a longer timeout if it needs one", spec.Limits.Wall),
		}
	case report.Canceled:
		return ctx.Err()
	}
	return nil
}

// notRun puts why nothing ran into the words of a call. What only needs another
// try keeps its nature.
func notRun(err error) error {
	var walls *sandbox.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, covers.ErrTooMany):
		return &tool.Error{Kind: tool.LimitExceeded, Rule: "sandbox", Message: err.Error() + "; nothing ran", Err: err}
	case !errors.As(err, &walls):
		return &tool.Error{Kind: tool.SandboxFailed, Rule: "sandbox", Message: "the sandbox could not be prepared; nothing ran; tell the operator", Err: err}
	case errors.Is(walls, sandbox.ErrUnavailable):
		return &tool.Error{Kind: tool.NoSandboxAvailable, Rule: "sandbox", Message: walls.Error(), Err: err}
	case errors.Is(walls, sandbox.ErrSpec):
		return &tool.Error{Kind: tool.InvalidArgument, Message: walls.Error(), Err: err}
	default:
		return &tool.Error{Kind: tool.SandboxFailed, Rule: "sandbox", Message: walls.Error(), Err: err}
	}
}

// spec says what to run and within which walls. done closes what it holds open.
func (c *confinement) spec(ctx context.Context, cmd *tool.Command, run *gitguard.Run) (spec sandbox.Spec, done func(), err error) {
	settings := &c.b.config.Sandbox
	home := homeDir(c.b.opts.Env)
	root := c.b.space.Root()
	spec = sandbox.Spec{
		Argv: cmd.Argv, Dir: cmd.Dir, Covers: slices.Clone(run.Covers),
		ReadOnly: c.readOnly(),
		Paths: []string{
			root + "/node_modules/.bin", root + "/.venv/bin", root + "/.bailey/go/bin",
		},
		Files:  []sandbox.File{{Path: gitGlobal, Content: c.identity(home).GlobalConfig(), Mode: 0o444}},
		Env:    c.environ(cmd),
		Cache:  c.cache(ctx),
		Hidden: c.hidden(),
		Limits: sandbox.Limits{
			Wall: cmp.Or(cmd.Timeout, settings.Timeout.Std()), Memory: settings.Memory.Bytes(),
			Processes: settings.Processes, FileSize: settings.FileSize.Bytes(),
		},
	}
	if cmd.Argv == nil {
		spec.Argv = []string{cmd.Shell, "-c", cmd.Text}
	}
	c.connect(&spec, cmd)
	done, err = c.folders(&spec, run.Copies)
	return spec, done, err
}

// connect gives the command something to read, and a terminal where it has one.
func (c *confinement) connect(spec *sandbox.Spec, cmd *tool.Command) {
	if cmd.Stdin != "" {
		spec.Stdin = strings.NewReader(cmd.Stdin)
	}
	if s := cmd.Streams; s != nil {
		spec.Terminal = s.Terminal
		if s.Stdin != nil {
			spec.Stdin = s.Stdin
		}
	}
}

// folders opens the allowed folders for mounting, one that holds another before
// it, and counts those of the covers anew.
func (c *confinement) folders(spec *sandbox.Spec, copies *os.File) (done func(), err error) {
	list := c.b.space.Jail().Folders()
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(list[a].Real), len(list[b].Real)) })
	done = func() {
		for _, f := range spec.Folders {
			if f.Dir != copies {
				_ = f.Dir.Close()
			}
		}
	}
	place := make([]int, len(list))
	for at, i := range order {
		dir, err := c.b.space.Jail().Tree(i).Handle()
		if err != nil {
			done()
			return nil, err
		}
		place[i] = at
		spec.Folders = append(spec.Folders, sandbox.Folder{Path: list[i].Real, Dir: dir, Writable: list[i].Mode == jail.ReadWrite})
	}
	for i := range spec.Covers {
		spec.Covers[i].Folder = place[spec.Covers[i].Folder]
	}
	if copies != nil {
		spec.Folders = append(spec.Folders, sandbox.Folder{Path: gitguard.Inside, Dir: copies, Writable: true})
	}
	return done, nil
}

// readOnly are the directories of the host that the configuration adds, as far as
// they are there.
func (c *confinement) readOnly() []string {
	var dirs []string
	for _, dir := range c.b.config.Sandbox.ReadOnly {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dirs = append(dirs, real)
		}
	}
	return dirs
}

func (c *confinement) identity(home string) gitguard.Identity {
	if !c.b.config.Sandbox.GitIdentity {
		return gitguard.Identity{}
	}
	return gitguard.OperatorIdentity(gitconfig.OperatorFiles(home, c.b.opts.Env("XDG_CONFIG_HOME")), home)
}

// environ is what a command gets on top of the sandbox's own environment: what the
// configuration passes on and sets, then what the call sets.
func (c *confinement) environ(cmd *tool.Command) []string {
	env := []string{"GIT_CONFIG_GLOBAL=" + gitGlobal, "GIT_CONFIG_NOSYSTEM=1"}
	for _, name := range c.b.config.Sandbox.Env {
		if value := c.b.opts.Env(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, set := range []map[string]string{c.b.config.Sandbox.SetEnv, cmd.Env} {
		for _, name := range slices.Sorted(maps.Keys(set)) {
			env = append(env, name+"="+set[name])
		}
	}
	return env
}

// hidden is what no command may reach: the agent's own policy, records and
// approvals.
func (c *confinement) hidden() []string {
	paths := []string{c.b.state, filepath.Dir(c.b.logPath)}
	if file := c.b.config.File(); file != "" {
		paths = append(paths, file)
	}
	return paths
}

// cache makes the directory that the caches of tools are pointed to, with a
// .gitignore beside it. "" where the workspace does not take it.
func (c *confinement) cache(ctx context.Context) string {
	j := c.b.space.Jail()
	if j.Folders()[0].Mode != jail.ReadWrite {
		return ""
	}
	o, err := j.Resolve(ctx, cacheDir, jail.Target)
	if err != nil {
		return ""
	}
	defer o.Close()
	made, err := o.Mkdir(ctx, 0o755)
	if err != nil || o.Real() != filepath.Join(j.Root(), cacheDir) {
		return ""
	}
	if len(made) > 0 {
		c.ignoreCache(ctx)
	}
	return o.Real()
}

func (c *confinement) ignoreCache(ctx context.Context) {
	o, err := c.b.space.Jail().Resolve(ctx, filepath.Join(filepath.Dir(cacheDir), ".gitignore"), jail.Target)
	if err != nil {
		return
	}
	defer o.Close()
	_, err = o.Replace(ctx, jail.ReplaceOptions{Perm: 0o644, Exclusive: true}, func(w io.Writer) error {
		_, err := io.WriteString(w, "*\n")
		return err
	})
	if err != nil && !errors.Is(err, os.ErrExist) {
		slog.WarnContext(ctx, "the cache of commands has no .gitignore", "error", err)
	}
}
