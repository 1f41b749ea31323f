package covers_test

import (
	"io/fs"
	"syscall"
)

func identity(info fs.FileInfo) (dev, ino uint64) {
	st := info.Sys().(*syscall.Stat_t)
	return st.Dev, st.Ino
}
