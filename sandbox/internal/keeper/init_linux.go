// Package keeper is the process that stands between a launcher and its sandboxes:
// it starts the back end's program, kills it, and makes sure that nothing is left
// when the launcher has gone, however that ended.
//
// It is the launcher's executable, started once more as process 1 of a PID
// namespace, so that the kernel ends everything below it with it, and each run is
// process 1 of another one, so that half-made sandboxes end like finished ones. It
// holds the session's /tmp, a tmpfs that exists in its mount namespace alone.
// Where the host allows no namespaces but the back end's own, the keeper adopts
// what its runs leave behind and kills that.
//
// Importing the package is enough: its init takes over. See package inner.
package keeper

import (
	"os"
	"runtime"
	"strconv"
	"syscall"

	"github.com/baileyhq/bailey/sandbox/internal/system"
	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

func init() {
	if len(os.Args) != 6 || os.Args[0] != wire.KeeperName {
		return
	}
	// What is started here dies with the thread that started it: it has to be one
	// that lasts.
	runtime.LockOSThread()
	size, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil {
		syscall.Exit(2)
	}
	syscall.Exit(serve(os.Args[1] == wire.KeeperOwn, size, system.Account{Name: os.Args[3], Shell: os.Args[4], Home: os.Args[5]}))
}
