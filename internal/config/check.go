package config

import (
	"path/filepath"
	"slices"
	"strings"
)

const (
	rulesPath = "security.policy.rules"
	toolsPath = "security.tool_policy.tools"
)

// check finds what only several keys together show.
func (c *Config) check() Errors {
	var errs Errors
	add := func(key, message, hint string) {
		errs = append(errs, c.fault(key, message, hint, nil))
	}
	c.checkFolders(add)
	if names := c.TaskNames(); !slices.Contains(names, c.Workspace.Task) {
		hint := didYouMean(c.Workspace.Task, names)
		add("workspace.task", "unknown task type "+quote(c.Workspace.Task)+": known are "+strings.Join(names, ", "), hint)
	}
	c.checkRuleNames(add)
	if c.Sandbox.Network.Default == NetworkHost && !c.Sandbox.Network.Host {
		add("sandbox.network.default", "`sandbox.network.default` is \"host\", which is not permitted", "it needs `host = true` in the same table")
	}
	return errs
}

// checkFolders refuses a folder that is listed twice: with two modes, which
// holds would be a guess.
func (c *Config) checkFolders(add func(key, message, hint string)) {
	first := map[string]int{}
	for i, folder := range c.Workspace.Allow {
		clean := filepath.Clean(folder.Path)
		if j, ok := first[clean]; ok {
			add(indexPath("workspace.allow", i)+".path", quote(folder.Path)+" is allowed twice", "first as `workspace.allow["+itoa(j)+"]`")
			continue
		}
		first[clean] = i
	}
}

// checkRuleNames sees to it that a verdict names one rule and no other.
func (c *Config) checkRuleNames(add func(key, message, hint string)) {
	first := map[string]int{}
	for i, rule := range c.Security.Policy.Rules {
		if j, ok := first[rule.Name]; ok && rule.Name != "" {
			add(indexPath(rulesPath, i)+".name", "the rule name "+quote(rule.Name)+" is given twice", "first as `"+indexPath(rulesPath, j)+"`")
			continue
		}
		first[rule.Name] = i
	}
}
