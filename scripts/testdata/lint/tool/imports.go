package tool

import (
	_ "github.com/baileyhq/bailey" // want depguard
	_ "github.com/baileyhq/bailey/audit"
	_ "github.com/baileyhq/bailey/internal/cli" // want depguard
	_ "github.com/baileyhq/bailey/internal/config" // want depguard
	_ "github.com/baileyhq/bailey/internal/filetree" // want depguard
	_ "github.com/baileyhq/bailey/internal/mcpserver" // want depguard
	_ "github.com/baileyhq/bailey/jail"
	_ "github.com/baileyhq/bailey/policy"
	_ "github.com/baileyhq/bailey/workspace"
)
