package jail

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func replace(o *Object, opts ReplaceOptions, text string) (Info, error) {
	return o.Replace(context.Background(), opts, writeText(text))
}

func TestReplace(t *testing.T) {
	mine := errors.New("mine")
	refuse := func(*File) error { return mine }
	accept := func(*File) error { return nil }
	for _, c := range []struct {
		name, path string
		how        How
		opts       ReplaceOptions
		write      func(io.Writer) error
		err        error
		want       string // path = content, after; "-path" for absent
	}{
		{name: "new", path: "new", want: "new = text"},
		{name: "over", path: "a.txt", want: "a.txt = text"},
		{name: "entry", path: "a.txt", how: Entry, want: "a.txt = text"},
		{name: "through a link", path: "l", want: "a.txt = text"},
		{name: "dangling link", path: "dang", want: "d/new = text"},
		{name: "hard link is broken", path: "h", want: "a.txt = old"},
		{name: "empty", path: "a.txt", write: func(io.Writer) error { return nil }, want: "a.txt = "},
		{name: "parents", path: "n/e/w", opts: ReplaceOptions{Parents: true}, want: "n/e/w = text"},
		{name: "no parents", path: "n/w", err: fs.ErrNotExist, want: "-n"},
		{name: "exclusive new", path: "new", opts: ReplaceOptions{Exclusive: true}, want: "new = text"},
		{name: "exclusive", path: "a.txt", opts: ReplaceOptions{Exclusive: true}, err: fs.ErrExist, want: "a.txt = old"},
		{name: "verified", path: "a.txt", opts: ReplaceOptions{Verify: accept}, want: "a.txt = text"},
		{name: "verified new", path: "new", opts: ReplaceOptions{Verify: accept}, want: "new = text"},
		{name: "refused", path: "a.txt", opts: ReplaceOptions{Verify: refuse}, err: mine, want: "a.txt = old"},
		{name: "refused new", path: "new", opts: ReplaceOptions{Verify: refuse}, err: mine, want: "-new"},
		{name: "broken off", path: "a.txt", write: func(w io.Writer) error {
			_, _ = io.WriteString(w, "half")
			return mine
		}, err: mine, want: "a.txt = old"},
		{name: "broken off new", path: "n/new", opts: ReplaceOptions{Parents: true}, write: func(io.Writer) error { return mine }, err: mine, want: "-n/new"},
		{name: "directory", path: "d", err: ErrNotRegular, want: "a.txt = old"},
		{name: "directory to be", path: "new/", err: ErrNotRegular, want: "-new"},
		{name: "link itself", path: "l", how: Entry, err: ErrNotRegular, want: "a.txt = old"},
		{name: "root", path: ".", err: ErrNotRegular, want: "a.txt = old"},
		{name: "existing", path: "a.txt", how: Existing, err: ErrRoot, want: "a.txt = old"},
		{name: "read-only", path: "ro/a.txt", err: ErrReadOnly, want: "ro/a.txt = ro"},
		{name: "read-only new", path: "ro/new", err: ErrReadOnly, want: "-ro/new"},
		{name: "read-only parents", path: "ro/n/w", opts: ReplaceOptions{Parents: true}, err: ErrReadOnly, want: "-ro/n"},
		{name: "link into read-only", path: "intoro", err: ErrReadOnly, want: "ro/a.txt = ro"},
		{name: "under a file", path: "a.txt/x", err: ErrNotDirectory, want: "a.txt = old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				base := fastDir(t)
				makeTree(t, base, "a.txt = old", "h ~ a.txt", "d/", "l => a.txt", "dang => d/new", "ro/a.txt = ro", "intoro => ro/a.txt")
				j := newJail(t, base, WithEngine(e), WithFolder(base+"/ro", ReadOnly))
				if c.write == nil {
					c.write = writeText("text")
				}
				how := c.how
				if how == Existing && c.name != "existing" {
					how = Target
				}
				err := acting(how, func(o *Object) error {
					info, err := o.Replace(context.Background(), c.opts, c.write)
					if err == nil && (info.Size() == 4) != strings.HasSuffix(c.want, " = text") && c.name != "hard link is broken" {
						t.Errorf("Info: %v", info)
					}
					return err
				})(j, c.path)
				if !errors.Is(err, c.err) {
					t.Errorf("%v, want %v", err, c.err)
				}
				if name, content, ok := strings.Cut(c.want, " = "); ok {
					wantContent(t, base+"/"+name, content)
				} else {
					wantAbsent(t, base+"/"+c.want[1:])
				}
				noTemps(t, base)
			})
		})
	}
}

func noTemps(t *testing.T, dir string) {
	t.Helper()
	for _, name := range list(t, dir) {
		if strings.Contains(name, tempPrefix) {
			t.Errorf("%s is left", name)
		}
	}
}

// TestReplaceError: what the caller's functions return comes back as it is, even
// if it wraps errors that look like ours.
func TestReplaceError(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "a.txt = a")
		j := newJail(t, base, WithEngine(e))
		mine := &mineError{&fs.PathError{Op: "read", Path: "elsewhere", Err: &EscapeError{Path: "elsewhere"}}}
		for name, act := range map[string]func(*Object) error{
			"write": func(o *Object) error {
				_, err := o.Replace(context.Background(), ReplaceOptions{}, func(io.Writer) error { return mine })
				return err
			},
			"verify": func(o *Object) error {
				_, err := replace(o, ReplaceOptions{Verify: func(*File) error { return mine }}, "b")
				return err
			},
			"guard": func(o *Object) error {
				return o.Remove(context.Background(), func(string, string, Info) error { return mine })
			},
		} {
			err := act(resolve(t, j, "a.txt", Target))
			if err != error(mine) {
				t.Errorf("%s: %v", name, err)
			}
		}
		wantContent(t, base+"/a.txt", "a")
	})
}

type mineError struct{ error }

func (m *mineError) Unwrap() error { return m.error }

func TestReplaceMode(t *testing.T) {
	old := unix.Umask(0o027)
	defer unix.Umask(old)
	for _, c := range []struct {
		name string
		line string
		opts ReplaceOptions
		want fs.FileMode
	}{
		{"new, default", "", ReplaceOptions{}, 0o640},
		{"new", "", ReplaceOptions{Perm: 0o755}, 0o750},
		{"new, set-uid", "", ReplaceOptions{Perm: 0o755 | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky}, 0o750},
		{"new, exact", "", ReplaceOptions{Perm: 0o666, SetPerm: true}, 0o666},
		{"new, none", "", ReplaceOptions{SetPerm: true}, 0},
		{"kept", "f 0604 = old", ReplaceOptions{Perm: 0o755}, 0o604},
		{"kept executable", "f 0777 = old", ReplaceOptions{}, 0o777},
		{"set-uid dropped", "f 04755 = old", ReplaceOptions{}, 0o755},
		{"set-gid dropped", "f 02755 = old", ReplaceOptions{}, 0o755},
		{"sticky dropped", "f 01755 = old", ReplaceOptions{}, 0o755},
		{"changed", "f 0600 = old", ReplaceOptions{Perm: 0o646, SetPerm: true}, 0o646},
		{"changed, set-uid", "f 0600 = old", ReplaceOptions{Perm: 0o711 | fs.ModeSetuid, SetPerm: true}, 0o711},
	} {
		t.Run(c.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				base := fastDir(t)
				if c.line != "" {
					makeTree(t, base, strings.Replace(c.line, "f 04755", "f", 1))
					if strings.HasPrefix(c.name, "set-") || strings.HasPrefix(c.name, "sticky") {
						bits := map[string]uint32{"set-uid dropped": 0o4755, "set-gid dropped": 0o2755, "sticky dropped": 0o1755}[c.name]
						check(t, unix.Chmod(base+"/f", bits))
						if fi, err := os.Stat(base + "/f"); err != nil || fi.Mode().Perm() == fi.Mode() {
							t.Fatalf("control: no special bit to drop: %v %v", fi.Mode(), err)
						}
					}
				}
				j := newJail(t, base, WithEngine(e))
				info, err := replace(resolve(t, j, "f", Target), c.opts, "new")
				check(t, err)
				fi, err := os.Stat(base + "/f")
				check(t, err)
				if fi.Mode() != c.want || info.Mode() != c.want {
					t.Errorf("mode %v (Info %v), want %v", fi.Mode(), info.Mode(), c.want)
				}
			})
		})
	}
}

// TestReplaceKeeps: owner, group, user attributes and ACL survive; a default ACL
// of the directory does not widen what the old file let in.
func TestReplaceKeeps(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "a.txt 0640 = old", "acl/plain 0640 = old", "acl/own 0640 = old")
		attributes := setAttribute(t, base+"/a.txt", "user.note", []byte("kept"))
		// user::rw-, user:4321:rw-, group::r--, mask::rw-, other::---
		acl := aclEntries([]aclEntry{{1, 6, ^uint32(0)}, {2, 6, 4321}, {4, 4, ^uint32(0)}, {16, 6, ^uint32(0)}, {32, 0, ^uint32(0)}})
		acls := setAttribute(t, base+"/acl", "system.posix_acl_default", acl) && setAttribute(t, base+"/acl/own", accessACL, acl)
		if os.Geteuid() == 0 {
			check(t, os.Chown(base+"/a.txt", 4321, 4322))
		}
		before, err := os.Stat(base + "/a.txt")
		check(t, err)
		j := newJail(t, base, WithEngine(e))
		for _, name := range []string{"a.txt", "acl/plain", "acl/own"} {
			check(t, j.WriteFile(name, []byte("new"), 0o600))
		}
		after, err := os.Stat(base + "/a.txt")
		check(t, err)
		was, is := fromFileInfo(before), fromFileInfo(after)
		if was.UID() != is.UID() || was.GID() != is.GID() || was.Mode() != is.Mode() || was.same(is) {
			t.Errorf("was %v %d:%d, is %v %d:%d", was.Mode(), was.UID(), was.GID(), is.Mode(), is.UID(), is.GID())
		}
		if attributes {
			wantAttribute(t, base+"/a.txt", "user.note", []byte("kept"))
		}
		if !acls {
			t.Log("no ACLs on this file system: that part needs one")
			return
		}
		wantAttribute(t, base+"/acl/own", accessACL, acl)
		wantAttribute(t, base+"/acl/plain", accessACL, nil)
		if fi, err := os.Stat(base + "/acl/plain"); err != nil || fi.Mode() != 0o640 {
			t.Errorf("mode %v %v", fi.Mode(), err)
		}
	})
}

type aclEntry struct {
	tag, perm uint16
	id        uint32
}

// aclEntries is the form of acl(5) that the kernel takes.
func aclEntries(entries []aclEntry) []byte {
	b := []byte{2, 0, 0, 0}
	for _, e := range entries {
		b = append(b, byte(e.tag), byte(e.tag>>8), byte(e.perm), byte(e.perm>>8),
			byte(e.id), byte(e.id>>8), byte(e.id>>16), byte(e.id>>24))
	}
	return b
}

func setAttribute(t *testing.T, name, attr string, value []byte) bool {
	t.Helper()
	err := unix.Setxattr(name, attr, value, 0)
	if errors.Is(err, unix.ENOTSUP) {
		return false
	}
	check(t, err)
	return true
}

func wantAttribute(t *testing.T, name, attr string, want []byte) {
	t.Helper()
	buf := make([]byte, 1024)
	n, err := unix.Getxattr(name, attr, buf)
	if errors.Is(err, unix.ENODATA) {
		n, err = 0, nil
	}
	if err != nil || !bytes.Equal(buf[:n], want) {
		t.Errorf("%s of %s: %x, %v; want %x", attr, name, buf[:n], err, want)
	}
}

// TestReplaceChanged: a name that is another object than the one resolved is left
// alone.
func TestReplaceChanged(t *testing.T) {
	verify := func(*File) error { return nil }
	for _, c := range []struct {
		name   string
		path   string
		opts   ReplaceOptions
		change func(base string) error
		err    error
	}{
		{"replaced", "a.txt", ReplaceOptions{}, renaming("b.txt", "a.txt"), ErrChanged},
		{"replaced, verified", "a.txt", ReplaceOptions{Verify: verify}, renaming("b.txt", "a.txt"), ErrChanged},
		{"removed", "a.txt", ReplaceOptions{}, func(b string) error { return os.Remove(b + "/a.txt") }, ErrChanged},
		{"became a link", "a.txt", ReplaceOptions{}, renaming("l", "a.txt"), ErrChanged},
		{"became a directory", "new", ReplaceOptions{}, renaming("d", "new"), ErrChanged},
		{"appeared", "new", ReplaceOptions{}, renaming("b.txt", "new"), ErrChanged},
		{"appeared, exclusive", "new", ReplaceOptions{Exclusive: true}, renaming("b.txt", "new"), fs.ErrExist},
		{"appeared as a link", "new", ReplaceOptions{}, renaming("l", "new"), ErrChanged},
		{"parent became a link", "n/w", ReplaceOptions{Parents: true}, renaming("l", "n"), ErrChanged},
		{"parent became a file", "n/w", ReplaceOptions{Parents: true}, renaming("b.txt", "n"), ErrChanged},
	} {
		t.Run(c.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				base := fastDir(t)
				makeTree(t, base, "ws/a.txt = a", "ws/b.txt = b", "ws/l => ../out", "ws/d/x = x", "out/")
				j := newJail(t, base+"/ws", WithEngine(e))
				o := resolve(t, j, c.path, Target)
				check(t, c.change(base+"/ws"))
				after := list(t, base)
				if _, err := replace(o, c.opts, "lost"); !errors.Is(err, c.err) {
					t.Errorf("%v, want %v", err, c.err)
				}
				if now := list(t, base); strings.Join(now, "\n") != strings.Join(after, "\n") {
					t.Errorf("was %q, is %q", after, now)
				}
				if err := o.Verify(context.Background()); !errors.Is(err, ErrChanged) {
					t.Errorf("Verify: %v", err)
				}
			})
		})
	}
}

func renaming(from, to string) func(string) error {
	return func(base string) error { return os.Rename(base+"/"+from, base+"/"+to) }
}

// TestPutBack: whatever a third program does between the exchange and the
// verdict, the newest file ends up in place and nothing is left over.
func TestPutBack(t *testing.T) {
	mine := errors.New("mine")
	for _, c := range []struct {
		name   string
		change func(base string) error
		want   string
		err    error
	}{
		{"nobody", func(string) error { return nil }, "old", mine},
		{"replaced", func(base string) error {
			check(t, os.WriteFile(base+"/other", []byte("third"), 0o644))
			return os.Rename(base+"/other", base+"/a.txt")
		}, "third", mine},
		{"removed", func(base string) error { return os.Remove(base + "/a.txt") }, "", mine},
	} {
		t.Run(c.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				base := fastDir(t)
				makeTree(t, base, "a.txt = old")
				j := newJail(t, base, WithEngine(e))
				_, err := replace(resolve(t, j, "a.txt", Target), ReplaceOptions{Verify: func(f *File) error {
					if b, err := f.ReadAll(); err != nil || string(b) != "old" {
						t.Errorf("verify sees %q %v", b, err)
					}
					check(t, c.change(base))
					return mine
				}}, "new")
				if !errors.Is(err, c.err) {
					t.Error(err)
				}
				if c.want == "" {
					// The new file was removed by somebody; the old content is kept.
					if e == EngineOpenat2 {
						names := list(t, base)
						if len(names) != 1 {
							t.Fatalf("left: %q", names)
						}
						wantContent(t, base+"/"+names[0], "old")
					}
					return
				}
				wantContent(t, base+"/a.txt", c.want)
				noTemps(t, base)
			})
		})
	}
}

// TestCommitWithoutExchange covers file systems that can't exchange names.
func TestCommitWithoutExchange(t *testing.T) {
	base := fastDir(t)
	makeTree(t, base, "a.txt = old")
	j := newJail(t, base, WithEngine(EngineOpenat2))
	mine := errors.New("mine")
	for _, verdict := range []error{mine, nil} {
		o := resolve(t, j, "a.txt", Target)
		o.parent = noExchange{o.parent.(*fdDir)}
		_, err := replace(o, ReplaceOptions{Verify: func(f *File) error {
			if b, err := f.ReadAll(); err != nil || string(b) != "old" {
				t.Errorf("verify sees %q %v", b, err)
			}
			wantContent(t, base+"/a.txt", "old") // checked before, not after
			return verdict
		}}, "new")
		if !errors.Is(err, verdict) {
			t.Error(err)
		}
		wantContent(t, base+"/a.txt", map[bool]string{true: "new", false: "old"}[verdict == nil])
		noTemps(t, base)
	}
	o := resolve(t, j, "a.txt", Target)
	o.parent = noExchange{o.parent.(*fdDir)}
	_, err := replace(o, ReplaceOptions{Verify: func(*File) error {
		check(t, os.WriteFile(base+"/other", []byte("third"), 0o644))
		return os.Rename(base+"/other", base+"/a.txt")
	}}, "lost")
	if !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	wantContent(t, base+"/a.txt", "third")
}

type noExchange struct{ *fdDir }

func (n noExchange) rename(name string, to dir, newName string, how renameMode) error {
	if how == renameExchange {
		return errNoExchange
	}
	return n.fdDir.rename(name, to.(noExchange).fdDir, newName, how)
}

// hooked is a directory in which something happens right before a rename.
type hooked struct {
	*fdDir
	before func()
}

func (h hooked) rename(name string, to dir, newName string, how renameMode) error {
	h.before()
	if target, ok := to.(hooked); ok {
		to = target.fdDir
	}
	return h.fdDir.rename(name, to, newName, how)
}

// TestLateComer: a name that is taken in the last moment is not overwritten.
func TestLateComer(t *testing.T) {
	base := fastDir(t)
	makeTree(t, base, "a.txt = a")
	j := newJail(t, base, WithEngine(EngineOpenat2))
	for _, c := range []struct {
		name string
		opts ReplaceOptions
		want error
	}{
		{"new", ReplaceOptions{}, ErrChanged},
		{"other", ReplaceOptions{Exclusive: true}, fs.ErrExist},
	} {
		o := resolve(t, j, c.name, Target)
		o.parent = hooked{o.parent.(*fdDir), func() { makeTree(t, base, c.name+" = late") }}
		if _, err := replace(o, c.opts, "lost"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		wantContent(t, base+"/"+c.name, "late")
	}
	o, dst := resolve(t, j, "a.txt", Entry), resolve(t, j, "moved", Target)
	o.parent = hooked{o.parent.(*fdDir), func() { makeTree(t, base, "moved = late") }}
	if err := o.MoveTo(ctx, dst, true, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("move: %v", err)
	}
	wantContent(t, base+"/moved", "late")
	wantContent(t, base+"/a.txt", "a")

	// A file that is replaced right before the exchange is not the one to verify.
	once := sync.OnceFunc(func() {
		makeTree(t, base, "third = third")
		check(t, os.Rename(base+"/third", base+"/a.txt"))
	})
	o = resolve(t, j, "a.txt", Target)
	o.parent = hooked{o.parent.(*fdDir), once}
	_, err := replace(o, ReplaceOptions{Verify: func(*File) error {
		t.Error("another file was verified")
		return nil
	}}, "lost")
	if !errors.Is(err, ErrChanged) {
		t.Errorf("exchange: %v", err)
	}
	wantContent(t, base+"/a.txt", "third")
	noTemps(t, base)
}

// TestLinkOver covers file systems without RENAME_NOREPLACE.
func TestLinkOver(t *testing.T) {
	base := fastDir(t)
	makeTree(t, base, "a.txt = a", "b.txt = b", "d/x = x", "e/")
	j := newJail(t, base, WithEngine(EngineOpenat2))
	d := resolve(t, j, ".", Existing).self.(*fdDir)
	for _, c := range []struct {
		from, to string
		err      error
	}{
		{"a.txt", "new", nil},
		{"b.txt", "new", fs.ErrExist},
		{"d", "dir", nil},
		{"dir", "e", fs.ErrExist},
		{"dir", "b.txt", fs.ErrExist},
	} {
		if err := d.linkOver(c.from, d.fd, c.to); !errors.Is(err, c.err) {
			t.Errorf("%s to %s: %v, want %v", c.from, c.to, err, c.err)
		}
	}
	wantContent(t, base+"/new", "a")
	wantContent(t, base+"/dir/x", "x")
	wantAbsent(t, base+"/a.txt")
}

// TestStuckLock: somebody who never lets go of a directory's lock costs a writer
// its patience once, and no more.
func TestStuckLock(t *testing.T) {
	defer func(d time.Duration) { lockPatience = d }(lockPatience)
	lockPatience = 50 * time.Millisecond // 128 times that is too long
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "a.txt = a", "b.txt = b", "d/")
		j := newJail(t, base, WithEngine(e))
		holder, err := os.Open(base)
		check(t, err)
		check(t, unix.Flock(int(holder.Fd()), unix.LOCK_SH))
		swap := ReplaceOptions{Verify: func(*File) error { return nil }}
		soon(t, "write", func() {
			_, err := resolve(t, j, "a.txt", Target).Replace(context.Background(), swap, func(w io.Writer) error { return nil })
			if !errors.Is(err, ErrChanged) {
				t.Errorf("%v", err)
			}
		})
		soon(t, "move", func() {
			err := acting(Entry, func(o *Object) error { return moveTo(o, "d/a.txt") })(j, "a.txt")
			if !errors.Is(err, ErrChanged) {
				t.Errorf("%v", err)
			}
		})
		lockPatience = time.Hour
		soon(t, "cancelled write", func() {
			ctx, cancel := context.WithCancel(context.Background())
			_, err := resolve(t, j, "a.txt", Target).Replace(ctx, swap, func(w io.Writer) error {
				time.AfterFunc(10*time.Millisecond, cancel)
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
		lockPatience = 20 * time.Millisecond
		wantContent(t, base+"/a.txt", "a")
		noTemps(t, base)
		check(t, holder.Close())
		_, err = resolve(t, j, "a.txt", Target).Replace(context.Background(), swap, func(io.Writer) error { return nil })
		check(t, err) // the control
	})
}

// TestFullDisk: a write for which there is no room leaves the old file and
// nothing else.
func TestFullDisk(t *testing.T) {
	needRoot(t, "a small file system")
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		mount(t, "tmpfs", base, "tmpfs", 0, "size=64k")
		makeTree(t, base, "a.txt = old", "d/b.txt = b")
		j := newJail(t, base, WithEngine(e))
		big := bytes.Repeat([]byte("x"), 1<<20)
		if err := os.WriteFile(base+"/naive", big, 0o644); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("control: %v", err)
		}
		check(t, os.Remove(base+"/naive"))
		for _, name := range []string{"a.txt", "new"} {
			err := j.WriteFile(name, big, 0o644)
			if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), tempPrefix) {
				t.Errorf("%s: %v", name, err)
			}
		}
		wantContent(t, base+"/a.txt", "old")
		if left := list(t, base); strings.Join(left, " ") != "a.txt d d/b.txt" {
			t.Errorf("left: %q", left)
		}
	})
}

// mount mounts for the length of the test.
func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(target, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// TestSweep: what a crash left goes, what a living writer holds stays, and so do
// read-only folders and names that only look alike.
func TestSweep(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		left := tempPrefix + "0123456789abcdef"
		makeTree(t, base, left+" = 1", "d/"+left+" = 2", "d/e/f/"+left+" = 3", "ro/"+left+" = ro",
			tempPrefix+"short = s", "d/"+tempPrefix+"0123456789abcdeg/x = x", "alive/a.txt = a")
		j := newJail(t, base, WithEngine(e), WithFolder(base+"/ro", ReadOnly))
		var during int
		_, err := resolve(t, j, "alive/a.txt", Target).Replace(context.Background(), ReplaceOptions{}, func(io.Writer) error {
			var err error
			during, err = j.Sweep(context.Background())
			return err
		})
		check(t, err)
		if during != 3 {
			t.Errorf("%d removed, want 3", during)
		}
		for _, name := range []string{left, "d/" + left, "d/e/f/" + left} {
			wantAbsent(t, base+"/"+name)
		}
		wantContent(t, base+"/ro/"+left, "ro")
		wantContent(t, base+"/"+tempPrefix+"short", "s")
		wantContent(t, base+"/d/"+tempPrefix+"0123456789abcdeg/x", "x")
	})
}
