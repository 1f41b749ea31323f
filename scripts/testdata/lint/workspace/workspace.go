package workspace

import (
	"os"

	_ "github.com/baileyhq/bailey/audit" // want depguard
	_ "github.com/baileyhq/bailey/jail"
	_ "github.com/baileyhq/bailey/policy"
)

var _ = os.MkdirAll // want forbidigo
