package bailey

import "os"

var _ = os.Stat // want forbidigo
