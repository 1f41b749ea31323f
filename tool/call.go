package tool

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"path"
	"strings"
	"time"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
)

// maxDetail bounds a text in the audit log and in a message, in bytes.
const maxDetail = 8 << 10

// call is one call on its way through the stages.
type call struct {
	box     *Toolbox
	req     Request
	spec    *spec
	args    any
	started time.Time
	targets []*target
	command *command // of a tool that runs one
	foreign bool     // another program will do it, with no walls around it
	changes bool
	meter   *meter

	supervised []asked         // what a human has to agree to
	approved   map[string]bool // real paths that a human has agreed to
	preview    *rewrite        // what the human saw of a change to a file
	waited     bool
	shown      string        // digest of what the human has agreed to
	contents   []ContentView // what the targets held then

	queued, running bool
	unlock          func() // gives back the locks of the paths that the call changes

	intended bool
	output   string
	data     any
	rec      audit.Record // fills as the call goes
}

// target is a path of a call and the object that was found for it.
type target struct {
	use
	name      string       // the path with \xNN read as bytes
	requested string       // absolute, as spelled, cleaned
	obj       *jail.Object // nil if nothing is there
	real      string       // where nothing is there: the path that it would have
	id        jail.FileID  // of the object, zero where nothing is there
	verdict   policy.Verdict
	withheld  policy.Effect // quiet effects that the policy does not allow
	err       *Error        // why a lenient target was refused
}

// Real is the real path, whether or not something is there.
func (g *target) Real() string {
	if g.obj != nil {
		return g.obj.Real()
	}
	return g.real
}

func (g *target) exists() bool { return g.obj != nil && g.obj.Exists() }

func (g *target) isDir() bool { return g.exists() && g.obj.Info().IsDir() }

func (t *Toolbox) newCall(r Request) *call {
	c := &call{box: t, req: r, started: time.Now(), approved: map[string]bool{}}
	c.rec = audit.Record{
		ID: newID(), Group: r.Group, Task: t.Workspace.Task().Name,
		Session: r.Session, Principal: r.Principal, Tool: r.Tool,
	}
	return c
}

func newID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// close lets go of everything, in any state of the call.
func (c *call) close() {
	c.unlockPaths()
	c.closeObjects()
}

func (c *call) unlockPaths() {
	if c.unlock != nil {
		c.unlock()
		c.unlock = nil
	}
}

func (c *call) closeObjects() {
	closeTargets(c.targets)
	if c.command != nil {
		c.command.close()
	}
}

func closeTargets(targets []*target) {
	for _, g := range targets {
		if g.obj != nil {
			g.obj.Close()
			g.obj = nil
		}
	}
}

// noteCommand puts the command into the record: all of one that could run, and of
// one that is refused for its length what may have that length.
func (c *call) noteCommand() {
	a := c.command.args
	c.rec.Command = clip(c.command.text(), maxWord)
	left := maxWords
	for _, w := range a.Argv {
		if left -= len(w) + 1; left < 0 {
			c.rec.Argv = append(c.rec.Argv, "…")
			break
		}
		c.rec.Argv = append(c.rec.Argv, w)
	}
	if a.Network != "" {
		c.rec.Network = []string{a.Network}
	}
}

// notePaths puts the paths as requested into the record.
func (c *call) notePaths() {
	if len(c.targets) == 0 {
		return
	}
	c.rec.Path = c.targets[0].path
	for _, g := range c.targets {
		if g.lenient {
			c.rec.Path = ""
			c.rec.Paths = append(c.rec.Paths, g.path)
		}
	}
	if len(c.targets) == 2 && !c.targets[1].lenient {
		c.rec.Destination = c.targets[1].path
	}
}

// noteObjects puts the real paths into the record.
func (c *call) noteObjects() {
	for i, g := range c.targets {
		real := g.Real()
		switch {
		case real == "":
		case g.lenient:
			c.rec.Paths[i] = real
		case i == 0:
			c.rec.Resolved = real
			if g.exists() && !g.isDir() {
				c.rec.Links = g.obj.Info().Nlink()
			}
		default:
			c.rec.Destination = real
		}
	}
}

// changed lists the real paths that the call changes.
func (c *call) changed() []string {
	var paths []string
	for _, g := range c.targets {
		if g.effect&policy.Change != 0 && g.Real() != "" {
			paths = append(paths, g.Real())
		}
	}
	return paths
}

// record writes the one result record of a call.
func (t *Toolbox) record(ctx context.Context, c *call, err error) error {
	c.rec.Phase, c.rec.Result = audit.PhaseResult, audit.ResultAllow
	switch {
	case err != nil:
		e := asError(err)
		c.noteFailure(e, e.Message)
		if e.Err != nil {
			c.rec.Detail = clip(e.Message+" ("+e.Err.Error()+")", maxDetail)
		}
	default:
		c.noteRefusals()
	}
	c.rec.DurationUS = max(time.Since(c.started).Microseconds(), 1)
	c.rec.Durable = c.intended || c.rec.Result == audit.ResultDeny
	// A cancelled call is recorded all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	return t.Audit.Append(ctx, &c.rec)
}

func (c *call) noteFailure(e *Error, detail string) {
	c.rec.Result = audit.ResultError
	if e.Kind.refusal() {
		c.rec.Result = audit.ResultDeny
	}
	c.rec.ErrorKind, c.rec.Rule, c.rec.Detail = string(e.Kind), e.Rule, clip(detail, maxDetail)
}

// noteRefusals marks a call that succeeded but for some of its paths: a path
// that was refused must be found among the refusals.
func (c *call) noteRefusals() {
	var first *Error
	var lines []string
	for _, g := range c.targets {
		if g.err == nil {
			continue
		}
		if first == nil || g.err.Kind.refusal() && !first.Kind.refusal() {
			first = g.err
		}
		lines = append(lines, g.err.Error())
	}
	if first != nil {
		c.noteFailure(first, strings.Join(lines, "\n"))
	}
}

// unrecorded is the answer to a call whose record could not be written.
func (c *call) unrecorded(err error) error {
	e := asError(err)
	if e.Kind != AuditUnavailable {
		e = &Error{Kind: AuditUnavailable, Rule: "audit", Message: "the audit log can't be written; tell the operator", Err: err}
	}
	if c.intended {
		return &Error{Kind: e.Kind, Rule: e.Rule, Err: err, Message: "the audit log failed after the call had begun; part or all of the change may have been made; tell the operator"}
	}
	return e
}

// absolute is the path as spelled, made absolute below the workspace and cleaned.
func (t *Toolbox) absolute(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(t.Workspace.Root(), name)
}

// display is a real path as answers show it: relative to the workspace where it
// lies there, in a form that tools accept again.
func (t *Toolbox) display(real string) string {
	root := t.Workspace.Root()
	switch rel, inside := strings.CutPrefix(real, strings.TrimSuffix(root, "/")+"/"); {
	case real == root:
		return "."
	case inside:
		return text.DisplayName(rel)
	default:
		return text.DisplayName(real)
	}
}
