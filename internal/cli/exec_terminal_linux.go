package cli

import (
	"io"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/baileyhq/bailey/sandbox"
)

// ownTerminal makes a terminal for a command, as large as the operator's. If that is
// where the keys come from, it is set raw while the command reads them, so that each
// reaches the command; release sets it back.
func ownTerminal(stdin io.Reader, stdout io.Writer) (t *sandbox.Terminal, in io.Reader, release func()) {
	t = &sandbox.Terminal{Size: sandbox.Size{Rows: 24, Cols: 80}} // what terminals have where it is not known
	k := &keyboard{sizes: make(chan sandbox.Size, 1), signals: make(chan os.Signal, 8), end: make(chan struct{})}
	if isTerminal(stdin) {
		k.f = stdin.(*os.File)
		k.screen = k.f
	}
	if isTerminal(stdout) {
		k.screen = stdout.(*os.File)
	}
	if k.screen == nil {
		return t, stdin, func() {}
	}
	if size, err := k.size(); err == nil && size.Rows > 0 && size.Cols > 0 {
		t.Size = size
	}
	t.Resize = k.sizes
	signal.Notify(k.signals, unix.SIGWINCH)
	if in = stdin; k.f != nil {
		in = k
		signal.Notify(k.signals, unix.SIGCONT, unix.SIGTSTP, unix.SIGQUIT)
	}
	go k.watch()
	return t, in, sync.OnceFunc(k.release)
}

// keyboard is the operator's terminal while a command has one of its own.
type keyboard struct {
	f       *os.File // what is typed; nil: it comes from elsewhere
	screen  *os.File // whose size counts
	sizes   chan sandbox.Size
	signals chan os.Signal
	end     chan struct{}

	mu     sync.Mutex
	before *term.State // nil before it was raw
	over   bool
}

// Read sets the terminal raw at first. That is when the command has started: before,
// keys are for Bailey, which may ask something, or be interrupted.
func (k *keyboard) Read(p []byte) (int, error) {
	k.mu.Lock()
	if k.before == nil {
		k.raw()
	}
	k.mu.Unlock()
	return k.f.Read(p)
}

// raw is called with the lock held. From the background it stops the process, as any
// program that sets the terminal there.
func (k *keyboard) raw() {
	if k.over {
		return
	}
	before, err := term.MakeRaw(int(k.f.Fd()))
	if err == nil && k.before == nil {
		k.before = before
	}
}

// cook sets the terminal back, unless it is another program's now. It is called with
// the lock held.
func (k *keyboard) cook() {
	if k.before != nil && inForeground(k.f) {
		_ = term.Restore(int(k.f.Fd()), k.before)
	}
}

func (k *keyboard) release() {
	signal.Stop(k.signals)
	close(k.end)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
	if k.f != nil {
		k.cook()
	}
}

// watch follows the size, and leaves the terminal in order where a signal stops or
// ends the process. (Those that end the command first come by the context.)
func (k *keyboard) watch() {
	for {
		select {
		case <-k.end:
			return
		case s := <-k.signals:
			k.handle(s)
		}
	}
}

func (k *keyboard) handle(s os.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch s {
	case unix.SIGWINCH:
		k.resize()
	case unix.SIGCONT:
		if k.before != nil && inForeground(k.f) {
			k.raw()
		}
		k.resize() // it may have changed meanwhile
	case unix.SIGTSTP:
		k.cook()
		_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
	case unix.SIGQUIT:
		k.cook()
		signal.Reset(unix.SIGQUIT)
		_ = unix.Kill(unix.Getpid(), unix.SIGQUIT)
	}
}

// resize tells the newest size.
func (k *keyboard) resize() {
	size, err := k.size()
	if err != nil {
		return
	}
	select {
	case <-k.sizes: // nobody has taken the last one
	default:
	}
	k.sizes <- size // there is room: nobody else sends
}

func (k *keyboard) size() (sandbox.Size, error) {
	size, err := unix.IoctlGetWinsize(int(k.screen.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return sandbox.Size{}, err
	}
	return sandbox.Size{Rows: size.Row, Cols: size.Col}, nil
}

// inForeground tells whether a terminal's input is this process group's. One that
// does not control the process has no jobs.
func inForeground(stdin io.Reader) bool {
	f, ok := stdin.(*os.File)
	if !ok {
		return false
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
