package audit

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// datasync flushes the file's bytes and size, but not its times: one write to
// the disk less than fsync.
func datasync(file *os.File) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = unix.EINTR
		for errors.Is(failed, unix.EINTR) {
			failed = unix.Fdatasync(int(fd))
		}
	})
	return errors.Join(err, failed)
}
