package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

// An Agent is a program whose events are understood.
type Agent struct {
	Name       string // as users name it
	Title      string
	ProjectEnv string // the environment variable in which it names its project; "" for none
	CanApprove bool   // an answer can spare the agent's own prompt

	read  func(fields) *event
	write func(*event, decision) any // the answer; nil for no output
}

// Agents lists the agents.
func Agents() []Agent { return []Agent{claudeCode(), codex(), cursor(), geminiCLI()} }

// Find finds an agent by its name.
func Find(name string) (Agent, bool) {
	i := slices.IndexFunc(Agents(), func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return Agents()[i], true
}

// event is what an agent is about to do.
type event struct {
	kind    string // the agent's name for the event
	session string
	cwd     string // where relative paths start; "" for the workspace
	project string // the folder that the agent works in, if the event names it
	tool    string // the agent's name for the tool
	calls   []call // what the call would do in Bailey's terms; none: no opinion
}

// call is one call in Bailey's terms.
type call struct {
	tool  string
	args  map[string]any
	paths []string     // the arguments that are paths
	op    workspace.Op // of a tool that the toolbox may not have
}

// Options say who judges.
type Options struct {
	Tools   *tool.Toolbox
	Request func(name string, args json.RawMessage) tool.Request // adds who calls
	Home    string                                               // what ~ at the start of a path stands for
	Approve bool                                                 // let an allowed call go on without the agent's own prompt
}

// An Event is a call that an agent has announced.
type Event struct {
	agent Agent
	event *event
	err   error
}

// Read reads the event of an agent. One that can't be read is denied by Judge.
func (a Agent) Read(raw []byte) Event {
	f, err := parseFields(raw)
	if err != nil {
		return Event{a, &event{}, fmt.Errorf("the event can't be read: %w", err)}
	}
	e := a.read(f)
	if e.kind == "" {
		err = errors.New("the event can't be read: it has no hook_event_name")
	}
	return Event{a, e, err}
}

// Project is the folder that the agent says it works in, or "".
func (e Event) Project() string { return e.event.project }

// Judge judges the call and returns the answer as the agent expects it on
// standard output: JSON, or nothing where the agent takes silence for consent to
// go on as it would without Bailey.
func (e Event) Judge(ctx context.Context, o Options) []byte {
	answer := e.agent.write(e.event, e.decide(ctx, o))
	if answer == nil {
		return nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		panic(err) // strings in structs of this package always encode
	}
	return buf.Bytes()
}

// verdict is what an answer says.
type verdict int

const (
	none verdict = iota // no opinion
	allow
	ask
	deny
)

type decision struct {
	verdict verdict
	reason  string
}

// decide takes the strictest of what the calls of the event get.
func (e Event) decide(ctx context.Context, o Options) decision {
	if e.err != nil {
		return decision{deny, "Bailey: invalid_argument: " + e.err.Error()}
	}
	var d decision
	for _, c := range e.event.calls {
		if next := e.advise(ctx, o, c); next.verdict > d.verdict {
			d = next
		}
	}
	if d.verdict == allow && !o.Approve {
		return decision{}
	}
	return d
}

func (e Event) advise(ctx context.Context, o Options, c call) decision {
	for _, key := range c.paths {
		if p, ok := c.args[key].(string); ok {
			c.args[key] = e.absolute(p, o.Home)
		}
	}
	args, err := json.Marshal(c.args)
	if err != nil {
		return decision{deny, "Bailey: invalid_argument: " + err.Error()}
	}
	r := o.Request(c.tool, args)
	if e.event.session != "" {
		r.Session = e.event.session
	}
	v := o.Tools.Advise(ctx, tool.Consultation{Request: r, By: e.agent.Name + " " + e.event.tool, Op: c.op})
	d := decided(v)
	if c.op == workspace.OpExec && d.verdict == allow {
		// No wall stands around it: the agent's own rules and prompts have their say.
		return decision{}
	}
	return d
}

func decided(v *tool.Verdict) decision {
	message := v.Message
	switch v.Verdict {
	case policy.Deny.String():
		if message == "" {
			message = "denied by " + v.Rule
		}
		return decision{deny, fmt.Sprintf("Bailey: %s: %s", v.Kind, message)}
	case policy.Supervised.String():
		reason := fmt.Sprintf("Bailey: %s asks for a human's consent", v.Rule)
		if message != "" {
			reason += ": " + message
		}
		return decision{ask, reason}
	default:
		return decision{allow, "Bailey: allowed by " + v.Rule}
	}
}
