package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/baileyhq/bailey/policy"
)

// Policy compiles the rules. workspace holds the spellings of the workspace, the
// real one first; home is what ~ stands for; known are the tools that there are;
// protected are further real paths that no tool may change. Errors are those of
// [Config.Compile].
func (c *Config) Policy(workspace []string, home string, known, protected []string) (*policy.Policy, error) {
	return c.Compile(c.PolicyConfig(workspace, home, known, protected))
}

// Compile compiles what [Config.PolicyConfig] gave, after the caller added what
// no file says. Mistakes in the rules come back as [Errors], each with its place
// in the file and the [*policy.RuleError] as its cause; a mistake in what was
// added is returned as package policy gives it.
func (c *Config) Compile(pc policy.Config) (*policy.Policy, error) {
	p, err := policy.Compile(pc)
	if err != nil {
		return nil, c.placeRuleErrors(err)
	}
	return p, nil
}

// PolicyConfig is the rules as package policy takes them.
func (c *Config) PolicyConfig(workspace []string, home string, known, protected []string) policy.Config {
	out := policy.Config{
		Workspace:     workspace,
		Home:          home,
		ToolDefault:   c.Security.ToolPolicy.Default.compiled(),
		Tools:         make(map[string]policy.Action, len(c.Security.ToolPolicy.Tools)),
		DefaultAction: c.Security.Policy.DefaultAction.compiled(),
		KnownTools:    known,
		Protected:     protected,
	}
	for tool, action := range c.Security.ToolPolicy.Tools {
		out.Tools[tool] = action.compiled()
	}
	for _, r := range c.Security.Policy.Rules {
		out.Rules = append(out.Rules, policy.Rule{
			Name: r.Name, Action: r.Action.compiled(),
			Tools: r.Tools, Paths: r.Paths, Commands: r.Commands, Message: r.Message,
		})
	}
	return out
}

// compiled turns the word into policy's own value. The decoder lets no other
// word through; one from elsewhere is the strictest.
func (a Action) compiled() policy.Action {
	action, err := policy.ParseAction(string(a))
	if err != nil {
		return policy.Deny
	}
	return action
}

// placeRuleErrors gives each mistake its place in the file.
func (c *Config) placeRuleErrors(err error) error {
	var errs Errors
	for _, one := range flatten(err) {
		var re *policy.RuleError
		if !errors.As(one, &re) {
			return err
		}
		key := ruleKey(re)
		if key == "" {
			return err
		}
		errs = append(errs, c.fault(key, ruleMessage(re), suggestion(re.Nearest), re))
	}
	return errs.report()
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out []error
	for _, one := range joined.Unwrap() {
		out = append(out, flatten(one)...)
	}
	return out
}

// ruleKey is the path of the key that a mistake is about, "" where it is none
// of the file's.
func ruleKey(e *policy.RuleError) string {
	switch {
	case e.Index >= 0 && e.Field == "":
		return indexPath(rulesPath, e.Index)
	case e.Index >= 0:
		key := joinPath(indexPath(rulesPath, e.Index), e.Field)
		if e.Item >= 0 {
			key = indexPath(key, e.Item)
		}
		return key
	case e.Field == "tool_policy":
		return joinPath(toolsPath, e.Value)
	case e.Field == "default_action":
		return "security.policy.default_action"
	default:
		return ""
	}
}

func ruleMessage(e *policy.RuleError) string {
	message := ""
	if e.Rule != "" {
		message = "rule " + quote(e.Rule) + ": "
	}
	message += e.Field
	if e.Value != "" {
		message += " " + quote(e.Value)
	}
	return fmt.Sprintf("%s: %v", message, e.Err)
}

// Origin tells where the value of a key comes from: "default", or file and line.
func (c *Config) Origin(key string) string { return c.origin(key) }

// RuleOrigin tells where that comes from which a verdict names as its rule:
// "built-in", "default", or file and line. It is "" for what is neither.
func (c *Config) RuleOrigin(rule string) string {
	key, ofTool := strings.CutPrefix(rule, policy.StageTool+":")
	switch {
	case ofTool && key == "default":
		return c.origin("security.tool_policy.default")
	case ofTool:
		return c.origin(joinPath(toolsPath, key))
	case rule == policy.StageDefault:
		return c.origin("security.policy.default_action")
	case strings.HasPrefix(rule, "builtin:"):
		return "built-in"
	}
	for i, r := range c.PolicyConfig(nil, "", nil, nil).Rules {
		if r.Label() == rule {
			return c.origin(indexPath(rulesPath, i))
		}
	}
	return ""
}

// Notes tells of rules that are no mistake and yet may do less than they seem to,
// each with its place in the file. The rules are those of pc, which came from
// [Config.PolicyConfig]; folders are the real paths of all allowed folders.
func (c *Config) Notes(pc policy.Config, folders ...string) []*Error {
	var all Errors
	for _, n := range policy.Notes(pc, folders...) {
		key := joinPath(indexPath(rulesPath, n.Index), n.Field)
		if n.Item >= 0 {
			key = indexPath(key, n.Item)
		}
		message := "rule " + quote(n.Rule) + ": " + n.Field
		if n.Value != "" {
			message += " " + quote(n.Value)
		}
		all = append(all, c.fault(key, message+": "+n.Text, "", nil))
	}
	_ = all.report() // sorts
	return all
}
