package jail

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// soon fails the test if act is not done in time: it blocks on a special file.
func soon(t *testing.T, what string, act func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		act()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatalf("%s blocks", what)
	}
}

func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// specialOps are all the ways to touch an object, each with what it must say
// about a special file.
var specialOps = []struct {
	name string
	want error
	do   func(j *Jail, name string) error
}{
	{"open", ErrSpecial, func(j *Jail, name string) error { return closing(j.Open(name)) }},
	{"read", ErrSpecial, func(j *Jail, name string) error {
		_, err := j.ReadFile(name)
		return err
	}},
	{"write", ErrSpecial, func(j *Jail, name string) error { return j.WriteFile(name, []byte("x"), 0o644) }},
	{"fs", ErrSpecial, func(j *Jail, name string) error { return closing(j.FS().Open(name)) }},
	{"stat", nil, func(j *Jail, name string) error {
		info, err := j.Stat(name)
		if err == nil && !info.IsSpecial() {
			return errors.New("is not special")
		}
		return err
	}},
	{"object open", ErrSpecial, acting(Existing, func(o *Object) error { return closing(o.Open()) })},
	{"entry open", ErrSpecial, acting(Entry, func(o *Object) error { return closing(o.Open()) })},
	{"verify", nil, acting(Existing, func(o *Object) error { return o.Verify(context.Background()) })},
	{"readlink", fs.ErrInvalid, acting(Entry, func(o *Object) error {
		_, err := o.Readlink()
		return err
	})},
	{"replace", ErrSpecial, acting(Target, func(o *Object) error {
		_, err := o.Replace(context.Background(), ReplaceOptions{}, writeText("x"))
		return err
	})},
	{"mkdir", fs.ErrExist, acting(Target, func(o *Object) error {
		_, err := o.Mkdir(context.Background(), 0o755)
		return err
	})},
	{"walk", ErrNotDirectory, acting(Existing, func(o *Object) error {
		return o.Walk(context.Background(), WalkOptions{}, func(*WalkEntry) error { return nil })
	})},
	{"move", ErrSpecial, acting(Entry, func(o *Object) error { return moveTo(o, "moved") })},
	{"copy", ErrSpecial, acting(Existing, func(o *Object) error { return copyTo(o, "copied") })},
	{"be copied over", ErrSpecial, func(j *Jail, name string) error {
		return acting(Existing, func(o *Object) error { return copyTo(o, name) })(j, "a.txt")
	}},
	{"be moved over", ErrSpecial, func(j *Jail, name string) error {
		return acting(Entry, func(o *Object) error { return moveTo(o, name) })(j, "a.txt")
	}},
	{"walk by", nil, acting2(".", func(o *Object) error {
		return o.Walk(context.Background(), WalkOptions{Stat: true}, func(e *WalkEntry) error {
			err := closing(e.Open())
			if e.Type()&^fs.ModeDir == 0 || e.IsLink() && errors.Is(err, ErrNotRegular) || errors.Is(err, ErrSpecial) || e.Type()&fs.ModeDevice != 0 && err == nil {
				return nil
			}
			return err
		})
	})},
	{"remove", nil, acting(Entry, func(o *Object) error { return o.Remove(context.Background(), nil) })},
}

func closing[T io.Closer](f T, err error) error {
	if err != nil {
		return err
	}
	return f.Close()
}

func acting(how How, act func(*Object) error) func(*Jail, string) error {
	return func(j *Jail, name string) error {
		o, err := j.Resolve(context.Background(), name, how)
		if err != nil {
			return err
		}
		return errors.Join(act(o), o.Close())
	}
}

func acting2(name string, act func(*Object) error) func(*Jail, string) error {
	return func(j *Jail, _ string) error { return acting(Existing, act)(j, name) }
}

func moveTo(o *Object, name string) error {
	return acting(Target, func(dst *Object) error {
		return o.MoveTo(context.Background(), dst, true, nil)
	})(o.j, name)
}

func copyTo(o *Object, name string) error {
	return acting(Target, func(dst *Object) error {
		_, _, err := o.CopyTo(context.Background(), dst, true, nil)
		return err
	})(o.j, name)
}

// TestSpecial: nothing that is done to a FIFO, a socket or a device blocks or
// reaches what is behind it.
func TestSpecial(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		for _, kind := range []string{"fifo", "socket", "zero"} {
			t.Run(kind, func(t *testing.T) {
				if kind == "zero" {
					needRoot(t, "a device node")
				}
				base := fastDir(t)
				makeTree(t, base, "a.txt = a", "sp | "+kind, "l => sp", "d/sp | "+kind)
				j := newJail(t, base, WithEngine(e))
				for _, op := range specialOps {
					for _, name := range []string{"sp", "d/sp", "l"} {
						if name == "l" && (op.name == "remove" || op.name == "entry open" || op.name == "readlink" || op.name == "move") {
							continue // about the link itself
						}
						soon(t, op.name, func() {
							if err := op.do(j, name); !errors.Is(err, op.want) {
								t.Errorf("%s %s: %v, want %v", op.name, name, err, op.want)
							}
						})
					}
				}
				wantContent(t, base+"/a.txt", "a")
				if left := list(t, base); len(left) != 3 {
					t.Errorf("left: %q", left)
				}
			})
		}
	})
}

// TestSpecialCopiedTree: a copy stops at a FIFO, a removal takes it along.
func TestSpecialCopiedTree(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "d/a.txt = a", "d/p | fifo")
		j := newJail(t, base, WithEngine(e))
		soon(t, "copy", func() {
			err := acting(Existing, func(o *Object) error { return copyTo(o, "e") })(j, "d")
			if !errors.Is(err, ErrSpecial) {
				t.Error(err)
			}
		})
		soon(t, "remove", func() {
			err := acting(Entry, func(o *Object) error {
				_, err := o.RemoveAll(context.Background(), nil)
				return err
			})(j, "d")
			if err != nil {
				t.Error(err)
			}
		})
		wantAbsent(t, base+"/d")
	})
}

// TestHarmlessDevices: null and urandom can be read, and end.
func TestHarmlessDevices(t *testing.T) {
	needRoot(t, "device nodes")
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "null | null", "random | urandom")
		j := newJail(t, base, WithEngine(e))
		for name, want := range map[string]int{"null": 0, "random": deviceLimit} {
			soon(t, name, func() {
				b, err := j.ReadFile(name)
				if err != nil || len(b) != want {
					t.Errorf("%s: %d bytes, %v", name, len(b), err)
				}
			})
			f, err := j.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, f)
			if err != nil || n != int64(want) {
				t.Errorf("%s: %d bytes, %v", name, n, err)
			}
			m, err := f.ReadAt(make([]byte, 10), deviceLimit-4)
			if m > 4 || err != io.EOF {
				t.Errorf("%s: ReadAt at the end: %d %v", name, m, err)
			}
			check(t, f.Close())
			if err := j.WriteFile(name, nil, 0o644); !errors.Is(err, ErrSpecial) {
				t.Errorf("%s was written: %v", name, err)
			}
		}
	})
}

// TestSealed: what may not be opened can be found and described all the same.
func TestSealed(t *testing.T) {
	needUser(t)
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "sealed 0000 = secret", "l => sealed", "shut/x = x", "search/a.txt = a", "search/d/x = x", "drop/")
		check(t, os.Chmod(base+"/shut", 0))
		check(t, os.Chmod(base+"/search", 0o311))
		check(t, os.Chmod(base+"/drop", 0o300))
		t.Cleanup(func() {
			for _, d := range []string{"shut", "search", "drop"} {
				_ = os.Chmod(base+"/"+d, 0o755)
			}
		})
		j := newJail(t, base, WithEngine(e))
		for _, name := range []string{"sealed", "l"} {
			o := resolve(t, j, name, Existing)
			if o.Real() != base+"/sealed" || o.Info().Size() != 6 {
				t.Errorf("%s: %s %v", name, o.Real(), o.Info())
			}
			if err := closing(o.Open()); !errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrEscape) {
				t.Errorf("%s: Open: %v", name, err)
			}
			if _, err := j.ReadFile(name); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: ReadFile: %v", name, err)
			}
			if info, err := j.Stat(name); err != nil || info.Size() != 6 {
				t.Errorf("%s: Stat: %v", name, err)
			}
		}
		// A file that may not be read may be replaced, and stays shut.
		check(t, j.WriteFile("sealed", []byte("new"), 0o644))
		if fi, err := os.Stat(base + "/sealed"); err != nil || fi.Mode().Perm() != 0 || fi.Size() != 3 {
			t.Errorf("%v %v", fi, err)
		}
		if _, err := j.ReadFile("shut/x"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("shut/x: %v", err)
		}
		if e == EngineOSRoot {
			return // os.Root can't hold a directory that may be searched but not read
		}
		if _, err := j.Stat("shut"); err != nil {
			t.Error(err)
		}
		for _, name := range []string{"search/a.txt", "search/d/../a.txt"} {
			if b, err := j.ReadFile(name); err != nil || string(b) != "a" {
				t.Errorf("%s: %v", name, err)
			}
		}
		o := resolve(t, j, "search/d/../a.txt", Target)
		if _, err := o.Replace(context.Background(), ReplaceOptions{Verify: func(*File) error { return nil }}, writeText("b")); err != nil {
			t.Error(err)
		}
		wantContent(t, base+"/search/a.txt", "b")
		if err := resolve(t, j, "search", Existing).Walk(context.Background(), WalkOptions{}, nil); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("walk of a directory that may not be read: %v", err)
		}
		synced, err := New(base, WithEngine(e))
		check(t, err)
		defer func() { _ = synced.Close() }()
		check(t, synced.WriteFile("drop/new", []byte("new"), 0o644))
		wantContent(t, base+"/drop/new", "new")
	})
}

// TestLease: a file under a lease is an error in time, not a wait.
func TestLease(t *testing.T) {
	base := fastDir(t)
	makeTree(t, base, "a.txt = a")
	j := newJail(t, base, WithEngine(EngineOpenat2))
	f, err := os.OpenFile(base+"/a.txt", os.O_RDWR, 0)
	check(t, err)
	defer func() { _ = f.Close() }()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skipf("needs a file system with leases: %v", err)
	}
	soon(t, "open", func() {
		if _, err := j.ReadFile("a.txt"); !errors.Is(err, ErrChanged) {
			t.Errorf("%v", err)
		}
	})
}
