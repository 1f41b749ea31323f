//go:build !linux

package jail

import (
	"errors"
	"os"
)

// Handle is for mounting, which only Linux does.
func (t Tree) Handle() (*os.File, error) {
	return nil, report("open", t.folder.Real, errors.ErrUnsupported)
}
