package policy

import (
	"cmp"
	"strings"
)

// rule is a compiled Rule.
type rule struct {
	name     string
	action   Action
	message  string
	paths    []pattern
	commands []commandPattern

	tools      []toolPattern // none: every tool
	knownTools []bool        // by toolInfo.index
	reveal     bool          // covers everything that reveals content
	change     bool          // covers every change
}

// covers reports whether the rule is about such accesses at all.
func (r *rule) covers(s scope) bool {
	switch {
	case len(r.tools) == 0,
		r.reveal && s.effect&Reveal != 0,
		r.change && s.effect&Change != 0:
		return true
	case s.index >= 0:
		return r.knownTools[s.index]
	}
	return matchesAny(r.tools, s.tool)
}

func (r *rule) verdict() Verdict {
	v := Verdict{Action: r.action, Rule: r.name, Message: r.message, Stage: StageRules}
	if r.action == Deny {
		v.Kind = KindDenied
	}
	return v
}

// ruleName is what a rule without a name is called: what it does, which does
// not depend on its place among the others.
func ruleName(r *Rule) string {
	if r.Name != "" {
		return r.Name
	}
	parts := []string{r.Action.String()}
	for _, list := range [][]string{r.Tools, r.Paths, r.Commands} {
		if len(list) > 0 {
			parts = append(parts, strings.Join(list, ","))
		}
	}
	return strings.Join(parts, " ")
}

// compareRules gives rules an order of their own, whatever order they came in.
func compareRules(a, b rule) int {
	return cmp.Or(
		cmp.Compare(a.name, b.name),
		cmp.Compare(a.action, b.action),
		cmp.Compare(a.message, b.message),
	)
}
