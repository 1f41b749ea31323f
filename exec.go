package bailey

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

// Unlimited is a time-out of an [ExecRequest] that no command reaches.
const Unlimited = 366 * 24 * time.Hour

// ExecRequest is a command that the operator types.
type ExecRequest struct {
	Argv    []string          // a program and its arguments; no shell reads them
	Dir     string            // where it starts, absolute or relative to the workspace; "" is the workspace
	Env     map[string]string // set for the command
	Timeout time.Duration     // 0: as the configuration says
	Network string            // off, allow, full or host; "": as the configuration says
	Streams *tool.Streams     // nil: it reads nothing, and the result holds what it prints
	// Ask puts what the policy supervises to the approvals, as if an agent had made
	// the call. Otherwise typing it is the approval, and recorded as such.
	Ask bool
}

// Exec runs a command in the sandbox, by the way of every call: the task type must
// grant it, what the policy denies stays denied, and it is in the audit log. The
// data of a result that succeeded is a [*tool.CommandResult]. As [Bailey.Call] it
// never fails with a Go error.
func (b *Bailey) Exec(ctx context.Context, r ExecRequest) *tool.Result {
	args, err := r.args()
	request := b.Request("shell", args)
	if err != nil {
		return b.tools.Refuse(ctx, request, &tool.Error{Kind: tool.InvalidArgument, Message: err.Error(), Err: err})
	}
	request.Operator, request.Streams = !r.Ask, r.Streams
	return b.tools.Call(ctx, request)
}

// args are the request as arguments of the tool. JSON can't hold what is not UTF-8,
// and a command must not run with other words than those that were typed.
func (r *ExecRequest) args() (json.RawMessage, error) {
	for i, word := range r.Argv {
		if !utf8.ValidString(word) {
			return nil, fmt.Errorf("shell: argv[%d]: %q is not UTF-8", i, word)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		if !utf8.ValidString(name) || !utf8.ValidString(r.Env[name]) {
			return nil, fmt.Errorf("shell: env: %q is not UTF-8", name+"="+r.Env[name])
		}
	}
	args := map[string]any{"argv": r.Argv}
	switch {
	case r.Dir == "":
	case utf8.ValidString(r.Dir):
		args["cwd"] = r.Dir
	default:
		args["cwd"] = text.DisplayName(r.Dir)
	}
	if len(r.Env) > 0 {
		args["env"] = r.Env
	}
	if r.Timeout != 0 {
		args["timeout"] = r.Timeout.String()
	}
	if r.Network != "" {
		args["network"] = r.Network
	}
	return json.Marshal(args)
}
