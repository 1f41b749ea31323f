//go:build unix

package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey/jail"
)

// grepAll runs Grep and returns "path:number:text" for matches and
// "path-number-text" for context.
func grepAll(t testing.TB, j *jail.Jail, start *jail.Object, pattern string, opts GrepOptions) ([]string, GrepStats) {
	t.Helper()
	opts.Jail, opts.Matcher = j, mustCompile(t, pattern, PatternOptions{})
	var out []string
	stats, err := Grep(t.Context(), start, opts, func(f *FileMatches) error {
		if start.Info().IsDir() && f.Real != start.Real()+"/"+f.Path {
			t.Errorf("%s has real path %s", f.Path, f.Real)
		}
		if f.Binary {
			out = append(out, f.Path+" binary")
		}
		for _, l := range f.Lines {
			mark := "-"
			if l.IsMatch() {
				mark = ":"
			}
			out = append(out, fmt.Sprint(f.Path, mark, l.Number, mark, l.Text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, stats
}

func expect(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestGrepTree(t *testing.T) {
	noLeaks(t)
	root := makeTree(t,
		".gitignore: *.log\\n/out/\\n", "a.go: one\\nneedle two\\nthree\\n", "b/c.go: needle", "b/d.txt: hay\\r\\nneedle\\r\\n",
		"e.bin: \x00needle", "x.log: needle", "out/y.go: needle", "secret: needle", "private/z: needle", "zz: no",
		"link -> a.go", "away -> /etc/passwd", "dirlink -> b", "pipe|", ".git/config: needle", "empty: ",
	)
	j, start := open(t, root, ".")
	judge := deny("secret", "private")
	got, stats := grepAll(t, j, start, "needle", GrepOptions{Gitignore: true, Judge: judge, Context: 1})
	expect(t, "all rules", got, "a.go-1-one", "a.go:2:needle two", "a.go-3-three", "b/c.go:1:needle", "b/d.txt-1-hay", "b/d.txt:2:needle", "e.bin binary")
	want := GrepStats{Files: 7, MatchedFiles: 4, Matches: 4, BinaryFiles: 1, Ignored: 2, Hidden: 2}
	if fmt.Sprint(stats) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", stats, want)
	}
	got, stats = grepAll(t, j, start, "needle", GrepOptions{Glob: "*.go"})
	expect(t, "a glob for names", got, "a.go:2:needle two", "b/c.go:1:needle", "out/y.go:1:needle")
	if stats.Files != 3 || stats.Ignored+stats.Hidden != 0 {
		t.Errorf("a glob for names: %+v", stats)
	}
	got, stats = grepAll(t, j, start, "needle", GrepOptions{Glob: "b/*", Judge: judge})
	expect(t, "a glob for paths", got, "b/c.go:1:needle", "b/d.txt:2:needle")
	if stats.Hidden != 0 {
		t.Errorf("a glob for paths: %+v", stats)
	}
	got, _ = grepAll(t, j, start, "needle", GrepOptions{Glob: "{secret,config,z}"})
	expect(t, "without judge and rules", got, ".git/config:1:needle", "private/z:1:needle", "secret:1:needle")
}

func TestGrepOneFile(t *testing.T) {
	root := makeTree(t, ".gitignore: *", "d/f: a\\nneedle\\nb\\n", "link -> d/f", "p|")
	for _, name := range []string{"d/f", "link"} {
		j, start := open(t, root, name)
		got, stats := grepAll(t, j, start, "needle", GrepOptions{Gitignore: true, Context: 1, Judge: deny("f")})
		expect(t, name, got, "f-1-a", "f:2:needle", "f-3-b")
		if stats.Files != 1 || stats.Matches != 1 {
			t.Errorf("%s: %+v", name, stats)
		}
	}
}

// manyFiles is a tree with more batches than the queues hold.
func manyFiles(t testing.TB, n int) string {
	t.Helper()
	root := makeTree(t)
	for i := range n {
		more := i % 3
		if i%200 == 99 { // too many for one report
			more = flushLines + 500
		}
		name := fmt.Sprintf("%c/%c/%04d", 'a'+i%7, 'a'+i%3, i)
		addTree(t, root, fmt.Sprintf("%s: x %d\\nneedle %d\\n%s", name, i, i, strings.Repeat("needle too\\n", more)))
	}
	return root
}

func TestGrepOrder(t *testing.T) {
	noLeaks(t)
	root := manyFiles(t, 700)
	j, start := open(t, root, ".")
	var want []string
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "needle") {
				want = append(want, fmt.Sprint(rel, ":", i+1, ":", line))
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 7, 100} {
		got, stats := grepAll(t, j, start, "needle", GrepOptions{Workers: workers})
		if !slices.Equal(got, want) || stats.Files != 700 || stats.MatchedFiles != 700 || int(stats.Matches) != len(want) {
			t.Errorf("%d workers: %d lines, want %d; %+v", workers, len(got), len(want), stats)
		}
	}
	for _, limit := range []int{1, 2, 100, 3000, len(want) - 1, len(want)} {
		for _, workers := range []int{1, 5} {
			got, stats := grepAll(t, j, start, "needle", GrepOptions{Workers: workers, Limit: limit})
			if !slices.Equal(got, want[:limit]) || stats.Truncated != (limit < len(want)) || stats.Matches != int64(limit) {
				t.Errorf("limit %d, %d workers: %d lines, %+v", limit, workers, len(got), stats)
			}
		}
	}
}

func TestGrepLimitWithContext(t *testing.T) {
	root := makeTree(t, "a: needle\\n1\\n2\\n3\\n4\\nneedle\\n5", "b: 0\\nneedle", "c: \x00needle")
	j, start := open(t, root, ".")
	for limit, want := range map[int][]string{
		1: {"a:1:needle", "a-2-1"},
		2: {"a:1:needle", "a-2-1", "a-5-4", "a:6:needle", "a-7-5"},
		3: {"a:1:needle", "a-2-1", "a-5-4", "a:6:needle", "a-7-5", "b-1-0", "b:2:needle"},
		4: {"a:1:needle", "a-2-1", "a-5-4", "a:6:needle", "a-7-5", "b-1-0", "b:2:needle", "c binary"},
	} {
		got, stats := grepAll(t, j, start, "needle", GrepOptions{Limit: limit, Context: 1})
		expect(t, fmt.Sprint("limit ", limit), got, want...)
		if stats.Truncated != (limit < 4) {
			t.Errorf("limit %d: %+v", limit, stats)
		}
	}
}

func TestGrepFailures(t *testing.T) {
	root := makeTree(t, "a: needle", "b: needle", "c: needle", "d = c", "e: needle")
	j, start := open(t, root, ".", jail.WithDenyHardLinks())
	judge := deny()
	judge.seen = func(name string) {
		if name == "b" { // listed already, and gone before it is opened
			if err := os.Remove(filepath.Join(root, "b")); err != nil {
				t.Error(err)
			}
		}
	}
	got, stats := grepAll(t, j, start, "needle", GrepOptions{Judge: judge})
	expect(t, "what can be read", got, "a:1:needle", "e:1:needle")
	if stats.Failed != 3 || len(stats.Errors) != 3 {
		t.Fatalf("%+v, want 3 failures", stats)
	}
	for i, want := range []error{fs.ErrNotExist, jail.ErrHardLink, jail.ErrHardLink} {
		if e := stats.Errors[i]; !errors.Is(e.Err, want) || e.Real != filepath.Join(root, e.Path) {
			t.Errorf("%+v, want %v", e, want)
		}
	}
}

func TestGrepUnreadableDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("needs an ordinary user: root reads every directory")
	}
	root := makeTree(t, "a: needle", "b/f: needle", "c: needle")
	if err := os.Chmod(filepath.Join(root, "b"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "b"), 0o755) }) // to be removed
	j, start := open(t, root, ".")
	got, stats := grepAll(t, j, start, "needle", GrepOptions{})
	expect(t, "what can be read", got, "a:1:needle", "c:1:needle")
	found, findStats := findAll(t, j, start, FindOptions{Pattern: "**"})
	expect(t, "what can be listed", found, "a", "b", "c")
	for _, errs := range [][]FileError{stats.Errors, findStats.Errors} {
		if len(errs) != 1 || errs[0].Path != "b" || !errors.Is(errs[0].Err, fs.ErrPermission) {
			t.Errorf("%+v, want that b can't be read", errs)
		}
	}
}

func TestGrepListsFewFailures(t *testing.T) {
	root := makeTree(t, "a: needle")
	for i := range 2 * maxErrors {
		addTree(t, root, fmt.Sprintf("l%02d = a", i))
	}
	j, start := open(t, root, ".", jail.WithDenyHardLinks())
	_, stats := grepAll(t, j, start, "needle", GrepOptions{})
	if stats.Failed != 2*maxErrors+1 || len(stats.Errors) != maxErrors {
		t.Errorf("%d failed, %d listed", stats.Failed, len(stats.Errors))
	}
}

func TestGrepEnds(t *testing.T) {
	noLeaks(t)
	root := manyFiles(t, 500)
	j, start := open(t, root, ".")
	m := mustCompile(t, "needle", PatternOptions{})
	for _, want := range []error{errors.New("full"), fs.SkipAll, fs.SkipDir} {
		calls := 0
		_, err := Grep(t.Context(), start, GrepOptions{Jail: j, Matcher: m}, func(*FileMatches) error { calls++; return want })
		if !errors.Is(err, want) || calls != 1 {
			t.Errorf("emit's %v came back as %v after %d calls", want, err, calls)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Grep(ctx, start, GrepOptions{Jail: j, Matcher: m}, func(*FileMatches) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a cancel", err)
	}
	if _, err := Grep(t.Context(), start, GrepOptions{Jail: j, Matcher: m, Context: MaxContext + 1}, nil); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("too much context: %v", err)
	}
	if open := openFiles(t, root); open > 1 {
		t.Errorf("%d files and directories of the tree are still open, want the start alone", open)
	}
}

// openFiles counts this process's descriptors beneath root.
func openFiles(t testing.TB, root string) (n int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		// The jail's own root has no path below it.
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(target, root+"/") {
			n++
		}
	}
	return n
}

// While the receiver is slow, the walk waits: files are not queued, and
// directories not held open, without bound.
func TestGrepQueueIsBounded(t *testing.T) {
	root := makeTree(t)
	const files = 900
	text := strings.Repeat("needle "+strings.Repeat("x", MaxLineText-10)+"\\n", 4) // reports that fill the queues too
	for i := range files {
		addTree(t, root, fmt.Sprintf("d%04d/f: %s", i, text))
	}
	j, start := open(t, root, ".")
	judge := deny()
	asked := make(chan int, 1)
	asked <- 0
	judge.seen = func(string) { asked <- <-asked + 1 }
	read := func() int { n := <-asked; asked <- n; return n }
	emitted, lead, held := 0, 0, 0
	_, err := Grep(t.Context(), start, GrepOptions{Jail: j, Matcher: mustCompile(t, "needle", PatternOptions{}), Judge: judge, Workers: 2},
		func(*FileMatches) error {
			if emitted++; emitted != files/3 { // batches have their full size by then
				return nil
			}
			for seen := -1; seen != read(); { // until the walk stands still
				seen = read()
				time.Sleep(50 * time.Millisecond)
			}
			lead, held = read()/2-emitted, openFiles(t, root)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if lead > files/3 || held > 100 {
		t.Errorf("%d of %d files were queued for a receiver that stood still, %d directories open", lead, files, held)
	}
}

func TestGrepOverOSRoot(t *testing.T) {
	root := makeTree(t, ".gitignore: x", "a/b: needle", "a/x: needle", "l -> a/b", "p|")
	j, start := open(t, root, ".", jail.WithEngine(jail.EngineOSRoot))
	got, stats := grepAll(t, j, start, "needle", GrepOptions{Gitignore: true})
	expect(t, "os.Root", got, "a/b:1:needle")
	if stats.Ignored != 1 {
		t.Errorf("%+v", stats)
	}
}
