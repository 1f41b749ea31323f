package policy

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Note is something in a configuration that is no mistake, and yet may do less
// than it seems to.
type Note struct {
	Rule  string // the rule's name, or what it does
	Index int    // its place in Config.Rules
	Field string // the key: "action", "message", "tools", "paths" or "commands"
	Item  int    // the place within the field, -1 where the whole rule is meant
	Value string // the text in question
	Text  string // what to know, and what to write instead
}

// Notes looks through a configuration that compiles. folders are the real paths
// of all allowed folders; without any, patterns are not compared with them.
func Notes(c Config, folders ...string) []Note {
	p, err := Compile(c)
	if err != nil {
		return nil
	}
	n := notes{config: &c, policy: p, folders: folders}
	for i := range c.Rules {
		n.rule, n.index = &c.Rules[i], i
		n.aboutRule()
		n.aboutPaths()
		n.aboutCommands()
	}
	return n.all
}

type notes struct {
	config  *Config
	policy  *Policy
	folders []string
	rule    *Rule
	index   int
	all     []Note
}

func (n *notes) add(field string, item int, value, format string, args ...any) {
	n.all = append(n.all, Note{ruleName(n.rule), n.index, field, item, value, fmt.Sprintf(format, args...)})
}

// aboutRule looks for what keeps a rule from ever taking effect.
func (n *notes) aboutRule() {
	r := n.rule
	if r.Action == Allow && r.Message != "" {
		n.add("message", -1, "", "an agent is told the message of a rule that denies or supervises; this one allows")
	}
	if r.Action == Deny {
		return
	}
	for i, tool := range r.Tools {
		if v := n.policy.Tool(tool); v.Action == Deny && slices.Contains(n.config.KnownTools, tool) {
			n.add("tools", i, tool, "%s denies this tool, and no rule lifts that", v.Rule)
		}
	}
	if shell := n.policy.Tool(shellTool); r.Action == Allow && r.Commands != nil && shell.Rule != shellDefault && shell.Action != Allow {
		n.add("commands", -1, "", "%s is %s, and no rule lifts that; leave the entry out, and only what no rule allows is asked about", shell.Rule, shell.Action)
	}
	if by := n.deniedBy(); by != "" {
		n.add("action", -1, r.Action.String(), "rule %q denies all that this one is about, and the strictest counts", by)
	}
}

// deniedBy names a deny rule that has all patterns of the rule, for its tools.
func (n *notes) deniedBy() string {
	for i := range n.config.Rules {
		d := &n.config.Rules[i]
		if d.Action == Deny && subset(n.rule.Tools, d.Tools) && subset(n.rule.Paths, d.Paths) && subset(n.rule.Commands, d.Commands) &&
			(d.Commands == nil) == (n.rule.Commands == nil) {
			return ruleName(d)
		}
	}
	return ""
}

// subset reports whether all of part are in whole, where none means all.
func subset(part, whole []string) bool {
	if whole == nil {
		return true
	}
	return part != nil && !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(whole, s) })
}

func (n *notes) aboutPaths() {
	for i, text := range n.rule.Paths {
		switch one := strings.TrimSuffix(text, "/"); {
		case !isAbsolute(text) && !strings.Contains(one, "/") && n.rule.Action != Allow && !n.isPlace(one):
			n.add("paths", i, text, "is about the top of the workspace only; **/%s is about every depth", text)
		case n.isOutside(text):
			n.add("paths", i, text, "lies outside of the allowed folders, where no call gets; below the workspace it would be %s", strings.TrimLeft(text, "/"))
		}
		if n.rule.Action != Deny {
			n.aboutLifting(i, text)
		}
	}
}

// isPlace reports whether a pattern of one segment is the workspace, or all in it.
func (n *notes) isPlace(text string) bool { return text == "." || text == "*" || text == "" }

// isOutside reports whether a pattern that starts at the root can meet no path
// in an allowed folder.
func (n *notes) isOutside(text string) bool {
	if len(n.folders) == 0 || !strings.HasPrefix(text, "/") {
		return false
	}
	patterns, err := places{}.parse(text, true)
	if err != nil {
		return false
	}
	spellings := slices.Concat(n.folders, n.config.Workspace, slices.Concat(n.config.Spellings...))
	return !slices.ContainsFunc(patterns, func(p pattern) bool {
		return slices.ContainsFunc(spellings, func(folder string) bool { return p.meets(splitPath(fold(folder))) })
	})
}

// meets reports whether the pattern and a directory lie on one way: it matches
// the directory, or something above it or beneath.
func (p pattern) meets(dir []string) bool {
	for i := range p {
		switch {
		case p[i].many, i >= len(dir):
			return true
		case !p[i].match(dir[i]):
			return false
		}
	}
	return true
}

// aboutLifting tells of a built-in that a pattern matches by a wildcard, although
// it spells out a part of its name.
func (n *notes) aboutLifting(item int, text string) {
	last := path.Base(strings.TrimSuffix(text, "/"))
	_, g, err := parseGlob(last, true)
	if err != nil || g == nil || g.head == "" && g.tail == "" || last == "**" {
		return
	}
	for i := range n.policy.builtins {
		b := &n.policy.builtins[i]
		name := path.Base(strings.TrimSuffix(b.text, "/**"))
		if !strings.ContainsAny(name, "*?[") && g.match(fold(name)) {
			n.add("paths", item, text, "does not lift %s: only a pattern that spells the name out does, such as **/%s", b.name, strings.TrimPrefix(b.text, "/"))
			return
		}
	}
}

func (n *notes) aboutCommands() {
	if n.rule.Action == Allow {
		return
	}
	verb := cmp.Or(map[Action]string{Deny: "denies", Supervised: "asks about"}[n.rule.Action], "is about")
	for i, text := range n.rule.Commands {
		words := strings.Fields(text)
		if words[len(words)-1] != "**" {
			n.add("commands", i, text, "%s this very call only; with ** at the end it %s those with more arguments too", verb, verb)
		}
		if strings.Contains(words[0], "/") {
			n.add("commands", i, text, "%s the file of this path only; by %s alone it %s the program wherever it lies", verb, path.Base(words[0]), verb)
		}
	}
}
