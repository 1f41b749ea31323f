//go:build linux || darwin

package jail

import (
	"errors"

	"golang.org/x/sys/unix"
)

// errLocked: another of Bailey's writers has the directory.
var errLocked = errors.New("is locked by another writer")

// tryFlock takes the advisory lock of an open file description without waiting.
func tryFlock(fd int) (unlock func(), err error) {
	for {
		switch err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return func() { _ = unix.Flock(fd, unix.LOCK_UN) }, nil
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return nil, errLocked
		default:
			return nil, err
		}
	}
}
