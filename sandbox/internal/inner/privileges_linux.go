package inner

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// errOneThread says that only the calling thread could be restricted: a program
// with C in it can't do more.
var errOneThread = errors.New("only one thread is restricted")

// restrict gives up what the set-up needed, on all threads.
func restrict(s *wire.Setup) error {
	onAll := syscall.AllThreadsSyscall6
	alone := false
	if _, _, errno := onAll(unix.SYS_GETPID, 0, 0, 0, 0, 0, 0); errno == unix.ENOTSUP {
		alone, onAll = true, syscall.Syscall6
	}
	if err := restrictWrites(s.Writable); err != nil {
		return fail("landlock", err)
	}
	if err := dropCapabilities(onAll); err != nil {
		return fail("capabilities", err)
	}
	if err := filter(s.Filter); err != nil {
		return fail("seccomp", err)
	}
	if alone {
		return errOneThread
	}
	return nil
}

type caller func(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno)

// maxCapability is beyond what any kernel knows.
const maxCapability = 63

// dropCapabilities gives up every capability, the bounding set first. The ambient set
// goes with the permitted one.
func dropCapabilities(onAll caller) error {
	for c := range uintptr(maxCapability + 1) {
		if r, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_CAPBSET_READ, c, 0); errno != 0 || r == 0 {
			continue // unknown, or dropped
		}
		if _, _, errno := onAll(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0, 0, 0, 0); errno != 0 {
			return fmt.Errorf("bounding set, %d: %w", c, errno)
		}
	}
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	none := &[2]unix.CapUserData{}
	_, _, errno := onAll(unix.SYS_CAPSET, uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(none)), 0, 0, 0, 0)
	runtime.KeepAlive(header)
	runtime.KeepAlive(none)
	if errno != 0 {
		return errno
	}
	return nil
}

// filter installs the filter of system calls on all threads.
func filter(program []byte) error {
	const record = int(unsafe.Sizeof(unix.SockFilter{}))
	if len(program) == 0 || len(program)%record != 0 {
		return fmt.Errorf("%d bytes", len(program))
	}
	prog := unix.SockFprog{Len: uint16(len(program) / record), Filter: (*unix.SockFilter)(unsafe.Pointer(&program[0]))}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(program)
	switch {
	case errno != 0:
		return errno
	case r != 0:
		return fmt.Errorf("thread %d is without", r)
	}
	return nil
}
