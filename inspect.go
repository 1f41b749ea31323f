package bailey

import (
	"context"
	"encoding/json"
	"os"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

// An Inspector tells what would become of calls. It judges them as a [Bailey] of
// the same options would, and does nothing: no call is carried out, nobody is
// asked, and no file is written, the audit log and the state directory included.
// What it tells is for the operator, not for an agent.
//
// Its methods may be called from several goroutines at once.
type Inspector struct{ b *Bailey }

// Inspect opens a workspace for questions. Its errors are those of [Open].
func Inspect(ctx context.Context, o Options) (*Inspector, error) {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	b := &Bailey{opts: o}
	if err := b.inspect(ctx); err != nil {
		_ = b.Close()
		return nil, asConfig(err)
	}
	return &Inspector{b}, nil
}

func (b *Bailey) inspect(ctx context.Context) (err error) {
	if err := b.readConfig(); err != nil {
		return err
	}
	if err := b.openWorkspace(ctx); err != nil {
		return err
	}
	if b.log, err = audit.Open(ctx, audit.Options{Enabled: false}); err != nil {
		return err
	}
	return b.openTools(ctx)
}

// Check judges a call.
func (i *Inspector) Check(ctx context.Context, name string, args json.RawMessage) *tool.Verdict {
	return i.b.tools.Check(ctx, i.b.Request(name, args))
}

// Explain judges a call of a tool that runs commands, and tells what the command
// was read as. The reading is nil where the call was refused before.
func (i *Inspector) Explain(ctx context.Context, name string, args json.RawMessage) (*tool.Verdict, *tool.Reading) {
	return i.b.tools.Explain(ctx, i.b.Request(name, args))
}

// Policy is the compiled policy.
func (i *Inspector) Policy() *policy.Policy { return i.b.policy }

// Rules are what the policy was compiled from.
func (i *Inspector) Rules() policy.Config { return i.b.policyConfig() }

// Workspace tells what was opened.
func (i *Inspector) Workspace() *workspace.Workspace { return i.b.space }

// Warnings are what the operator should be told.
func (i *Inspector) Warnings() []string { return i.b.warnings }

// Close lets go of the folders.
func (i *Inspector) Close() error { return i.b.Close() }
