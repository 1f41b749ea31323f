//go:build unix

package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// openFlags are those that every open of the log has. O_NONBLOCK means nothing
// to a regular file and keeps the open of anything else from waiting.
const openFlags = unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK

// lock takes the file's lock from other processes. It asks again and again
// instead of waiting in the kernel, where ctx could not end the wait.
func lock(ctx context.Context, file *os.File) error {
	fd := int(file.Fd())
	deadline := time.Now().Add(lockWait)
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EWOULDBLOCK):
			return fmt.Errorf("flock: %w", err)
		case time.Now().After(deadline):
			return fmt.Errorf("another process has held its lock for %v", lockWait)
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}

func unlock(file *os.File) error {
	if err := unix.Flock(int(file.Fd()), unix.LOCK_UN); err != nil {
		return fmt.Errorf("flock: %w", err)
	}
	return nil
}
