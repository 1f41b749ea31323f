package sandbox

import (
	_ "github.com/baileyhq/bailey/jail" // want depguard
	_ "github.com/baileyhq/bailey/sandbox/egress"
)
