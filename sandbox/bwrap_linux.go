package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/system"
	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// layout is the file system inside: what the back end mounts, what the helper
// makes, and what the table of mounts must then be.
type layout struct {
	args   []string
	files  []wire.File
	staged []staged // by path: what lies above comes first
	table  table
	write  []string // where a command may write
}

// staged is something of the host that the back end mounts at a place of its own and
// the helper moves to where it belongs.
type staged struct {
	wire.Folder
	source   string // its present path on the host
	folder   int    // index in Spec.Folders, or -1
	writable bool
}

func (l *layout) arg(words ...string) { l.args = append(l.args, words...) }

// mounted notes a mount that must be there.
func (l *layout) mounted(path string, p place) { l.table[filepath.Clean(path)] = p }

// layOut plans the file system for a command.
func (s *Sandbox) layOut(spec *Spec, k *keeper) (*layout, error) {
	l := &layout{table: table{}}
	l.arg("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup",
		"--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SYS_RESOURCE", "--cap-add", "CAP_SETPCAP",
		"--die-with-parent", "--new-session", "--as-pid-1", "--hostname", system.Hostname, "--clearenv", "--setenv", wire.InnerEnv[0], wire.InnerEnv[1])
	l.mounted("/", place{kind: "tmpfs"})
	for _, path := range system.Trees {
		l.bindReadOnly(path)
	}
	l.arg("--proc", "/proc")
	l.mounted("/proc", place{kind: "proc", below: true})
	if k.tmp != nil {
		l.arg("--dev-bind", wire.Area+"/dev", "/dev", "--ro-bind", wire.Area+"/etc", "/etc", "--bind", wire.AreaTmp, "/tmp")
	} else {
		l.furnish(k.tmpSize, s.account)
	}
	l.furnished(k.tmp != nil)
	l.arg("--dir", wire.Own)
	if s.account.Home != "/" {
		l.files = append(l.files, wire.File{Path: s.account.Home, Mode: unix.S_IFDIR})
	}
	l.ownFiles(spec)
	if err := l.stage(spec); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *layout) file(path string, content []byte, mode uint32) {
	l.files = append(l.files, wire.File{Path: path, Content: content, Mode: mode})
}

// bindReadOnly shows a directory or file of the host, or the same link, if it is
// there.
func (l *layout) bindReadOnly(path string) {
	switch kind, target := system.Look(path); kind {
	case system.Link:
		l.arg("--symlink", target, path)
	case system.Dir, system.Other:
		l.arg("--ro-bind", path, path)
		l.mounted(path, place{below: true})
	case system.Absent:
	}
}

// furnish does what the keeper would have done for all runs; see its area.
func (l *layout) furnish(tmpSize int64, a system.Account) {
	l.arg("--perms", "0755", "--dir", "/etc", "--perms", "0755", "--dir", "/etc/ssl") // else: for root alone
	for _, path := range slices.Concat(system.Dirs, system.Files) {
		l.bindReadOnly(path)
	}
	for path, content := range a.OwnFiles() {
		l.file(path, []byte(content), 0o644)
	}
	l.arg("--size", "65536", "--tmpfs", "/dev", "--dir", "/dev/pts", "--dir", "/dev/shm")
	for path, target := range system.Links {
		l.arg("--symlink", target, path)
	}
	for _, path := range system.Devices {
		l.arg("--dev-bind", path, path)
	}
	l.arg("--size", strconv.FormatInt(tmpSize, 10), "--perms", "1777", "--tmpfs", "/tmp")
}

// furnished notes what has been mounted, here or by the keeper.
func (l *layout) furnished(byKeeper bool) {
	if byKeeper {
		l.mounted("/etc", place{kind: "tmpfs"})
		for _, path := range system.Dirs {
			if kind, _ := system.Look(path); kind == system.Dir {
				l.mounted(path, place{below: true})
			}
		}
	}
	l.mounted("/dev", place{kind: "tmpfs"})
	l.mounted("/dev/pts", place{kind: "devpts", writable: true, optional: true})
	l.mounted("/dev/shm", place{kind: "tmpfs", writable: true})
	for _, path := range system.Devices {
		l.mounted(path, place{device: true})
		l.write = append(l.write, path)
	}
	l.mounted("/tmp", place{kind: "tmpfs", writable: true})
	l.write = append(l.write, "/dev/pts", "/dev/shm", "/tmp")
}

// ownFiles are the Spec's files that are no host's.
func (l *layout) ownFiles(spec *Spec) {
	for _, f := range spec.Files {
		if f.Source != nil {
			continue
		}
		over := isBelow(f.Path, "/etc")
		l.files = append(l.files, wire.File{Path: f.Path, Content: f.Content, Mode: uint32(f.Mode.Perm()), Over: over})
		if over {
			l.mounted(f.Path, place{})
		}
	}
}

// stage stages folders, read-only directories and the files that are the host's.
func (l *layout) stage(spec *Spec) error {
	for i, f := range spec.Folders {
		if err := l.hold(f.Path, f.Dir, f.Writable, i); err != nil {
			return err
		}
	}
	for _, f := range spec.Files {
		if f.Source == nil {
			continue
		}
		if err := l.hold(f.Path, f.Source, f.Writable, -1); err != nil {
			return err
		}
	}
	for _, path := range spec.ReadOnly {
		if err := l.show(path); err != nil {
			return err
		}
	}
	slices.SortStableFunc(l.staged, func(a, b staged) int { return strings.Compare(a.Path, b.Path) })
	for i := range l.staged {
		g := &l.staged[i]
		g.Within = slices.ContainsFunc(l.staged[:i], func(o staged) bool { return isBelow(g.Path, o.Path) })
		mode := "--ro-bind"
		if g.writable {
			mode = "--bind"
			l.write = append(l.write, g.Path)
		}
		l.arg(mode, g.source, wire.Staged(i))
		l.mounted(g.Path, place{writable: g.writable, below: true})
	}
	return nil
}

// hold stages an open file. Whether its present path still leads to it when that is
// mounted is for the helper to find out.
func (l *layout) hold(path string, f *os.File, writable bool, folder int) error {
	source, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return failed("folders", err.Error())
	}
	if !filepath.IsAbs(source) {
		return refused(fmt.Sprintf("no path leads to %q", f.Name()))
	}
	id, dir, err := identity(f)
	if err != nil {
		return failed("folders", fmt.Sprintf("%s: %v", path, err))
	}
	if folder >= 0 && !dir {
		return refused(fmt.Sprintf("%q is no directory", path))
	}
	l.staged = append(l.staged, staged{wire.Folder{Path: path, Dev: id.Dev, Ino: id.Ino, File: !dir}, source, folder, writable})
	return nil
}

// show stages a read-only path of the host, unless it is there already.
func (l *layout) show(path string) error {
	if slices.ContainsFunc(l.staged, func(o staged) bool { return o.Path == path }) {
		return nil
	}
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return refused(fmt.Sprintf("the read-only directory %q: %v", path, err))
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return refused(fmt.Sprintf("the read-only directory %q is a link; name what it leads to", path))
	}
	file := st.Mode&unix.S_IFMT != unix.S_IFDIR
	l.staged = append(l.staged, staged{wire.Folder{Path: path, Dev: st.Dev, Ino: st.Ino, File: file}, path, -1, false})
	return nil
}

// setup is what the helper is told.
func (l *layout) setup(spec *Spec, k *keeper) (*wire.Setup, error) {
	outside, err := wire.OwnNamespaces()
	if err != nil {
		return nil, failed("namespaces", err.Error())
	}
	filter, err := filterProgram()
	if err != nil {
		return nil, failed("seccomp", err.Error())
	}
	w := &wire.Setup{Outside: append(outside, k.hello.Namespaces...), Files: l.files, Writable: l.write, Filter: filter}
	w.Pinned = l.pins()
	at := make([]int, len(spec.Folders)) // where each is in the plan
	for i, g := range l.staged {
		w.Folders = append(w.Folders, g.Folder)
		if g.folder >= 0 {
			at[g.folder] = i
		}
	}
	for _, c := range spec.Covers {
		w.Covers = append(w.Covers, wire.Cover{Folder: at[c.Folder], Rel: c.Rel, Kind: uint8(c.Kind), Dev: c.Dev, Ino: c.Ino, Target: c.Target})
		l.mounted(filepath.Join(spec.Folders[c.Folder].Path, c.Rel), place{writable: c.Kind == Pin, below: c.Kind == Pin || c.Kind == ReadOnly})
	}
	return w, nil
}

// pins are the directories above a folder in /tmp: a command that moved one would
// make the session's next run impossible.
func (l *layout) pins() []string {
	var pins []string
	for _, f := range l.staged {
		for i, c := range f.Path {
			above := f.Path[:i]
			if c != '/' || !isBelow(above, "/tmp") || slices.Contains(pins, above) || slices.ContainsFunc(l.staged, func(o staged) bool {
				return above == o.Path || isBelow(above, o.Path)
			}) {
				continue
			}
			pins = append(pins, above)
			l.mounted(above, place{kind: "tmpfs", writable: true})
		}
	}
	return pins
}

func identity(f *os.File) (id wire.Inode, dir bool, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return id, false, err
	}
	return wire.Inode{Dev: st.Dev, Ino: st.Ino}, st.Mode&unix.S_IFMT == unix.S_IFDIR, nil
}

// helperThreads are those that the helper itself may need of Limits.Processes.
const helperThreads = 16

func rlimits(l Limits) []wire.Rlimit {
	limits := []wire.Rlimit{{Resource: unix.RLIMIT_CORE}}
	for _, r := range []struct {
		resource int
		value    uint64
	}{
		{unix.RLIMIT_CPU, uint64(l.CPU.Seconds() + 0.999)},
		{unix.RLIMIT_DATA, uint64(l.Memory)},
		{unix.RLIMIT_FSIZE, uint64(l.FileSize)},
		{unix.RLIMIT_NOFILE, openFiles(l.OpenFiles)},
	} {
		if r.value > 0 {
			limits = append(limits, wire.Rlimit{Resource: r.resource, Value: r.value})
		}
	}
	if l.Processes > 0 {
		limits = append(limits, wire.Rlimit{Resource: unix.RLIMIT_NPROC, Value: uint64(l.Processes + helperThreads)})
	}
	return limits
}

// openFiles leaves the helper what it needs.
func openFiles(n int) uint64 {
	if n <= 0 {
		return 0
	}
	return uint64(max(n, 32))
}
