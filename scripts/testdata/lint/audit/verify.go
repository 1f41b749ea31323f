package audit

import "os"

var _ = os.ReadFile // want forbidigo
