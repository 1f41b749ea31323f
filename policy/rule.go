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

// Label is what verdicts call the rule: its name, or where it has none what it
// does, which does not depend on its place among the others.
func (r *Rule) Label() string { return ruleName(r) }

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

// Covers says what the rule is about beyond the tools that it names: "reveals
// content", "changes anything", both, or "" for nothing.
func (r *Rule) Covers() string {
	if r.Action == Allow || len(r.Commands) > 0 {
		return ""
	}
	var all []string
	for _, more := range []struct{ tool, what string }{{readTool, "reveals content"}, {writeTool, "changes anything"}} {
		for _, text := range r.Tools {
			if p, err := parseToolPattern(text); err == nil && p.match(more.tool) {
				all = append(all, more.what)
				break
			}
		}
	}
	return strings.Join(all, " or ")
}
