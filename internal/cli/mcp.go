package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/internal/mcpserver"
	"github.com/baileyhq/bailey/tool"
)

func (a *app) mcpCommand() *cobra.Command {
	var compatible string
	cmd := &cobra.Command{
		Use:   "mcp [--compat filesystem [DIR...]]",
		Short: "Serve the tools over MCP on standard input and output",
		Long: `Serve the tools of a folder to an MCP client over standard input and output.

A configuration that can't be used does not keep the server from starting: it
then answers every call with what is wrong, where the agent's user sees it.

A call that the policy supervises waits for the operator (see bailey approvals),
for [approval] mcp_wait at the most; then the agent is told to make it again
later. With [approval] elicitation the client's user is asked too, where the
client can show a form.

With --compat filesystem the tools are those of the reference MCP filesystem
server, by its names, arguments and output, so that a client that is set up for
it can swap the command and nothing else: the first directory is the workspace,
the others are further folders. Reading, listing, writing and making directories
are granted unless --task says otherwise. The same policy and audit log stand
behind them.`,
		Example: `  bailey mcp --workspace ~/project --task refactor
  bailey mcp --compat filesystem ~/project ~/reference`,
		Args: func(cmd *cobra.Command, args []string) error { return checkCompat(cmd, compatible, args) },
		RunE: func(cmd *cobra.Command, dirs []string) error { return a.serve(cmd.Context(), compatible, dirs) },
	}
	cmd.Flags().StringVar(&compatible, "compat", "", "offer the tools of another server instead: filesystem")
	return cmd
}

func (a *app) serve(ctx context.Context, compatible string, dirs []string) error {
	o := mcpserver.Options{Version: Version(), Logger: slog.Default()}
	open := a.options()
	if compatible != "" {
		open = a.compatOptions(dirs)
	}
	settings := a.approvalSettings()
	open.Approver = &bailey.Approver{Can: mcpserver.CanAsk, Ask: askClient}
	open.ApprovalWait = max(settings.MCPWait.Std(), time.Nanosecond) // 0 would be for ever
	b, err := a.openWith(ctx, open)
	if err != nil {
		a.complain(err)
		o.Tools = tool.Broken(err)
		o.Request = func(name string, args json.RawMessage) tool.Request { return tool.Request{Tool: name, Args: args} }
		o.Instructions = "Bailey can't be used: every call is refused until the operator has mended this.\n" + err.Error()
	} else {
		o.Tools, o.Request, o.Instructions = b.Toolbox(), b.Request, b.Prompt()
		o.Elicit = settings.Elicitation
		o.Decide = func(ctx context.Context, id string, d approval.Decision) error {
			_, err := b.Decide(ctx, id, d)
			return err
		}
	}
	if compatible != "" {
		o.Compat = a.compatTools(o, b)
	}
	a.tuneMemory()
	// A client that has gone must not take the process down before its log is closed.
	signal.Ignore(syscall.SIGPIPE)
	widen(a.stdout)
	err = mcpserver.Serve(ctx, o, pollable(a.stdin), keepOpen{a.stdout})
	if errors.Is(err, mcpserver.ErrStuck) {
		return nil // what a call may still use is closed by the end of the process
	}
	if b != nil {
		_ = b.Close()
	}
	if err != nil {
		return &tool.Error{Kind: tool.IO, Message: err.Error(), Err: err}
	}
	return nil
}

// approvalSettings are those of the configuration. That of one which can't be
// used does not matter: then every call is refused.
func (a *app) approvalSettings() config.Approval {
	path, _, err := config.Locate(a.flags.config, a.env)
	if err != nil {
		return config.Default().Approval
	}
	c, err := config.Load(path)
	if err != nil {
		return config.Default().Approval
	}
	return c.Approval
}

// askClient puts a request to the human in front of the client.
func askClient(ctx context.Context, e approval.Entry) (approval.Decision, error) {
	d, err := mcpserver.Ask(ctx, e)
	if errors.Is(err, mcpserver.ErrLater) {
		err = fmt.Errorf("%w: %w", bailey.ErrLater, err)
	}
	return d, err
}

// keepOpen leaves closing a standard stream to the end of the process.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

// tuneMemory lets garbage grow to a few dozen MiB before it is collected. A call
// makes more of it than a server keeps, so that the runtime's usual bound, twice
// of what is kept, would collect after every few calls.
func (a *app) tuneMemory() {
	if a.env("GOGC") == "" {
		debug.SetGCPercent(800)
	}
	if a.env("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(80 << 20)
	}
}

// pollable makes reads of a pipe or a socket wait in the runtime's poller, not in
// the kernel: a blocked read holds back the goroutine that it has just woken, and
// could not be interrupted. A terminal or a file is shared with others and stays
// as it is; closing it is left to the end of the process.
func pollable(r io.Reader) io.ReadCloser {
	f, ok := r.(*os.File)
	if !ok {
		return io.NopCloser(r)
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 || setNonblock(f) != nil {
		return io.NopCloser(r)
	}
	return os.NewFile(f.Fd(), f.Name())
}
