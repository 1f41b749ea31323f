package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// The filter of system calls is a list of what is refused, after the default
// profile of container engines (moby/profiles, seccomp/default.json): what makes
// namespaces and mounts, looks into other processes, loads code into the kernel,
// or has often been a way out. Calls that this source does not know do not exist.

const (
	namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	lastSyscall = unix.SYS_LISTNS // 470; beyond it, where x32 is too: ENOSYS
)

// refusedCalls answer EPERM, whatever their arguments.
var refusedCalls = []uint32{
	// Mounts and roots.
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT,
	// Files by handle, past every directory; watching a whole file system.
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
	// Other namespaces, other processes.
	unix.SYS_SETNS, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	// The kernel and its big surfaces.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE,
	unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_SYSLOG, unix.SYS_REBOOT, unix.SYS_VHANGUP,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
	// Keys belong to no namespace.
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
}

// missingCalls answer ENOSYS, upon which programs take another way.
var missingCalls = []uint32{
	unix.SYS_CLONE3,                                                              // its flags lie in memory, where a filter can't look
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, // calls that no filter sees
}

// filterProgram is the filter for this machine's calls.
func filterProgram() ([]byte, error) {
	arch, ok := auditArch[runtime.GOARCH]
	if !ok {
		return nil, errors.New("there is no filter of system calls for " + runtime.GOARCH)
	}
	p := &bpfProgram{}
	p.load(offArch)
	p.unless(arch, unix.SECCOMP_RET_KILL_PROCESS)
	p.load(offCall)
	p.atLeast(lastSyscall+1, errno(unix.ENOSYS))
	for _, call := range slices.Concat(refusedCalls, refusedHere) {
		p.when(call, errno(unix.EPERM))
	}
	for _, call := range missingCalls {
		p.when(call, errno(unix.ENOSYS))
	}
	p.call(unix.SYS_CLONE, func(p *bpfProgram) { p.loadArg(0); p.anyBit(namespaceFlags, errno(unix.EPERM)) })
	p.call(unix.SYS_UNSHARE, func(p *bpfProgram) {
		p.loadArg(0)
		p.anyBit(namespaceFlags|unix.CLONE_NEWTIME, errno(unix.EPERM))
	})
	// Pushing characters into a terminal that others read.
	p.call(unix.SYS_IOCTL, func(p *bpfProgram) {
		p.loadArg(1)
		for _, request := range []uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD, unix.TIOCCONS} {
			p.when(request, errno(unix.EPERM))
		}
	})
	p.call(unix.SYS_SOCKET, func(p *bpfProgram) {
		p.loadArg(0)
		for _, family := range []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6} {
			p.when(family, unix.SECCOMP_RET_ALLOW)
		}
		p.unless(unix.AF_NETLINK, errno(unix.EAFNOSUPPORT))
		p.loadArg(2)
		p.unless(unix.NETLINK_ROUTE, errno(unix.EPROTONOSUPPORT))
	})
	// Executable stacks and weaker layouts; asking (all ones) and Linux as it is may go on.
	p.call(unix.SYS_PERSONALITY, func(p *bpfProgram) {
		p.loadArg(0)
		for _, persona := range []uint32{0, 0xffffffff} {
			p.when(persona, unix.SECCOMP_RET_ALLOW)
		}
		p.always(errno(unix.EPERM))
	})
	p.always(unix.SECCOMP_RET_ALLOW)
	return p.bytes(), nil
}

func errno(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// auditArch are the machines whose calls the filter knows: little-endian, with the
// flags of clone in the first argument.
var auditArch = map[string]uint32{
	"amd64":   unix.AUDIT_ARCH_X86_64,
	"arm64":   unix.AUDIT_ARCH_AARCH64,
	"riscv64": unix.AUDIT_ARCH_RISCV64,
	"loong64": unix.AUDIT_ARCH_LOONGARCH64,
}

// Offsets in struct seccomp_data. Arguments are 64 bits wide; the lower half comes
// first.
const (
	offCall = 0
	offArch = 4
	offArgs = 16
)

// bpfProgram is a classic BPF program that grows.
type bpfProgram struct{ code []unix.SockFilter }

func (p *bpfProgram) add(code uint16, jt, jf uint8, k uint32) {
	p.code = append(p.code, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (p *bpfProgram) load(offset uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, offset) }
func (p *bpfProgram) loadArg(n uint32)   { p.load(offArgs + 8*n) }
func (p *bpfProgram) always(ret uint32)  { p.add(unix.BPF_RET|unix.BPF_K, 0, 0, ret) }

func (p *bpfProgram) when(value, ret uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, value)
	p.always(ret)
}

func (p *bpfProgram) unless(value, ret uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, value)
	p.always(ret)
}

func (p *bpfProgram) atLeast(value, ret uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 1, value)
	p.always(ret)
}

func (p *bpfProgram) anyBit(bits, ret uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, bits)
	p.always(ret)
}

// call adds a part for one call, after which nothing but the end follows for it.
func (p *bpfProgram) call(nr uint32, part func(*bpfProgram)) {
	inner := &bpfProgram{}
	part(inner)
	inner.always(unix.SECCOMP_RET_ALLOW)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, uint8(len(inner.code)), nr)
	p.code = append(p.code, inner.code...)
}

func (p *bpfProgram) bytes() []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.NativeEndian, p.code) // to memory, of fixed size
	return b.Bytes()
}
