package policy

// CommandAccess is a command that a call wants to run, taken apart.
type CommandAccess struct {
	Tool     string
	Programs []Program // all that would be run
	// Dynamic says why Programs may not be all: "" if it is known to be. No rule
	// allows such a command.
	Dynamic string
}

// Program is one program that a command would run.
type Program struct {
	Name    string // as written; "" where the run decides
	Args    []Word
	Options int // how many leading Args are git's global options; patterns may leave them out

	Resolved string // the absolute real path of the file that runs; "" if none was found
	Writable bool   // that file, or a way to it, lies where the agent can write
	Builtin  bool   // the shell carries it out itself, and no file runs
	Inert    bool   // it has no effect of its own (cd, echo, …), and needs no rule that allows it
	Guess    bool   // it may not be a program at all: it can be a reason to refuse, and none to allow
	Danger   string // the kind of harm it is known for, "" for none
}

// Word is one argument of a program, or several where the run decides.
type Word struct {
	Kind WordKind
	Text string // of a KnownWord
}

// WordKind tells how much is known of an argument.
type WordKind uint8

const (
	KnownWord WordKind = iota
	OneWord            // one word that only the run decides
	ManyWords          // any number of words that only the run decides
)

// trusted reports whether what runs under the program's name is known to be out
// of the agent's reach.
func (p *Program) trusted() bool { return p.Builtin || p.Resolved != "" && !p.Writable }

const (
	dangerPrefix = "builtin:dangerous:"
	dynamicRule  = "builtin:dynamic"
)

// commandFound is what matches a command: indexes in Policy.commandRules.
type commandFound struct {
	deny, ask, allow int
	danger           string
	allAllowed       bool // each program that needs a rule has one
	dynamic          string

	// Rules without paths and commands, indexes in Policy.rules.
	plainDeny, plainAsk, plainAllow int
}

// JudgeCommand decides about a command. The files that its redirects read and
// write are judged of their own, as accesses of file_read and file_write.
func (p *Policy) JudgeCommand(a CommandAccess) Verdict {
	s, tool := p.scopeOf(a.Tool, 0)
	if tool.Action == Deny {
		return tool
	}
	f := p.findCommand(s, &a)
	return p.concludeCommand(s, tool, &f)
}

// ExplainCommand decides as JudgeCommand does, and tells what each stage had to
// say, in order. A stage that a denial before it kept from being asked is left out.
func (p *Policy) ExplainCommand(a CommandAccess) (Verdict, []Step) {
	s, tool := p.scopeOf(a.Tool, 0)
	steps := []Step{{tool.Stage, tool.Rule, tool.Action}}
	if tool.Action == Deny {
		return tool, steps
	}
	f := p.findCommand(s, &a)
	v := p.concludeCommand(s, tool, &f)
	rules := p.commandRuleVerdict(&f)
	steps = append(steps, Step{StageRules, rules.Rule, rules.Action})
	if rules.Action == Deny {
		return v, steps
	}
	danger := Step{Stage: StageDangerous}
	if f.danger != "" {
		danger.Rule, danger.Action = dangerPrefix+f.danger, Deny
	}
	if steps = append(steps, danger); danger.Action == Deny {
		return v, steps
	}
	if v.Stage == StageDynamic {
		return v, append(steps, Step{v.Stage, v.Rule, v.Action})
	}
	if rules.Rule == "" {
		steps = append(steps, Step{StageDefault, defaultRule, p.defaultAction})
	}
	return v, steps
}

func (p *Policy) findCommand(s scope, a *CommandAccess) commandFound {
	f := commandFound{
		deny: none, ask: none, allow: none, allAllowed: true, dynamic: a.Dynamic,
		plainDeny: none, plainAsk: none, plainAllow: none,
	}
	for _, i := range p.pathless {
		p.addPlain(&f, s, i)
	}
	for i := range a.Programs {
		p.addProgram(&f, s, &a.Programs[i])
	}
	return f
}

func (p *Policy) addPlain(f *commandFound, s scope, i int) {
	r := &p.rules[i]
	if !r.covers(s) {
		return
	}
	switch r.action {
	case Deny:
		f.plainDeny = first(f.plainDeny, i)
	case Supervised:
		f.plainAsk = first(f.plainAsk, i)
	default:
		f.plainAllow = first(f.plainAllow, i)
	}
}

// addProgram collects the rules that match one program.
func (p *Policy) addProgram(f *commandFound, s scope, program *Program) {
	prog := subjectOf(program)
	allow, lifted := none, false
	for i := range p.commandRules {
		r := &p.commandRules[i]
		if !r.covers(s) {
			continue
		}
		switch r.action {
		case Deny:
			if r.matches(&prog, certain) {
				f.deny = first(f.deny, i)
			} else if r.matches(&prog, possible) {
				f.ask = first(f.ask, i)
			}
		case Supervised:
			if r.matches(&prog, possible) {
				f.ask = first(f.ask, i)
			}
		default:
			if ok, lifts := r.allows(&prog); ok {
				allow, lifted = first(allow, i), lifted || lifts
			}
		}
	}
	if allow != none {
		f.allow = first(f.allow, allow)
	}
	if prog.Danger != "" && !lifted && !prog.Guess && (f.danger == "" || prog.Danger < f.danger) {
		f.danger = prog.Danger
	}
	if allow == none && !prog.Inert {
		f.allAllowed = false
	}
	if f.dynamic == "" && (!prog.trusted() || prog.Guess) {
		f.dynamic = prog.Name + " is not known to be out of the agent's reach"
	}
}

func (r *rule) matches(prog *subject, m matching) bool {
	for i := range r.commands {
		if r.commands[i].match(prog, m) {
			return true
		}
	}
	return false
}

// allows reports whether a rule allows a program, and whether it lifts its danger.
func (r *rule) allows(prog *subject) (ok, lifts bool) {
	for i := range r.commands {
		if c := &r.commands[i]; c.match(prog, allowed) {
			ok, lifts = true, lifts || c.names(prog.Danger)
		}
	}
	return ok, lifts
}

// concludeCommand picks the one responsible.
func (p *Policy) concludeCommand(s scope, tool Verdict, f *commandFound) Verdict {
	rules := p.commandRuleVerdict(f)
	switch {
	case rules.Action == Deny:
		return rules
	case f.danger != "":
		return Verdict{Action: Deny, Rule: dangerPrefix + f.danger, Kind: KindDenied, Stage: StageDangerous}
	case rules.Action == Supervised:
		return rules
	}
	v := rules
	if rules.Rule == "" {
		v = p.byDefault()
	}
	lifts := f.commandsAllowed()
	switch {
	case v.Action == Deny:
		return v
	case tool.Action == Supervised && (tool.Rule != shellDefault || !lifts):
		return tool
	case !lifts && f.dynamic != "" && p.restricts(s):
		return Verdict{Action: Supervised, Rule: dynamicRule, Message: f.dynamic, Stage: StageDynamic}
	}
	return v
}

// commandsAllowed reports whether rules allow all that the command would run.
func (f *commandFound) commandsAllowed() bool {
	return f.allAllowed && f.allow != none && f.dynamic == ""
}

// commandRuleVerdict is what the rules say; its Rule is "" where none decides.
func (p *Policy) commandRuleVerdict(f *commandFound) Verdict {
	switch {
	case f.deny != none || f.plainDeny != none:
		return p.firstOf(f.deny, f.plainDeny).verdict()
	case f.ask != none || f.plainAsk != none:
		v := p.firstOf(f.ask, f.plainAsk).verdict()
		v.Action, v.Kind = Supervised, ""
		return v
	case f.commandsAllowed():
		return p.commandRules[f.allow].verdict()
	case f.plainAllow != none:
		return p.rules[f.plainAllow].verdict()
	}
	return Verdict{Stage: StageRules}
}

// firstOf returns the one of two rules that comes first, of the rules about
// commands and of those without a path.
func (p *Policy) firstOf(command, plain int) *rule {
	switch {
	case command == none:
		return &p.rules[plain]
	case plain == none || compareRules(p.commandRules[command], p.rules[plain]) <= 0:
		return &p.commandRules[command]
	default:
		return &p.rules[plain]
	}
}

// restricts reports whether some command is denied or asked about.
func (p *Policy) restricts(s scope) bool {
	for i := range p.commandRules {
		if r := &p.commandRules[i]; r.action != Allow && r.covers(s) {
			return true
		}
	}
	return false
}
