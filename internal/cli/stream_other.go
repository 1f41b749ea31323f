//go:build !unix

package cli

import (
	"errors"
	"os"
)

func setNonblock(*os.File) error { return errors.ErrUnsupported }
