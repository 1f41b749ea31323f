package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/baileyhq/bailey/internal/nearest"
)

// A deny or supervised rule for one of these is about what happens to a file,
// whatever tool it is done with.
const (
	readTool  = "file_read"
	writeTool = "file_write"
)

// shellTool is supervised, unless the tool policy names it or is stricter.
const shellTool = "shell"

// pathlessTools are the tools whose calls name no path.
var pathlessTools = []string{
	"shell_output", "shell_kill", "shell_list", "package_install",
	"memory_store", "memory_get", "memory_search", "memory_recall", "memory_forget",
}

// namesNoPath reports whether a tool that the pattern is about is known, and none
// of those that are takes a path.
func (p *toolPattern) namesNoPath(known []string) bool {
	about := slices.DeleteFunc(slices.Clone(known), func(tool string) bool { return !p.match(tool) })
	return len(about) > 0 && !slices.ContainsFunc(about, func(tool string) bool { return !slices.Contains(pathlessTools, tool) })
}

// toolPattern matches tool names. Case counts.
type toolPattern struct {
	text    string
	matches []*glob
	names   []string
}

func parseToolPattern(text string) (toolPattern, error) {
	p := toolPattern{text: text}
	switch {
	case text == "":
		return p, ErrEmpty
	case strings.ContainsAny(text, "/~"):
		return p, patternError("is no pattern of a tool name")
	}
	// A tool name is matched as one segment of a path is.
	patterns, err := places{workspace: "/"}.parse(text, false)
	if err != nil {
		return p, err
	}
	for _, segments := range patterns {
		switch {
		case len(segments) != 1:
			return p, patternError("is no pattern of a tool name")
		case segments[0].many:
			p.matches = append(p.matches, &glob{middle: []item{{kind: starItem}}})
		case segments[0].glob != nil:
			p.matches = append(p.matches, segments[0].glob)
		default:
			p.names = append(p.names, segments[0].lit)
		}
	}
	return p, nil
}

func (p *toolPattern) match(tool string) bool {
	return slices.Contains(p.names, tool) ||
		slices.ContainsFunc(p.matches, func(g *glob) bool { return g.match(tool) })
}

// checkKnown fails if the pattern matches none of the known tools, or has an
// alternative that is none.
func (p *toolPattern) checkKnown(known []string) (nearestName string, err error) {
	if len(known) == 0 {
		return "", nil
	}
	for _, name := range p.names {
		if !slices.Contains(known, name) {
			return nearest.Of(strings.Trim(name, "* "), known), ErrUnknownTool
		}
	}
	for _, g := range p.matches {
		if !slices.ContainsFunc(known, g.match) {
			return nearest.Of(strings.Trim(g.text, "* "), known), ErrUnknownTool
		}
	}
	return "", nil
}

func matchesAny(patterns []toolPattern, tool string) bool {
	return slices.ContainsFunc(patterns, func(p toolPattern) bool { return p.match(tool) })
}

// toolPolicy is the tool policy, the entry that decides first in front.
type toolPolicy struct {
	entries  []toolEntry
	fallback Action
}

type toolEntry struct {
	pattern toolPattern
	action  Action
}

// sort puts stricter entries first, then plain names before patterns.
func (t *toolPolicy) sort() {
	slices.SortFunc(t.entries, func(a, b toolEntry) int {
		return cmp.Or(
			cmp.Compare(b.action, a.action),
			cmp.Compare(len(a.pattern.matches), len(b.pattern.matches)),
			cmp.Compare(a.pattern.text, b.pattern.text),
		)
	})
}

func (t *toolPolicy) judge(tool string) Verdict {
	v := Verdict{Action: t.fallback, Rule: StageTool + ":default", Stage: StageTool}
	named := false
	for i := range t.entries {
		if e := &t.entries[i]; e.pattern.match(tool) {
			v.Action, v.Rule = e.action, StageTool+":"+e.pattern.text
			named = slices.Contains(e.pattern.names, tool)
			break
		}
	}
	if tool == shellTool && v.Action == Allow && !named {
		v.Action, v.Rule = Supervised, shellDefault
	}
	if v.Action == Deny {
		v.Kind = KindDenied
	}
	return v
}

// toolInfo is what is worked out once for a known tool.
type toolInfo struct {
	verdict Verdict
	index   int // in rule.knownTools
}

// scope is the part of an access that the choice of rules depends on.
type scope struct {
	tool   string
	index  int // -1 for a tool that is not known
	effect Effect
}

func (p *Policy) scopeOf(tool string, effect Effect) (scope, Verdict) {
	if info, ok := p.tools[tool]; ok {
		return scope{tool, info.index, effect}, info.verdict
	}
	return scope{tool, -1, effect}, p.toolPolicy.judge(tool)
}

// Tool returns the verdict of the tool policy alone. A denial is final; any
// other verdict is a floor under that of Judge.
func (p *Policy) Tool(tool string) Verdict {
	_, v := p.scopeOf(tool, 0)
	return v
}
