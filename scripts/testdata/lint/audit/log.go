package audit

import (
	"os"

	_ "github.com/baileyhq/bailey/jail" // want depguard
)

var _ = os.Lstat // the operator's file
