package policy

import "os"

var _ = os.Stat // want forbidigo
