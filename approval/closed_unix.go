//go:build unix

package approval

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner refuses what another user could exchange or has made.
func checkOwner(path string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", path)
	}
	return nil
}
