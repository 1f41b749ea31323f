//go:build unix

package cli

import (
	"os"
	"syscall"
)

func setNonblock(f *os.File) error { return syscall.SetNonblock(int(f.Fd()), true) }
