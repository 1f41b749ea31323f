package approval_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the processes that the tests start.
func TestMain(m *testing.M) {
	if role := os.Getenv("BAILEY_TEST_ROLE"); role != "" {
		os.Exit(play(role))
	}
	// A disk's fsync is not what is tested here.
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		_ = os.Setenv("TMPDIR", "/dev/shm")
	}
	flag.Parse()
	// The same sequences each time; BAILEY_LONG=1 looks at others.
	if os.Getenv("BAILEY_LONG") == "" {
		_ = flag.Set("rapid.seed", "1")
		_ = flag.Set("rapid.checks", map[bool]string{false: "40", true: "10"}[raced])
	}
	goleak.VerifyTestMain(m)
}
