//go:build unix

package gitguard

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock on a file, which ends with it, if it is free.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, unix.EINTR):
		return false, nil
	default:
		return false, err
	}
}
