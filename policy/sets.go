package policy

// Builtin is one entry of the built-in sets.
type Builtin struct {
	Rule    string // as verdicts name it
	Stage   string // StageSensitive or StageProtected
	Pattern string // relative ones match at any depth
	Kind    string // of the denial
	// Except are endings of a name that make it harmless.
	Except []string
	// Only is "" where every object counts, "file" for all but directories, and
	// "link" for symbolic links.
	Only string
}

// Builtins returns the sensitive and protected sets in the order in which
// verdicts name them, those of [Config.Protected] last.
func (p *Policy) Builtins() []Builtin {
	all := make([]Builtin, 0, len(p.builtins))
	for i := range p.builtins {
		b := &p.builtins[i]
		v := b.verdict()
		all = append(all, Builtin{
			Rule: v.Rule, Stage: v.Stage, Pattern: b.text, Kind: v.Kind, Except: b.except,
			Only: [...]string{anyForm: "", notDirectory: "file", linkOnly: "link"}[b.only],
		})
	}
	return all
}
