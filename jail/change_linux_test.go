package jail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// ctx is for acts whose context is beside the point.
var ctx = context.Background()

// changeTree has a folder ro inside the workspace, and a folder far on the same
// file system beside it.
func changeTree() []string {
	return []string{
		"ws/a.txt = a", "ws/b.txt = b", "ws/h ~ ws/a.txt", "ws/d/x = x", "ws/d/e/y = y", "ws/d/l => x",
		"ws/d/out => ../../out/secret", "ws/d/abs => /etc/passwd", "ws/empty/", "ws/link => a.txt", "ws/dirlink => d",
		"ws/esc => ../out", "ws/dang => d/new", "ws/holds/ro/z = z", "ws/holds/q = q",
		"far/f = f", "far/up/g => ../f", "out/secret = SECRET", "out/dir/x = x",
	}
}

type changeCase struct {
	name string
	do   func(j *Jail) error
	err  error
	want []string // "path = content", "path => target", "path/", "-path" for what must be absent
}

func runChanges(t *testing.T, cases []changeCase) {
	engines(t, func(t *testing.T, e Engine) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				base := fastDir(t)
				makeTree(t, base, changeTree()...)
				j := newJail(t, base+"/ws", WithEngine(e), WithFolder(base+"/far", ReadWrite), WithFolder(base+"/ws/holds/ro", ReadOnly))
				before := snapshot(t, base)
				if err := c.do(j); !errors.Is(err, c.err) {
					t.Errorf("%v, want %v", err, c.err)
				}
				if c.err != nil && c.want == nil {
					if after := snapshot(t, base); after != before {
						t.Errorf("refused, but was\n%s\nand is\n%s", before, after)
					}
				}
				wantTree(t, base, append(c.want, "out/secret = SECRET", "out/dir/x = x")...)
				noTemps(t, base)
			})
		}
	})
}

// snapshot is the whole tree as text.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range list(t, dir) {
		full := filepath.Join(dir, name)
		fi, err := os.Lstat(full)
		check(t, err)
		content, _ := os.ReadFile(full)
		target, _ := os.Readlink(full)
		fmt.Fprintf(&b, "%q %v %q %q\n", name, fi.Mode(), content, target)
	}
	return b.String()
}

func wantTree(t *testing.T, base string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if name, content, ok := strings.Cut(line, " = "); ok {
			wantContent(t, base+"/"+name, content)
		} else if name, target, ok := strings.Cut(line, " => "); ok {
			if got, err := os.Readlink(base + "/" + name); err != nil || got != target {
				t.Errorf("%s => %q %v, want %q", name, got, err, target)
			}
		} else if name, ok := strings.CutPrefix(line, "-"); ok {
			wantAbsent(t, base+"/"+name)
		} else if fi, err := os.Lstat(base + "/" + line); err != nil || !fi.IsDir() {
			t.Errorf("%s: %v, want a directory", line, err)
		}
	}
}

func remove(name string) func(*Jail) error {
	return func(j *Jail) error {
		return acting(Entry, func(o *Object) error { return o.Remove(ctx, nil) })(j, name)
	}
}

func removeAll(name string, want int) func(*Jail) error {
	return func(j *Jail) error {
		return acting(Entry, func(o *Object) error {
			n, err := o.RemoveAll(ctx, nil)
			if err == nil && n != want {
				err = fmt.Errorf("%d removed, want %d", n, want)
			}
			return err
		})(j, name)
	}
}

func TestRemove(t *testing.T) {
	runChanges(t, []changeCase{
		{"file", remove("a.txt"), nil, []string{"-ws/a.txt", "ws/h = a"}},
		{"link", remove("link"), nil, []string{"-ws/link", "ws/a.txt = a"}},
		{"link outside", remove("esc"), nil, []string{"-ws/esc"}},
		{"dangling link", remove("dang"), nil, []string{"-ws/dang"}},
		{"empty directory", remove("empty"), nil, []string{"-ws/empty"}},
		{"empty directory with a slash", remove("empty/"), nil, []string{"-ws/empty"}},
		{"full directory", remove("d"), ErrNotEmpty, nil},
		{"link with a slash", remove("dirlink/"), ErrNotDirectory, nil},
		{"link with a slash, all", removeAll("dirlink/", 0), ErrNotDirectory, nil},
		{"link with a dot", removeAll("dirlink/.", 0), ErrRoot, nil},
		{"outside by a link with a slash", removeAll("esc/", 0), ErrEscape, nil},
		{"absent", remove("nowhere"), fs.ErrNotExist, nil},
		{"root", removeAll(".", 0), ErrRoot, nil},
		{"root by name", removeAll("../ws", 0), ErrRoot, nil},
		{"dot", removeAll("d/.", 0), ErrRoot, nil},
		{"dot dot", removeAll("d/..", 0), ErrRoot, nil},
		{"dot dot below", removeAll("d/e/..", 0), ErrRoot, nil},
		{"further folder", removeAll("../far", 0), ErrRoot, nil},
		{"folder inside", removeAll("holds/ro", 0), ErrReadOnly, nil},
		{"in a read-only folder", remove("holds/ro/z"), ErrReadOnly, nil},
		{"what holds a folder", removeAll("holds", 0), ErrRoot, nil},
		{"what holds a folder, as file", remove("holds"), ErrRoot, nil},
		{"beside that folder", remove("holds/q"), nil, []string{"-ws/holds/q", "ws/holds/ro/z = z"}},
		{"tree", removeAll("d", 7), nil, []string{"-ws/d", "ws/a.txt = a"}},
		{"tree of a file", removeAll("a.txt", 1), nil, []string{"-ws/a.txt"}},
		{"tree of a link", removeAll("dirlink", 1), nil, []string{"-ws/dirlink", "ws/d/x = x"}},
		{"for another how", func(j *Jail) error {
			return acting(Existing, func(o *Object) error { return o.Remove(ctx, nil) })(j, "a.txt")
		}, ErrRoot, nil},
		{"cancelled", func(j *Jail) error {
			cancelled, cancel := context.WithCancel(ctx)
			cancel()
			return acting(Entry, func(o *Object) error { return o.Remove(cancelled, nil) })(j, "a.txt")
		}, context.Canceled, nil},
		{"replaced meanwhile", func(j *Jail) error {
			return acting(Entry, func(o *Object) error {
				check(t, os.Rename(j.Root()+"/b.txt", j.Root()+"/a.txt"))
				return o.Remove(ctx, nil)
			})(j, "a.txt")
		}, ErrChanged, []string{"ws/a.txt = b"}},
		{"tree replaced by a link", func(j *Jail) error {
			return acting(Entry, func(o *Object) error {
				check(t, os.Rename(j.Root()+"/d", j.Root()+"/moved"))
				check(t, os.Rename(j.Root()+"/esc", j.Root()+"/d"))
				_, err := o.RemoveAll(ctx, nil)
				return err
			})(j, "d")
		}, ErrChanged, []string{"ws/d => ../out", "ws/moved/x = x"}},
	})
}

func move(from, to string, overwrite bool) func(*Jail) error {
	return func(j *Jail) error {
		return acting(Entry, func(o *Object) error {
			return acting(Target, func(dst *Object) error { return o.MoveTo(ctx, dst, overwrite, nil) })(j, to)
		})(j, from)
	}
}

func TestMove(t *testing.T) {
	runChanges(t, []changeCase{
		{"file", move("a.txt", "new", false), nil, []string{"-ws/a.txt", "ws/new = a"}},
		{"into a directory", move("a.txt", "d/new", false), nil, []string{"-ws/a.txt", "ws/d/new = a"}},
		{"makes parents", move("a.txt", "n/e/w", false), nil, []string{"-ws/a.txt", "ws/n/e/w = a"}},
		{"directory", move("d", "n/e", false), nil, []string{"-ws/d", "ws/n/e/x = x", "ws/n/e/e/y = y", "ws/n/e/l => x"}},
		{"link as link", move("link", "d/link", false), nil, []string{"-ws/link", "ws/d/link => a.txt"}},
		{"to another folder", move("a.txt", "../far/a", false), nil, []string{"-ws/a.txt", "far/a = a"}},
		{"directory to another folder", move("d", "../far/d", false), nil, []string{"-ws/d/", "far/d/e/y = y", "far/d/abs => /etc/passwd"}},
		{"taken", move("a.txt", "b.txt", false), fs.ErrExist, nil},
		{"overwrite", move("a.txt", "b.txt", true), nil, []string{"-ws/a.txt", "ws/b.txt = a"}},
		{"overwrite by a link", move("b.txt", "link", true), nil, []string{"-ws/b.txt", "ws/a.txt = b", "ws/link => a.txt"}},
		{"through a dangling link", move("a.txt", "dang", false), nil, []string{"-ws/a.txt", "ws/d/new = a"}},
		{"onto itself", move("a.txt", "./a.txt", false), nil, []string{"ws/a.txt = a"}},
		{"directory onto itself", move("d", "d", true), nil, []string{"ws/d/x = x"}},
		{"hard link onto its twin", move("a.txt", "h", true), nil, []string{"-ws/a.txt", "ws/h = a"}},
		{"link onto its target", move("link", "a.txt", true), fs.ErrInvalid, nil},
		{"link onto itself", move("link", "link", true), fs.ErrInvalid, nil},
		{"dangling link onto its target", move("dang", "d/new", true), fs.ErrInvalid, nil},
		{"link with a slash", move("dirlink/", "new", false), ErrNotDirectory, nil},
		{"into itself", move("d", "d/e/d", false), fs.ErrInvalid, nil},
		{"into itself by a link", move("d", "dirlink/new", false), fs.ErrInvalid, nil},
		{"directory over a directory", move("d", "empty", true), fs.ErrExist, nil},
		{"directory over a file", move("d", "a.txt", true), fs.ErrExist, nil},
		{"file over a directory", move("a.txt", "d", true), fs.ErrExist, nil},
		{"file over the root", move("a.txt", ".", true), fs.ErrExist, nil},
		{"directory over the root", move("d", ".", true), fs.ErrExist, nil},
		{"file to a directory that is to be", move("a.txt", "new/", false), ErrNotDirectory, nil},
		{"directory with a slash", move("d/", "new/", false), nil, []string{"ws/new/x = x"}},
		{"root", move(".", "../far/ws", false), ErrRoot, nil},
		{"further folder", move("../far", "new", false), ErrRoot, nil},
		{"folder inside", move("holds/ro", "new", false), ErrReadOnly, nil},
		{"what holds a folder", move("holds", "new", false), ErrRoot, nil},
		{"from read-only", move("holds/ro/z", "z", false), ErrReadOnly, nil},
		{"to read-only", move("a.txt", "holds/ro/new", false), ErrReadOnly, nil},
		{"over read-only", move("a.txt", "holds/ro/z", true), ErrReadOnly, nil},
		{"outside", move("a.txt", "../out/a", false), ErrEscape, nil},
		{"outside by a link", move("a.txt", "esc/a", false), ErrEscape, nil},
		{"from outside", move("esc/secret", "new", false), ErrEscape, nil},
		{"under a file", move("a.txt", "b.txt/x", false), ErrNotDirectory, nil},
		{"source replaced meanwhile", func(j *Jail) error {
			return acting(Entry, func(o *Object) error {
				check(t, os.Rename(j.Root()+"/b.txt", j.Root()+"/a.txt"))
				return moveTo(o, "new")
			})(j, "a.txt")
		}, ErrChanged, []string{"ws/a.txt = b", "-ws/new"}},
		{"destination appears", func(j *Jail) error {
			return acting(Entry, func(o *Object) error {
				return acting(Target, func(dst *Object) error {
					check(t, os.Rename(j.Root()+"/b.txt", j.Root()+"/new"))
					return o.MoveTo(ctx, dst, true, nil)
				})(j, "new")
			})(j, "a.txt")
		}, ErrChanged, []string{"ws/a.txt = a", "ws/new = b"}},
	})
}

func copying(from, to string, overwrite bool, files int) func(*Jail) error {
	return func(j *Jail) error {
		return acting(Existing, func(o *Object) error {
			return acting(Target, func(dst *Object) error {
				n, _, err := o.CopyTo(ctx, dst, overwrite, nil)
				if err == nil && n != files {
					err = fmt.Errorf("%d files, want %d", n, files)
				}
				return err
			})(j, to)
		})(j, from)
	}
}

func copyEntry(from, to string) func(*Jail) error {
	return func(j *Jail) error { return acting(Entry, func(o *Object) error { return copyTo(o, to) })(j, from) }
}

func TestCopy(t *testing.T) {
	runChanges(t, []changeCase{
		{"file", copying("a.txt", "new", false, 1), nil, []string{"ws/a.txt = a", "ws/new = a"}},
		{"makes parents", copying("a.txt", "n/e/w", false, 1), nil, []string{"ws/n/e/w = a"}},
		{"through links", copying("link", "dang", false, 1), nil, []string{"ws/d/new = a"}},
		{"link as link", copyEntry("link", "link2"), nil, []string{"ws/link2 => a.txt"}},
		{"link that would lead out", copyEntry("d/l", "../far/up/l"), nil, []string{"far/up/l => x"}},
		{"link that leads out", copyEntry("d/out", "out"), ErrEscape, nil},
		{"taken", copying("a.txt", "b.txt", false, 0), fs.ErrExist, nil},
		{"overwrite", copying("a.txt", "b.txt", true, 1), nil, []string{"ws/a.txt = a", "ws/b.txt = a"}},
		{"over a hard link", copying("b.txt", "h", true, 1), nil, []string{"ws/a.txt = a", "ws/h = b"}},
		{"onto itself", copying("a.txt", "a.txt", true, 0), fs.ErrExist, nil},
		{"onto itself by a link", copying("a.txt", "link", true, 0), fs.ErrExist, nil},
		{"to another folder", copying("d/e", "../far/d", false, 1), nil, []string{"far/d/y = y", "ws/d/e/y = y"}},
		{"from read-only", copying("holds/ro/z", "z", false, 1), nil, []string{"ws/z = z", "ws/holds/ro/z = z"}},
		{"holding a folder", copying("holds", "new", false, 2), nil, []string{"ws/new/ro/z = z", "ws/new/q = q"}},
		{"tree with a link out", copying("d", "new", false, 0), ErrEscape, []string{"ws/d/x = x"}},
		{"into itself", copying("d", "d/e/new", false, 0), fs.ErrInvalid, nil},
		{"workspace into itself", copying(".", "new", false, 0), fs.ErrInvalid, nil},
		{"directory over a file", copying("d", "a.txt", true, 0), fs.ErrExist, nil},
		{"file over a directory", copying("a.txt", "d", true, 0), fs.ErrExist, nil},
		{"filled up", copying("d/e", "empty", true, 1), nil, []string{"ws/empty/y = y"}},
		{"to read-only", copying("a.txt", "holds/ro/new", false, 0), ErrReadOnly, nil},
		{"over read-only", copying("a.txt", "holds/ro/z", true, 0), ErrReadOnly, nil},
		{"tree over read-only", copying("d/e", "holds/ro", true, 0), ErrReadOnly, nil},
		{"tree around read-only", func(j *Jail) error {
			check(t, os.MkdirAll(j.Root()+"/src/ro", 0o755))
			check(t, os.WriteFile(j.Root()+"/src/ro/z", []byte("evil"), 0o644))
			return copying("src", "holds", true, 0)(j)
		}, ErrReadOnly, []string{"ws/holds/ro/z = z"}},
		{"outside", copying("a.txt", "../out/new", false, 0), ErrEscape, nil},
		{"from outside", copying("esc/secret", "new", false, 0), ErrEscape, nil},
		{"a link comes into the way", func(j *Jail) error {
			return acting(Existing, func(o *Object) error {
				return acting(Target, func(dst *Object) error {
					_, _, err := o.CopyTo(ctx, dst, true, func(_, dest string, _ Info) error {
						if _, err := os.Lstat(filepath.Dir(dest)); err == nil && strings.HasSuffix(dest, "/y") {
							check(t, os.Symlink(j.Root()+"/b.txt", dest))
						}
						return nil
					})
					return err
				})(j, "new")
			})(j, "d/e")
		}, ErrChanged, []string{"ws/b.txt = b"}},
		{"special beneath", func(j *Jail) error {
			check(t, unix.Mkfifo(j.Root()+"/d/e/p", 0o644))
			return copying("d/e", "new", false, 0)(j)
		}, ErrSpecial, []string{"ws/d/e/y = y"}},
	})
}

// TestCopyMode: a copy has the source's permission bits and never its set-uid.
func TestCopyMode(t *testing.T) {
	old := unix.Umask(0o022)
	defer unix.Umask(old)
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "d/run 0755 = x", "d/secret 0600 = x", "d/shut 0700/")
		check(t, unix.Chmod(base+"/d/run", 0o4755))
		j := newJail(t, base, WithEngine(e))
		check(t, copying("d", "e", false, 2)(j))
		for name, want := range map[string]fs.FileMode{"run": 0o755, "secret": 0o600} {
			if fi, err := os.Stat(base + "/e/" + name); err != nil || fi.Mode() != want {
				t.Errorf("%s: %v %v", name, fi.Mode(), err)
			}
		}
	})
}

// TestAcrossDevices moves where rename(2) can't.
func TestAcrossDevices(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		far := t.TempDir()
		base := fastDir(t)
		if sameDevice(t, base, far) {
			t.Skip("needs /dev/shm and the temporary directory on two file systems")
		}
		makeTree(t, base, "a.txt = a", "b.txt = b", "d/x = x", "d/e/y 0700 = y", "d/l => x", "links/l => ../../../nowhere",
			"grow/x = x", "p | fifo")
		j := newJail(t, base, WithEngine(e), WithFolder(far, ReadWrite))
		check(t, move("a.txt", far+"/a.txt", false)(j))
		check(t, move("d", far+"/n/d", false)(j))
		wantTree(t, far, "a.txt = a", "n/d/x = x", "n/d/e/y = y", "n/d/l => x")
		wantTree(t, base, "-a.txt", "-d")
		for _, c := range []struct {
			from, to string
			over     bool
			err      error
		}{
			{"b.txt", "a.txt", false, fs.ErrExist},
			{"p", "p", false, ErrSpecial},
		} {
			if err := move(c.from, far+"/"+c.to, c.over)(j); !errors.Is(err, c.err) {
				t.Errorf("%s: %v, want %v", c.from, err, c.err)
			}
		}
		wantTree(t, base, "b.txt = b")
		check(t, move("links", far+"/links", false)(j))
		wantTree(t, far, "links/l => ../../../nowhere")
		check(t, move("b.txt", far+"/a.txt", true)(j))
		wantTree(t, far, "a.txt = b")

		// What comes into the source while it is copied is not lost.
		err := acting(Entry, func(o *Object) error {
			return acting(Target, func(dst *Object) error {
				return o.MoveTo(ctx, dst, false, func(real, _ string, _ Info) error {
					if strings.HasSuffix(real, "/x") {
						makeTree(t, far, "grow/")
						check(t, os.WriteFile(base+"/late", []byte("late"), 0o644))
						_ = os.Rename(base+"/late", base+"/grow/late")
					}
					return nil
				})
			})(j, far+"/grow")
		})(j, "grow")
		if err == nil {
			wantContent(t, far+"/grow/late", "late")
		} else {
			wantContent(t, base+"/grow/late", "late")
		}
	})
}

func sameDevice(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := os.Stat(a)
	check(t, err)
	y, err := os.Stat(b)
	check(t, err)
	return fromFileInfo(x).id.Dev == fromFileInfo(y).id.Dev
}

// TestGuard: every object is judged before anything is done to it, and a refusal
// stops the act.
func TestGuard(t *testing.T) {
	type seen struct{ real, dest string }
	for _, c := range []struct {
		name string
		do   func(j *Jail, g Guard) error
		want []seen
		kept string // what a refusal of d/e/y leaves
	}{
		{"remove", func(j *Jail, g Guard) error {
			return acting(Entry, func(o *Object) error { return o.Remove(ctx, g) })(j, "d/e/y")
		}, []seen{{"d/e/y", ""}}, "d/e/y = y"},
		{"remove all", func(j *Jail, g Guard) error {
			return acting(Entry, func(o *Object) error { _, err := o.RemoveAll(ctx, g); return err })(j, "d")
		}, []seen{{"d", ""}, {"d/e", ""}, {"d/e/y", ""}, {"d/l", ""}, {"d/x", ""}}, "d/e/y = y"},
		{"copy", func(j *Jail, g Guard) error {
			return acting(Existing, func(o *Object) error {
				return acting(Target, func(dst *Object) error { _, _, err := o.CopyTo(ctx, dst, false, g); return err })(j, "n/c")
			})(j, "d")
		}, []seen{{"d", "n/c"}, {"d/e", "n/c/e"}, {"d/e/y", "n/c/e/y"}, {"d/l", "n/c/l"}, {"d/x", "n/c/x"}}, "-n"},
		{"move", func(j *Jail, g Guard) error {
			return acting(Entry, func(o *Object) error {
				return acting(Target, func(dst *Object) error { return o.MoveTo(ctx, dst, false, g) })(j, "n/m")
			})(j, "d")
		}, []seen{{"d", "n/m"}, {"d/e", "n/m/e"}, {"d/e/y", "n/m/e/y"}, {"d/l", "n/m/l"}, {"d/x", "n/m/x"}}, "-n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				for _, refuse := range []bool{true, false} {
					base := fastDir(t)
					makeTree(t, base, "d/x = x", "d/e/y = y", "d/l => x")
					j := newJail(t, base, WithEngine(e))
					mine := errors.New("mine")
					var all []seen
					err := c.do(j, func(real, dest string, info Info) error {
						cut := func(p string) string { return strings.TrimPrefix(p, base+"/") }
						all = append(all, seen{cut(real), cut(dest)})
						if fi, err := os.Lstat(real); err != nil || !fromFileInfo(fi).same(info) {
							t.Errorf("%s: judged when it was gone, or by another's Info", real)
						}
						if refuse && strings.HasSuffix(real, "/y") {
							return mine
						}
						return nil
					})
					if refuse {
						if !errors.Is(err, mine) {
							t.Errorf("%v", err)
						}
						wantTree(t, base, "d/e/y = y", c.kept)
						continue
					}
					check(t, err)
					slices.SortFunc(all, func(a, b seen) int { return strings.Compare(a.real, b.real) })
					all = slices.Compact(all) // a copy judges before it begins and again as it goes
					if fmt.Sprint(all) != fmt.Sprint(c.want) {
						t.Errorf("judged %v, want %v", all, c.want)
					}
				}
			})
		})
	}
}

func TestMkdir(t *testing.T) {
	mkdir := func(name string, want ...string) func(*Jail) error {
		return func(j *Jail) error {
			return acting(Target, func(o *Object) error {
				made, err := o.Mkdir(ctx, 0o755)
				for i := range made {
					made[i] = strings.TrimPrefix(made[i], j.Root()+"/")
				}
				if err == nil && strings.Join(made, " ") != strings.Join(want, " ") {
					err = fmt.Errorf("made %q, want %q", made, want)
				}
				return err
			})(j, name)
		}
	}
	runChanges(t, []changeCase{
		{"one", mkdir("new", "new"), nil, []string{"ws/new"}},
		{"with a slash", mkdir("new/", "new"), nil, []string{"ws/new"}},
		{"with a dot", mkdir("new/.", "new"), nil, []string{"ws/new"}},
		{"several", mkdir("d/n/e/w", "d/n", "d/n/e", "d/n/e/w"), nil, []string{"ws/d/n/e/w"}},
		{"there", mkdir("d/e"), nil, []string{"ws/d/e"}},
		{"root", mkdir("."), nil, []string{"ws"}},
		{"by a link", mkdir("dirlink/n", "d/n"), nil, []string{"ws/d/n"}},
		{"at a dangling link", mkdir("dang", "d/new"), nil, []string{"ws/d/new"}},
		{"link to a directory", mkdir("dirlink"), nil, []string{"ws/dirlink => d"}},
		{"there, read-only", mkdir("holds/ro"), nil, []string{"ws/holds/ro"}},
		{"read-only", mkdir("holds/ro/new"), ErrReadOnly, nil},
		{"file", mkdir("a.txt"), fs.ErrExist, nil},
		{"under a file", mkdir("a.txt/new"), ErrNotDirectory, nil},
		{"outside", mkdir("../out/new"), ErrEscape, nil},
		{"outside by a link", mkdir("esc/n/e/w"), ErrEscape, nil},
		{"up from nowhere", mkdir("n/../w"), fs.ErrNotExist, nil},
	})
}

// TestMkdirRace: makers of the same directories all succeed, and each directory
// is reported as made once.
func TestMkdirRace(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		j := newJail(t, base, WithEngine(e))
		const makers = 8
		for round := range 20 {
			var (
				wg   sync.WaitGroup
				mu   sync.Mutex
				made []string
			)
			name := fmt.Sprintf("r%d/a/b/c/d", round)
			for range makers {
				wg.Go(func() {
					err := acting(Target, func(o *Object) error {
						dirs, err := o.Mkdir(ctx, 0o755)
						mu.Lock()
						made = append(made, dirs...)
						mu.Unlock()
						return err
					})(j, name)
					if err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			slices.Sort(made)
			if len(made) != 5 || len(slices.Compact(made)) != 5 {
				t.Errorf("made %q", made)
			}
		}
	})
}

// TestVerify: after a wait an object is good only while its real path names it.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		name   string
		path   string
		how    How
		change func(ws string) error
		err    error
	}{
		{"nothing happened", "d/x", Existing, func(string) error { return nil }, nil},
		{"a sibling changed", "d/x", Existing, func(ws string) error { return os.Remove(ws + "/b.txt") }, nil},
		{"still absent", "d/new", Target, func(ws string) error { return os.Remove(ws + "/b.txt") }, nil},
		{"replaced", "a.txt", Existing, renaming("b.txt", "a.txt"), ErrChanged},
		{"removed", "a.txt", Existing, func(ws string) error { return os.Remove(ws + "/a.txt") }, ErrChanged},
		{"became a link to itself", "a.txt", Existing, func(ws string) error {
			check(t, os.Rename(ws+"/a.txt", ws+"/real"))
			return os.Symlink("real", ws+"/a.txt")
		}, ErrChanged},
		{"parent moved", "d/x", Existing, renaming("d", "moved"), ErrChanged},
		{"parent became a link to itself", "d/x", Existing, func(ws string) error {
			check(t, os.Rename(ws+"/d", ws+"/real"))
			return os.Symlink("real", ws+"/d")
		}, ErrChanged},
		{"parent became a link outside", "d/x", Entry, func(ws string) error {
			check(t, os.Rename(ws+"/d", ws+"/real"))
			return os.Symlink("../out/dir", ws+"/d")
		}, ErrChanged},
		{"parent made anew", "d/new", Target, func(ws string) error {
			check(t, os.Rename(ws+"/d", ws+"/real"))
			return os.Mkdir(ws+"/d", 0o755)
		}, ErrChanged},
		{"appeared", "new", Target, renaming("b.txt", "new"), ErrChanged},
		{"a parent appeared", "n/e/w", Target, func(ws string) error { return os.Mkdir(ws+"/n", 0o755) }, ErrChanged},
		{"appeared as a link", "new", Target, renaming("esc", "new"), ErrChanged},
		{"directory replaced", "d", Existing, func(ws string) error {
			check(t, os.Rename(ws+"/d", ws+"/real"))
			return os.Mkdir(ws+"/d", 0o755)
		}, ErrChanged},
	} {
		t.Run(c.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				base := fastDir(t)
				makeTree(t, base, changeTree()...)
				j := newJail(t, base+"/ws", WithEngine(e))
				o := resolve(t, j, c.path, c.how)
				check(t, o.Verify(ctx))
				check(t, c.change(base+"/ws"))
				if err := o.Verify(ctx); !errors.Is(err, c.err) {
					t.Errorf("%v, want %v", err, c.err)
				}
			})
		})
	}
}

// TestHardLinks: reading one can be refused, in every way of reading.
func TestHardLinks(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "out = secret", "ws/h ~ out", "ws/l => h", "ws/a.txt = a")
		for _, deny := range []bool{true, false} {
			opts := []Option{WithEngine(e)}
			var want error
			if deny {
				opts, want = append(opts, WithDenyHardLinks()), ErrHardLink
			}
			j := newJail(t, base+"/ws", opts...)
			for _, name := range []string{"h", "l"} {
				for what, do := range map[string]func(*Jail, string) error{
					"Open":  func(j *Jail, name string) error { return closing(j.Open(name)) },
					"FS":    func(j *Jail, name string) error { return closing(j.FS().Open(name)) },
					"entry": acting(Target, func(o *Object) error { return closing(o.Open()) }),
					"object": acting(Existing, func(o *Object) error {
						if o.Info().Nlink() != 2 {
							t.Errorf("Nlink() = %d", o.Info().Nlink())
						}
						return closing(o.Open())
					}),
					"copy": acting(Existing, func(o *Object) error { return copyTo(o, "copy") }),
					"walk": acting2(".", func(o *Object) error {
						return o.Walk(ctx, WalkOptions{}, func(e *WalkEntry) error {
							if e.Name() == "h" {
								return closing(e.Open())
							}
							return nil
						})
					}),
				} {
					if err := do(j, name); !errors.Is(err, want) {
						t.Errorf("%s of %s: %v, want %v", what, name, err, want)
					}
				}
			}
			if b, err := j.ReadFile("a.txt"); err != nil || string(b) != "a" {
				t.Error(err)
			}
		}
	})
}
