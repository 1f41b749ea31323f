package inner

import (
	"errors"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// runCommand starts the command and reaps whatever ends, until the command does.
// Leaving then ends everything else: this is PID 1.
func runCommand(control *os.File, c *wire.Command) int {
	for _, s := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM} {
		if err := ignore(s); err != nil {
			return complain(control, fail("signals", err))
		}
	}
	if err := unix.Chdir(c.Dir); err != nil {
		return complain(control, fail("directory", err))
	}
	pid, err := start(control, c)
	if err != nil {
		missing := &wire.Exit{Code: 126, Missing: err.Error()}
		if errors.Is(err, unix.ENOENT) {
			missing.Code = 127
		}
		_ = wire.Write(control, &wire.Message{Exit: missing})
		return 0
	}
	go obey(control)
	_ = wire.Write(control, &wire.Message{Exit: wait(pid)})
	return 0
}

// ignore ignores a signal that a command may send to process 1, which must not end its
// report. Go's runtime, which has handlers for all, gives a new process the default
// back. Package os/signal is initialised late, and so would be this one.
func ignore(s unix.Signal) error {
	const sigIgn, setSize = 1, 8
	action := struct {
		handler, flags, restorer uintptr
		mask                     uint64
	}{handler: sigIgn}
	_, _, errno := unix.Syscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&action)), 0, setSize, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func wait(pid int) *wire.Exit {
	for {
		var status unix.WaitStatus
		var usage unix.Rusage
		done, err := unix.Wait4(-1, &status, 0, &usage)
		if err == unix.EINTR || err == nil && done != pid {
			continue
		}
		exit := &wire.Exit{
			Code:   status.ExitStatus(),
			CPU:    usage.Utime.Nano()/1000 + usage.Stime.Nano()/1000,
			MaxRSS: usage.Maxrss,
		}
		if status.Signaled() {
			exit.Code, exit.Signal = 0, int(status.Signal())
		}
		return exit
	}
}

// obey passes signals on to everything inside, and ends it all when the launcher
// has gone.
func obey(control *os.File) {
	for {
		m, err := wire.Read(control)
		if err != nil {
			syscall.Exit(1)
		}
		if m.Signal != 0 {
			_ = unix.Kill(-1, unix.Signal(m.Signal))
		}
	}
}

func start(control *os.File, c *wire.Command) (int, error) {
	program, err := lookUp(c.Argv[0], c.Path, c.Dir)
	if err != nil {
		return 0, err
	}
	attr := &syscall.ProcAttr{Dir: c.Dir, Env: c.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true}}
	if c.Terminal {
		fd, err := openTerminal(control, c)
		if err != nil {
			return 0, err
		}
		attr.Files = []uintptr{fd, fd, fd}
		attr.Sys.Setctty = true
	}
	if err := limit(c.Rlimits); err != nil {
		return 0, err
	}
	return syscall.ForkExec(program, c.Argv, attr)
}

// limit sets what the command inherits, as late as can be: this process is under it
// as well, and has to get by with the memory that it has.
func limit(limits []wire.Rlimit) error {
	for _, l := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(l.Resource, &now); err != nil {
			return err
		}
		value := min(l.Value, now.Max)
		if err := unix.Setrlimit(l.Resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return err
		}
	}
	return nil
}

// openTerminal makes a terminal of the sandbox's own and passes its other end out. The
// terminal stays open here: the other end must not see it hang up while the command
// lives, even if that closes its streams.
func openTerminal(control *os.File, c *wire.Command) (uintptr, error) {
	master, err := unix.Open("/dev/pts/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(master) //nolint:errcheck // passed on
	n, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		return 0, err
	}
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return 0, err
	}
	if err := unix.IoctlSetWinsize(master, unix.TIOCSWINSZ, &unix.Winsize{Row: c.Rows, Col: c.Cols}); err != nil {
		return 0, err
	}
	slave, err := unix.Open("/dev/pts/"+strconv.Itoa(n), unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := wire.Write(control, &wire.Message{Terminal: true}); err != nil {
		return 0, err
	}
	if err := unix.Sendmsg(int(control.Fd()), []byte{0}, unix.UnixRights(master), nil, 0); err != nil {
		return 0, err
	}
	return uintptr(slave), nil
}

// lookUp finds a program as execvp(3) does.
func lookUp(name string, dirs []string, dir string) (string, error) {
	if strings.Contains(name, "/") {
		if !path.IsAbs(name) {
			return dir + "/" + name, nil
		}
		return name, nil
	}
	refused := error(unix.ENOENT)
	for _, d := range dirs {
		file := path.Join(d, name)
		var st unix.Stat_t
		if unix.Stat(file, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		if unix.Access(file, unix.X_OK) == nil {
			return file, nil
		}
		refused = unix.EACCES
	}
	return "", refused
}
