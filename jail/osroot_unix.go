//go:build unix

package jail

import (
	"os"
	"syscall"
)

// openNonblock keeps a FIFO that slipped in after the look from blocking.
const openNonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY

func syncDir(f *os.File) error { return f.Sync() }
