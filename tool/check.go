package tool

import (
	"context"
	"slices"

	"github.com/baileyhq/bailey/policy"
)

// Verdict is what would become of a call, and why.
type Verdict struct {
	Verdict string        `json:"verdict"` // allow, supervised or deny
	Rule    string        `json:"rule"`    // the one rule or invariant responsible
	Kind    Kind          `json:"kind"`    // of a refusal, else ""
	Message string        `json:"message,omitempty"`
	Steps   []VerdictStep `json:"steps"`
}

// VerdictStep is what one stage had to say.
type VerdictStep struct {
	Stage   string `json:"stage"`
	Rule    string `json:"rule"`
	Verdict string `json:"verdict"`
}

func (v *Verdict) step(stage, rule string, action policy.Action) {
	v.Steps = append(v.Steps, VerdictStep{stage, rule, action.String()})
}

// Check judges a call as [Toolbox.Call] would, and does nothing: nobody is
// asked, nothing changes and nothing is recorded. It is for the operator; what
// it tells must not reach an agent.
func (t *Toolbox) Check(ctx context.Context, r Request) *Verdict {
	v := newVerdict()
	if t.broken != nil {
		v.refuse("config", t.broken)
		return v
	}
	c := t.newCall(r)
	defer c.close()
	v.check(ctx, t, c)
	return v
}

func newVerdict() *Verdict {
	return &Verdict{Verdict: policy.Allow.String(), Steps: []VerdictStep{}}
}

// check takes a call through the stages that judge.
func (v *Verdict) check(ctx context.Context, t *Toolbox, c *call) {
	for _, s := range stages {
		if s.name == "ask" {
			break
		}
		err := s.run(t, ctx, c)
		if s.name == "resolve" && c.command == nil && nothingThere(err) {
			v.step(s.name, "", policy.Allow)
			v.explainAll(ctx, t, c)
			return
		}
		if s.name == "decide" {
			v.explainAll(ctx, t, c)
		}
		if err != nil {
			v.refuse(s.name, asError(err))
			return
		}
		if s.name != "decide" {
			v.step(s.name, "", policy.Allow)
		}
	}
	for _, g := range c.targets {
		if g.err != nil && !nothingThere(g.err) {
			v.refuse("decide", g.err)
			return
		}
	}
	if len(c.supervised) > 0 {
		first := c.supervised[0].verdict
		v.Verdict, v.Rule, v.Message = policy.Supervised.String(), first.Rule, first.Message
	}
}

// nothingThere reports whether a call would fail only because of what is not
// there: the policy has its say all the same.
func nothingThere(err error) bool {
	if err == nil {
		return false
	}
	kind := asError(err).Kind
	return kind == NotFound || kind == NotADirectory
}

// explainAll adds the policy's steps for each target; the strictest verdict wins.
func (v *Verdict) explainAll(ctx context.Context, t *Toolbox, c *call) {
	if c.command != nil {
		v.explainCommand(ctx, t, c)
		return
	}
	strictest := policy.Action(0)
	for _, g := range c.targets {
		if g.Real() == "" {
			continue
		}
		verdict, steps := t.Policy.Explain(c.access(g))
		for _, s := range steps {
			v.step(s.Stage, s.Rule, s.Action)
		}
		if v.Rule == "" || verdict.Action > strictest {
			strictest = verdict.Action
			v.Verdict, v.Rule, v.Kind, v.Message = verdict.Action.String(), verdict.Rule, Kind(verdict.Kind), verdict.Message
		}
	}
}

func (v *Verdict) refuse(stage string, e *Error) {
	v.Verdict, v.Rule, v.Kind, v.Message = policy.Deny.String(), e.Rule, e.Kind, e.Message
	said := func(s VerdictStep) bool { return s.Rule == e.Rule && s.Verdict == policy.Deny.String() }
	if e.Rule != "" && slices.ContainsFunc(v.Steps, said) {
		return // the policy's own step says so already
	}
	v.step(stage, e.Rule, policy.Deny)
}
