package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// Limits on calls at once.
const (
	maxCalls   = 32  // that run
	maxWaiting = 256 // that wait, for their turn or for a human
)

// Options configures [New]. Workspace, Policy and Audit are needed.
type Options struct {
	Workspace *workspace.Workspace
	Policy    *policy.Policy
	Audit     *audit.Log // open one with Enabled false to keep no journal
	Ask       Asker      // asks the operator; nil means that nobody can be asked
	Shell     Shell      // runs commands; nil means that none can be isolated, so that none runs
	ShellPath string     // the host's shell that runs command texts; "" stands for bash where Programs finds one, else sh
	// Programs finds the host's program of a name, as the PATH of a command would,
	// or that of an absolute path: its real path, or "" if there is none. Nil finds
	// none. It must be safe for concurrent use.
	Programs func(name string) string
	Home     string // the operator's home directory, for ~ in a command; "" if that is not known
}

// Request is one call of a tool.
type Request struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"` // an object; empty means no arguments
	// Who calls, as the runtime knows it; never taken from arguments.
	Session, Principal, Group string
	// Operator says that the operator has typed this call: that is the approval of
	// what the policy supervises, so that nobody is asked. What it denies stays denied.
	Operator bool `json:"-"`
	// Streams are those of a command; nil: what the arguments say, and the result.
	Streams *Streams `json:"-"`
}

// Result is the answer to a call.
type Result struct {
	Success   bool   `json:"success"`
	Output    string `json:"output"` // the text for the model
	Error     string `json:"error,omitempty"`
	ErrorKind Kind   `json:"error_kind,omitempty"`
	Data      any    `json:"data"` // never nil
}

// Toolbox holds the tools over one workspace. It is safe for concurrent use.
type Toolbox struct {
	Options
	specs  map[string]*spec
	order  []*spec
	slots  chan struct{} // one token for each call that runs
	queue  chan struct{} // one token for each call that is here at all
	locks  pathLocks
	broken *Error // answers every call, if set
}

// New makes a toolbox. The caller closes the workspace and the log after the
// last call has answered.
func New(o Options) (*Toolbox, error) {
	if o.Workspace == nil || o.Policy == nil || o.Audit == nil {
		return nil, errors.New("tool: a workspace, a policy and an audit log are needed")
	}
	t := newToolbox()
	t.Options = o
	return t, nil
}

// Broken returns a toolbox that answers every call with err: a configuration
// that can't be used must refuse, not fall back to defaults. The kind is
// config, or invalid_argument for an unknown task type.
func Broken(err error) *Toolbox {
	t := newToolbox()
	var own *Error
	var unknown *workspace.UnknownTaskError
	switch {
	case errors.As(err, &own):
		t.broken = own
	case errors.As(err, &unknown):
		t.broken = &Error{Kind: InvalidArgument, Message: err.Error(), Err: err}
	default:
		t.broken = &Error{Kind: Config, Message: err.Error(), Err: err}
	}
	return t
}

func newToolbox() *Toolbox {
	t := &Toolbox{
		specs: map[string]*spec{},
		order: specs(),
		slots: make(chan struct{}, maxCalls),
		queue: make(chan struct{}, maxCalls+maxWaiting),
	}
	for _, s := range t.order {
		t.specs[s.name] = s
	}
	return t
}

// List describes the tools. None of a broken toolbox is granted.
func (t *Toolbox) List() []Description {
	list := make([]Description, 0, len(t.order))
	for _, s := range t.order {
		d := Description{
			Name: s.name, Title: s.title, Description: s.description, Op: s.op,
			Annotations: s.hints, Input: s.input, Output: s.output, Policy: policy.Deny.String(),
		}
		if t.broken == nil {
			action := t.Policy.Tool(s.name).Action
			d.Policy = action.String()
			d.Granted = t.Workspace.Task().Has(s.op) && action != policy.Deny && (s.command == nil || t.Shell != nil)
		}
		list = append(list, d)
	}
	return list
}

// Call carries out one call. It never returns nil, and answers only when the
// call is in the audit log.
func (t *Toolbox) Call(ctx context.Context, r Request) *Result {
	if t.broken != nil {
		return failed(t.broken)
	}
	c := t.newCall(r)
	c.meter = meterOf(ctx)
	output, data, err := t.run(ctx, c)
	c.close()
	if rerr := t.record(ctx, c, err); rerr != nil {
		err = c.unrecorded(rerr)
	}
	if err != nil {
		return failed(asError(err))
	}
	return &Result{Success: true, Output: output, Data: notNil(data)}
}

// run takes the call through the stages, one of at most maxCalls at once. What
// panics is answered as internal: a tool must not take the process down.
func (t *Toolbox) run(ctx context.Context, c *call) (output string, data any, err error) {
	defer func() {
		if p := recover(); p != nil {
			output, data = "", nil
			err = &Error{Kind: Internal, Message: "the tool failed; the operator finds it in the audit log", Err: fmt.Errorf("panic: %v", p)}
		}
	}()
	defer c.leave()
	if err := t.queueUp(ctx, c); err != nil {
		return "", nil, err
	}
	for _, s := range stages {
		if err := s.run(t, ctx, c); err != nil {
			return "", nil, err
		}
	}
	return c.output, c.data, nil
}

// queueUp waits for a slot, as long as ctx lets it and not too many wait already.
func (t *Toolbox) queueUp(ctx context.Context, c *call) error {
	select {
	case t.queue <- struct{}{}:
	default:
		return fail(LimitExceeded, fmt.Sprintf("%d calls run or wait already; retry when some have answered", cap(t.queue)))
	}
	c.queued = true
	return c.enter(ctx)
}

// enter takes a slot, exit gives it back: a call that waits for a human must not
// keep others from running.
func (c *call) enter(ctx context.Context) error {
	select {
	case c.box.slots <- struct{}{}:
		c.running = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *call) exit() {
	if c.running {
		c.running = false
		<-c.box.slots
	}
}

func (c *call) leave() {
	c.exit()
	if c.queued {
		c.queued = false
		<-c.box.queue
	}
}

func failed(e *Error) *Result {
	return &Result{Error: e.Error(), ErrorKind: e.Kind, Data: notNil(e.Data)}
}

func notNil(data any) any {
	if data == nil {
		return struct{}{}
	}
	return data
}
