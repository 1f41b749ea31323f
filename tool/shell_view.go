package tool

import (
	"context"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/shellscan"
)

// showCommand adds to a request what is to be known of a command.
func (t *Toolbox) showCommand(ctx context.Context, c *call, r *ApprovalRequest, p *pins) error {
	m := c.command
	r.Command, r.Argv = m.text(), m.args.Argv
	if r.Argv != nil {
		r.Command = QuoteWords(r.Argv)
	}
	r.Dynamic, r.Cwd = m.dynamic, text.DisplayName(c.targets[0].Real())
	r.Env, r.Network, r.Background = m.args.Env, m.args.Network, m.args.Background
	if m.args.Stdin != nil {
		r.Stdin = &StdinView{Size: len(*m.args.Stdin), SHA256: hashOf([]byte(*m.args.Stdin)), Text: *m.args.Stdin}
	}
	for i := range m.reading.Programs {
		r.Programs = append(r.Programs, programView(&m.reading.Programs[i], &m.access.Programs[i]))
	}
	for i := range m.redirects {
		to := &m.redirects[i]
		shown := to.path
		if to.target != nil {
			shown = to.target.Real()
			v, err := p.of(ctx, to.target, false)
			if err != nil {
				return err
			}
			r.Contents = append(r.Contents, v)
		}
		r.Redirects = append(r.Redirects, RedirectView{Path: text.DisplayName(shown), Read: to.Read, Write: to.Write})
	}
	for _, g := range m.scripts {
		v, err := p.of(ctx, g, true)
		if err != nil {
			return err
		}
		r.Scripts = append(r.Scripts, v)
	}
	return nil
}

func programView(from *shellscan.Program, judged *policy.Program) ProgramView {
	v := ProgramView{Name: from.Name, Resolved: text.DisplayName(judged.Resolved), Via: from.Via, Builtin: from.Builtin}
	for _, a := range from.Args {
		v.Args = append(v.Args, a.Text)
	}
	var notes []string
	for _, n := range []struct {
		holds bool
		note  string
	}{
		{from.Name == "", "only the run decides which program this is"},
		{from.Guess, "may not be a program at all"},
		{from.Danger != "", "known for harm: " + string(from.Danger)},
		{judged.Writable, "lies where the agent can write"},
		{!from.Builtin && from.Name != "" && judged.Resolved == "", "not found on this host"},
		{from.Source == shellscan.Inline, "executes code in its arguments"},
		{from.Source == shellscan.File, "executes what files say"},
		{from.Source == shellscan.Stream, "executes what it reads"},
	} {
		if n.holds {
			notes = append(notes, n.note)
		}
	}
	v.Note = strings.Join(notes, "; ")
	return v
}
