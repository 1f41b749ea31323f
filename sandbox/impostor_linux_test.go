package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// impostorName is a back end that is not what it seems. What it does stands in the
// name of its directory.
const impostorName = "bwrap"

// impostor is what the test binary does as one. Its arguments are those of the real
// one, of which it leaves out or changes some.
func impostor() {
	trick := filepath.Base(filepath.Dir(os.Args[0]))
	args := os.NewFile(wire.BackendArgs, "arguments")
	list, err := io.ReadAll(args)
	if err != nil {
		os.Exit(99)
	}
	words := strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
	kind, what, _ := strings.Cut(trick, " ")
	what = strings.ReplaceAll(what, "%", "/")
	switch kind {
	case "bare": // executes the command, and nothing else
		_ = syscall.Exec(os.Args[4], os.Args[4:], []string{})
		os.Exit(99)
	case "hang":
		time.Sleep(time.Hour)
	case "fail":
		fmt.Fprintln(os.Stderr, "bwrap: setting up uid map: Permission denied")
		os.Exit(1)
	case "without":
		words = slices.DeleteFunc(words, func(w string) bool { return w == what })
	case "writable": // the bind that is meant to be read-only
		i := slices.Index(words, what)
		words[i-1] = "--bind"
	case "more":
		words = append(words, strings.Fields(what)...)
	case "instead": // of one source another
		from, to, _ := strings.Cut(what, "=")
		words[slices.Index(words, from)] = to
	}
	if err := args.Truncate(0); err != nil {
		os.Exit(98)
	}
	_, _ = args.WriteAt([]byte(strings.Join(words, "\x00")+"\x00"), 0)
	if _, err := args.Seek(0, io.SeekStart); err != nil {
		os.Exit(97)
	}
	for fd := range wire.BackendArgs + 1 {
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0)
	}
	_ = syscall.Exec("/usr/bin/bwrap", os.Args, []string{})
	os.Exit(96)
}

// trick makes a sandbox take an impostor for a trusted program.
func (b *box) trick(name string) {
	b.t.Helper()
	dir := filepath.Join(realTempDir(b.t), name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(dir, impostorName)); err != nil {
		b.t.Fatal(err)
	}
	b.find = func(string) (string, error) { return filepath.Join(dir, impostorName), nil }
}

// refuses runs a command that would leave a mark, and gives the error.
func (b *box) refuses(ctx context.Context, spec Spec) error {
	b.t.Helper()
	mark := filepath.Join(b.ws, "mark")
	spec.Argv = []string{"/bin/sh", "-c", "echo ran > " + mark}
	r, err := b.Run(ctx, spec)
	if err == nil {
		b.t.Errorf("it ran: %+v", r)
	}
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		b.t.Error("the command left its mark")
	}
	return err
}

func TestImpostors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ trick, says string }{
		{"bare", "namespace"},
		{"fail", "uid map: Permission denied"},
		{"without --unshare-pid", "--unshare-pid"}, // it refuses --as-pid-1
		{"without --unshare-ipc", "ipc namespace"},
		{"without --unshare-uts", ""}, // it refuses --hostname
		{"without --unshare-net", "net namespace"},
		{"without --unshare-cgroup", "cgroup namespace"},
		{"without --as-pid-1", "process"},
		{"instead %sys%tmp=%home", ""}, // an ordinary user can make no mount point there
		{"without --proc", ""},
		{"writable %usr", "\"/usr\" can be written"},
		{"writable %sys%etc", "\"/etc\" can be written"},
		{"more --bind %home %home", "\"/home\" is mounted"},
		{"more --ro-bind % %host", "is mounted, which nobody meant"},
		{"more --tmpfs %opt", "\"/opt\" is mounted"},
		{"more --dev-bind %dev%null %dev%kmsg", "is mounted"},
		{"instead %sys%tmp=%tmp", "\"/tmp\" is"},
		{"instead %usr=%opt", ""}, // a helper that needs libraries does not even start,
	} {
		t.Run(c.trick, func(t *testing.T) {
			t.Parallel()
			b := newBox(t) // see TestImpostorControl
			b.trick(c.trick)
			err := b.refuses(t.Context(), b.spec())
			if !errors.Is(err, ErrFailed) || !strings.Contains(fmt.Sprint(err), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}

// Without being told, bubblewrap makes a user namespace for an ordinary user alone.
func TestImpostorAsRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root: for others bubblewrap makes the namespace all the same")
	}
	b := newBox(t)
	b.trick("without --unshare-user")
	if err := b.refuses(t.Context(), b.spec()); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

// An impostor that changes nothing serves, so that the others fail for what they do.
func TestImpostorControl(t *testing.T) {
	b := newBox(t)
	b.trick("without --nothing")
	b.sh("true").wantOK(t)
}

func TestHangingBackend(t *testing.T) {
	b := newBox(t)
	b.trick("hang")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := b.refuses(ctx, b.spec()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestEvidence takes away one wall after the other from what a helper tells.
func TestEvidence(t *testing.T) {
	mounts := "1 0 0:1 / / ro,nosuid,nodev - tmpfs tmpfs rw\n2 1 8:1 /ws /w\\040s rw,nosuid,nodev - ext4 /dev/sda rw\n"
	meant := table{"/": {kind: "tmpfs"}, "/w s": {writable: true, below: true}}
	good := func() *wire.Evidence {
		return &wire.Evidence{
			PID: 1, Namespaces: []string{"a", "b", "c", "d", "e", "f", "g"}, Threads: [][]string{slices.Clone(unprivileged), slices.Clone(unprivileged)},
			MountInfo: mounts, Identity: []wire.Inode{{Dev: 1, Ino: 1}, {Dev: 2, Ino: 2}}, Landlock: 6, UserMax: "0",
		}
	}
	w := &witness{
		outside: []string{"A", "B", "C", "D", "E", "F", "G"}, host: map[string]wire.Inode{"/": {Dev: 9, Ino: 9}},
		shown: map[string]wire.Inode{"/tmp": {Dev: 2, Ino: 2}}, check: &wire.Check{Same: []string{"/", "/tmp"}},
	}
	if layers, wrong := w.judge(good(), meant); wrong != "" || len(layers) != 7 {
		t.Fatalf("the control: %v %s", layers, wrong)
	}
	for name, spoil := range map[string]func(*wire.Evidence){
		"pid":           func(e *wire.Evidence) { e.PID = 2 },
		"namespace":     func(e *wire.Evidence) { e.Namespaces[5] = "F" },
		"swapped":       func(e *wire.Evidence) { e.Namespaces[5] = "A" },
		"no namespace":  func(e *wire.Evidence) { e.Namespaces = e.Namespaces[:6] },
		"no threads":    func(e *wire.Evidence) { e.Threads = nil },
		"half a thread": func(e *wire.Evidence) { e.Threads[1] = e.Threads[1][:3] },
		"permitted":     func(e *wire.Evidence) { e.Threads[1][1] = "0000000000200000" },
		"effective":     func(e *wire.Evidence) { e.Threads[1][2] = "0000000000200000" },
		"bounding":      func(e *wire.Evidence) { e.Threads[0][3] = "0000000000200000" },
		"ambient":       func(e *wire.Evidence) { e.Threads[0][4] = "0000000000200000" },
		"privileges":    func(e *wire.Evidence) { e.Threads[1][5] = "0" },
		"seccomp":       func(e *wire.Evidence) { e.Threads[1][6] = "0" },
		"root writable": func(e *wire.Evidence) { e.MountInfo = strings.Replace(mounts, "/ ro,", "/ rw,", 1) },
		"set-uid":       func(e *wire.Evidence) { e.MountInfo = strings.Replace(mounts, "rw,nosuid", "rw", 1) },
		"devices":       func(e *wire.Evidence) { e.MountInfo = strings.Replace(mounts, "rw,nosuid,nodev", "rw,nosuid", 1) },
		"kind":          func(e *wire.Evidence) { e.MountInfo = strings.Replace(mounts, "tmpfs tmpfs", "ext4 /dev/sda", 1) },
		"one more":      func(e *wire.Evidence) { e.MountInfo += "3 1 8:1 /etc /etc ro,nosuid,nodev - ext4 /dev/sda rw\n" },
		"one less":      func(e *wire.Evidence) { e.MountInfo = e.MountInfo[:strings.Index(mounts, "\n")+1] },
		"unreadable":    func(e *wire.Evidence) { e.MountInfo += "what\n" },
		"canary":        func(e *wire.Evidence) { e.Opened = []string{"/home/x/state"} },
		"written":       func(e *wire.Evidence) { e.Written = []string{"/var/tmp"} },
		"same root":     func(e *wire.Evidence) { e.Identity[0] = wire.Inode{Dev: 9, Ino: 9} },
		"other tmp":     func(e *wire.Evidence) { e.Identity[1] = wire.Inode{Dev: 3, Ino: 3} },
		"no identity":   func(e *wire.Evidence) { e.Identity = nil },
	} {
		e := good()
		spoil(e)
		if _, wrong := w.judge(e, meant); wrong == "" {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// TestHidden has a path attested to be out of reach that a folder brings within it.
func TestHidden(t *testing.T) {
	b := newBox(t)
	state := filepath.Join(realTempDir(t), "state")
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	spec := b.spec("/bin/true")
	spec.Hidden = []string{state}
	b.do(spec).wantOK(t)
	spec.Folders = append(spec.Folders, folder(t, filepath.Dir(state), false))
	if err := b.refuses(t.Context(), spec); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}
