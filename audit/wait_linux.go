package audit

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// wait pauses. The runtime rounds a timer up to a millisecond when the process
// has nothing else to do, many times as long as the lock is held for: a short
// pause is left to the kernel, where ctx can't end it. Eight processes on one log
// and two cores write a fifth more so.
func wait(ctx context.Context, pause time.Duration) error {
	if pause >= time.Millisecond {
		return waitTimer(ctx, pause)
	}
	ts := unix.NsecToTimespec(int64(pause))
	_ = unix.Nanosleep(&ts, nil) // a signal ends it early
	return ctx.Err()
}
