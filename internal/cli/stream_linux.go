package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is what an ordinary user may give a pipe (fs.pipe-max-size).
const pipeSize = 1 << 20

// widen gives a pipe room for a large answer, so that writer and reader don't
// have to take turns at every 64 KiB of it. Any other stream stays as it is.
func widen(w io.Writer) {
	if f, ok := w.(*os.File); ok {
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETPIPE_SZ, pipeSize)
	}
}
