//go:build unix

package approval

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkClosed refuses what another user has made or could exchange: what belongs to
// another, or gives others one of the permissions.
func checkClosed(path string, info fs.FileInfo, permissions fs.FileMode) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", path)
	}
	if mode := info.Mode().Perm(); mode&permissions != 0 {
		return fmt.Errorf("others can get at %s, whose mode is %#o", path, mode)
	}
	return nil
}
