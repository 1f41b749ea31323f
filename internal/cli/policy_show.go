package cli

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/shellscan"
	"github.com/baileyhq/bailey/workspace"
)

func (a *app) policyShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Print the policy that holds, and where each part comes from",
		Long: `Print the policy that holds: task, folders, tool policy, rules, the built-in
sets, and the default action, each with the place that it comes from. What is no
mistake and yet may do less than it seems to is told at the end.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			i, err := a.inspect(cmd.Context(), a.options())
			if err != nil {
				return err
			}
			defer func() { _ = i.Close() }()
			v := i.view()
			if a.flags.json {
				return a.printJSON(v)
			}
			return a.printPolicy(v)
		},
	}
}

// policyView is the policy as it is shown.
type policyView struct {
	File          string        `json:"file"` // "" where the defaults hold
	Version       string        `json:"version"`
	Task          string        `json:"task"`
	Tasks         []taskView    `json:"tasks"`
	Folders       []folderView  `json:"folders"` // the workspace first
	ToolPolicy    []settingView `json:"tool_policy"`
	Rules         []ruleView    `json:"rules"`
	Sensitive     []builtinView `json:"sensitive"`
	Protected     []builtinView `json:"protected"`
	Hooks         []string      `json:"hooks"` // real paths of directories that git runs hooks from, protected too
	Dangers       []string      `json:"dangerous"`
	DefaultAction settingView   `json:"default_action"`
	Notes         []noteView    `json:"notes"`
}

type taskView struct {
	Name   string         `json:"name"`
	Ops    []workspace.Op `json:"ops"`
	Origin string         `json:"origin"`
}

type folderView struct {
	Path   string `json:"path"`
	Given  string `json:"given,omitempty"` // another spelling
	Mode   string `json:"mode"`
	Origin string `json:"origin"`
}

type settingView struct {
	Name   string `json:"name"`
	Action string `json:"action"`
	Origin string `json:"origin"`
}

type ruleView struct {
	Name     string   `json:"name"`
	Action   string   `json:"action"`
	Tools    []string `json:"tools,omitempty"` // none: every tool
	Paths    []string `json:"paths,omitempty"`
	Commands []string `json:"commands,omitempty"`
	Message  string   `json:"message,omitempty"`
	// Covers says of a rule that is about more tools than it names: what they do.
	Covers string `json:"covers,omitempty"`
	Origin string `json:"origin"`
}

type builtinView struct {
	Rule    string   `json:"rule"`
	Pattern string   `json:"pattern"`
	Except  []string `json:"except,omitempty"`
	Only    string   `json:"only,omitempty"`
}

type noteView struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

func (i *inspector) view() *policyView {
	c, rules, space := i.config, i.Rules(), i.Workspace()
	v := &policyView{
		File: c.File(), Version: i.Policy().Version(), Task: space.Task().Name,
		DefaultAction: settingView{"default_action", rules.DefaultAction.String(), c.Origin("security.policy.default_action")},
		Hooks:         append([]string{}, space.HooksPaths()...),
		Rules:         []ruleView{}, Notes: []noteView{},
	}
	types := space.TaskTypes()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		origin := c.Origin("tasks." + name)
		if _, own := c.Tasks[name]; !own {
			origin = "built-in"
		}
		v.Tasks = append(v.Tasks, taskView{name, types[name].Ops, origin})
	}
	var folders []string
	for n, f := range space.Jail().Folders() {
		v.Folders = append(v.Folders, i.folder(n, f))
		folders = append(folders, f.Real)
	}
	v.ToolPolicy = i.toolPolicy(rules)
	for n := range rules.Rules {
		r := &rules.Rules[n]
		v.Rules = append(v.Rules, ruleView{
			r.Label(), r.Action.String(), r.Tools, r.Paths, r.Commands, r.Message, r.Covers(), c.RuleOrigin(r.Label()),
		})
	}
	for _, b := range i.Policy().Builtins() {
		one := builtinView{b.Rule, b.Pattern, b.Except, b.Only}
		switch {
		case b.Stage == policy.StageSensitive:
			v.Sensitive = append(v.Sensitive, one)
		case !slices.Contains(v.Hooks, b.Pattern):
			v.Protected = append(v.Protected, one)
		}
	}
	for _, d := range shellscan.Dangers() {
		v.Dangers = append(v.Dangers, string(d))
	}
	for _, n := range c.Notes(rules, folders...) {
		v.Notes = append(v.Notes, noteView{n.File, n.Line, n.Column, n.Message})
	}
	return v
}

func (i *inspector) folder(n int, f jail.Folder) folderView {
	v := folderView{Path: text.DisplayName(f.Real), Mode: f.Mode.String(), Origin: "workspace"}
	if f.Given != f.Real {
		v.Given = text.DisplayName(f.Given)
	}
	if n > 0 {
		v.Origin = i.config.Origin("workspace.allow")
	}
	return v
}

// toolPolicy lists the default, the entries, and what holds of the shell where no
// entry names it.
func (i *inspector) toolPolicy(rules policy.Config) []settingView {
	var all []settingView
	for _, key := range slices.Sorted(maps.Keys(rules.Tools)) {
		all = append(all, settingView{key, rules.Tools[key].String(), i.config.RuleOrigin(policy.StageTool + ":" + key)})
	}
	if shell := i.Policy().Tool("shell"); strings.HasPrefix(shell.Rule, "builtin:") {
		all = append(all, settingView{"shell", shell.Action.String(), "built-in"})
	}
	return append(all, settingView{"default", rules.ToolDefault.String(), i.config.Origin("security.tool_policy.default")})
}

// printPolicy prints sections, each a table of its own.
func (a *app) printPolicy(v *policyView) error {
	p := policyPrinter{to: a.stdout}
	file := v.File
	if file == "" {
		file = "no configuration file: the defaults hold"
	}
	_, p.err = fmt.Fprintln(a.stdout, text.VisibleControl(file))
	p.section("FOLDERS", func(t *table) {
		for _, f := range v.Folders {
			also := ""
			if f.Given != "" {
				also = "given as " + f.Given
			}
			t.row("  "+f.Mode, f.Path, filepath.Base(f.Origin), also)
		}
	})
	p.section("OPERATIONS by task type, * of this session", func(t *table) {
		for _, task := range v.Tasks {
			mark := "  "
			if task.Name == v.Task {
				mark = "* "
			}
			t.row(mark+task.Name, opNames(task.Ops), shortOrigin(task.Origin))
		}
	})
	p.section("1  TOOL POLICY: deny ends it, supervised is a floor", func(t *table) {
		for _, s := range v.ToolPolicy {
			t.row("  "+s.Action, s.Name, filepath.Base(s.Origin))
		}
	})
	p.section("2  RULES: the strictest that matches counts, their order does not", func(t *table) {
		for i := range v.Rules {
			v.Rules[i].print(t)
		}
		if len(v.Rules) == 0 {
			t.row("  none")
		}
	})
	p.section("3  SENSITIVE FILES: denied, unless a rule names them literally", func(t *table) { printSet(t, v.Sensitive) })
	p.section("4  PROTECTED PATHS: not to be changed, unless a rule names them literally", func(t *table) {
		printSet(t, v.Protected)
		for _, h := range v.Hooks {
			t.row("  hooks that git runs: " + text.DisplayName(h))
		}
	})
	p.section("5  DEFAULT ACTION", func(t *table) { t.row("  "+v.DefaultAction.Action, filepath.Base(v.DefaultAction.Origin)) })
	p.section("DANGEROUS COMMANDS: denied, unless a rule names the program literally", func(t *table) {
		t.row("  " + strings.Join(v.Dangers, ", "))
	})
	if len(v.Notes) > 0 {
		p.section("NOTES", func(t *table) {
			for _, n := range v.Notes {
				t.row(fmt.Sprintf("  %s:%d:%d: %s", filepath.Base(n.File), n.Line, n.Column, n.Text))
			}
		})
	}
	return p.err
}

// policyPrinter remembers the first error, and prints nothing after it.
type policyPrinter struct {
	to  io.Writer
	err error
}

func (p *policyPrinter) section(title string, fill func(t *table)) {
	t := newTable()
	fill(t)
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.to, "\n%s\n", title)
	}
	if p.err == nil {
		p.err = t.print(p.to)
	}
}

func (r *ruleView) print(t *table) {
	tools := strings.Join(r.Tools, " ")
	switch {
	case tools == "" && r.Commands != nil:
		tools = "shell"
	case tools == "":
		tools = "every tool"
	}
	t.row("  "+r.Action, r.Name, tools, shortOrigin(r.Origin))
	if r.Covers != "" {
		t.under("      covers all that " + r.Covers)
	}
	for _, pattern := range slices.Concat(r.Paths, r.Commands) {
		t.under("      " + pattern)
	}
	if r.Message != "" {
		t.under("      says: " + r.Message)
	}
}

// printSet prints the patterns of a built-in set, several a line.
func printSet(t *table, set []builtinView) {
	const width = 78
	line := ""
	for _, b := range set {
		word := "  " + b.Pattern
		if b.Only != "" {
			word += " (a " + b.Only + ")"
		}
		if b.Except != nil {
			word += " (not *" + strings.Join(b.Except, ", *") + ")"
		}
		if line != "" && len(line)+len(word) > width {
			t.row(line)
			line = ""
		}
		line += word
	}
	t.row(line)
}

func opNames(ops []workspace.Op) string {
	words := make([]string, len(ops))
	for i, op := range ops {
		words[i] = string(op)
	}
	return strings.Join(words, " ")
}
