//go:build unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const openNonblock = syscall.O_NONBLOCK

func isNotDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

func refuseOwnership(info fs.FileInfo) (message, hint string) {
	if info.Mode().Perm()&0o002 != 0 {
		return "every user of this host can write the configuration file", "chmod o-w it"
	}
	// Whoever owns the file can write it whatever its mode, and a command in
	// the sandbox runs as the user that Bailey runs as. Stores that join equal
	// files by links are owned by root and are fine for anybody else.
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 && int(st.Uid) == os.Geteuid() {
		return "the configuration file has more than one hard link: it could be changed through the other name", "copy it to a file of its own"
	}
	return "", ""
}
