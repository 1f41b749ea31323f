package tool_test

import (
	"github.com/baileyhq/bailey/policy"
)

// allowShell opens the shell, as an operator does who relies on the sandbox.
func allowShell(c *policy.Config) { c.Tools = map[string]policy.Action{"shell": policy.Allow} }
