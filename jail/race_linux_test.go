package jail

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// These tests run against an attacker in another process that swaps objects
// under the jail in a tight loop. A leak is anything of the outside that was
// read, seen, changed, made or removed. Each kind of act is made as well by the
// check that most programs make (resolve the links, compare the prefix, use the
// path): that one must leak, or the attack would prove nothing.

// marker is in the content of every outside file and in the name of one.
const marker = "OUTSIDE"

var (
	errLeak    = errors.New("leak")
	errSwapped = errors.New("went round a link") // a walk that came upon it: no failure
)

func leak(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errLeak, fmt.Sprintf(format, args...))
}

// attackerMain flips pairs of names until it is killed.
//
//	exchange A B   swap the two
//	move A B       rename A to B and back
//	mount A B      bind A over B and take it off
func attackerMain(attacks []string) {
	ready()
	for {
		for _, line := range attacks {
			f := strings.Fields(line)
			switch f[0] {
			case "exchange":
				_ = unix.Renameat2(unix.AT_FDCWD, f[1], unix.AT_FDCWD, f[2], unix.RENAME_EXCHANGE)
			case "move":
				_ = unix.Rename(f[1], f[2])
				_ = unix.Rename(f[2], f[1])
			case "mount":
				_ = unix.Mount(f[1], f[2], "", unix.MS_BIND, "")
				_ = unix.Unmount(f[2], unix.MNT_DETACH)
			}
		}
	}
}

// An arena is a workspace with an outside that looks alike.
type arena struct {
	j      *Jail
	base   string
	ws     string
	out    string
	ids    map[FileID]bool // objects of the outside
	before string
}

func newArena(t *testing.T, e Engine) *arena {
	t.Helper()
	base := fastDir(t)
	a := &arena{base: base, ws: base + "/ws", out: base + "/out"}
	a.reset(t)
	j, err := New(a.ws, WithEngine(e), WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	a.j = j
	return a
}

// reset builds the outside, and the workspace if it is not there yet.
func (a *arena) reset(t *testing.T) {
	t.Helper()
	secret := marker + strings.Repeat(".", 5000)
	for _, name := range []string{"f", "g", "sub/f", "deep/f", "x/f", marker, "n/k/f"} {
		put(t, filepath.Join(a.out, name), secret)
	}
	put(t, filepath.Join(a.base, "away/f"), secret)
	for _, name := range []string{
		"d/f", "d/g", "d/sub/f", "f", "a/m/deep/f", "t/f", "mv/deep/f", "mv/f",
		"u/f", "stage/keep", "rm/keep",
	} {
		put(t, filepath.Join(a.ws, name), "inside\n")
	}
	for name, target := range map[string]string{
		"d2": a.out, "u2": a.out, "f2": a.out + "/f", "a/m2": a.out, "t2": a.out,
	} {
		if err := os.Symlink(target, filepath.Join(a.ws, name)); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	a.ids = map[FileID]bool{}
	a.before = a.outside(func(fi os.FileInfo) { a.ids[fromFileInfo(fi).id] = true })
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// outside is everything that can be told about the outside: names, inodes,
// change times (which nobody can set back) and content.
func (a *arena) outside(see func(os.FileInfo)) string {
	var b strings.Builder
	err := filepath.WalkDir(a.out, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		info := fromFileInfo(fi)
		if see != nil {
			see(fi)
		}
		var sum [sha256.Size]byte
		if fi.Mode().IsRegular() {
			content, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			sum = sha256.Sum256(content)
		}
		fmt.Fprintf(&b, "%s %v %v %v %d %x\n", p, fi.Mode(), info.id, info.ctime.UnixNano(), info.nlink, sum)
		return nil
	})
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	return b.String()
}

func (a *arena) path(name string) string { return filepath.Join(a.ws, name) }

// attack starts the attacker and gives the function that ends it.
func (a *arena) attack(t *testing.T, attacks ...string) (end func()) {
	t.Helper()
	attacks = slices.Clone(attacks)
	for i, line := range attacks {
		f := strings.Fields(line)
		attacks[i] = f[0] + " " + filepath.Join(a.base, f[1]) + " " + filepath.Join(a.base, f[2])
	}
	cmd := startHelper(t, "attacker", attacks...)
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

func checkContent(b []byte) error {
	if bytes.Contains(b, []byte(marker)) {
		return leak("content")
	}
	return nil
}

func (a *arena) checkInfo(info Info) error {
	if a.ids[info.ID()] {
		return leak("stat")
	}
	return nil
}

func checkName(name string) error {
	if name == marker {
		return leak("name")
	}
	return nil
}

// insideClean looks for outside content that a copy or move has brought in, once
// the attacker is gone.
func (a *arena) insideClean() error {
	return filepath.WalkDir(a.ws, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return errors.Join(checkName(d.Name()), checkContent(content))
	})
}

// with resolves a path and acts on the object.
func (a *arena) with(name string, how How, act func(*Object) error) error {
	o, err := a.j.Resolve(context.Background(), name, how)
	if err != nil {
		return err
	}
	defer o.Close()
	return act(o)
}

// with2 resolves source and destination and then acts.
func (a *arena) with2(from, to string, act func(src, dst *Object) error) error {
	return a.with(from, Entry, func(src *Object) error {
		return a.with(to, Target, func(dst *Object) error { return act(src, dst) })
	})
}

func writeString(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

const (
	flipDir    = "exchange ws/d ws/d2"     // a directory and a link to the outside
	flipFile   = "exchange ws/f ws/f2"     // a file and a link to an outside file
	flipMiddle = "exchange ws/a/m ws/a/m2" // the same, in the middle of a path
	flipTo     = "exchange ws/t ws/t2"     // where something is to be made
	flipMade   = "exchange ws/u/n ws/u2"   // what is just being made
	moveAway   = "move ws/mv away/mv"      // a directory leaves and comes back
	flipInner  = "exchange ws/rm/d/x ws/rm/link"
)

// An act is one thing to do under attack, through the jail and by the naive
// check.
type act struct {
	name    string
	attacks []string
	try     func(a *arena, i int) error
	naive   func(a *arena, i int) error
	mend    func(a *arena) // puts back what the act uses up
}

// naively checks a path the way that most programs do, and gives it back.
func (a *arena) naively(name string, parentOnly bool) (string, error) {
	p := a.path(name)
	look := p
	if parentOnly {
		look = filepath.Dir(p)
	}
	real, err := filepath.EvalSymlinks(look)
	if err != nil {
		return "", err
	}
	if real != a.ws && !strings.HasPrefix(real, a.ws+"/") {
		return "", &EscapeError{Op: "open", Path: name}
	}
	return p, nil
}

func acts() []act {
	ctx := context.Background()
	return []act{
		{
			name: "read", attacks: []string{flipDir, flipFile, flipMiddle, moveAway},
			try: func(a *arena, i int) error {
				names := []string{
					"d/f", "f", "a/m/deep/f", "d/sub/../f", "a/../a/m/deep/../deep/f",
					a.path("d/sub/f"), "mv/deep/../../f", "mv/../mv/deep/../../f",
				}
				content, err := a.j.ReadFile(names[i%len(names)])
				return errors.Join(err, checkContent(content))
			},
			naive: func(a *arena, i int) error {
				p, err := a.naively([]string{"d/f", "f", "a/m/deep/f"}[i%3], false)
				if err != nil {
					return err
				}
				content, err := os.ReadFile(p)
				return errors.Join(err, checkContent(content))
			},
		},
		{
			name: "read a resolved object", attacks: []string{flipDir, flipFile, flipMiddle},
			try: func(a *arena, i int) error {
				return a.with([]string{"d/f", "f", "a/m/deep/f"}[i%3], How(i%2), func(o *Object) error {
					if err := a.checkInfo(o.Info()); err != nil {
						return err
					}
					f, err := o.Open()
					if err != nil {
						return err
					}
					defer f.Close()
					content, err := f.ReadAll()
					return errors.Join(err, checkContent(content))
				})
			},
		},
		{
			name: "stat", attacks: []string{flipDir, flipFile, flipMiddle},
			try: func(a *arena, i int) error {
				info, err := a.j.Stat([]string{"d/f", "f", "a/m/deep", "d"}[i%4])
				return errors.Join(err, a.checkInfo(info))
			},
			naive: func(a *arena, i int) error {
				p, err := a.naively([]string{"d/f", "f", "a/m/deep", "d"}[i%4], false)
				if err != nil {
					return err
				}
				fi, err := os.Stat(p)
				if err != nil {
					return err
				}
				return a.checkInfo(fromFileInfo(fi))
			},
		},
		{
			name: "list", attacks: []string{flipDir, flipMiddle},
			try: func(a *arena, i int) error {
				entries, err := fs.ReadDir(a.j.FS(), []string{"d", "a/m"}[i%2])
				for _, e := range entries {
					err = errors.Join(err, checkName(e.Name()))
				}
				return err
			},
			naive: func(a *arena, i int) error {
				p, err := a.naively([]string{"d", "a/m"}[i%2], false)
				if err != nil {
					return err
				}
				entries, err := os.ReadDir(p)
				for _, e := range entries {
					err = errors.Join(err, checkName(e.Name()))
				}
				return err
			},
		},
		{
			name: "walk, open later", attacks: []string{flipDir, flipMiddle},
			try: func(a *arena, i int) error {
				var later []*DeferredFile
				swapped := false
				err := a.with(".", Existing, func(o *Object) error {
					return o.Walk(ctx, WalkOptions{Sorted: i%2 == 0, Stat: i%3 == 0, Post: i%5 == 0, Ahead: i%7 < 4}, func(e *WalkEntry) error {
						swapped = swapped || e.Path() == "d" && e.IsLink()
						if e.Type().IsRegular() && e.Err() == nil {
							later = append(later, e.Defer())
						}
						return errors.Join(e.Err(), checkName(e.Name()))
					})
				})
				for _, d := range later {
					f, openErr := d.Open()
					if openErr == nil {
						content, readErr := f.ReadAll()
						openErr = errors.Join(readErr, checkContent(content), f.Close())
					}
					err = errors.Join(err, openErr)
					d.Close()
				}
				if err == nil && swapped {
					err = errSwapped
				}
				return err
			},
		},
		{
			name: "write", attacks: []string{flipDir, flipFile, flipMiddle, moveAway},
			try: func(a *arena, i int) error {
				names := []string{"d/f", "f", "a/m/deep/f", "d/new", "mv/f", "mv/deep/../../f"}
				return a.j.WriteFile(names[i%len(names)], []byte("inside\n"), 0o644)
			},
			naive: func(a *arena, i int) error {
				p, err := a.naively([]string{"d/new", "f", "a/m/deep/f"}[i%3], i%3 == 0)
				if err != nil {
					return err
				}
				return os.WriteFile(p, []byte("inside\n"), 0o644)
			},
			mend: (*arena).mendFile,
		},
		{
			name: "edit", attacks: []string{flipDir, flipFile, flipMiddle},
			try: func(a *arena, i int) error {
				return a.with([]string{"d/f", "f", "a/m/deep/f"}[i%3], Target, func(o *Object) error {
					_, err := o.Replace(ctx, ReplaceOptions{Verify: func(old *File) error {
						content, err := old.ReadAll()
						return errors.Join(err, checkContent(content))
					}}, writeString("inside\n"))
					return err
				})
			},
			mend: (*arena).mendFile,
		},
		{
			name: "create with parents", attacks: []string{flipTo},
			try: func(a *arena, i int) error {
				return a.with(fmt.Sprintf("t/n/k/%d", i%16), Target, func(o *Object) error {
					_, err := o.Replace(ctx, ReplaceOptions{Parents: true}, writeString("inside\n"))
					return err
				})
			},
			mend: func(a *arena) { a.clear("t") },
		},
		{
			name: "mkdir", attacks: []string{flipTo, flipMade},
			try: func(a *arena, i int) error {
				dir := []string{"t", "u"}[i%2]
				return a.with(fmt.Sprintf("%s/n/k/%d", dir, i%16), Target, func(o *Object) error {
					_, err := o.Mkdir(ctx, 0o755)
					return err
				})
			},
			naive: func(a *arena, i int) error {
				p, err := a.naively(fmt.Sprintf("t/%d", i), true)
				if err != nil {
					return err
				}
				return os.MkdirAll(p, 0o755)
			},
			mend: func(a *arena) { a.clear("t"); a.clear("u") },
		},
		{
			name: "move", attacks: []string{flipTo, flipDir},
			try: func(a *arena, i int) error {
				from, to := "d/g", "t/g"
				if i%2 == 1 {
					from, to = to, from
				}
				return a.with2(from, to, func(src, dst *Object) error { return src.MoveTo(ctx, dst, true, nil) })
			},
			naive: func(a *arena, _ int) error {
				from, err := a.naively("f", true)
				if err != nil {
					return err
				}
				to, err := a.naively("t/moved", true)
				if err != nil {
					return err
				}
				return errors.Join(os.Rename(from, to), os.WriteFile(from, nil, 0o644))
			},
			mend: func(a *arena) { a.mendIn("d", "g") },
		},
		{
			name: "move a directory", attacks: []string{flipTo, flipMiddle},
			try: func(a *arena, i int) error {
				from, to := "a/m/deep", "t/deep"
				if i%2 == 1 {
					from, to = to, from
				}
				return a.with2(from, to, func(src, dst *Object) error { return src.MoveTo(ctx, dst, false, nil) })
			},
		},
		{
			name: "copy a file", attacks: []string{flipTo, flipDir},
			try: func(a *arena, i int) error {
				return a.with2("d/f", fmt.Sprintf("t/c/%d", i%8), func(src, dst *Object) error {
					_, _, err := src.CopyTo(ctx, dst, true, nil)
					return err
				})
			},
			naive: func(a *arena, i int) error {
				p, err := a.naively("d/f", false)
				if err != nil {
					return err
				}
				content, err := os.ReadFile(p)
				if err != nil {
					return err
				}
				to, err := a.naively(fmt.Sprintf("t/%d", i%8), true)
				if err != nil {
					return err
				}
				return errors.Join(checkContent(content), os.WriteFile(to, content, 0o644))
			},
		},
		{
			name: "copy a tree", attacks: []string{flipTo, flipDir},
			try: func(a *arena, i int) error {
				return a.with2("d", fmt.Sprintf("t/tree%d", i%4), func(src, dst *Object) error {
					_, _, err := src.CopyTo(ctx, dst, true, nil)
					return err
				})
			},
		},
		{
			name: "remove", attacks: []string{flipDir},
			try: func(a *arena, _ int) error {
				return a.with("d/g", Entry, func(o *Object) error { return o.Remove(ctx, nil) })
			},
			naive: func(a *arena, _ int) error {
				p, err := a.naively("d/g", false)
				if err != nil {
					return err
				}
				return os.Remove(p)
			},
			mend: func(a *arena) { a.mendIn("d", "g") },
		},
		{
			name: "remove a tree", attacks: []string{flipInner, flipDir},
			try: func(a *arena, i int) error {
				a.stageTree()
				return a.with([]string{"rm/d", "d/sub"}[i%2], Entry, func(o *Object) error {
					_, err := o.RemoveAll(ctx, nil)
					return err
				})
			},
			naive: func(a *arena, _ int) error {
				p, err := a.naively("d/sub", false)
				if err != nil {
					return err
				}
				return os.RemoveAll(p)
			},
			mend: func(a *arena) { a.mendIn("d", "sub/f") },
		},
	}
}

// mendFile makes the pair f, f2 a file and a link again: a rename in the right
// moment may have replaced the link.
func (a *arena) mendFile() {
	x, _ := os.Lstat(a.path("f"))
	y, _ := os.Lstat(a.path("f2"))
	if x == nil || y == nil || x.Mode().Type() != y.Mode().Type() {
		return
	}
	stage := a.path("stage/f")
	if x.Mode().IsRegular() {
		_ = os.Symlink(a.out+"/f", stage)
	} else {
		_ = os.WriteFile(stage, []byte("inside\n"), 0o644)
	}
	_ = os.Rename(stage, a.path("f2"))
}

// inner opens a directory of the workspace if it is not the link at this moment,
// so that what the test itself does there can't go astray.
func (a *arena) inner(name string) (*os.Root, error) {
	fd, err := unix.Open(a.path(name), unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", fd))
}

func (a *arena) mendIn(dir, name string) {
	root, err := a.inner(dir)
	if err != nil {
		return
	}
	defer root.Close()
	_ = root.MkdirAll(filepath.Dir(name), 0o755)
	_ = root.WriteFile(name, []byte("inside\n"), 0o644)
}

// clear removes what is in a directory.
func (a *arena) clear(dir string) {
	root, err := a.inner(dir)
	if err != nil {
		return
	}
	defer root.Close()
	entries, _ := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		if !e.Type().IsRegular() {
			_ = root.RemoveAll(e.Name())
		}
	}
}

// stageTree puts a full tree at rm/d, beside a link that the attacker swaps in.
// It is built where nobody attacks.
func (a *arena) stageTree() {
	if _, err := os.Lstat(a.path("rm/d")); err == nil {
		return
	}
	_ = os.Remove(a.path("rm/link"))
	_ = os.RemoveAll(a.path("rm/link"))
	_ = os.Symlink(a.out, a.path("rm/link"))
	for i := range 4 {
		dir := a.path(fmt.Sprintf("stage/d/x/%d", i))
		_ = os.MkdirAll(dir, 0o755)
		_ = os.WriteFile(dir+"/f", nil, 0o644)
	}
	_ = os.WriteFile(a.path("stage/d/y"), nil, 0o644)
	_ = os.Rename(a.path("stage/d"), a.path("rm/d"))
}

// outcome is what the tries of an act came to.
type outcome struct {
	tries, leaks int
	kinds        map[string]int
}

func kindOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, ErrEscape):
		return "escape"
	case errors.Is(err, ErrChanged):
		return "changed"
	case errors.Is(err, fs.ErrNotExist):
		return "not exist"
	case errors.Is(err, fs.ErrExist):
		return "exist"
	case errors.Is(err, ErrNotDirectory):
		return "not a directory"
	case errors.Is(err, ErrNotEmpty):
		return "not empty"
	default:
		return err.Error()
	}
}

func (o outcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tries, %d leaks;", o.tries, o.leaks)
	for _, k := range slices.Sorted(maps.Keys(o.kinds)) {
		fmt.Fprintf(&b, " %s %d", k, o.kinds[k])
	}
	return b.String()
}

// met tells whether the act was done before as well as after a swap.
func (o outcome) met() bool { return o.kinds["ok"] > 0 && o.kinds["ok"] < o.tries }

// run does an act until the tries are up, and goes on if the attacker had no
// turn by then. It looks at the outside in between and at the end.
func (a *arena) run(tries int, do func(i int) error, mend func(*arena), firstLeak bool) outcome {
	o := outcome{kinds: map[string]int{}}
	for ; o.tries < tries || !o.met() && o.tries < 40*tries; o.tries++ {
		err := do(o.tries)
		if errors.Is(err, errLeak) {
			o.leaks++
		} else {
			o.kinds[kindOf(err)]++
		}
		if mend != nil && o.tries%4 == 0 {
			mend(a)
		}
		if (o.tries%512 == 0 || o.tries >= tries-1) && a.outside(nil) != a.before {
			o.leaks++
			a.before = a.outside(nil)
		}
		if firstLeak && o.leaks > 0 {
			break
		}
	}
	return o
}

func TestRace(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		tries := 800
		if e == EngineOSRoot {
			tries = 200 // slower, and the same code above it
		}
		if longTests() {
			tries = 16_000
		}
		total, leaks := 0, 0
		for _, act := range acts() {
			t.Run(act.name, func(t *testing.T) {
				a := newArena(t, e)
				end := a.attack(t, act.attacks...)
				o := a.run(tries, func(i int) error { return act.try(a, i) }, act.mend, false)
				end()
				if err := a.insideClean(); err != nil {
					t.Error(err)
				}
				t.Log(o)
				if o.leaks > 0 {
					t.Error("leaks")
				}
				if !o.met() {
					t.Error("the attack and the act did not meet")
				}
				total, leaks = total+o.tries, leaks+o.leaks
			})
		}
		t.Logf("%d tries, %d leaks", total, leaks)
	})
}

// TestRaceNaive shows that the attack bites: the usual check leaks.
func TestRaceNaive(t *testing.T) {
	const bound = 200_000
	for _, act := range acts() {
		if act.naive == nil {
			continue
		}
		t.Run(act.name, func(t *testing.T) {
			a := newArena(t, EngineOpenat2)
			a.attack(t, act.attacks...)
			looked := func(i int) error {
				err := act.naive(a, i)
				if i%16 == 0 && a.outside(nil) != a.before {
					return leak("outside changed")
				}
				return err
			}
			o := a.run(bound, looked, act.mend, true)
			t.Log(o)
			if o.leaks == 0 {
				t.Errorf("no leak in %d tries: the attack does not bite", o.tries)
			}
		})
	}
}

// TestRaceMount binds the outside into the workspace. It runs in a mount
// namespace of its own, so that nothing is left on the host.
func TestRaceMount(t *testing.T) {
	const variable = "BAILEY_TEST_MOUNTS"
	if os.Getenv(variable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRaceMount$", "-test.v")
		cmd.Env = append(os.Environ(), variable+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if os.Getuid() != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
			t.Skip("needs root, or user namespaces")
		}
		t.Logf("%s", out)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	engines(t, func(t *testing.T, e Engine) {
		a := newArena(t, e)
		a.mountControl(t)
		end := a.attack(t, "mount out ws/rm/d/x", "mount out ws/mv")
		tries := 400
		if longTests() {
			tries = 5000
		}
		ctx := context.Background()
		o := a.run(tries, func(i int) error {
			a.stageTree()
			switch i % 3 {
			case 0:
				content, err := a.j.ReadFile("mv/f")
				return errors.Join(err, checkContent(content))
			case 1:
				return a.with("mv", Existing, func(o *Object) error {
					return o.Walk(ctx, WalkOptions{Ahead: i%2 == 0}, func(e *WalkEntry) error {
						return errors.Join(e.Err(), checkName(e.Name()))
					})
				})
			default:
				return a.with("rm/d", Entry, func(o *Object) error {
					_, err := o.RemoveAll(ctx, nil)
					return err
				})
			}
		}, nil, false)
		end()
		for _, name := range []string{"rm/d/x", "mv"} {
			for unix.Unmount(a.path(name), unix.MNT_DETACH) == nil {
			}
		}
		t.Log(o)
		if o.leaks > 0 || !o.met() {
			t.Errorf("leaks, or the attack and the act did not meet: %v", o)
		}
	})
}

// mountControl shows that the mount is there and would be read by its path.
func (a *arena) mountControl(t *testing.T) {
	t.Helper()
	if err := unix.Mount(a.out, a.path("mv"), "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(a.path("mv/f"))
	if err != nil || checkContent(content) == nil {
		t.Errorf("the mount does not show the outside: %v", err)
	}
	if _, err := a.j.ReadFile("mv/f"); !errors.Is(err, ErrEscape) {
		t.Errorf("beyond a mount: %v", err)
	}
	if err := unix.Unmount(a.path("mv"), 0); err != nil {
		t.Fatal(err)
	}
}

// TestRaceBinding attacks what a caller decides upon: the object that it gets
// must be the one whose real path it was told.
func TestRaceBinding(t *testing.T) {
	const public, secret = "PUBLIC", "SECRET"
	lay := func(t *testing.T, e Engine) *arena {
		a := newArena(t, e)
		put(t, a.path("p/public/f"), public)
		put(t, a.path("p/secret/f"), secret)
		put(t, a.path("p/public2/f"), public)
		put(t, a.path("p/public3"), public)
		for name, target := range map[string]string{
			"p/dir": "public", "p/dir2": "secret",
			"p/file": "public/f", "p/file2": a.path("p/secret/f"),
			"p/other2": "secret", "p/other3": "secret/f",
		} {
			if err := os.Symlink(target, a.path(name)); err != nil {
				t.Fatal(err)
			}
		}
		return a
	}
	flips := []string{
		"exchange ws/p/dir ws/p/dir2", "exchange ws/p/file ws/p/file2", // links
		"exchange ws/p/public2 ws/p/other2", "exchange ws/p/public3 ws/p/other3", // an object and a link
	}
	names := []string{"p/file", "p/dir/f", "p/dir/../file", "p/dir/./f", "p/public2/f", "p/public3"}
	want := func(real string, content []byte) error {
		word := secret
		if strings.Contains(real, "/public") {
			word = public
		}
		if !strings.HasPrefix(string(content), word) {
			return leak("%s holds %q", real, content)
		}
		if word == secret {
			return fs.ErrPermission // judged and refused
		}
		return nil
	}
	ctx := context.Background()
	ways := []struct {
		name string
		try  func(a *arena, name string) error
	}{
		{"resolve and open", func(a *arena, name string) error {
			return a.with(name, Existing, func(o *Object) error {
				f, err := o.Open()
				if err != nil {
					return err
				}
				defer f.Close()
				content, err := f.ReadAll()
				return errors.Join(err, want(o.Real(), content))
			})
		}},
		{"open", func(a *arena, name string) error {
			f, err := a.j.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			content, err := f.ReadAll()
			return errors.Join(err, want(f.Real(), content))
		}},
		{"replace", func(a *arena, name string) error {
			return a.with(name, Target, func(o *Object) error {
				word := secret
				if strings.Contains(o.Real(), "/public") {
					word = public
				}
				var held []byte
				_, err := o.Replace(ctx, ReplaceOptions{Verify: func(old *File) (err error) {
					held, err = old.ReadAll()
					return errors.Join(err, ignoreRefusal(want(old.Real(), held)))
				}}, writeString(word))
				if err != nil {
					return err
				}
				return want(o.Real(), held)
			})
		}},
		{"copy", func(a *arena, name string) error {
			return a.with(name, Existing, func(src *Object) error {
				return a.with("p/copy", Target, func(dst *Object) error {
					if _, _, err := src.CopyTo(ctx, dst, true, nil); err != nil {
						return err
					}
					content, err := a.j.ReadFile("p/copy")
					return errors.Join(err, want(src.Real(), content))
				})
			})
		}},
	}
	engines(t, func(t *testing.T, e Engine) {
		for _, way := range ways {
			t.Run(way.name, func(t *testing.T) {
				a := lay(t, e)
				a.attack(t, flips...)
				tries := 800
				if longTests() {
					tries = 50_000
				}
				o := a.run(tries, func(i int) error { return way.try(a, names[i%len(names)]) }, nil, false)
				t.Log(o)
				if o.leaks > 0 || !o.met() {
					t.Errorf("leaks, or the attack and the act did not meet: %v", o)
				}
			})
		}
	})
	t.Run("naive", func(t *testing.T) {
		a := lay(t, EngineOpenat2)
		a.attack(t, flips...)
		o := a.run(200_000, func(i int) error {
			p := a.path(names[i%2])
			real, err := filepath.EvalSymlinks(p)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(p)
			return errors.Join(err, want(real, content))
		}, nil, true)
		t.Log(o)
		if o.leaks == 0 {
			t.Error("the attack does not bite")
		}
	})
}

func ignoreRefusal(err error) error {
	if errors.Is(err, errLeak) {
		return err
	}
	return nil
}

// TestSwapWithin swaps at the one moment that a test can choose: between the
// resolving and the act, or in the middle of it, where the caller's function
// runs. It needs no luck.
func TestSwapWithin(t *testing.T) {
	ctx := context.Background()
	swapDir := func(t *testing.T, a *arena, x, y string) {
		t.Helper()
		if err := unix.Renameat2(unix.AT_FDCWD, a.path(x), unix.AT_FDCWD, a.path(y), unix.RENAME_EXCHANGE); err != nil {
			t.Error(err)
		}
	}
	tests := []struct {
		name string
		act  func(a *arena, swap func(x, y string)) error
	}{
		{"replace", func(a *arena, swap func(x, y string)) error {
			return a.with("d/f", Target, func(o *Object) error {
				_, err := o.Replace(ctx, ReplaceOptions{}, func(w io.Writer) error {
					swap("d", "d2")
					return writeString("new")(w)
				})
				return err
			})
		}},
		{"create with parents", func(a *arena, swap func(x, y string)) error {
			return a.with("t/n/k/f", Target, func(o *Object) error {
				swap("t", "t2")
				_, err := o.Replace(ctx, ReplaceOptions{Parents: true}, writeString("new"))
				return err
			})
		}},
		{"mkdir", func(a *arena, swap func(x, y string)) error {
			return a.with("t/n/k", Target, func(o *Object) error {
				swap("t", "t2")
				_, err := o.Mkdir(ctx, 0o755)
				return err
			})
		}},
		{"move", func(a *arena, swap func(x, y string)) error {
			return a.with2("d/g", "t/g", func(src, dst *Object) error {
				return src.MoveTo(ctx, dst, true, func(string, string, Info) error {
					swap("t", "t2")
					swap("d", "d2")
					return nil
				})
			})
		}},
		{"copy", func(a *arena, swap func(x, y string)) error {
			return a.with2("d", "t/copy", func(src, dst *Object) error {
				once := swap
				_, _, err := src.CopyTo(ctx, dst, true, func(string, string, Info) error {
					if once != nil {
						once("t", "t2")
						once("d", "d2")
					}
					once = nil
					return nil
				})
				return err
			})
		}},
		{"remove", func(a *arena, swap func(x, y string)) error {
			return a.with("d/g", Entry, func(o *Object) error {
				return o.Remove(ctx, func(string, string, Info) error {
					swap("d", "d2")
					return nil
				})
			})
		}},
		{"remove a tree", func(a *arena, swap func(x, y string)) error {
			return a.with("d", Entry, func(o *Object) error {
				_, err := o.RemoveAll(ctx, func(real, _ string, _ Info) error {
					if real == a.path("d/sub") {
						swap("d/sub", "t2")
					}
					return nil
				})
				return err
			})
		}},
		{"walk", func(a *arena, swap func(x, y string)) error { return walkSwapping(a, WalkOptions{Sorted: true}, swap) }},
		{"walk ahead", func(a *arena, swap func(x, y string)) error {
			return walkSwapping(a, WalkOptions{Sorted: true, Ahead: true}, swap)
		}},
		{"open", func(a *arena, swap func(x, y string)) error {
			return a.with("d/f", Entry, func(o *Object) error {
				swap("d", "d2")
				f, err := o.Open()
				if err != nil {
					return err
				}
				defer f.Close()
				content, err := f.ReadAll()
				return errors.Join(err, checkContent(content))
			})
		}},
	}
	engines(t, func(t *testing.T, e Engine) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				a := newArena(t, e)
				swapped := 0
				err := test.act(a, func(x, y string) {
					swapped++
					swapDir(t, a, x, y)
				})
				if swapped == 0 {
					t.Error("nothing was swapped")
				}
				if errors.Is(err, errLeak) {
					t.Error(err)
				}
				if a.outside(nil) != a.before {
					t.Error("the outside changed")
				}
				if err := a.insideClean(); err != nil {
					t.Error(err)
				}
				t.Log(err)
			})
		}
	})
}

// walkSwapping swaps directories that the walk is about to enter, or is in.
func walkSwapping(a *arena, opts WalkOptions, swap func(x, y string)) error {
	var later []*DeferredFile
	err := a.with(".", Existing, func(o *Object) error {
		return o.Walk(ctx, opts, func(e *WalkEntry) error {
			switch {
			case e.Path() == "a/m", e.Path() == "d": // about to be entered
				swap(e.Path(), e.Path()+"2")
			case e.Path() == "mv/f":
				later = append(later, e.Defer())
				swap("mv", "t2")
			}
			return errors.Join(e.Err(), checkName(e.Name()))
		})
	})
	for _, d := range later {
		f, openErr := d.Open()
		if openErr == nil {
			content, readErr := f.ReadAll()
			openErr = errors.Join(readErr, checkContent(content), f.Close())
		}
		err = errors.Join(err, openErr)
		d.Close()
	}
	return err
}
