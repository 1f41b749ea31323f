package bailey

import "os"

var _ = []any{
	os.MkdirAll, // the state directory
	os.Open,     // want forbidigo
}
