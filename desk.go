package bailey

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/internal/review"
	"github.com/baileyhq/bailey/tool"
)

// recordTime bounds how long a decision may take that must not be lost half-way.
const recordTime = 15 * time.Second

// A Desk is where an operator decides requests, of every workspace that shares the
// state directory. It needs no workspace. It is safe for concurrent use.
type Desk struct {
	store *approval.Store
	audit audit.Options
}

// OpenDesk opens the requests. Of the options only ConfigFile, StateDir and Env
// count. A configuration that can't be used refuses it.
func OpenDesk(ctx context.Context, o Options) (*Desk, error) {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	b := &Bailey{opts: o}
	if err := b.readConfig(); err != nil {
		return nil, asConfig(err)
	}
	home := homeDir(o.Env)
	// The rules are checked as well: a file is in order, or it is not.
	if _, err := b.config.Policy([]string{"/workspace"}, home, KnownTools(), nil); err != nil {
		return nil, asConfig(err)
	}
	store, err := OpenApprovals(ctx, b.state)
	if err != nil {
		return nil, unopened(err)
	}
	return &Desk{store: store, audit: b.auditOptions(config.StatePath(b.config.Security.Audit.LogPath, b.state, home))}, nil
}

// Store holds the requests. Decisions are made with [Desk.Decide], which records
// them.
func (d *Desk) Store() *approval.Store { return d.store }

// Get finds a request by its ID, or by the beginning of it. The error is a
// [*tool.Error].
func (d *Desk) Get(ctx context.Context, id string) (approval.Entry, error) {
	e, err := d.store.Get(ctx, id)
	if err != nil {
		return e, undecided(id, err)
	}
	return e, nil
}

// Decide makes a decision about a pending request and records it; see
// [Bailey.Decide].
func (d *Desk) Decide(ctx context.Context, id string, decision approval.Decision) (approval.Entry, error) {
	log, err := audit.Open(ctx, d.audit)
	if err != nil {
		return approval.Entry{}, asConfig(err)
	}
	defer func() { _ = log.Close() }()
	return decide(ctx, d.store, log, id, decision)
}

// Close closes the requests.
func (d *Desk) Close() error { return d.store.Close() }

// Decide makes a decision about a pending request of this state directory. It is
// in the audit log before it counts; if it can't be recorded, it is not made. The
// error is a [*tool.Error] that wraps the cause: not_found, conflict for what is
// decided or over, invalid_argument for a session that can't be granted or a
// decision that makes no sense, audit_unavailable.
func (b *Bailey) Decide(ctx context.Context, id string, d approval.Decision) (approval.Entry, error) {
	store, err := b.Approvals(ctx)
	if err != nil {
		return approval.Entry{}, unopened(err)
	}
	return decide(ctx, store, b.log, id, d)
}

func decide(ctx context.Context, store *approval.Store, log *audit.Log, id string, d approval.Decision) (approval.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	switch d.Scope {
	case "", approval.Once, approval.Session:
	default:
		return approval.Entry{}, &tool.Error{Kind: tool.InvalidArgument, Message: fmt.Sprintf("an approval is for once or session, not for %q", d.Scope)}
	}
	e, err := store.Get(ctx, id)
	if err != nil {
		return e, undecided(id, err)
	}
	r := decisionRecord(e, d)
	if e.State == approval.Pending {
		intent := r
		intent.Phase, intent.Durable = audit.PhaseIntent, true
		if err := log.Append(ctx, &intent); err != nil {
			return e, unrecorded("the decision was not made", err)
		}
	}
	decided, err := store.Decide(ctx, e.ID, d)
	if err != nil {
		err = undecided(e.ID, err)
		r.Result, r.ErrorKind, r.Detail = audit.ResultError, string(kindOf(err)), err.Error()
	}
	if logged := log.Append(context.WithoutCancel(ctx), &r); logged != nil && err == nil {
		err = unrecorded("the decision was made, but its result is not in the log", logged)
	}
	return decided, err
}

func decisionRecord(e approval.Entry, d approval.Decision) audit.Record {
	r := audit.Record{
		ID: newSession(), Phase: audit.PhaseResult, Durable: true, Result: audit.ResultAllow,
		Group: e.Group, Task: e.Task, Session: e.Session, Principal: CurrentUser(),
		Tool: "approvals", Op: "deny", Paths: e.Paths, Rule: e.Rule, Approval: e.ID, Command: e.Command,
		Detail: d.Reason,
	}
	if d.Approve {
		r.Op, r.Detail = "approve", first(string(d.Scope), string(approval.Once))
	}
	if d.By != "" {
		r.Detail = strings.TrimSuffix(fmt.Sprintf("by %s: %s", d.By, r.Detail), ": ")
	}
	return r
}

// unopened puts why there is no store into the operator's words.
func unopened(err error) error {
	var own *tool.Error
	if errors.As(err, &own) {
		return own
	}
	return &tool.Error{Kind: tool.IO, Message: err.Error(), Err: err}
}

func unrecorded(what string, err error) error {
	return &tool.Error{Kind: tool.AuditUnavailable, Rule: "audit", Err: err, Message: fmt.Sprintf("%s: the audit log can't be written: %v", what, err)}
}

func kindOf(err error) tool.Kind {
	var own *tool.Error
	if errors.As(err, &own) {
		return own.Kind
	}
	return tool.Internal
}

// undecided puts why a decision was not made into the operator's words.
func undecided(id string, err error) error {
	var decided *approval.DecidedError
	e := &tool.Error{Kind: tool.Internal, Message: err.Error(), Err: err}
	switch {
	case errors.Is(err, approval.ErrNotFound):
		e.Kind, e.Message = tool.NotFound, fmt.Sprintf("there is no request %q; see bailey approvals list --all", id)
	case errors.Is(err, approval.ErrAmbiguous):
		e.Kind, e.Message = tool.InvalidArgument, fmt.Sprintf("several requests begin with %q; give the whole ID", id)
	case errors.As(err, &decided):
		e.Kind, e.Message = tool.Conflict, "not decided again: "+review.Outcome(decided.Entry)
	case errors.Is(err, approval.ErrExpired):
		e.Kind, e.Message = tool.Conflict, fmt.Sprintf("request %s has expired: its call has to be made again", id)
	case errors.Is(err, approval.ErrNoGrant):
		e.Kind, e.Message = tool.InvalidArgument, fmt.Sprintf("request %s can't be approved for a session; approve it once", id)
	case errors.Is(err, approval.ErrStore):
		e.Kind = tool.IO
	case errors.Is(err, context.Canceled):
		e.Kind = tool.Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind = tool.Timeout
	}
	return e
}
