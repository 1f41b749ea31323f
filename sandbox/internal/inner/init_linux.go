// Package inner is the helper that is PID 1 inside a sandbox: it finishes the
// walls from within, tells what they look like, and runs one command.
//
// It is the launcher's executable, started once more by the back end. Importing the
// package is enough: its init takes over. Go initialises a package as soon as what
// it imports is ready, in the order of import paths; the package imports little, so
// that most of the program is never initialised.
package inner

import (
	"os"
	"runtime"
	"syscall"

	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

func init() {
	if len(os.Args) != 2 || os.Args[0] != wire.InnerPath {
		return
	}
	// The main thread sets up and starts the command, which inherits its restrictions.
	runtime.LockOSThread()
	switch os.Args[1] {
	case wire.InnerName:
		syscall.Exit(first())
	case wire.InnerAgain:
		syscall.Exit(second(os.NewFile(wire.InnerControl, "control")))
	}
}
