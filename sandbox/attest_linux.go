package sandbox

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/system"
	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// table is what the table of mounts inside must be, by mount point.
type table map[string]place

// place is what is meant to be mounted at a point.
type place struct {
	kind     string // of file system; "" for any
	writable bool
	device   bool // device files work here
	below    bool // there may be mounts below, as the host has them, no less read-only
	optional bool
}

// mountLine is a line of /proc/self/mountinfo, of what matters here.
type mountLine struct {
	point, kind string
	options     []string
}

func (m *mountLine) has(option string) bool { return slices.Contains(m.options, option) }

// parseMounts reads a mountinfo; see proc_pid_mountinfo(5).
func parseMounts(info string) ([]mountLine, error) {
	var lines []mountLine
	for line := range strings.Lines(info) {
		fields := strings.Fields(line)
		dash := slices.Index(fields, "-")
		if dash < 6 || len(fields) < dash+2 {
			return nil, fmt.Errorf("a line of mountinfo that can't be read: %q", line)
		}
		lines = append(lines, mountLine{unescape.Replace(fields[4]), fields[dash+1], strings.Split(fields[5], ",")})
	}
	return lines, nil
}

var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// judge compares the mounts with the table. It says what is wrong, or "".
func (t table) judge(info string) string {
	lines, err := parseMounts(info)
	if err != nil {
		return err.Error()
	}
	seen := make(map[string]bool, len(t))
	for i := range lines {
		if wrong := t.judgeMount(&lines[i]); wrong != "" {
			return wrong
		}
		seen[lines[i].point] = true
	}
	for point, p := range t {
		if !seen[point] && !p.optional {
			return fmt.Sprintf("%q is not mounted", point)
		}
	}
	return ""
}

func (t table) judgeMount(m *mountLine) string {
	p, ok := t[m.point]
	for at := m.point; !ok; {
		at = parent(at)
		above, is := t[at]
		switch {
		case is && above.below:
			p, ok = above, true
			p.kind = ""
		case is:
			return fmt.Sprintf("%q is mounted, which nobody meant", m.point)
		}
	}
	switch {
	case p.kind != "" && p.kind != m.kind:
		return fmt.Sprintf("%q is a %s, not a %s", m.point, m.kind, p.kind)
	case !p.writable && !m.has("ro"):
		// What lies below a cover in the same place is covered by it.
		return fmt.Sprintf("%q can be written", m.point)
	case !m.has("nosuid"):
		return fmt.Sprintf("%q honours set-uid bits", m.point)
	case !p.device && p.kind != "devpts" && !m.has("nodev"):
		return fmt.Sprintf("%q has devices", m.point)
	}
	return ""
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 1)]
}

// noCapability and the like are what the lines of wire.StatusLines must say.
const noCapability = "0000000000000000"

var unprivileged = []string{noCapability, noCapability, noCapability, noCapability, noCapability, "1", "2"}

// witness is what the launcher knows of the host, to compare with.
type witness struct {
	outside []string // namespaces
	check   *wire.Check
	host    map[string]wire.Inode // objects of the host that must not be those inside
	shown   map[string]wire.Inode // objects that must be those inside
}

// Places where a command finds nothing of the host, unless the Spec shows it.
var (
	emptied = []string{"/", "/etc", "/var", "/home", "/root", "/run", "/tmp", "/proc", "/dev", "/opt", "/srv", "/mnt"}
	sealed  = []string{"/", "/etc", "/usr", "/var", "/var/tmp", "/home", "/root", "/run", "/opt", "/srv", "/proc", "/sys", "/dev"}
)

// newWitness looks at the host.
func newWitness(spec *Spec, home string, k *keeper, outside []string) (*witness, error) {
	w := &witness{
		outside: outside, host: map[string]wire.Inode{}, shown: map[string]wire.Inode{},
		check: &wire.Check{Hidden: spec.Hidden},
	}
	granted := func(dir string) bool {
		return slices.Contains(spec.ReadOnly, dir) || slices.ContainsFunc(spec.Folders, func(f Folder) bool { return f.Path == dir })
	}
	for _, path := range append(sealed, home) {
		if !granted(path) && !isBelow(path, "/tmp") {
			w.check.Unwritten = append(w.check.Unwritten, path)
		}
	}
	for _, path := range append(emptied, home) {
		if !granted(path) {
			note(w.host, path)
		}
	}
	for _, path := range slices.Concat(system.Trees, system.Dirs, spec.ReadOnly) {
		if kind, _ := system.Look(path); kind == system.Dir {
			note(w.shown, path)
		}
	}
	if k.tmp != nil && !granted("/tmp") {
		id, _, err := identity(k.tmp)
		if err != nil {
			return nil, failed("attestation", err.Error())
		}
		w.shown["/tmp"] = id
	}
	w.check.Same = slices.AppendSeq(slices.Collect(maps.Keys(w.host)), maps.Keys(w.shown))
	return w, nil
}

// note notes the identity of what is at a path, if there is something.
func note(to map[string]wire.Inode, path string) {
	var st unix.Stat_t
	if unix.Stat(path, &st) == nil {
		to[path] = wire.Inode{Dev: st.Dev, Ino: st.Ino}
	}
}

// judge goes through the evidence. It gives the walls that stand, or what is wrong.
func (w *witness) judge(e *wire.Evidence, t table) (layers []string, wrong string) {
	if e.PID != 1 {
		return nil, fmt.Sprintf("the helper is process %d", e.PID)
	}
	if len(e.Namespaces) != len(wire.Namespaces) {
		return nil, "namespaces are missing"
	}
	for i, id := range e.Namespaces {
		if id == "" || slices.Contains(w.outside, id) {
			return nil, fmt.Sprintf("the %s namespace is not the sandbox's own", wire.Namespaces[i])
		}
	}
	if len(e.Threads) == 0 {
		return nil, "no privileges are told"
	}
	for _, thread := range e.Threads {
		for i, meant := range unprivileged {
			if i >= len(thread) || thread[i] != meant {
				return nil, fmt.Sprintf("%s is %q, not %s", wire.StatusLines[i], thread, meant)
			}
		}
	}
	if wrong := t.judge(e.MountInfo); wrong != "" {
		return nil, wrong
	}
	if wrong := w.reach(e); wrong != "" {
		return nil, wrong
	}
	layers = []string{"namespaces", "mounts", "capabilities", "no_new_privs", "seccomp"}
	if e.Landlock > 0 {
		layers = append(layers, "landlock")
	}
	if e.UserMax == "0" {
		layers = append(layers, "no_user_namespaces")
	}
	return layers, ""
}

// reach looks at what could be reached of the host.
func (w *witness) reach(e *wire.Evidence) string {
	switch {
	case len(e.Opened) > 0:
		return fmt.Sprintf("%q can be opened", e.Opened[0])
	case len(e.Written) > 0:
		return fmt.Sprintf("%q can be written", e.Written[0])
	case len(e.Identity) != len(w.check.Same):
		return "identities are missing"
	}
	for i, path := range w.check.Same {
		if host, ok := w.host[path]; ok && e.Identity[i] == host {
			return fmt.Sprintf("%q is the host's", path)
		}
		if shown, ok := w.shown[path]; ok && e.Identity[i] != shown {
			return fmt.Sprintf("%q is not what it should be", path)
		}
	}
	return ""
}

// duplicate opens a file that is open once more.
func duplicate(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
