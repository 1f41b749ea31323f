package jail

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// fast tells whether one system call from the folder is enough: not where a mount
// on the way may be entered, nor in another folder inside this one.
func (t Tree) fast() (fd int, ok bool) {
	d, ok := t.folder.root.(*fdDir)
	if !ok || t.j.nested || len(t.j.crossMounts) > 0 {
		return -1, false
	}
	return d.fd, true
}

func (t Tree) fastState(rel string) (DirState, bool, error) {
	fd, ok := t.fast()
	if !ok {
		return DirState{}, false, nil
	}
	s, err := stateAt(fd, rel)
	return s, true, err
}

func stateAt(fd int, rel string) (DirState, error) {
	var st unix.Stat_t
	err := ignoringEINTR(func() error { return unix.Fstatat(fd, rel, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return DirState{}, err
	}
	return DirState{ID: FileID{Dev: st.Dev, Ino: st.Ino}, Changed: unix.TimespecToNsec(st.Ctim)}, nil
}

// fewStates are so few that opening the directory costs more than it saves: the
// walk to a name three levels down takes as long as the rest of stat(2).
const fewStates = 4

func (t Tree) fastStates(rel string, names []string, fn func(i int, s DirState, err error)) bool {
	fd, ok := t.fast()
	if !ok || len(names) < fewStates {
		return false
	}
	dir, err := openat2(fd, rel, pathFlags|unix.O_DIRECTORY, resolveStrict)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(dir) }()
	for i, name := range names {
		s, err := stateAt(dir, name)
		fn(i, s, report("stat", name, err))
	}
	return true
}

func (t Tree) fastLstat(rel string) (Info, bool, error) {
	fd, ok := t.fast()
	if !ok {
		return Info{}, false, nil
	}
	// A link in the last place is opened itself: NO_SYMLINKS would refuse it, and
	// BENEATH keeps the others, of which the real path then is another.
	got, err := openat2(fd, rel, pathFlags|unix.O_NOFOLLOW, resolveStrict)
	if err != nil {
		return Info{}, !needsWalk(err), err
	}
	defer func() { _ = unix.Close(got) }()
	info, err := (&fdDir{fd: got}).info()
	info.name = t.folder.baseName(rel)
	return info, true, err
}

func (t Tree) fastDir(rel string) (dir, bool, error) {
	fd, ok := t.fast()
	if !ok {
		return nil, false, nil
	}
	d, err := (&fdDir{fd: fd}).openDir(rel, false)
	return d, true, err
}

// localClock tells whether a directory lies on a file system that takes its time
// stamps from this kernel's clock.
func localClock(d dir) bool {
	f, ok := d.(*fdDir)
	if !ok {
		return false
	}
	var st unix.Statfs_t
	if unix.Fstatfs(f.fd, &st) != nil {
		return false
	}
	switch uint64(st.Type) & 0xffffffff {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC,
		unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, zfsMagic, bcachefsMagic:
		return true
	default:
		return false
	}
}

const (
	zfsMagic      = 0x2fc12fc1
	bcachefsMagic = 0xca451a4e
)

// Mounts lists the paths, below the folder, of the mount points that may not be
// entered.
func (t Tree) Mounts() ([]string, error) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var found []string
	for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 5 {
			continue
		}
		at := unescapeMount(fields[4])
		if rel, ok := t.folder.below(at); ok && rel != "" && !t.j.mayCross(at) {
			found = append(found, rel)
		}
	}
	return found, nil
}

// unescapeMount undoes the octal escapes of mountinfo, as in proc(5).
func unescapeMount(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
