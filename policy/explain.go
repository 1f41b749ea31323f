package policy

// Step is one stage's part in a decision.
type Step struct {
	Stage  string
	Rule   string // "" where no rule of the stage matched
	Action Action // what the stage asks for; Allow where it asks for nothing
}

// Explain decides as Judge does, and tells what each stage had to say, in
// order. A stage that a denial before it kept from being asked is left out. A
// built-in that a rule has lifted doesn't count as matching.
func (p *Policy) Explain(a Access) (Verdict, []Step) {
	tool := p.Tool(a.Tool)
	v, f := p.judge(a)
	steps := []Step{{tool.Stage, tool.Rule, tool.Action}}
	if v.Stage == StagePath {
		return v, append(steps, Step{v.Stage, v.Rule, v.Action})
	}
	if tool.Action == Deny {
		return v, steps
	}
	for _, s := range []Step{
		p.ruleStep(&f),
		p.builtinStep(StageSensitive, f.sensitive),
		p.builtinStep(StageProtected, f.protected),
	} {
		if steps = append(steps, s); s.Action == Deny {
			return v, steps
		}
	}
	if f.supervised == none && f.allow == none {
		steps = append(steps, Step{StageDefault, defaultRule, p.defaultAction})
	}
	return v, steps
}

func (p *Policy) ruleStep(f *found) Step {
	for _, i := range []int{f.deny, f.supervised, f.allow} {
		if i != none {
			return Step{StageRules, p.rules[i].name, p.rules[i].action}
		}
	}
	return Step{Stage: StageRules}
}

func (p *Policy) builtinStep(stage string, i int) Step {
	if i == none {
		return Step{Stage: stage}
	}
	return Step{stage, p.builtins[i].name, Deny}
}
