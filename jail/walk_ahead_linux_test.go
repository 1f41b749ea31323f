package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// helpers makes sure that a walk starts some, however few processors there are.
func helpers(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(max(before, aheadHelpers+1))
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// randomTree is made of directories; some hold a file and other things, too.
func randomTree(t *testing.T, base string, random *rand.Rand, count int) {
	dirs := []string{"."}
	for i := range count {
		// Most of them near the last one: the tree becomes deep as well as wide.
		near := len(dirs) - 1 - min(random.IntN(len(dirs)), random.IntN(12))
		dir := path.Join(dirs[near], fmt.Sprintf("d%d", i))
		dirs = append(dirs, dir)
		makeTree(t, base, dir+"/")
		if i%3 == 0 {
			makeTree(t, base, dir+"/f = x", dir+"/l => ..", dir+"/"+tempPrefix+"0123456789abcdef/x = x")
		}
	}
}

// TestWalkAhead: a walk that reads ahead shows the same as one that does not,
// wherever it is made to skip, to stop or to fail, and leaves nothing open.
func TestWalkAhead(t *testing.T) {
	helpers(t)
	mine := errors.New("mine")
	answers := []error{nil, nil, nil, nil, fs.SkipDir, fs.SkipAll, mine}
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		random := rand.New(rand.NewPCG(1, 2))
		randomTree(t, base, random, 300)
		j := newJail(t, base, WithEngine(e))
		top := resolve(t, j, ".", Existing)
		walk := func(opts WalkOptions, answer func(n int, e *WalkEntry) error) (seen []string, err error) {
			before := openDescriptors(t)
			err = top.Walk(ctx, opts, func(e *WalkEntry) error {
				seen = append(seen, shown(e))
				if opts.Ahead && e.w.ahead.out > aheadOfWalk {
					t.Errorf("%s: %d errands", e.Path(), e.w.ahead.out)
				}
				for _, errand := range e.at.ahead {
					if !slices.ContainsFunc(e.at.pending, func(next entry) bool { return next.name == errand.name }) {
						t.Errorf("%s: an errand for %s, which does not come", e.Path(), errand.name)
					}
				}
				if opts.Depth == e.Depth() && len(e.at.ahead) > 0 {
					t.Errorf("%s: what is below it is read in vain", e.Path())
				}
				return answer(len(seen), e)
			})
			if after := openDescriptors(t); after != before {
				t.Errorf("%+v: %d descriptors before, %d after", opts, before, after)
			}
			return seen, err
		}
		for range 40 {
			opts := WalkOptions{Sorted: random.IntN(2) == 0, Stat: random.IntN(2) == 0, Post: random.IntN(2) == 0}
			if random.IntN(3) == 0 {
				opts.Depth = 1 + random.IntN(6)
			}
			at, err := random.IntN(300), answers[random.IntN(len(answers))]
			every := 1 + random.IntN(20)
			answer := func(n int, e *WalkEntry) error {
				switch {
				case n == at:
					return err
				case n%every == every-1 && e.IsDir():
					return fs.SkipDir
				}
				return nil
			}
			want, wantErr := walk(opts, answer)
			opts.Ahead = true
			got, gotErr := walk(opts, answer)
			if !slices.Equal(got, want) || gotErr != wantErr {
				t.Errorf("%+v: saw %d: %q\n%v; want %d: %q\n%v", opts, len(got), got, gotErr, len(want), want, wantErr)
			}
		}
	})
}

// TestWalkReadsAhead: what comes next has been read while fn is at work. So fn sees
// what was there then, but never what a link leads to that has come in its place.
func TestWalkReadsAhead(t *testing.T) {
	helpers(t)
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "out/secret = s", "ws/a = a", "ws/b/gone = x", "ws/c/x = x", "ws/d => ../out", "ws/e/x = x", "ws/f/x = x")
		j := newJail(t, base+"/ws", WithEngine(e))
		ws := base + "/ws/"
		var got []string
		check(t, resolve(t, j, ".", Existing).Walk(ctx, WalkOptions{Sorted: true, Ahead: true}, func(e *WalkEntry) error {
			got = append(got, shown(e))
			if e.Path() != "a" {
				return e.Err()
			}
			if len(e.at.ahead) != aheadOfLevel {
				t.Fatalf("%d errands, want %d", len(e.at.ahead), aheadOfLevel)
			}
			awaitErrands(t, e.at)
			check(t, os.Remove(ws+"b/gone"))
			check(t, os.Rename(ws+"c", base+"/moved"))
			check(t, os.Symlink("../out", ws+"c"))
			return nil
		}))
		if s := strings.Join(got, " "); s != "a b/ b/gone c/ c/x d e/ e/x f/ f/x" {
			t.Errorf("saw %s", s)
		}
	})
}

// TestWalkAheadFails: an errand that came to nothing is done again in its turn, and
// one that nobody has begun as well.
func TestWalkAheadFails(t *testing.T) {
	helpers(t)
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "a = a", "b/x = x", "c/x = x")
		j := newJail(t, base, WithEngine(e))
		top := resolve(t, j, ".", Existing)
		var got []string
		soon(t, "walk", func() {
			err := top.Walk(ctx, WalkOptions{Sorted: true, Ahead: true}, func(e *WalkEntry) error {
				if got = append(got, shown(e)); e.Path() == "a" {
					b, c := e.at.ahead[0], e.at.ahead[1]
					<-b.done
					<-c.done
					b.close()
					c.close()
					b.dir, b.list = nil, nil // as if there had been no descriptor to be had
					// As if all helpers were busy.
					e.at.dir.users.Add(1)
					e.at.ahead[1] = &errand{from: e.at.dir, name: "c", done: make(chan struct{})}
				}
				return e.Err()
			})
			if err != nil {
				t.Error(err)
			}
		})
		if s := strings.Join(got, " "); s != "a b/ b/x c/ c/x" {
			t.Errorf("saw %s", s)
		}
	})
}

// awaitErrands waits until a level's errands are done: else the queue may be full
// for a moment.
func awaitErrands(t *testing.T, l *level) {
	t.Helper()
	soon(t, "reading ahead", func() {
		for _, e := range l.ahead {
			<-e.done
		}
	})
}

// TestWalkAheadOfMany: in a directory of several portions the next ones are always
// under way, each once and in order.
func TestWalkAheadOfMany(t *testing.T) {
	helpers(t)
	base := fastDir(t)
	const count = 2500
	for i := range count {
		makeTree(t, base, fmt.Sprintf("directory-%d/", i))
	}
	j := newJail(t, base, WithEngine(EngineOpenat2))
	for _, sorted := range []bool{false, true} {
		n, portions := 0, 0
		check(t, resolve(t, j, ".", Existing).Walk(ctx, WalkOptions{Sorted: sorted, Ahead: true}, func(e *WalkEntry) error {
			n++
			awaitErrands(t, e.at)
			if len(e.at.ahead) != min(aheadOfLevel, len(e.at.pending)) {
				return fmt.Errorf("%d errands, %d entries to come", len(e.at.ahead), len(e.at.pending))
			}
			for i, errand := range e.at.ahead {
				if errand.name != e.at.pending[i].name {
					return fmt.Errorf("read %s ahead before %s", errand.name, e.at.pending[i].name)
				}
			}
			if len(e.at.pending) == 0 {
				portions++
			}
			return e.Err()
		}))
		if n != count || !sorted && portions < 2 {
			t.Errorf("%d entries in %d portions", n, portions)
		}
	}
}

// TestWalkAheadOfDepth: deep down directories are read ahead still, at the expense
// of those far above.
func TestWalkAheadOfDepth(t *testing.T) {
	helpers(t)
	const depth = 12
	base := fastDir(t)
	spine := ""
	for range depth {
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			makeTree(t, base, spine+name+"/x = x")
		}
		spine += "a/"
	}
	j := newJail(t, base, WithEngine(EngineOpenat2))
	deepest := 0
	check(t, resolve(t, j, ".", Existing).Walk(ctx, WalkOptions{Sorted: true, Ahead: true}, func(e *WalkEntry) error {
		if e.w.ahead.out > aheadOfWalk {
			t.Errorf("%s: %d errands", e.Path(), e.w.ahead.out)
		}
		if e.Name() == "a" && len(e.at.ahead) == aheadOfLevel {
			deepest = max(deepest, e.Depth())
		}
		awaitErrands(t, e.at)
		return e.Err()
	}))
	if deepest != depth {
		t.Errorf("read ahead down to depth %d, want %d", deepest, depth)
	}
}

// TestWalkAheadPanics: a panic of fn leaves no helper and no descriptor behind.
func TestWalkAheadPanics(t *testing.T) {
	helpers(t)
	base := fastDir(t)
	randomTree(t, base, rand.New(rand.NewPCG(3, 4)), 50)
	j := newJail(t, base)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		n := 0
		_ = resolve(t, j, ".", Existing).Walk(ctx, WalkOptions{Ahead: true}, func(*WalkEntry) error {
			if n++; n == 20 {
				panic("mine")
			}
			return nil
		})
	}()
}
