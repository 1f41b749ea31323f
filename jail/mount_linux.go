package jail

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mountID tells whether two objects lie on the same mount: a bind mount of the
// same device has another id.
type mountID struct {
	dev uint64
	id  uint64 // 0 = unknown
}

func (m mountID) crossed(from mountID) bool {
	if m.id != 0 && from.id != 0 {
		return m.id != from.id
	}
	return m.dev != from.dev
}

// mountOf asks statx(2) (Linux 5.8), else /proc.
func mountOf(f *os.File) (mountID, error) {
	var st unix.Statx_t
	err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st)
	dev := unix.Mkdev(st.Dev_major, st.Dev_minor)
	if err == nil && st.Mask&unix.STATX_MNT_ID != 0 {
		return mountID{dev: dev, id: st.Mnt_id}, nil
	}
	if err != nil {
		fi, err := f.Stat()
		if err != nil {
			return mountID{}, err
		}
		dev = fromFileInfo(fi).id.Dev
	}
	return mountID{dev: dev, id: fdinfoMount(int(f.Fd()))}, nil
}

// fdinfoMount reads mnt_id from /proc/self/fdinfo; 0 if it can't be told.
func fdinfoMount(fd int) uint64 {
	f, err := os.Open(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "mnt_id:"); ok {
			id, _ := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
			return id
		}
	}
	return 0
}

// isKernelFS tells whether a directory lies on a file system whose files are
// views of the kernel, by the file system's magic number.
func isKernelFS(fd int) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return true // what can't be told is refused
	}
	switch uint64(st.Type) & 0xffffffff {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC,
		unix.SECURITYFS_MAGIC, unix.SELINUX_MAGIC, unix.SMACK_MAGIC, unix.CGROUP_SUPER_MAGIC,
		unix.CGROUP2_SUPER_MAGIC, unix.BPF_FS_MAGIC, unix.PSTOREFS_MAGIC, unix.EFIVARFS_MAGIC,
		unix.BINFMTFS_MAGIC, unix.RDTGROUP_SUPER_MAGIC, unix.DEVPTS_SUPER_MAGIC, unix.NSFS_MAGIC,
		configfsMagic, fusectlMagic:
		return true
	default:
		return false
	}
}

const (
	configfsMagic = 0x62656570
	fusectlMagic  = 0x65735543
)
