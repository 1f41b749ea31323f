package jail

import (
	"os"

	_ "github.com/baileyhq/bailey/policy" // want depguard
)

var _ = os.OpenFile // the one package that may
