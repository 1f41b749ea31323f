package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// maxRequest bounds a request, as JSON and in bytes: nobody can look at more, and
// many may wait.
const maxRequest = 4 << 20

// ApprovalRequest shows a call to the operator, whole. It may hold what the agent
// must not see: nothing of it belongs in an answer.
type ApprovalRequest struct {
	Tool      string            `json:"tool"`
	Op        workspace.Op      `json:"op"`
	Args      json.RawMessage   `json:"args"`
	Paths     []string          `json:"paths"`           // real paths that the call names
	Objects   []string          `json:"objects"`         // real paths for which the policy asks, those beneath a directory included
	Rule      string            `json:"rule"`            // the rule that asks, the first of Rules
	Message   string            `json:"message"`         // of that rule
	Rules     []RuleView        `json:"rules"`           // every rule that asks
	Diff      string            `json:"diff"`            // of a write or an edit
	DiffCut   bool              `json:"diff_cut"`        // the diff was too long to be shown whole
	Bytes     string            `json:"bytes,omitempty"` // the diff as who does not know the encoding reads it, where that is another text
	Fails     string            `json:"fails,omitempty"` // why the call would fail as things are
	Contents  []ContentView     `json:"contents,omitempty"`
	Command   string            `json:"command,omitempty"`  // a shell's text, or Argv on one line
	Argv      []string          `json:"argv,omitempty"`     // a command that no shell reads
	Programs  []ProgramView     `json:"programs,omitempty"` // what the command would run
	Dynamic   []string          `json:"dynamic,omitempty"`  // why Programs may not be all
	Redirects []RedirectView    `json:"redirects,omitempty"`
	Cwd       string            `json:"cwd,omitempty"` // real path
	Env       map[string]string `json:"env,omitempty"`
	Network   string            `json:"network,omitempty"`
	Stdin     *StdinView        `json:"stdin,omitempty"`
	// Background means that the command runs on when the call has answered.
	Background bool          `json:"background,omitempty"`
	Scripts    []ContentView `json:"scripts,omitempty"` // what the command executes of the allowed folders
	Workspace  string        `json:"workspace"`
	Task       string        `json:"task"`
	Session    string        `json:"session"`
	Principal  string        `json:"principal"`
	Group      string        `json:"group"`
	// Digest binds an approval to everything that matters: tool, arguments, real
	// paths, contents, policy, and who asks. The session is none of it: an equal
	// call of the same principal is the same request.
	Digest string `json:"digest"`
	// Grant is a digest of what a decision for the session covers: the same tool on
	// the same objects by the same rules, whatever the contents; the very same
	// command, and the same scripts. "" means that there is no such decision. The
	// session is none of it either.
	Grant string `json:"grant"`
}

// RuleView is a rule that asks.
type RuleView struct {
	Rule    string `json:"rule"`
	Message string `json:"message,omitempty"`
}

// ContentView tells what an object held when the operator was asked.
type ContentView struct {
	Path   string `json:"path"` // real
	Type   string `json:"type"` // file, directory, symlink, absent, or the error kind of a path that is refused
	Size   int64  `json:"size,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // "" of a file that is too large to be hashed
	MTime  string `json:"mtime,omitempty"`  // RFC 3339
	Mode   string `json:"mode,omitempty"`   // octal permissions
	Target string `json:"target,omitempty"` // where a link leads
	// Entries is how many entries lie beneath a directory that the call affects
	// with all it holds.
	Entries int `json:"entries,omitempty"`
	// State is a fingerprint in place of SHA256: size, times and identity, and of a
	// directory those of all that lies beneath.
	State string `json:"state,omitempty"`
}

// ProgramView is one program of a command.
type ProgramView struct {
	Name     string   `json:"name"` // "" where only the run decides
	Args     []string `json:"args,omitempty"`
	Resolved string   `json:"resolved,omitempty"` // the real path of the file that runs
	Builtin  bool     `json:"builtin,omitempty"`  // the shell carries it out itself
	Via      []string `json:"via,omitempty"`      // the programs that run it, outermost first
	Note     string   `json:"note,omitempty"`     // what is to be known of it
}

// RedirectView is a file that the shell opens for a command.
type RedirectView struct {
	Path  string `json:"path"` // real where it lies in an allowed folder, else as it would be opened
	Read  bool   `json:"read,omitempty"`
	Write bool   `json:"write,omitempty"`
}

// StdinView is what a command gets to read.
type StdinView struct {
	Size   int    `json:"size"` // bytes
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

// approvalRequest works out what the operator is shown.
func (t *Toolbox) approvalRequest(ctx context.Context, c *call) (*ApprovalRequest, error) {
	if len(c.req.Args) > maxRequest {
		return nil, tooMuchToShow()
	}
	first := c.supervised[0].verdict
	r := &ApprovalRequest{
		Tool: c.spec.name, Op: c.spec.op, Args: c.req.Args,
		Rule: first.Rule, Message: first.Message, Rules: distinctRules(c.supervised),
		Workspace: t.Workspace.Root(), Task: t.Workspace.Task().Name,
		Session: c.req.Session, Principal: c.req.Principal, Group: c.req.Group,
	}
	for _, a := range c.supervised {
		if a.real != "" {
			r.Objects = append(r.Objects, text.DisplayName(a.real))
		}
	}
	p := &pins{t, maxPinned}
	for i, g := range c.targets {
		r.Paths = append(r.Paths, text.DisplayName(g.Real()))
		filled := i == 1 && !g.lenient // the destination of a copy, which fills a directory up
		v, err := p.of(ctx, g, g.recursive || filled)
		if err != nil {
			return nil, err
		}
		r.Contents = append(r.Contents, v)
	}
	if err := t.showChange(ctx, c, r); err != nil {
		return nil, err
	}
	if c.command != nil {
		if err := t.showCommand(ctx, c, r, p); err != nil {
			return nil, err
		}
	}
	if err := r.bind(c); err != nil {
		return nil, err
	}
	if err := r.checkSize(); err != nil {
		return nil, err
	}
	return r, nil
}

// showChange adds what a change would make of a file. Where the call would fail,
// the answer may tell of the content: then the operator is asked all the same,
// unless the content may be read anyway.
func (t *Toolbox) showChange(ctx context.Context, c *call, r *ApprovalRequest) error {
	if c.spec.preview == nil {
		return nil
	}
	p, err := c.spec.preview(ctx, c, c.args)
	if err == nil {
		c.preview = p
		r.Diff, r.DiffCut = p.diff()
		bytes, cut := p.disguised()
		r.Bytes, r.DiffCut = bytes, r.DiffCut || cut
		return nil
	}
	access := c.access(c.targets[0])
	access.Tool, access.Effect = readTool, policy.Reveal
	if ctx.Err() != nil || t.Policy.Judge(access).Action == policy.Allow {
		return err
	}
	e := asError(err)
	if e.Kind.refusal() {
		return err
	}
	r.Fails = e.Error()
	return nil
}

func (r *ApprovalRequest) checkSize() error {
	raw, err := json.Marshal(r)
	if err == nil && len(raw) > maxRequest {
		return tooMuchToShow()
	}
	return err
}

func tooMuchToShow() error {
	return fail(LimitExceeded, fmt.Sprintf("the operator would have to look at more than %d MiB; take it in parts", maxRequest>>20))
}
