//go:build unix

package covers_test

import (
	"io/fs"
	"syscall"
)

func identity(info fs.FileInfo) (dev, ino uint64) {
	st := info.Sys().(*syscall.Stat_t)
	return uint64(st.Dev), st.Ino //nolint:unconvert // 32 bits on some systems
}
