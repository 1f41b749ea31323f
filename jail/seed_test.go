package jail

import (
	"flag"

	_ "pgregory.net/rapid" // registers the flags
)

// What rapid draws is fixed, so that a run is like the one before. Search further
// with -rapid.seed=N -rapid.checks=10000.
func init() {
	_ = flag.Set("rapid.seed", "1")
	_ = flag.Set("rapid.nofailfile", "true")
}
