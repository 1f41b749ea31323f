package bailey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/tool"
)

// An Approver puts a waiting request to a human right where the call was made: on
// its terminal, or through its client. It is beside the approvals that can be
// decided from elsewhere; whoever is first decides. Both functions are called from
// several goroutines at once.
type Approver struct {
	// Can tells whether the human of the call under ctx can be asked. Nil: always.
	Can func(ctx context.Context) bool
	// Ask returns the human's decision. ctx ends when there is nothing to decide any
	// more: if the request was settled elsewhere its cause is a [*SettledError]. An
	// error is no decision: the request goes on waiting. With [ErrLater] the call does
	// not wait with it, and answers approval_pending at once. Ask must return soon
	// after ctx has ended.
	Ask func(ctx context.Context, e approval.Entry) (approval.Decision, error)
}

// ErrLater is what [Approver.Ask] returns where the human's answer comes by another
// way than this call.
var ErrLater = errors.New("the human answers later, and not to this call")

// SettledError is the cause of the end of [Approver.Ask]'s context when the request
// was decided elsewhere or has expired.
type SettledError struct{ Entry approval.Entry }

func (e *SettledError) Error() string {
	return fmt.Sprintf("request %s is %s", e.Entry.ID, e.Entry.State)
}

// progressEvery is how often a waiting call says so: more often than clients lose
// their patience.
const progressEvery = 5 * time.Second

// approvals is the store, opened when it is needed first.
type approvals struct {
	mu    sync.Mutex
	store *approval.Store
}

// Approvals opens the requests of this state directory, also those of other
// workspaces. [Bailey.Close] closes them. Decisions are made with [Bailey.Decide],
// which records them.
func (b *Bailey) Approvals(ctx context.Context) (*approval.Store, error) {
	b.approvals.mu.Lock()
	defer b.approvals.mu.Unlock()
	if b.approvals.store != nil {
		return b.approvals.store, nil
	}
	store, err := OpenApprovals(ctx, b.state)
	b.approvals.store = store
	return store, err
}

// OpenApprovals opens the requests of a state directory, which is made if it is
// absent.
func OpenApprovals(ctx context.Context, stateDir string) (*approval.Store, error) {
	if err := makeStateDir(stateDir); err != nil {
		return nil, err
	}
	return approval.Open(ctx, stateDir, approval.Options{})
}

func (d *approvals) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.store == nil {
		return nil
	}
	return d.store.Close()
}

// ask is the asker of the pipeline: it files the request and waits for the outcome.
func (b *Bailey) ask(ctx context.Context, r *tool.ApprovalRequest) (*tool.Approval, error) {
	store, err := b.Approvals(ctx)
	if err != nil {
		return nil, err
	}
	request, err := requestOf(r)
	if err != nil {
		return nil, err
	}
	e, err := store.Submit(ctx, request, b.config.Approval.Timeout.Std())
	if errors.Is(err, approval.ErrFull) {
		return nil, &tool.Error{
			Kind: tool.LimitExceeded, Err: err,
			Message: "too many calls wait for the operator's approval already; retry when some are decided",
		}
	}
	asked := &tool.Approval{ID: e.ID}
	if err == nil && e.State == approval.Pending {
		e, err = b.await(ctx, store, e)
	}
	if err == nil {
		asked, err = outcome(store, e, r.Digest)
	}
	return asked, err
}

func requestOf(r *tool.ApprovalRequest) (approval.Request, error) {
	var details bytes.Buffer
	enc := json.NewEncoder(&details)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return approval.Request{}, err
	}
	return approval.Request{
		Digest: r.Digest, Grant: r.Grant,
		Session: r.Session, Principal: r.Principal, Group: r.Group, Workspace: r.Workspace, Task: r.Task,
		Tool: r.Tool, Op: string(r.Op), Rule: r.Rule, Message: r.Message, Command: r.Command,
		Paths: r.Paths, Details: bytes.TrimSuffix(details.Bytes(), []byte("\n")),
	}, nil
}

// await waits until a pending request is settled.
func (b *Bailey) await(ctx context.Context, store *approval.Store, e approval.Entry) (approval.Entry, error) {
	if err := b.attended(ctx, store, e); err != nil {
		return e, err
	}
	wait, cancel := ctx, context.CancelFunc(func() {})
	if b.opts.ApprovalWait > 0 {
		wait, cancel = context.WithTimeout(ctx, b.opts.ApprovalWait)
	}
	defer cancel()
	if b.opts.OnWait != nil {
		b.opts.OnWait(e)
	}
	if e.Fresh {
		b.notify(e)
	}
	settled, err := b.settle(wait, store, e)
	switch {
	case err == nil:
		return settled, nil
	case ctx.Err() != nil:
		b.withdraw(ctx, store, e)
		return e, ctx.Err()
	case wait.Err() != nil, errors.Is(err, ErrLater):
		return e, pending(e)
	default:
		return e, err
	}
}

// attended refuses a call that nobody is there to approve, where the configuration
// says so.
func (b *Bailey) attended(ctx context.Context, store *approval.Store, e approval.Entry) error {
	if b.config.Approval.Unattended != config.UnattendedDeny || b.canAsk(ctx) {
		return nil
	}
	if there, err := store.Attended(); err != nil || there {
		return err
	}
	if e.Fresh {
		// Somebody may have decided meanwhile: then the decision counts.
		if err := store.Cancel(ctx, e.ID); errors.Is(err, approval.ErrDecided) {
			return nil
		}
	}
	return &tool.Error{
		Kind:    tool.ApprovalDenied,
		Message: "this needs the operator's approval, and nobody is there to give it; it was not carried out",
	}
}

func (b *Bailey) canAsk(ctx context.Context) bool {
	a := b.opts.Approver
	return a != nil && (a.Can == nil || a.Can(ctx))
}

// settle waits for the outcome, while the approver asks and the client is told.
func (b *Bailey) settle(ctx context.Context, store *approval.Store, e approval.Entry) (approval.Entry, error) {
	asking, end := context.WithCancelCause(ctx)
	var busy sync.WaitGroup
	busy.Go(func() { report(asking, e) })
	if b.canAsk(ctx) {
		busy.Go(func() {
			if err := b.put(asking, e); errors.Is(err, ErrLater) {
				end(err)
			}
		})
	}
	settled, err := store.Wait(asking, e.ID)
	if err == nil {
		end(&SettledError{settled})
	} else if errors.Is(context.Cause(asking), ErrLater) {
		err = ErrLater
	}
	end(err)
	busy.Wait()
	return settled, err
}

// put has the approver ask, and makes what it says the decision.
func (b *Bailey) put(ctx context.Context, e approval.Entry) error {
	d, err := b.opts.Approver.Ask(ctx, e)
	if err != nil {
		slog.DebugContext(ctx, "the approver gave no answer", "approval", e.ID, "reason", err)
		return err
	}
	// A human has answered: that counts even if the call gives up at this moment.
	if _, err := b.Decide(context.WithoutCancel(ctx), e.ID, d); err != nil && !errors.Is(err, approval.ErrDecided) {
		slog.WarnContext(ctx, "the decision was not taken", "approval", e.ID, "error", err)
	}
	return nil
}

// report tells the client now and then that the call waits.
func report(ctx context.Context, e approval.Entry) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for n := int64(0); ; n++ {
		tool.ReportProgress(ctx, tool.Progress{Done: n, Message: "waiting for the operator's approval " + e.ID})
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// withdraw takes back the request of a call that was given up, if this face wants
// that and no equal call waits for it too.
func (b *Bailey) withdraw(ctx context.Context, store *approval.Store, e approval.Entry) {
	if !b.opts.Withdraw {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	err := store.Cancel(ctx, e.ID)
	if err != nil && !errors.Is(err, approval.ErrDecided) && !errors.Is(err, approval.ErrJoined) {
		slog.WarnContext(ctx, "the request could not be taken back", "approval", e.ID, "error", err)
	}
}

// outcome makes the answer to the pipeline of a settled request. An approval is used
// for the digest that the call has, whatever the request says.
func outcome(store *approval.Store, e approval.Entry, digest string) (*tool.Approval, error) {
	refused := &tool.Approval{ID: e.ID} // tells only which request it was
	fail := func(kind tool.Kind, message string) (*tool.Approval, error) {
		return refused, &tool.Error{Kind: kind, Message: message, Data: dataOf(e)}
	}
	switch e.State {
	case approval.Approved:
		return &tool.Approval{ID: e.ID, Claim: func(ctx context.Context) error {
			return claimed(store.Claim(ctx, e.ID, digest), e)
		}}, nil
	case approval.Denied:
		message := fmt.Sprintf("the operator denied this (%s)", e.ID)
		if e.Reason != "" {
			message += ": " + e.Reason
		}
		return fail(tool.ApprovalDenied, message)
	case approval.Expired:
		return fail(tool.ApprovalTimeout, fmt.Sprintf("nobody answered the request for approval %s in time; it was not carried out", e.ID))
	case approval.Executed:
		return refused, claimed(approval.ErrUsed, e)
	default:
		return fail(tool.ApprovalDenied, fmt.Sprintf("the request for approval %s is %s; it was not carried out", e.ID, e.State))
	}
}

// claimed puts why an approval can't be used into the words of a call.
func claimed(err error, e approval.Entry) error {
	kind, message := tool.Internal, ""
	switch {
	case err == nil:
		return nil
	case errors.Is(err, approval.ErrUsed):
		kind, message = tool.Conflict, fmt.Sprintf("an equal call has used the approval %s; retry to ask for another", e.ID)
	case errors.Is(err, approval.ErrExpired):
		kind, message = tool.ApprovalTimeout, fmt.Sprintf("the approval %s has expired before it was used; retry to ask for another", e.ID)
	case errors.Is(err, approval.ErrMismatch):
		kind, message = tool.Conflict, fmt.Sprintf("the approval %s is of another call; retry to ask for another", e.ID)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		message = fmt.Sprintf("the approval %s can't be used; tell the operator", e.ID)
	}
	return &tool.Error{Kind: kind, Message: message, Err: err}
}

// pending is the answer to a call that has waited as long as its face lets it.
func pending(e approval.Entry) error {
	return &tool.Error{
		Kind: tool.ApprovalPending, Data: dataOf(e),
		Message: fmt.Sprintf("this waits for the operator's approval (%s); make the very same call again to get the outcome", e.ID),
	}
}

// approvalData is what an answer tells of a request.
type approvalData struct {
	ID      string         `json:"id"`
	State   approval.State `json:"state"`
	Expires *time.Time     `json:"expires"` // null: never
	Reason  string         `json:"reason,omitempty"`
}

func dataOf(e approval.Entry) any {
	d := approvalData{ID: e.ID, State: e.State, Reason: e.Reason}
	if !e.Expires.IsZero() {
		d.Expires = &e.Expires
	}
	return map[string]approvalData{"approval": d}
}
