package tool

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
)

// Tools whose rules cover what redirects do.
const (
	readTool  = "file_read"
	writeTool = "file_write"
)

// decideCommand has the policy judge a command: the working directory by the
// rules about paths, what it would run, and the files that it opens.
func (t *Toolbox) decideCommand(ctx context.Context, c *call) error {
	m := c.command
	if err := t.decideCwd(c); err != nil {
		return err
	}
	v := t.Policy.JudgeCommand(m.access)
	if v.Action == policy.Deny {
		return commandDenial(v)
	}
	// First all that may be denied, so that nobody is asked in vain.
	var files []asked
	for i := range m.redirects {
		more, err := t.decideRedirect(ctx, &m.redirects[i])
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	if err := c.take(c.targets[0].path, "", v); err != nil {
		return err
	}
	for _, f := range files {
		if err := c.take(f.real, f.real, f.verdict); err != nil {
			return err
		}
	}
	return nil
}

// decideCwd judges the working directory. Only rules that name it count: what
// the tool policy and the default say is about the command.
func (t *Toolbox) decideCwd(c *call) error {
	g := c.targets[0]
	g.verdict = t.Policy.Judge(cwdAccess(c))
	switch {
	case g.verdict.Stage == policy.StageTool || g.verdict.Stage == policy.StageDefault:
		return nil
	case g.verdict.Action == policy.Allow:
		return nil
	}
	return c.take(g.path, g.Real(), g.verdict)
}

func cwdAccess(c *call) policy.Access {
	g := c.targets[0]
	return policy.Access{Tool: c.spec.name, Effect: policy.List, Requested: g.requested, Real: g.Real(), Dir: true}
}

// decideRedirect judges the file of a redirect as file_read and file_write.
func (t *Toolbox) decideRedirect(ctx context.Context, r *redirect) ([]asked, error) {
	g := r.target
	if g == nil {
		return nil, nil
	}
	var verdicts []asked
	for _, a := range redirectAccesses(g) {
		v, err := t.judge(ctx, a)
		if err != nil {
			return nil, err
		}
		if v.Action == policy.Deny {
			return nil, denial(g.path, v)
		}
		if v.Action == policy.Supervised {
			verdicts = append(verdicts, asked{g.Real(), v})
		}
	}
	if g.err != nil {
		return nil, g.err
	}
	if g.effect&policy.Change != 0 && g.obj != nil && g.obj.Folder().Mode == jail.ReadOnly {
		return nil, asError(&fs.PathError{Op: "write", Path: g.path, Err: jail.ErrReadOnly})
	}
	return verdicts, nil
}

func redirectAccesses(g *target) []policy.Access {
	var all []policy.Access
	a := policy.Access{Requested: g.requested, Real: g.Real(), Dir: g.isDir(), Link: isLink(g)}
	if g.effect&policy.Reveal != 0 {
		a.Tool, a.Effect = readTool, policy.Reveal
		all = append(all, a)
	}
	if g.effect&policy.Change != 0 {
		a.Tool, a.Effect = writeTool, policy.Change
		all = append(all, a)
	}
	return all
}

func commandDenial(v policy.Verdict) *Error {
	message := fmt.Sprintf("this command is denied by %s", v.Rule)
	if v.Message != "" {
		message += ": " + v.Message
	} else {
		message += "; other ways to run it are denied as well, ask the operator if you need it"
	}
	return &Error{Kind: PolicyDenied, Message: message, Rule: v.Rule}
}

// explainCommand adds the policy's steps for a command and the files that it
// opens; the strictest verdict wins.
func (v *Verdict) explainCommand(ctx context.Context, t *Toolbox, c *call) {
	verdict, steps := t.Policy.ExplainCommand(c.command.access)
	v.Verdict, v.Rule, v.Kind, v.Message = verdict.Action.String(), verdict.Rule, Kind(verdict.Kind), verdict.Message
	for _, s := range steps {
		v.step(s.Stage, s.Rule, s.Action)
	}
	if cwd, steps := t.Policy.Explain(cwdAccess(c)); cwd.Stage == policy.StageRules || cwd.Action == policy.Deny && cwd.Stage == policy.StageSensitive {
		v.step("cwd:"+cwd.Stage, cwd.Rule, steps[len(steps)-1].Action)
	}
	for _, r := range c.command.redirects {
		if r.target == nil {
			continue
		}
		for _, a := range redirectAccesses(r.target) {
			if judged, err := t.judge(ctx, a); err == nil {
				v.step(a.Tool+":"+judged.Stage, judged.Rule, judged.Action)
			}
		}
	}
}
