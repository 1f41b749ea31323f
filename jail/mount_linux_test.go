package jail

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// mountTree has in the workspace a directory of the same file system (bind), a
// file of it (file), a procfs and a tmpfs mounted, and a permitted mount (cross)
// that has another one within.
func mountTree(t *testing.T) (base string) {
	t.Helper()
	needRoot(t, "mounts")
	base = fastDir(t)
	makeTree(t, base, "out/x = outside", "out/d/y = outside", "in/x = inside", "in/d/y = inside", "in/more/", "ws/bind/", "ws/file = under",
		"ws/proc/", "ws/tmp/", "ws/cross/", "ws/a.txt = a", "ws/l => bind/x", "ws/up => cross/..", "ws/tree/bind/", "ws/tree/a = a")
	mount(t, base+"/out", base+"/ws/bind", "", unix.MS_BIND, "")
	mount(t, base+"/out", base+"/ws/tree/bind", "", unix.MS_BIND, "")
	mount(t, base+"/out/x", base+"/ws/file", "", unix.MS_BIND, "")
	mount(t, "proc", base+"/ws/proc", "proc", 0, "")
	mount(t, "tmpfs", base+"/ws/tmp", "tmpfs", 0, "size=64k")
	mount(t, base+"/in", base+"/ws/cross", "", unix.MS_BIND, "")
	mount(t, base+"/out", base+"/ws/cross/more", "", unix.MS_BIND, "")
	makeTree(t, base, "ws/tmp/x = outside")
	return base
}

func TestMounts(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := mountTree(t)
		j := newJail(t, base+"/ws", WithEngine(e), WithCrossMounts("cross", base+"/ws/proc", "not-there"))
		for _, name := range []string{"bind/x", "bind/d/y", "file", "tmp/x", "l", "cross/more/x", "bind/d/../x", "tree/bind/x"} {
			if b, err := os.ReadFile(base + "/ws/" + name); err != nil || string(b) != "outside" {
				t.Errorf("control: %s: %q %v", name, b, err)
			}
			err := closing(j.Open(name))
			var escape *EscapeError
			if !errors.As(err, &escape) || !escape.Mount || !errors.Is(err, ErrEscape) {
				t.Errorf("Open %s: %v", name, err)
			}
			if _, err := j.Stat(name); !errors.Is(err, ErrEscape) {
				t.Errorf("Stat %s: %v", name, err)
			}
			if err := j.WriteFile(name, []byte("evil"), 0o644); !errors.Is(err, ErrEscape) && !errors.Is(err, syscall.EBUSY) {
				t.Errorf("WriteFile %s: %v", name, err)
			}
		}
		for _, name := range []string{"bind", "tmp", "cross/more"} {
			if _, err := j.Stat(name); !errors.Is(err, ErrEscape) {
				t.Errorf("Stat %s: %v", name, err)
			}
			if _, err := j.Resolve(ctx, name+"/new", Target); !errors.Is(err, ErrEscape) {
				t.Errorf("%s/new: %v", name, err)
			}
			err := acting(Entry, func(o *Object) error { _, err := o.RemoveAll(ctx, nil); return err })(j, name)
			if !errors.Is(err, ErrEscape) {
				t.Errorf("RemoveAll %s: %v", name, err)
			}
		}
		for _, name := range []string{"proc", "proc/version", "proc/self/root/etc/passwd"} {
			if _, err := os.Stat(base + "/ws/" + name); err != nil {
				t.Errorf("control: %v", err)
			}
			if _, err := j.Stat(name); !errors.Is(err, ErrSpecial) {
				t.Errorf("Stat %s: %v", name, err)
			}
		}
		for name, real := range map[string]string{"cross/x": "cross/x", "cross/d/y": "cross/d/y", "cross/d/../x": "cross/x", "up/a.txt": "a.txt", "cross/../a.txt": "a.txt"} {
			f, err := j.Open(name)
			if err != nil {
				t.Error(err)
				continue
			}
			if f.Real() != base+"/ws/"+real {
				t.Errorf("%s is %s", name, f.Real())
			}
			check(t, f.Close())
		}
		check(t, j.WriteFile("cross/new", []byte("new"), 0o644))
		wantContent(t, base+"/in/new", "new")
		wantContent(t, base+"/out/x", "outside")
	})
}

// TestMountTrees: recursive acts stop at a mount, and nothing beyond is touched.
func TestMountTrees(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := mountTree(t)
		j := newJail(t, base+"/ws", WithEngine(e), WithCrossMounts("cross", "proc"))
		for _, ahead := range []bool{false, true} {
			refused := map[string]bool{}
			err := resolve(t, j, ".", Existing).Walk(ctx, WalkOptions{Sorted: true, Ahead: ahead}, func(e *WalkEntry) error {
				if e.Err() != nil {
					refused[e.Path()] = errors.Is(e.Err(), ErrEscape) || errors.Is(e.Err(), ErrSpecial)
				}
				for _, beyond := range []string{"bind/", "tmp/", "proc/", "more/"} {
					if strings.Contains(e.Path(), beyond) {
						t.Errorf("walked to %s", e.Path())
					}
				}
				return nil
			})
			check(t, err)
			for _, name := range []string{"bind", "tmp", "proc", "cross/more", "tree/bind"} {
				if !refused[name] {
					t.Errorf("%s was not reported as refused: %v", name, refused)
				}
			}
		}
		if err := removeAll("tree", 0)(j); !errors.Is(err, ErrEscape) {
			t.Errorf("remove: %v", err)
		}
		if err := copying("tree", "copy", false, 0)(j); !errors.Is(err, ErrEscape) {
			t.Errorf("copy: %v", err)
		}
		if err := move("bind", "moved", false)(j); !errors.Is(err, syscall.EBUSY) {
			t.Errorf("move: %v", err)
		}
		wantTree(t, base, "out/x = outside", "out/d/y = outside", "in/x = inside")
	})
}

// TestMountLoop: a tree is not copied into itself by way of a mount.
func TestMountLoop(t *testing.T) {
	needRoot(t, "a mount")
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "src/a = a", "m/")
		mount(t, base+"/src", base+"/m", "", unix.MS_BIND, "")
		j := newJail(t, base, WithEngine(e), WithCrossMounts("m"))
		soon(t, "copy", func() {
			if err := copying("src", "m/copy", false, 0)(j); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%v", err)
			}
		})
		wantAbsent(t, base+"/src/copy/copy")
	})
}

// TestMountFolder: an allowed folder may be a mount itself, and may lie in
// another one as a mount.
func TestMountFolder(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := mountTree(t)
		j := newJail(t, base+"/ws", WithEngine(e), WithFolder(base+"/ws/bind", ReadOnly))
		for _, name := range []string{"bind/x", base + "/ws/bind/x", "l", "bind/d/../x"} {
			if b, err := j.ReadFile(name); err != nil || string(b) != "outside" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := j.WriteFile("bind/x", nil, 0o644); !errors.Is(err, ErrReadOnly) {
			t.Error(err)
		}
		if _, err := j.ReadFile("bind/../a.txt"); err != nil {
			t.Error(err)
		}
		if _, err := j.ReadFile("tmp/x"); !errors.Is(err, ErrEscape) {
			t.Error(err)
		}
	})
}

// TestKernelFolder: no folder lies on a file system of the kernel.
func TestKernelFolder(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		for _, dir := range []string{"/proc/self", "/proc", "/sys/kernel"} {
			if j, err := New(dir, WithEngine(e), WithForceRoot()); !errors.Is(err, ErrSpecial) {
				t.Errorf("%s: %v", dir, err)
				if err == nil {
					_ = j.Close()
				}
			}
		}
		j := newJail(t, "/", WithEngine(e), WithForceRoot(), WithCrossMounts("/proc"))
		for _, name := range []string{"/proc/version", "proc/self/environ"} {
			if _, err := j.ReadFile(name); !errors.Is(err, ErrSpecial) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := j.ReadFile("/etc/passwd"); err != nil {
			t.Error(err)
		}
		if o := resolve(t, j, "../../etc", Existing); o.Real() != "/etc" {
			t.Error(o.Real())
		}
	})
}
