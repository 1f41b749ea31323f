//go:build !linux

package cli

import (
	"io"

	"github.com/baileyhq/bailey/sandbox"
)

// ownTerminal makes none where no command can be isolated.
func ownTerminal(stdin io.Reader, _ io.Writer) (*sandbox.Terminal, io.Reader, func()) {
	return nil, stdin, func() {}
}

func inForeground(io.Reader) bool { return true }
