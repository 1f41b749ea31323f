package policy

// ProgramVerdict is what rules with commands, and the dangers that programs are
// known for, have to say of one program of a command.
type ProgramVerdict struct {
	Action Action // Allow also where nothing is said: see Open
	Rule   string // "" where nothing is said of it
	// Open is set where no rule allows a program that needs one: what becomes of it
	// is up to the tool policy and the default action.
	Open bool
	// Doubt says why no rule can allow the program, "" where one can.
	Doubt string
}

// ExplainPrograms tells what is said of each program of a command, in the order
// of a.Programs. The verdict on the whole is that of [Policy.JudgeCommand].
func (p *Policy) ExplainPrograms(a CommandAccess) []ProgramVerdict {
	s, _ := p.scopeOf(a.Tool, 0)
	all := make([]ProgramVerdict, len(a.Programs))
	for i := range a.Programs {
		f := commandFound{deny: none, ask: none, allow: none, allAllowed: true}
		p.addProgram(&f, s, &a.Programs[i])
		all[i] = p.programVerdict(&f)
	}
	return all
}

func (p *Policy) programVerdict(f *commandFound) ProgramVerdict {
	v := ProgramVerdict{Doubt: f.dynamic}
	switch {
	case f.deny != none:
		v.Action, v.Rule = Deny, p.commandRules[f.deny].name
	case f.danger != "":
		v.Action, v.Rule = Deny, dangerPrefix+f.danger
	case f.ask != none:
		v.Action, v.Rule = Supervised, p.commandRules[f.ask].name
	case f.allow != none && f.dynamic == "":
		v.Rule = p.commandRules[f.allow].name
	default:
		v.Open = !f.allAllowed || f.dynamic != ""
	}
	return v
}
