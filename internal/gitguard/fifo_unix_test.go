//go:build unix

package gitguard

import (
	"os"
	"path/filepath"
	"syscall"
)

func mkfifo(file string) {
	os.MkdirAll(filepath.Dir(file), 0o755)
	if err := syscall.Mkfifo(file, 0o644); err != nil {
		panic(err)
	}
}
