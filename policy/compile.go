package policy

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// Compile checks a configuration and compiles it. The error joins a
// [*RuleError] for each mistake there is.
func Compile(c Config) (*Policy, error) {
	b := compiler{
		config: c,
		policy: &Policy{
			folded: newMachine(), exact: newMachine(),
			tools: map[string]toolInfo{}, defaultAction: c.DefaultAction,
		},
	}
	b.places()
	b.toolPolicy()
	b.rules()
	b.builtins()
	if len(b.errs) > 0 {
		return nil, errors.Join(b.errs...)
	}
	b.fill()
	b.policy.entries = b.entries()
	b.policy.version = version(&c, b.policy)
	return b.policy, nil
}

// compiler gathers the parts of a policy, and every mistake on the way.
type compiler struct {
	config Config
	starts places
	policy *Policy
	errs   []error
}

func (b *compiler) fail(field, value string, err error) {
	b.errs = append(b.errs, &RuleError{Index: -1, Field: field, Item: -1, Value: value, Err: err})
}

func (b *compiler) places() {
	b.starts.home = b.config.Home
	if len(b.config.Workspace) > 0 {
		b.starts.workspace = b.config.Workspace[0]
	}
	b.checkAbsolute("workspace", b.config.Workspace)
	for _, spellings := range b.config.Spellings {
		b.checkAbsolute("spellings", spellings)
	}
	if b.config.Home != "" {
		b.checkAbsolute("home", []string{b.config.Home})
	}
}

func (b *compiler) checkAbsolute(field string, paths []string) {
	for _, p := range paths {
		if !path.IsAbs(p) || path.Clean(p) != p {
			b.fail(field, p, ErrNotAbsolute)
		}
	}
}

func (b *compiler) toolPolicy() {
	c, t := &b.config, &b.policy.toolPolicy
	t.fallback = c.ToolDefault
	b.checkAction("tool_policy", c.ToolDefault)
	b.checkAction("default_action", c.DefaultAction)
	for _, key := range sortedKeys(c.Tools) {
		b.checkAction("tool_policy", c.Tools[key])
		p, nearest, err := b.tool(key)
		if err != nil {
			b.errs = append(b.errs, &RuleError{
				Index: -1, Field: "tool_policy", Item: -1, Value: key, Err: err, Nearest: nearest,
			})
			continue
		}
		t.entries = append(t.entries, toolEntry{p, c.Tools[key]})
	}
	t.sort()
	for _, name := range c.KnownTools {
		if _, twice := b.policy.tools[name]; !twice {
			b.policy.tools[name] = toolInfo{t.judge(name), len(b.policy.tools)}
		}
	}
}

func (b *compiler) checkAction(field string, a Action) {
	if a > Deny {
		b.fail(field, a.String(), ErrUnknownAction)
	}
}

func (b *compiler) tool(text string) (p toolPattern, nearest string, err error) {
	if p, err = parseToolPattern(text); err == nil {
		nearest, err = p.checkKnown(b.config.KnownTools)
	}
	return p, nearest, err
}

func (b *compiler) rules() {
	names := map[string]bool{}
	for i := range b.config.Rules {
		r := ruleCompiler{compiler: b, source: &b.config.Rules[i], index: i}
		r.name(names)
		compiled := r.compile()
		if compiled.commands != nil {
			b.policy.commandRules = append(b.policy.commandRules, compiled)
		} else {
			b.policy.rules = append(b.policy.rules, compiled)
		}
	}
	slices.SortStableFunc(b.policy.rules, compareRules)
	slices.SortStableFunc(b.policy.commandRules, compareRules)
}

// ruleCompiler compiles one rule.
type ruleCompiler struct {
	*compiler
	source *Rule
	index  int
}

func (r *ruleCompiler) fail(field string, item int, value string, err error, nearest string) {
	r.errs = append(r.errs, &RuleError{
		Rule: r.source.Name, Index: r.index, Field: field, Item: item, Value: value, Err: err, Nearest: nearest,
	})
}

func (r *ruleCompiler) name(taken map[string]bool) {
	name := r.source.Name
	switch {
	case name == "":
		return
	case taken[name]:
		r.fail("name", -1, name, ErrDuplicate, "")
	case name == defaultRule || strings.HasPrefix(name, "builtin:") || strings.HasPrefix(name, StageTool+":"):
		r.fail("name", -1, name, ErrReserved, "")
	}
	taken[name] = true
}

func (r *ruleCompiler) compile() rule {
	src := r.source
	out := rule{name: ruleName(src), action: src.Action, message: src.Message}
	if src.Action > Deny {
		r.fail("action", -1, src.Action.String(), ErrUnknownAction, "")
	}
	r.compileTools(&out)
	r.compilePaths(&out)
	r.compileCommands(&out)
	return out
}

func (r *ruleCompiler) compileTools(out *rule) {
	r.checkList("tools", r.source.Tools, "every tool")
	for i, text := range r.source.Tools {
		p, nearest, err := r.tool(text)
		if err != nil {
			r.fail("tools", i, text, err, nearest)
			continue
		}
		out.tools = append(out.tools, p)
	}
	out.knownTools = make([]bool, len(r.policy.tools))
	for name, info := range r.policy.tools {
		out.knownTools[info.index] = matchesAny(out.tools, name)
	}
	if out.action != Allow {
		out.reveal = matchesAny(out.tools, readTool)
		out.change = matchesAny(out.tools, writeTool)
	}
}

func (r *ruleCompiler) compilePaths(out *rule) {
	r.checkList("paths", r.source.Paths, "every path")
	for i, text := range r.source.Paths {
		patterns, err := r.starts.parse(text, out.action != Allow)
		if err != nil {
			r.fail("paths", i, text, err, "")
			continue
		}
		if out.action != Allow {
			for i := range patterns {
				patterns[i] = patterns[i].withDescendants()
			}
		}
		out.paths = append(out.paths, patterns...)
	}
	if len(r.source.Paths) == 0 {
		return
	}
	for i, p := range out.tools {
		if p.namesNoPath(r.config.KnownTools) {
			r.fail("tools", i, p.text, contradiction("it has paths, and this tool takes none"), "")
		}
	}
}

func (r *ruleCompiler) compileCommands(out *rule) {
	r.checkList("commands", r.source.Commands, "no command")
	for i, text := range r.source.Commands {
		p, err := parseCommand(text)
		if err != nil {
			r.fail("commands", i, text, err, "")
			continue
		}
		out.commands = append(out.commands, p)
	}
	if len(r.source.Commands) == 0 {
		return
	}
	if len(r.source.Paths) > 0 {
		r.fail("commands", -1, "", contradiction("it has both paths and commands; write a rule for each"), "")
	}
	for i, p := range out.tools {
		if !slices.ContainsFunc(commandTools, p.match) {
			r.fail("tools", i, p.text, contradiction("it has commands, and this tool runs none"), "")
		}
	}
}

// checkList refuses a list that is there but empty: read as "all", it would
// turn a list that lost its last entry into a rule about everything.
func (r *ruleCompiler) checkList(field string, list []string, all string) {
	if list != nil && len(list) == 0 {
		r.fail(field, -1, "", emptyList("leave it out for "+all), "")
	}
}

// builtins compiles the built-in sets and Config.Protected.
func (b *compiler) builtins() {
	for _, src := range builtins() {
		text := src.text
		if !path.IsAbs(text) {
			text = "**/" + text
		}
		patterns, err := b.starts.parse(text, true)
		if err != nil {
			b.fail("builtin", src.text, err)
			continue
		}
		b.addBuiltin(src, patterns[0])
	}
	b.checkAbsolute("protected", b.config.Protected)
	for _, dir := range slices.Sorted(slices.Values(b.config.Protected)) {
		b.addBuiltin(builtin{name: protectedPrefix + dir, text: dir, kind: KindProtected}, literalPattern(dir))
	}
}

func (b *compiler) addBuiltin(src builtin, p pattern) {
	if last := p[max(0, len(p)-1):]; len(src.except) > 0 && len(last) == 1 && last[0].glob != nil {
		last[0].glob.except = src.except
	}
	for i := range p {
		if g := p[i].glob; g != nil && g.text == "*" {
			p[i].given = true // it spells out nothing that a rule could name
		}
	}
	if !src.exact {
		p = p.withDescendants()
	}
	b.policy.builtins = append(b.policy.builtins, compiledBuiltin{builtin: src, pattern: p})
}

// literalPattern is the pattern of one path. Only its last segment counts as
// named: an allow rule that lifts the protection need not spell the whole path.
func literalPattern(dir string) pattern {
	var p pattern
	for _, name := range splitPath(fold(dir)) {
		p = append(p, segment{lit: name, given: true})
	}
	if len(p) > 0 {
		p[len(p)-1].given = false
	}
	return p
}

// fill puts all patterns into the machines.
func (b *compiler) fill() {
	p := b.policy
	for i := range p.rules {
		r := &p.rules[i]
		if r.paths == nil {
			p.pathless = append(p.pathless, i)
		}
		m := p.folded
		if r.action == Allow {
			m = p.exact
		}
		for _, pattern := range r.paths {
			n := m.add(pattern, false)
			n.rules = appendNew(n.rules, i)
		}
	}
	for i := range p.builtins {
		c := &p.builtins[i]
		n := p.folded.add(c.pattern, c.folder)
		n.builtins = appendNew(n.builtins, i)
	}
}

func appendNew(list []int, i int) []int {
	if slices.Contains(list, i) {
		return list
	}
	return append(list, i)
}

func sortedKeys(m map[string]Action) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
