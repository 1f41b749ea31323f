package bailey

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/sandbox"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
	"github.com/baileyhq/bailey/workspace/gitconfig"
)

// Options configures [Open]. The zero value opens the current directory with the
// configuration and state of the user.
type Options struct {
	Workspace  string              // the folder; "" is BAILEY_WORKSPACE, else the current directory
	Task       string              // the task type; "" is BAILEY_TASK, else the configuration's
	ConfigFile string              // "" is BAILEY_CONFIG, else the places that config.Locate names
	StateDir   string              // "" is BAILEY_STATE, else $XDG_STATE_HOME/bailey
	Folders    []jail.Folder       // further allowed folders beside those of the configuration
	ForceRoot  bool                // permit folders that are refused for what they hold
	Engine     jail.Engine         // how the jail reaches the file system
	Group      string              // label for the audit log
	Session    string              // "" makes a random one
	Principal  string              // "" is the user of the process
	Env        func(string) string // nil is os.Getenv

	// A call that the policy supervises is filed in the state directory's approvals,
	// where the operator decides it. What follows is about that.
	Approver     *Approver              // can put it to a human right here; nil: none can
	ApprovalWait time.Duration          // a call that waits longer answers approval_pending; 0: it waits as long as its request lasts
	OnWait       func(e approval.Entry) // told when a call begins to wait; it must return soon
	Withdraw     bool                   // a call whose context ends takes its request back, if no equal call waits too
	Ask          tool.Asker             // answers in place of the approvals, if set
}

// A Bailey is an open workspace. Its methods may be called from several
// goroutines at once.
type Bailey struct {
	opts      Options
	config    *config.Config
	space     *workspace.Workspace
	policy    *policy.Policy
	log       *audit.Log
	tools     *tool.Toolbox
	box       *sandbox.Sandbox // nil where the task runs no commands
	shell     tool.Shell
	writer    *writer
	approvals approvals
	notifiers notifiers
	state     string
	logPath   string
	warnings  []string
}

// Open opens the workspace. The error is a [*tool.Error]: its kind is config for
// a configuration or a folder that can't be used, invalid_argument for an unknown
// task type, audit_unavailable for a log that can't be opened.
func Open(ctx context.Context, o Options) (*Bailey, error) {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	b := &Bailey{opts: o}
	if err := b.open(ctx); err != nil {
		_ = b.Close()
		return nil, asConfig(err)
	}
	return b, nil
}

func asConfig(err error) error {
	var (
		own     *tool.Error
		unknown *workspace.UnknownTaskError
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &unknown):
		return &tool.Error{Kind: tool.InvalidArgument, Message: err.Error(), Err: err}
	case errors.Is(err, audit.ErrUnavailable):
		return &tool.Error{Kind: tool.AuditUnavailable, Message: err.Error(), Err: err}
	case errors.Is(err, context.Canceled):
		return &tool.Error{Kind: tool.Cancelled, Message: err.Error(), Err: err}
	case errors.Is(err, jail.ErrRefusedFolder):
		return &tool.Error{Kind: tool.Config, Message: err.Error() + "; give the agent a folder of its own, or insist with --force-root", Err: err}
	default:
		return &tool.Error{Kind: tool.Config, Message: err.Error(), Err: err}
	}
}

func (b *Bailey) open(ctx context.Context) error {
	if err := b.readConfig(); err != nil {
		return err
	}
	if err := b.openWorkspace(ctx); err != nil {
		return err
	}
	if err := b.openState(ctx); err != nil {
		return err
	}
	return b.openTools(ctx)
}

func (b *Bailey) readConfig() error {
	file, _, err := config.Locate(b.opts.ConfigFile, b.opts.Env)
	if err != nil {
		return err
	}
	if b.config, err = config.Load(file); err != nil {
		return err
	}
	b.state, err = StateDir(b.opts.StateDir, b.opts.Env)
	return err
}

// StateDir finds the state directory: the one named, else $BAILEY_STATE, else
// $XDG_STATE_HOME/bailey, else ~/.local/state/bailey. It need not exist.
func StateDir(named string, env func(string) string) (string, error) {
	for _, dir := range []string{named, env("BAILEY_STATE")} {
		if dir != "" {
			return filepath.Abs(dir)
		}
	}
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "bailey"), nil
	}
	home := homeDir(env)
	if home == "" {
		return "", errors.New("no place for the state: set --state, BAILEY_STATE or HOME")
	}
	return filepath.Join(home, ".local", "state", "bailey"), nil
}

// homeDir is the environment's, else the account's: some clients start their
// servers with an empty environment. "" if neither is known.
func homeDir(env func(string) string) string {
	if home := env("HOME"); filepath.IsAbs(home) {
		return home
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return ""
}

func (b *Bailey) openWorkspace(ctx context.Context) error {
	task, types, err := b.taskType()
	if err != nil {
		return err
	}
	dir := first(b.opts.Workspace, b.opts.Env("BAILEY_WORKSPACE"), ".")
	home := homeDir(b.opts.Env)
	b.logPath = config.StatePath(b.config.Security.Audit.LogPath, b.state, home)
	outside := []string{b.state, filepath.Dir(b.logPath)}
	if file := b.config.File(); file != "" {
		outside = append(outside, file)
	}
	b.space, err = workspace.Open(ctx, workspace.Options{
		Dir: dir, Folders: b.folders(home), Task: task, TaskTypes: types,
		ForceRoot: b.opts.ForceRoot, CrossMounts: b.config.Workspace.CrossMounts,
		DenyHardLinks: b.config.Workspace.HardLinks == config.HardLinksDeny,
		Engine:        b.opts.Engine,
		GitConfigs:    gitconfig.OperatorFiles(home, b.opts.Env("XDG_CONFIG_HOME")), Home: home,
	})
	if err != nil {
		return b.placeFolder(err, home)
	}
	b.warnings = append(b.warnings, b.space.Warnings()...)
	return b.checkOutside(outside)
}

// placeFolder gives an error about a further folder its place in the file.
func (b *Bailey) placeFolder(err error, home string) error {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return err
	}
	for i, f := range b.config.Workspace.Allow {
		if config.ExpandHome(f.Path, home) == at.Path {
			return b.config.Fault(fmt.Sprintf("workspace.allow[%d].path", i), err)
		}
	}
	return err
}

// checkOutside makes sure, also through links and mounts, that an agent can't
// reach its own policy and records.
func (b *Bailey) checkOutside(paths []string) error {
	var folders []string
	for _, f := range b.space.Jail().Folders() {
		folders = append(folders, f.Real)
	}
	for _, p := range paths {
		if err := config.CheckOutside(p, folders); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bailey) taskType() (workspace.TaskType, map[string]workspace.TaskType, error) {
	custom := map[string][]workspace.Op{}
	for name, ops := range b.config.TaskOps() {
		custom[name] = make([]workspace.Op, len(ops))
		for i, op := range ops {
			custom[name][i] = workspace.Op(op)
		}
	}
	types := workspace.TaskTypes(custom)
	name := first(b.opts.Task, b.opts.Env("BAILEY_TASK"), b.config.Workspace.Task)
	task, err := workspace.FindTask(types, name)
	return task, types, err
}

func (b *Bailey) folders(home string) []jail.Folder {
	folders := append([]jail.Folder(nil), b.opts.Folders...)
	for _, f := range b.config.Workspace.Allow {
		mode := jail.ReadOnly
		if f.Mode == config.Write {
			mode = jail.ReadWrite
		}
		folders = append(folders, jail.Folder{Given: config.ExpandHome(f.Path, home), Mode: mode})
	}
	return folders
}

func (b *Bailey) openState(ctx context.Context) error {
	if err := makeStateDir(b.state); err != nil {
		return err
	}
	log, err := audit.Open(ctx, b.auditOptions(b.logPath))
	if err != nil {
		return err
	}
	b.log = log
	task := b.space.Task()
	if task.Has(workspace.OpWrite) || task.Has(workspace.OpMkdir) || task.Has(workspace.OpDelete) {
		b.writer, err = enlist(ctx, b.state, b.space.Jail())
	}
	return err
}

func (b *Bailey) auditOptions(path string) audit.Options {
	settings := b.config.Security.Audit
	return audit.Options{Path: path, Enabled: settings.Enabled, OnFailure: string(settings.OnFailure)}
}

// makeStateDir makes the state directory, or closes one that is there to others:
// it holds records, and later approvals. One that is made for sharing (sticky, as
// /tmp is) is no place for it, and is left as it is.
func makeStateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &tool.Error{Kind: tool.AuditUnavailable, Message: fmt.Sprintf("the state directory can't be made: %v", err), Err: err}
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return &tool.Error{Kind: tool.AuditUnavailable, Message: fmt.Sprintf("the state directory can't be looked at: %v", err), Err: err}
	case info.Mode().Perm()&0o077 == 0:
		return nil
	case info.Mode()&fs.ModeSticky != 0:
		return &tool.Error{Kind: tool.Config, Message: fmt.Sprintf("%s is shared with other users; give the state a directory of its own", dir)}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return &tool.Error{Kind: tool.Config, Message: fmt.Sprintf("others can enter the state directory, and it can't be closed to them: %v", err), Err: err}
	}
	return nil
}

func (b *Bailey) openTools(ctx context.Context) error {
	var err error
	if b.policy, err = b.compilePolicy(); err != nil {
		return err
	}
	if b.opts.Session == "" {
		b.opts.Session = newSession()
	}
	if b.opts.Principal == "" {
		b.opts.Principal = CurrentUser()
	}
	ask := b.opts.Ask
	if ask == nil {
		ask = b.ask
	}
	if err := b.confine(); err != nil {
		return err
	}
	b.tools, err = tool.New(tool.Options{
		Workspace: b.space, Policy: b.policy, Audit: b.log, Ask: ask, Shell: b.shell,
		Programs: hostPrograms(b.config.Sandbox.ReadOnly), Home: homeDir(b.opts.Env),
	})
	return errors.Join(err, ctx.Err())
}

func (b *Bailey) compilePolicy() (*policy.Policy, error) {
	return b.config.Compile(b.policyConfig())
}

// policyConfig is what the policy is compiled from. It tells how the folders are
// spelled: a rule about a link's name is about what it leads to.
func (b *Bailey) policyConfig() policy.Config {
	folders := b.space.Jail().Folders()
	home := homeDir(b.opts.Env)
	pc := b.config.PolicyConfig([]string{folders[0].Real, folders[0].Given}, home, KnownTools(), b.space.HooksPaths())
	for _, f := range folders[1:] {
		if f.Given != f.Real {
			pc.Spellings = append(pc.Spellings, []string{f.Real, f.Given})
		}
	}
	if real, err := filepath.EvalSymlinks(home); err == nil && real != home {
		pc.Spellings = append(pc.Spellings, []string{real, home})
	}
	return pc
}

func newSession() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

// CurrentUser names the user of the process: the principal where none is given, and
// who an operator's decision is recorded for.
func CurrentUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprintf("uid:%d", os.Getuid())
}

// Call carries out one call as the agent of this workspace. args is what the
// tool's schema describes: a [json.RawMessage], or anything that marshals to it.
// A call never fails with a Go error: the result tells.
func (b *Bailey) Call(ctx context.Context, name string, args any) *tool.Result {
	raw, ok := args.(json.RawMessage)
	if !ok && args != nil {
		var err error
		if raw, err = json.Marshal(args); err != nil {
			// A request that can't be written down is still a call: it is refused
			// by the pipeline, which records it.
			raw = json.RawMessage("null")
		}
	}
	return b.tools.Call(ctx, b.Request(name, raw))
}

// Request is a call with the identity of this workspace's session.
func (b *Bailey) Request(name string, args json.RawMessage) tool.Request {
	return tool.Request{
		Tool: name, Args: args,
		Session: b.opts.Session, Principal: b.opts.Principal, Group: b.opts.Group,
	}
}

// Tools lists the tools, with what this task and configuration grant.
func (b *Bailey) Tools() []tool.Description { return b.tools.List() }

// Toolbox is what a face serves.
func (b *Bailey) Toolbox() *tool.Toolbox { return b.tools }

// Workspace tells what was opened.
func (b *Bailey) Workspace() *workspace.Workspace { return b.space }

// Warnings are what the operator should be told at each start.
func (b *Bailey) Warnings() []string { return b.warnings }

// Close ends the session.
func (b *Bailey) Close() error {
	b.notifiers.close()
	errs := []error{b.approvals.close()}
	if b.box != nil {
		errs = append(errs, b.box.Close())
	}
	if b.writer != nil {
		errs = append(errs, b.writer.leave())
	}
	if b.log != nil {
		errs = append(errs, b.log.Close())
	}
	if b.space != nil {
		errs = append(errs, b.space.Close())
	}
	return errors.Join(errs...)
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
