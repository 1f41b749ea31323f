package jail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func walkTreeLines() []string {
	return []string{"a = a", "b/c = c", "b/d/e = e", "b/d/f/", "l => b", "p | fifo", "z = z", "b/" + tempPrefix + "0123456789abcdef = hidden"}
}

func TestWalk(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		name string
		opts WalkOptions
		fn   func(e *WalkEntry) error
		err  error
		want string
	}{
		{"all", WalkOptions{}, nil, nil, "a b/ b/c b/d/ b/d/e b/d/f/ l p z"},
		{"stat", WalkOptions{Stat: true}, nil, nil, "a b/ b/c b/d/ b/d/e b/d/f/ l p z"},
		{"depth 1", WalkOptions{Depth: 1}, nil, nil, "a b/ l p z"},
		{"depth 2", WalkOptions{Depth: 2}, nil, nil, "a b/ b/c b/d/ l p z"},
		{"post", WalkOptions{Post: true}, nil, nil, "a b/ b/c b/d/ b/d/e b/d/f/ b/d/f/^ b/d/^ b/^ l p z"},
		{"post, depth 1", WalkOptions{Post: true, Depth: 1}, nil, nil, "a b/ b/^ l p z"},
		{"skip a directory", WalkOptions{Post: true}, on("b/d", fs.SkipDir), nil, "a b/ b/c b/d/ b/^ l p z"},
		{"skip the rest of a directory", WalkOptions{Post: true}, on("b/c", fs.SkipDir), nil, "a b/ b/c b/^ l p z"},
		{"skip the rest of all", WalkOptions{}, on("a", fs.SkipDir), nil, "a"},
		{"stop", WalkOptions{}, on("b/c", fs.SkipAll), nil, "a b/ b/c"},
		{"fail", WalkOptions{}, on("b/d/e", stop), stop, "a b/ b/c b/d/ b/d/e"},
	} {
		t.Run(c.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				base := fastDir(t)
				makeTree(t, base, walkTreeLines()...)
				j := newJail(t, base, WithEngine(e))
				c.opts.Sorted = true
				for _, c.opts.Ahead = range []bool{false, true} {
					var got []string
					err := resolve(t, j, ".", Existing).Walk(ctx, c.opts, func(e *WalkEntry) error {
						got = append(got, shown(e))
						checkEntry(t, base, e)
						if c.fn != nil {
							return c.fn(e)
						}
						return nil
					})
					if err != c.err {
						t.Errorf("%v, want %v", err, c.err)
					}
					if s := strings.Join(got, " "); s != c.want {
						t.Errorf("saw  %s\nwant %s", s, c.want)
					}
				}
			})
		})
	}
}

func on(path string, err error) func(*WalkEntry) error {
	return func(e *WalkEntry) error {
		if e.Path() == path {
			return err
		}
		return nil
	}
}

func shown(e *WalkEntry) string {
	s := e.Path()
	if e.IsDir() {
		s += "/"
	}
	if e.After() {
		s += "^"
	}
	if e.Err() != nil {
		s += "!"
	}
	return s
}

// checkEntry compares an entry with what the kernel says about its real path.
func checkEntry(t *testing.T, base string, e *WalkEntry) {
	t.Helper()
	fi, err := os.Lstat(e.Real())
	check(t, err)
	info, err := e.Info()
	check(t, err)
	if !info.same(fromFileInfo(fi)) || info.Name() != e.Name() || e.Type() != fi.Mode().Type() || e.IsLink() != (fi.Mode()&fs.ModeSymlink != 0) {
		t.Errorf("%s: %v %v, not %v", e.Path(), info, e.Type(), fi)
	}
	if e.Real() != filepath.Join(base, e.Path()) || e.Dir() != filepath.Dir(e.Real()) || e.Depth() != strings.Count(e.Path(), "/")+1 {
		t.Errorf("%s: Real %s, Dir %s, Depth %d", e.Path(), e.Real(), e.Dir(), e.Depth())
	}
	f, err := e.Open()
	switch {
	case fi.Mode().IsRegular():
		b, err := f.ReadAll()
		if err != nil || string(b) != e.Name() || f.Real() != e.Real() {
			t.Errorf("%s holds %q %v", f.Real(), b, err)
		}
		check(t, f.Close())
	case e.IsLink():
		if target, err := e.Readlink(); err != nil || target != "b" {
			t.Errorf("%q %v", target, err)
		}
		fallthrough
	default:
		if !errors.Is(err, ErrNotRegular) && !errors.Is(err, ErrSpecial) {
			t.Errorf("%s: %v", e.Path(), err)
		}
	}
}

// TestWalkStarts: a walk can start from an object resolved in any way, at a
// directory only, and more than once.
func TestWalkStarts(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, walkTreeLines()...)
		j := newJail(t, base, WithEngine(e))
		for _, how := range []How{Existing, Entry, Target} {
			o := resolve(t, j, "b", how)
			for range 2 {
				n := 0
				check(t, o.Walk(ctx, WalkOptions{Ahead: true}, func(e *WalkEntry) error { n++; return nil }))
				if n != 4 {
					t.Errorf("%v: %d entries", how, n)
				}
			}
			if err := resolve(t, j, "a", how).Walk(ctx, WalkOptions{}, nil); !errors.Is(err, ErrNotDirectory) {
				t.Errorf("%v: %v", how, err)
			}
		}
		if err := resolve(t, j, "new", Target).Walk(ctx, WalkOptions{}, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if err := resolve(t, j, "l", Entry).Walk(ctx, WalkOptions{}, nil); !errors.Is(err, ErrNotDirectory) {
			t.Error(err)
		}
		cancelled, cancel := context.WithCancel(ctx)
		for i := range 200 {
			makeTree(t, base, fmt.Sprintf("many/%d = x", i))
		}
		err := resolve(t, j, "many", Existing).Walk(cancelled, WalkOptions{}, func(*WalkEntry) error { cancel(); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// TestWalkVanishes: what goes away or changes kind while the walk is on its way
// is passed over, never followed.
func TestWalkVanishes(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "out/secret = s", "ws/a = a", "ws/b/x = x", "ws/c/x = x", "ws/d/x = x", "ws/e = e", "ws/f/x = x")
		j := newJail(t, base+"/ws", WithEngine(e))
		ws := base + "/ws/"
		var got []string
		err := resolve(t, j, ".", Existing).Walk(ctx, WalkOptions{Sorted: true, Stat: true}, func(e *WalkEntry) error {
			got = append(got, shown(e))
			switch e.Path() {
			case "a":
				check(t, os.RemoveAll(ws+"b"))
			case "c": // becomes a link outside before it is entered
				check(t, os.Rename(ws+"c", base+"/gone"))
				check(t, os.Symlink("../out", ws+"c"))
			case "d": // becomes a file
				check(t, os.RemoveAll(ws+"d"))
				check(t, os.WriteFile(ws+"d", nil, 0o644))
				check(t, os.Remove(ws+"e"))
			}
			return nil
		})
		check(t, err)
		if s := strings.Join(got, " "); s != "a c/ d/ f/ f/x" {
			t.Errorf("saw %s", s)
		}
	})
}

func TestWalkUnreadable(t *testing.T) {
	needUser(t)
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "a = a", "shut/x = x", "t/shut/", "z = z")
		for _, d := range []string{"shut", "t/shut"} {
			check(t, os.Chmod(base+"/"+d, 0))
			t.Cleanup(func() { _ = os.Chmod(base+"/"+d, 0o755) })
		}
		j := newJail(t, base, WithEngine(e))
		for _, ahead := range []bool{false, true} {
			var got []string
			check(t, resolve(t, j, ".", Existing).Walk(ctx, WalkOptions{Sorted: true, Post: true, Ahead: ahead}, func(e *WalkEntry) error {
				if e.Err() != nil && !errors.Is(e.Err(), fs.ErrPermission) {
					t.Error(e.Err())
				}
				got = append(got, shown(e))
				return nil
			}))
			if s := strings.Join(got, " "); s != "a shut/ shut/! t/ t/shut/ t/shut/! t/^ z" {
				t.Errorf("saw %s", s)
			}
		}
		if err := removeAll("shut", 0)(j); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("remove: %v", err)
		}
		check(t, removeAll("t", 2)(j)) // an empty one can go unread
	})
}

// TestDefer: files are opened after the walk has left, by others.
func TestDefer(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		var want int
		for d := range 20 {
			for f := range 10 {
				makeTree(t, base, fmt.Sprintf("d%d/e/f%d = %d", d, f, d*10+f))
				want += d*10 + f
			}
		}
		j := newJail(t, base, WithEngine(e))
		files := make(chan *DeferredFile, 1000)
		check(t, resolve(t, j, ".", Existing).Walk(ctx, WalkOptions{}, func(e *WalkEntry) error {
			if !e.IsDir() {
				files <- e.Defer()
			}
			return nil
		}))
		close(files)
		var (
			wg  sync.WaitGroup
			mu  sync.Mutex
			sum int
		)
		for range 4 {
			wg.Go(func() {
				for d := range files {
					f, err := d.Open()
					if err != nil {
						t.Error(err)
						continue
					}
					b, _ := f.ReadAll()
					n, err := strconv.Atoi(string(b))
					if err != nil || f.Real() != d.Real() {
						t.Error(err)
					}
					_ = f.Close()
					d.Close()
					d.Close() // a second one does nothing
					mu.Lock()
					sum += n
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if sum != want {
			t.Errorf("sum %d, want %d", sum, want)
		}
	})
}

// TestWalkBig goes through one huge directory, sorted and not, and looks at the
// memory that it takes: 80,000 names, or a million with BAILEY_LONG=1.
func TestWalkBig(t *testing.T) {
	count := 80_000
	if longTests() {
		count = 1_000_000
	}
	base := fastDir(t)
	makeTree(t, base, "big/")
	dir, err := unix.Open(base+"/big", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	check(t, err)
	for i := range count {
		check(t, unix.Mknodat(dir, fmt.Sprintf("name-%08d", (i*7919)%count), unix.S_IFREG|0o644, 0))
	}
	check(t, unix.Close(dir))
	engines(t, func(t *testing.T, e Engine) {
		j := newJail(t, base, WithEngine(e))
		for _, sorted := range []bool{false, true} {
			seen := make([]bool, count)
			var (
				n, portions int
				last        string
				peak        uint64
			)
			before := heap()
			check(t, resolve(t, j, "big", Existing).Walk(ctx, WalkOptions{Sorted: sorted}, func(e *WalkEntry) error {
				i, err := strconv.Atoi(strings.TrimPrefix(e.Name(), "name-"))
				if err != nil || seen[i] {
					return fmt.Errorf("%s: seen twice or unknown: %v", e.Name(), err)
				}
				seen[i] = true
				if last != "" && e.Name() < last {
					portions++
				}
				last = strings.Clone(e.Name())
				if n++; n%(count/4) == count/8 {
					peak = max(peak, heap())
				}
				return nil
			}))
			grown := int64(peak) - int64(before)
			t.Logf("%d names, sorted %v: %d KiB of heap", n, sorted, grown>>10)
			if n != count {
				t.Errorf("%d names, want %d", n, count)
			}
			limit := int64(2 << 20)
			if sorted {
				limit = 12 << 20
				if most := count / sortPortion; portions == 0 || portions > most {
					t.Errorf("sorted anew %d times, want 1 to %d", portions, most)
				}
			}
			if grown > limit {
				t.Errorf("the heap grew by %d KiB", grown>>10)
			}
		}
	})
	j := newJail(t, base)
	if n, err := resolve(t, j, "big", Entry).RemoveAll(ctx, nil); err != nil || n != count+1 {
		t.Errorf("%d removed, %v", n, err)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

const deepVariable = "BAILEY_TEST_DEEP"

// TestDeep works on trees deeper than PATH_MAX, with few descriptors, in a
// process of its own.
func TestDeep(t *testing.T) {
	if os.Getenv(deepVariable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDeep$", "-test.v")
		cmd.Env = append(os.Environ(), deepVariable+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	check(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 256, Max: 256}))
	engines(t, func(t *testing.T, e Engine) {
		levels, long := 3500, 450
		if e == EngineOSRoot {
			levels, long = 300, 80 // os.Root can't go up, but starts anew: the square of the depth
		}
		base := fastDir(t)
		makeDeep(t, base, "ws", levels, 1)
		makeDeep(t, base, "ws/long", long, 10)
		j := newJail(t, base+"/ws", WithEngine(e))
		deepest := strings.Repeat("d/", levels) + "leaf"
		if info, err := j.Stat(deepest); err != nil || info.Name() != "leaf" {
			t.Errorf("stat: %v", err)
		}
		if b, err := j.ReadFile(deepest); err != nil || string(b) != "leaf" {
			t.Errorf("read: %v", err)
		}
		check(t, j.WriteFile(deepest, []byte("new"), 0o644))
		if b, err := j.ReadFile(deepest); err != nil || string(b) != "new" {
			t.Errorf("read after write: %q %v", b, err)
		}
		for _, opts := range []WalkOptions{{}, {Post: true, Sorted: true}, {Stat: true}, {Post: true, Ahead: true}} {
			n, most, leaf := 0, 0, ""
			check(t, resolve(t, j, "d", Existing).Walk(ctx, opts, func(e *WalkEntry) error {
				n++
				most = max(most, e.Depth())
				if e.Name() == "leaf" {
					leaf = e.Real()
				}
				return e.Err()
			}))
			want := 3*levels - 1
			if opts.Post {
				want += levels - 1
			}
			if n != want || most != levels || leaf != base+"/ws/"+deepest {
				t.Errorf("%+v: %d entries, want %d; %d levels", opts, n, want, most)
			}
		}
		if n, err := resolve(t, j, "d", Entry).RemoveAll(ctx, nil); err != nil || n != 3*levels {
			t.Errorf("%d removed, %v", n, err)
		}
		wantAbsent(t, base+"/ws/d")
		check(t, copying("long", "copy", false, 2*long)(j))
		check(t, move("copy", "moved", false)(j))
		check(t, removeAll("moved", 3*long+1)(j))
	})
}

// makeDeep makes nested directories, each with a file "a" and a link "z" beside
// the next one, and a file "leaf" at the end.
func makeDeep(t *testing.T, base, start string, levels, size int) {
	t.Helper()
	makeTree(t, base, start+"/")
	dir, err := unix.Open(filepath.Join(base, start), unix.O_PATH|unix.O_DIRECTORY, 0)
	check(t, err)
	name := strings.Repeat("d", size)
	for i := range levels {
		check(t, unix.Mkdirat(dir, name, 0o755))
		next, err := unix.Openat(dir, name, unix.O_PATH|unix.O_DIRECTORY, 0)
		check(t, err)
		if i > 0 {
			check(t, unix.Mknodat(dir, "a", unix.S_IFREG|0o644, 0))
			check(t, unix.Symlinkat("a", dir, "z"))
		}
		check(t, unix.Close(dir))
		dir = next
	}
	fd, err := unix.Openat(dir, "leaf", unix.O_CREAT|unix.O_WRONLY, 0o644)
	check(t, err)
	_, err = unix.Write(fd, []byte("leaf"))
	check(t, err)
	check(t, unix.Close(fd))
	check(t, unix.Mknodat(dir, "z", unix.S_IFREG|0o644, 0))
	check(t, unix.Close(dir))
}

// TestWalkParked: a directory that was closed on the way down is taken up where
// it was left, whatever its size, and costs no memory meanwhile.
func TestWalkParked(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		const names = 5000
		makeTree(t, base, "first = x")
		for i := range names {
			makeTree(t, base, fmt.Sprintf("top/n%05d = x", i*2))
		}
		makeDeep(t, base, "top/n05001", openLevels+10, 1)
		makeDeep(t, base, "top/n00000a", openLevels+10, 1)
		makeDeep(t, base, "top/n99999", openLevels+10, 1)
		j := newJail(t, base, WithEngine(e))
		for i := range 4 {
			sorted, ahead := i%2 == 1, i >= 2
			var got []string
			o := resolve(t, j, ".", Existing)
			check(t, o.Walk(ctx, WalkOptions{Sorted: sorted, Ahead: ahead}, func(e *WalkEntry) error {
				if e.Depth() == 2 {
					got = append(got, strings.Clone(e.Name()))
				}
				return e.Err()
			}))
			if sorted && !slices.IsSorted(got) {
				t.Error("not sorted")
			}
			slices.Sort(got)
			if got = slices.Compact(got); len(got) != names+3 {
				t.Errorf("sorted %v: %d names, want %d", sorted, len(got), names+3)
			}
		}
	})
}

// TestSparse: the size of a file costs nothing.
func TestSparse(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		const size = 8 << 40
		makeTree(t, base, "huge = head")
		if err := os.Truncate(base+"/huge", size); err != nil {
			t.Skipf("needs a file system with files of 8 TiB: %v", err)
		}
		j := newJail(t, base, WithEngine(e))
		if info, err := j.Stat("huge"); err != nil || info.Size() != size {
			t.Errorf("%v %v", info, err)
		}
		f, err := j.Open("huge")
		check(t, err)
		buf := make([]byte, 8)
		if n, err := f.ReadAt(buf, size-4); n != 4 || err != io.EOF {
			t.Errorf("%d %v", n, err)
		}
		if n, err := f.ReadAt(buf, 0); n != 8 || err != nil || string(buf[:4]) != "head" {
			t.Errorf("%d %v", n, err)
		}
		if at, err := f.Seek(-2, io.SeekEnd); at != size-2 || err != nil {
			t.Errorf("%d %v", at, err)
		}
		if b, err := io.ReadAll(f); len(b) != 2 || err != nil {
			t.Errorf("%d %v", len(b), err)
		}
		check(t, f.Close())
		limited, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
		defer cancel()
		soon(t, "copy", func() {
			src, dst := resolve(t, j, "huge", Existing), resolve(t, j, "copy", Target)
			if _, _, err := src.CopyTo(limited, dst, false, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		})
		if left := list(t, base); len(left) != 1 {
			t.Errorf("left: %q", left)
		}
	})
}
