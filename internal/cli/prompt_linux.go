package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is the terminal that controls the process, opened anew: what it is set
// to does not touch the standard streams.
type terminal struct {
	f       *os.File
	conn    syscall.RawConn
	resumed atomic.Bool // the process was stopped meanwhile
	away    bool        // it was in the background when it was last looked at
}

// openTerminal opens the terminal so that a read of it can be interrupted.
func openTerminal() (*terminal, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, errors.Join(errNoTerminal, err)
	}
	t := &terminal{f: f}
	if t.conn, err = f.SyscallConn(); err == nil {
		err = f.SetReadDeadline(time.Time{})
	}
	if err != nil {
		_ = f.Close()
		return nil, errors.Join(errNoTerminal, err)
	}
	return t, nil
}

func (t *terminal) close() { _ = t.f.Close() }

// shield has a use of the terminal from the background fail instead of stopping
// the process, and a question that the process was stopped at end, until it is
// taken away.
func (t *terminal) shield() (away func()) {
	signal.Ignore(unix.SIGTTIN, unix.SIGTTOU)
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, unix.SIGCONT)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-resumed:
				t.resumed.Store(true)
				t.interrupt()
			case <-end:
				return
			}
		}
	}()
	return func() {
		signal.Stop(resumed)
		close(end)
		<-ended
		signal.Reset(unix.SIGTTIN, unix.SIGTTOU)
	}
}

func (t *terminal) Write(p []byte) (int, error) { return t.f.Write(p) }

func (t *terminal) printf(format string, args ...any) { fmt.Fprintf(t.f, format, args...) }

// interrupt ends a read that waits, and every later one.
func (t *terminal) interrupt() { _ = t.f.SetReadDeadline(time.Unix(1, 0)) }

// control does something with the file descriptor.
func (t *terminal) control(f func(fd int) error) error {
	var inner error
	if err := t.conn.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}

// size is the number of columns and rows, or what terminals have where it is not
// known.
func (t *terminal) size() (width, height int) {
	width, height = 80, 24
	_ = t.control(func(fd int) error {
		size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err == nil && size.Col > 0 && size.Row > 0 {
			width, height = int(size.Col), int(size.Row)
		}
		return err
	})
	return width, height
}

// inForeground tells whether the terminal's input is this process group's.
func (t *terminal) inForeground() bool {
	return t.control(func(fd int) error {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if err == nil && group != unix.Getpgrp() {
			return errBackground
		}
		return err
	}) == nil
}

// awaitForeground waits until the process is in the foreground. A shell that brings
// it there continues it right after: that belongs to the same coming back.
func (t *terminal) awaitForeground(ctx context.Context) error {
	tick := time.NewTicker(foregroundPoll)
	defer tick.Stop()
	for back := false; !back; {
		if back = t.inForeground(); back && !t.away {
			break
		}
		t.away = !back
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	t.resumed.Store(false)
	_ = t.f.SetReadDeadline(time.Time{})
	return ctx.Err() // looked at last: its end sets the deadline
}

// question asks for a line. What was typed before is thrown away: it was no answer
// to this.
func (t *terminal) question(s string) (string, error) {
	if !t.inForeground() {
		return "", errBackground
	}
	if err := t.control(func(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }); err != nil {
		return "", err
	}
	if _, err := io.WriteString(t, s); err != nil {
		return "", err
	}
	buf := make([]byte, 4096) // a terminal's line is no longer
	n, err := t.f.Read(buf)
	switch {
	case errors.Is(err, unix.EIO) && !t.inForeground():
		return "", errBackground
	case errors.Is(err, os.ErrDeadlineExceeded) && t.resumed.Load():
		t.away = true
		return "", errBackground // it was there, and the screen has moved on
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", err
	case err != nil || n == 0: // the end of input, or the terminal is gone
		return "", errNoAnswer
	case buf[n-1] != '\n':
		return "", nil // a line that was not ended is no answer
	default:
		return string(buf[:n-1]), nil
	}
}

// cook has the terminal hand over lines, show what is typed, and make signals of
// its keys, however a program before has left it. restore sets it back, and is also
// called when a signal ends the process. From the background it does nothing: then
// the terminal is set for another program.
func (t *terminal) cook() (restore func()) {
	var before *unix.Termios
	err := t.control(func(fd int) (err error) {
		if before, err = unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
			return err
		}
		cooked := *before
		cooked.Iflag = cooked.Iflag&^(unix.IGNCR|unix.INLCR) | unix.ICRNL
		cooked.Oflag |= unix.OPOST | unix.ONLCR
		cooked.Lflag |= unix.ICANON | unix.ISIG | unix.IEXTEN | unix.ECHO | unix.ECHOE | unix.ECHOK
		return unix.IoctlSetTermios(fd, unix.TCSETS, &cooked)
	})
	if err != nil {
		return func() {}
	}
	restore = func() {
		if !t.inForeground() {
			return
		}
		_ = t.control(func(fd int) error { return unix.IoctlSetTermios(fd, unix.TCSETS, before) })
	}
	return onFatal(restore)
}

// onFatal has f called before a signal that is not handled otherwise ends the
// process, and returns a function that calls f and forgets about it.
func onFatal(f func()) (done func()) {
	fatal := make(chan os.Signal, 1)
	signal.Notify(fatal, unix.SIGHUP, unix.SIGQUIT)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case s := <-fatal:
			f()
			signal.Reset(s)
			_ = unix.Kill(unix.Getpid(), s.(syscall.Signal))
		case <-end:
		}
	}()
	return func() {
		signal.Stop(fatal)
		close(end)
		<-ended
		f()
	}
}

func promptLock(state string) string { return filepath.Join(state, "prompt.lock") }

// turn waits until no other process asks on this terminal. The lock is on one byte
// of a file, of which each terminal has its own, so that nothing is left to be
// cleaned up.
func (t *terminal) turn(ctx context.Context, lock string) (release func(), err error) {
	var device int
	err = t.control(func(fd int) (err error) {
		device, err = unix.IoctlGetInt(fd, unix.TIOCGDEV)
		return err
	})
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(foregroundPoll)
	defer tick.Stop()
	mine := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: int64(uint32(device)), Len: 1}
	for {
		err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &mine)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EINTR) {
			_ = f.Close()
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			_ = f.Close()
			return nil, context.Cause(ctx)
		}
	}
}
