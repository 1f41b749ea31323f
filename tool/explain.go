package tool

import (
	"context"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/policy"
)

// Reading is what a command was read as, with what the policy says of each part.
type Reading struct {
	Shell     string          `json:"shell,omitempty"` // real path of the shell that reads the text
	Cwd       string          `json:"cwd"`             // real path
	Programs  []ProgramPart   `json:"programs"`
	Redirects []RedirectPart  `json:"redirects"`
	Scripts   []string        `json:"scripts"` // real paths of files in allowed folders that the command executes
	Dynamic   []DynamicReason `json:"dynamic"` // why this may not be all
}

// ProgramPart is one program of a command and what rules say of it.
type ProgramPart struct {
	ProgramView
	Verdict string `json:"verdict"`        // allow, supervised or deny; "" where no rule says anything
	Rule    string `json:"rule,omitempty"` // the one responsible
	// Needs is set where a rule would have to allow the program for the command to
	// be allowed, and none does.
	Needs bool `json:"needs_rule,omitempty"`
}

// RedirectPart is a file that the shell opens and what the policy says of it.
type RedirectPart struct {
	RedirectView
	// Outside is set where the file lies in no allowed folder, so that no rule but
	// only the sandbox is about it.
	Outside bool   `json:"outside,omitempty"`
	Verdict string `json:"verdict,omitempty"`
	Rule    string `json:"rule,omitempty"`
}

// DynamicReason is one cause for which a reading may not be complete.
type DynamicReason struct {
	Text   string `json:"text"`
	Line   uint   `json:"line,omitempty"` // in the command, from 1; 0 where no place is known
	Column uint   `json:"column,omitempty"`
}

// Explain judges a call as [Toolbox.Check] does and, of a tool that runs commands,
// tells what the command was read as. The reading is nil where the call was
// refused before the command was read.
func (t *Toolbox) Explain(ctx context.Context, r Request) (*Verdict, *Reading) {
	if t.broken != nil {
		return t.Check(ctx, r), nil
	}
	v, c := newVerdict(), t.newCall(r)
	defer c.close()
	v.check(ctx, t, c)
	if c.command == nil || c.command.reading == nil || len(c.command.access.Programs) != len(c.command.reading.Programs) {
		return v, nil
	}
	return v, t.reading(ctx, c)
}

func (t *Toolbox) reading(ctx context.Context, c *call) *Reading {
	m := c.command
	r := &Reading{
		Shell: m.shell, Cwd: text.DisplayName(c.targets[0].Real()),
		Programs: []ProgramPart{}, Redirects: []RedirectPart{}, Scripts: []string{}, Dynamic: []DynamicReason{},
	}
	for i, said := range t.Policy.ExplainPrograms(m.access) {
		p := ProgramPart{
			ProgramView: programView(&m.reading.Programs[i], &m.access.Programs[i]), Rule: said.Rule, Needs: said.Open,
		}
		if said.Rule != "" {
			p.Verdict = said.Action.String()
		}
		r.Programs = append(r.Programs, p)
	}
	for i := range m.redirects {
		r.Redirects = append(r.Redirects, t.redirectPart(ctx, &m.redirects[i]))
	}
	for _, g := range m.scripts {
		r.Scripts = append(r.Scripts, text.DisplayName(g.Real()))
	}
	for i, reason := range m.dynamic {
		d := DynamicReason{Text: reason}
		for _, found := range m.reading.Dynamic {
			if found.Text == reason {
				d.Line, d.Column = found.Position.Line, found.Position.Column
			}
		}
		if i == 0 || r.Dynamic[len(r.Dynamic)-1] != d {
			r.Dynamic = append(r.Dynamic, d)
		}
	}
	return r
}

// redirectPart tells what the policy says of a redirect, the strictest of reading
// and writing.
func (t *Toolbox) redirectPart(ctx context.Context, r *redirect) RedirectPart {
	p := RedirectPart{RedirectView: RedirectView{Path: text.DisplayName(r.path), Read: r.Read, Write: r.Write}}
	if r.target == nil {
		p.Outside = true
		return p
	}
	p.Path = text.DisplayName(r.target.Real())
	strictest := policy.Allow
	for _, a := range redirectAccesses(r.target) {
		v, err := t.judge(ctx, a)
		if err == nil && (p.Rule == "" || v.Action > strictest) {
			strictest, p.Verdict, p.Rule = v.Action, v.Action.String(), v.Rule
		}
	}
	return p
}
