package inner

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// stepError is a step of the set-up that failed.
type stepError struct {
	step    string
	err     error
	changed bool
}

func (e *stepError) Error() string { return e.step + ": " + e.err.Error() }

func fail(step string, err error) error {
	if err == nil {
		return nil
	}
	return &stepError{step: step, err: err}
}

// first sets up the walls and gives up every privilege.
func first() int {
	control := os.NewFile(wire.InnerControl, "control")
	if err := closeOthers(); err != nil {
		return complain(control, fail("descriptors", err))
	}
	m, err := wire.Read(control)
	if err != nil || m.Setup == nil {
		return 1
	}
	if err := setUp(m.Setup); err != nil {
		return complain(control, err)
	}
	err = restrict(m.Setup)
	if errors.Is(err, errOneThread) {
		// Executing ends the other threads, which still have their privileges.
		if _, err = unix.FcntlInt(wire.InnerControl, unix.F_SETFD, 0); err != nil {
			return complain(control, fail("second start", err))
		}
		err = syscall.Exec("/proc/self/exe", []string{wire.InnerPath, wire.InnerAgain}, []string{wire.InnerEnv[0] + "=" + wire.InnerEnv[1]})
		return complain(control, fail("second start", err))
	}
	if err != nil {
		return complain(control, err)
	}
	return second(control)
}

// second tells what the walls look like, and starts the command only after the
// launcher has seen it.
func second(control *os.File) int {
	if err := closeOthers(); err != nil {
		return complain(control, fail("descriptors", err))
	}
	m, err := wire.Read(control)
	if err != nil || m.Check == nil {
		return 1
	}
	evidence, err := look(m.Check)
	if err != nil {
		return complain(control, fail("attestation", err))
	}
	if err := wire.Write(control, &wire.Message{Evidence: evidence}); err != nil {
		return 1
	}
	m, err = wire.Read(control)
	if err != nil || m.Command == nil {
		return 1
	}
	return runCommand(control, m.Command)
}

func complain(control *os.File, err error) int {
	f := &wire.Failure{Step: "set-up", Detail: err.Error()}
	if e, ok := err.(*stepError); ok { //nolint:errorlint // of this package, never wrapped
		f = &wire.Failure{Step: e.step, Detail: e.err.Error(), Changed: e.changed}
	}
	_ = wire.Write(control, &wire.Message{Failure: f})
	return 1
}

// closeOthers leaves the command its streams and nothing else. Descriptors are
// closed when it is executed: Go's runtime has some of its own.
func closeOthers() error {
	if err := unix.CloseRange(wire.InnerControl, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	// Nobody inside may look into this process.
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// setUp makes the file system. It touches nothing where the back end has not made
// namespaces of its own: mounts would be the host's.
func setUp(s *wire.Setup) error {
	if os.Getpid() != 1 {
		return fail("namespaces", fmt.Errorf("the helper is process %d, not 1", os.Getpid()))
	}
	inside, err := wire.OwnNamespaces()
	if err != nil {
		return fail("namespaces", err)
	}
	for i, id := range inside {
		if slices.Contains(s.Outside, id) {
			return fail("namespaces", fmt.Errorf("the %s namespace is not the sandbox's own", wire.Namespaces[i]))
		}
	}
	for _, step := range []func(*wire.Setup) error{placeFolders, makeFiles, mountCovers, forbidNamespaces, closeMounts} {
		if err := step(s); err != nil {
			return err
		}
	}
	return nil
}

// forbidNamespaces takes away that user namespaces can be made inside, besides the
// filter that refuses it. Where /proc/sys is read-only, the filter has to do.
func forbidNamespaces(*wire.Setup) error {
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	return nil
}
