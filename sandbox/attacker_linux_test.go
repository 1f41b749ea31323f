package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attackerName is the name under which the test binary attacks.
const attackerName = "bailey-attacker"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == attackerName {
		attacks["each"] = each
		attacks["launch"] = func(a []string) error { return launch(a[0], a[1]) }
		if err := attack(os.Args[1], os.Args[2:]); err != nil {
			fmt.Println(err)
			syscall.Exit(1) // at once: os.Exit waits for the race detector
		}
		fmt.Println("done")
		syscall.Exit(0)
	}
	if filepath.Base(os.Args[0]) == impostorName {
		impostor()
	}
	os.Exit(m.Run())
}

const attackerPath = "/opt/" + attackerName

// attacker makes an attack a Spec.
func (b *box) attacker(name string, args ...string) Spec {
	b.t.Helper()
	exe, err := os.Open("/proc/self/exe")
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = exe.Close() })
	s := b.spec(append([]string{attackerPath, name}, args...)...)
	s.Files = []File{{Path: attackerPath, Source: exe}}
	return s
}

// attackAll makes attacks, one after the other, in one run. It gives what came of each:
// "" if it came off.
func (b *box) attackAll(covers []Cover, attacks []string) []string {
	b.t.Helper()
	s := b.attacker("each", attacks...)
	s.Covers = covers
	lines := strings.Split(b.do(s).wantOK(b.t), "\n")
	if len(lines) != len(attacks)+1 {
		b.t.Fatalf("%d answers to %d attacks: %q", len(lines), len(attacks), lines)
	}
	for i, line := range lines {
		lines[i], _ = strconv.Unquote(line)
	}
	return lines
}

// each makes attacks in processes of their own.
func each(attacks []string) error {
	for _, a := range attacks {
		came := ""
		if err := outside(strings.Fields(a)...); err != nil {
			came = err.Error()
		}
		fmt.Println(strconv.Quote(came))
	}
	return nil
}

// outside makes the same attack without a sandbox.
func outside(attack ...string) error {
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = append([]string{attackerName}, attack...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// attack tries something. No error means that it came off.
func attack(name string, args []string) error {
	runtime.LockOSThread()
	a, ok := attacks[name]
	if !ok {
		return errors.New("no such attack")
	}
	return a(args)
}

func raw(nr uintptr, args ...uintptr) error {
	args = append(args, make([]uintptr, 6-len(args))...)
	if _, _, errno := unix.Syscall6(nr, args[0], args[1], args[2], args[3], args[4], args[5]); errno != 0 {
		return errno
	}
	return nil
}

var attacks = map[string]func(args []string) error{
	"read": func(a []string) error {
		_, err := os.ReadFile(a[0])
		return err
	},
	"write": func(a []string) error { return os.WriteFile(a[0], []byte("attacked\n"), 0o644) },
	// Never more than an open: a control on the host must leave no trace.
	"open-for-writing": func(a []string) error {
		f, err := os.OpenFile(a[0], os.O_WRONLY, 0)
		if err == nil {
			_ = f.Close()
		}
		return err
	},
	"truncate": func(a []string) error { return os.Truncate(a[0], 0) },
	"remove":   func(a []string) error { return os.Remove(a[0]) },
	"rename":   func(a []string) error { return os.Rename(a[0], a[1]) },
	"exchange": func(a []string) error {
		return unix.Renameat2(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1], unix.RENAME_EXCHANGE)
	},
	"link":  func(a []string) error { return os.Link(a[0], a[1]) },
	"chmod": func(a []string) error { return os.Chmod(a[0], 0o777) },
	// A control on the host must change nothing.
	"chmod-as-it-is": func(a []string) error {
		var st unix.Stat_t
		if err := unix.Stat(a[0], &st); err != nil {
			return err
		}
		return unix.Chmod(a[0], st.Mode&0o7777)
	},
	"list":    func(a []string) error { _, err := os.ReadDir(a[0]); return err },
	"mkdir":   func(a []string) error { return os.Mkdir(a[0], 0o755) },
	"umount":  func(a []string) error { return unix.Unmount(a[0], unix.MNT_DETACH) },
	"connect": func(a []string) error { return dial(a[0], a[1]) },
	"kill": func(a []string) error {
		pid, _ := strconv.Atoi(a[0])
		return unix.Kill(pid, 0)
	},
	"ptrace": func(a []string) error {
		pid, _ := strconv.Atoi(a[0])
		if pid == 0 {
			child := exec.Command("/bin/sleep", "10")
			if err := child.Start(); err != nil {
				return err
			}
			defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
			pid = child.Process.Pid
		}
		return unix.PtraceSeize(pid)
	},
	"process-vm": func([]string) error {
		b := make([]byte, 8)
		local := unix.Iovec{Base: &b[0], Len: 8}
		remote := unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&b[0])), Len: 8}
		_, err := unix.ProcessVMReadv(os.Getpid(), []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
		return err
	},
	"mount":   func(a []string) error { return unix.Mount("tmpfs", a[0], "tmpfs", 0, "") },
	"remount": func(a []string) error { return unix.Mount("", a[0], "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"fsopen":  func([]string) error { fd, err := unix.Fsopen("tmpfs", 0); _ = unix.Close(fd); return err },
	"open-tree": func(a []string) error {
		fd, err := unix.OpenTree(unix.AT_FDCWD, a[0], unix.OPEN_TREE_CLONE)
		_ = unix.Close(fd)
		return err
	},
	"mount-attr": func(a []string) error {
		return unix.MountSetattr(unix.AT_FDCWD, a[0], 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	},
	"chroot": func(a []string) error { return unix.Chroot(a[0]) },
	"unshare-user": func([]string) error {
		return spawn(&syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER})
	},
	"unshare-mount": func([]string) error { return unix.Unshare(unix.CLONE_NEWNS) },
	"clone3": func([]string) error {
		args := struct{ flags, pidfd, child, parent, exit, stack, size, tls uint64 }{flags: 0}
		return raw(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), 4)
	},
	"setns": func([]string) error {
		f, err := os.Open("/proc/self/ns/uts")
		if err != nil {
			return err
		}
		return unix.Setns(int(f.Fd()), 0)
	},
	"keyctl": func([]string) error { return raw(unix.SYS_KEYCTL, 0, ^uintptr(2), 1) }, // the session's ring
	"add-key": func([]string) error {
		_, err := unix.AddKey("user", "bailey-test", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return err
	},
	"io_uring": func([]string) error {
		var p [120]byte
		return raw(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&p)))
	},
	"bpf": func([]string) error {
		a := [16]uint32{2, 4, 4, 1}
		return raw(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&a)), 64)
	},
	"perf": func([]string) error {
		a := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: unix.PERF_ATTR_SIZE_VER0, Bits: unix.PerfBitExcludeKernel}
		fd, err := unix.PerfEventOpen(&a, 0, -1, -1, 0)
		_ = unix.Close(fd)
		return err
	},
	"userfaultfd": func([]string) error { return raw(unix.SYS_USERFAULTFD, 1) }, // user mode only
	"handle":      func(a []string) error { _, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a[0], 0); return err },
	"personality": func([]string) error { return raw(unix.SYS_PERSONALITY, 0x0400000) }, // READ_IMPLIES_EXEC
	"socket": func(a []string) error {
		family, _ := strconv.Atoi(a[0])
		fd, err := unix.Socket(family, unix.SOCK_SEQPACKET, 0)
		if errors.Is(err, unix.ESOCKTNOSUPPORT) {
			fd, err = unix.Socket(family, unix.SOCK_STREAM, 0)
		}
		_ = unix.Close(fd)
		return err
	},
	"tiocsti": func([]string) error {
		c := byte('x')
		return raw(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
	},
	"tiocsti-high": func([]string) error { // the kernel looks at 32 bits of the request only
		c := byte('x')
		return raw(unix.SYS_IOCTL, 0, 1<<32|unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
	},
	"beyond": func([]string) error { return raw(100_000) },
	"daemon": func(a []string) error { // leaves a process that beats for ever
		cmd := exec.Command("/bin/sh", "-c", "trap '' TERM HUP INT; while :; do date +%s%N > "+a[0]+"; sleep 0.02; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return cmd.Start()
	},
}

func spawn(attr *syscall.SysProcAttr) error {
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = attr
	return cmd.Run()
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, 5*time.Second)
	if err != nil {
		return err
	}
	return c.Close()
}
