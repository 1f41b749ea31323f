//go:build unix

package search

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIgnoreLevels(t *testing.T) {
	root := makeTree(t,
		".gitignore: *.log\\n/build/\\n!keep.log\\nlogs/**\\n!logs/important\\n",
		"a.log: 1", "keep.log: 1", "build/out: 1", "src/build/out: 1", "logs/x: 1", "logs/important: 1",
		"src/.gitignore: !a.log\\ngen*\\n", "src/a.log: 1", "src/b.log: 1", "src/generated: 1", "src/deep/generated: 1",
		".git/info/exclude: excluded\\n*.md\\n", "excluded: 1", "src/excluded: 1", "readme.md: 1", "docs/.gitignore: !*.md\\n", "docs/x.md: 1",
		"vendor/nested/.git/HEAD: ref", "vendor/nested/own.log: 1", "vendor/nested/excluded: 1",
		"vendor/sub/.git: gitdir", "vendor/sub/own.log: 1",
	)
	j, start := open(t, root, ".")
	var got []string
	all, stats := findAll(t, j, start, FindOptions{Pattern: "**/*", Gitignore: true})
	for _, path := range all {
		if info, err := os.Stat(filepath.Join(root, path)); err == nil && !info.IsDir() {
			got = append(got, path)
		}
	}
	want := []string{
		".gitignore", "docs/.gitignore", "docs/x.md", "keep.log", "logs/important",
		"src/.gitignore", "src/a.log", "src/build/out", "vendor/nested/excluded", "vendor/nested/own.log", "vendor/sub/own.log",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// a.log, build, excluded, logs/x, readme.md, src/b.log, src/deep/generated, src/excluded, src/generated
	if stats.Ignored != 9 {
		t.Errorf("%d left out, want 9 (a directory counts one)", stats.Ignored)
	}
	if all, stats = findAll(t, j, start, FindOptions{Pattern: "**/*.log"}); len(all) != 6 || stats.Ignored != 0 {
		t.Errorf("without rules: %q, %d left out", all, stats.Ignored)
	}
}

func TestIgnoreAboveStart(t *testing.T) {
	root := makeTree(t,
		".gitignore: *.log\\na/b/only\\n/x\\nout/\\ndist/**\\n",
		"a/.gitignore: /b/second\\n", "a/b/only: 1", "a/b/second: 1", "a/b/x: 1", "a/b/y.log: 1", "a/b/c: 1",
		"out/inner/y.log: 1", "out/inner/z: 1", "dist/p/y.log: 1", "dist/p/z: 1", "link -> out/inner",
		"repo/.git/HEAD: ref", "repo/s/y.log: 1",
	)
	for start, want := range map[string]string{
		"a/b":       "c x",
		"a":         ".gitignore b b/c b/x",
		"out":       "inner inner/y.log inner/z", // left out itself, so searched
		"out/inner": "y.log z",
		"link":      "y.log z",
		"dist/p":    "y.log z",
		"repo/s":    "y.log",
	} {
		j, o := open(t, root, start)
		if got, _ := findAll(t, j, o, FindOptions{Pattern: "**/*", Gitignore: true}); strings.Join(got, " ") != want {
			t.Errorf("from %s: %q, want %q", start, got, want)
		}
	}
}

// An allowed folder's patterns are its own: what lies above is not read.
func TestIgnoreStopsAtFolder(t *testing.T) {
	base := makeTree(t, ".gitignore: *\\n", "ws/a/f: 1")
	j, o := open(t, filepath.Join(base, "ws"), "a")
	if got, _ := findAll(t, j, o, FindOptions{Pattern: "*", Gitignore: true}); !slices.Equal(got, []string{"f"}) {
		t.Errorf("got %q, want f", got)
	}
}

func TestIgnoreFileIsBounded(t *testing.T) {
	root := makeTree(t, "early: 1", "late: 1", "a/f: 1", "other: f\\n")
	text := "early\n" + strings.Repeat("# padding\n", maxIgnoreFile/10) + "late\n"
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	addTree(t, root, "a/.gitignore -> ../other", "b/.gitignore/", "b/f: 1")
	j, o := open(t, root, ".")
	got, _ := findAll(t, j, o, FindOptions{Pattern: "**/{early,late,f}", Gitignore: true})
	// A linked .gitignore and one that is a directory have no say.
	if want := "a/f b/f late"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWildmatchIsBounded(t *testing.T) {
	pattern := strings.Repeat("**/", 40) + "b"
	name := strings.Repeat("a/", 100) + "a"
	w := wild{budget: wildBudget}
	w.match(pattern, name)
	if w.budget > 0 {
		t.Fatal("the pattern does not backtrack: the test tells nothing")
	}
	if wildmatch(pattern, name, false) {
		t.Error("matched")
	}
	if !wildmatch(strings.Repeat("*a", 20), strings.Repeat("a", 300), true) {
		t.Error("an ordinary pattern ran out of its budget")
	}
}

// git runs the real one, without anyone's configuration.
func git(t testing.TB, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return out
}

func TestIgnoreEqualsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	root := makeTree(t, "w/")
	work := filepath.Join(root, "w")
	git(t, work, "init", "-q")
	segment := rapid.SampledFrom([]string{
		"a", "b", "ab", "a.b", "*", "**", "a*", "*b", "?", "a?", "[ab]", "[!a]", "[^b]*", "[a-c]", "***", "a**", "**b", `\a`, `\*`, `\!a`, `\#b`, "#b", "!a",
		"a b", "[[:alpha:]]", "[[:digit:]]*", "[]a]", "[a", `a\`, "*.b", "c", "*?", "a*b*", "", " ", "[/]", "a[/]b", "[-a]", "[a-]", `[\a]`, "[[a]", `[a\-b]`,
	})
	pattern := rapid.Custom(func(t *rapid.T) string {
		p := strings.Join(rapid.SliceOfN(segment, 1, 4).Draw(t, "segments"), "/")
		p = rapid.SampledFrom([]string{"", "", "", "!", "/", "!/", "**/"}).Draw(t, "prefix") + p
		return p + rapid.SampledFrom([]string{"", "", "", "/", "/**", "/*", " ", `\ `, "  ", "\r", "//"}).Draw(t, "suffix")
	})
	name := rapid.SampledFrom([]string{"a", "b", "ab", "a.b", "c", "aab", "*", "!a", "#b", "a b", "a ", "1", "-", "]", "[", `a\`, "é"})
	path := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(name, 1, 4).Draw(t, "path"), "/")
	})
	j, start := open(t, work, ".")
	rapid.Check(t, func(rt *rapid.T) {
		clean(t, work)
		files := rapid.SliceOfN(path, 1, 25).Draw(rt, "files")
		var dirs []string
		for _, f := range files {
			writeFile(filepath.Join(work, f), "") // where another file is in the way there is none
			dirs = append(dirs, filepath.Dir(f))
		}
		for _, dir := range append(rapid.SliceOfN(rapid.SampledFrom(dirs), 0, 2).Draw(rt, "dirs"), ".") {
			text := strings.Join(rapid.SliceOfN(pattern, 1, 8).Draw(rt, "patterns in "+dir), "\n")
			writeFile(filepath.Join(work, dir, ".gitignore"), text)
		}
		var want []string
		for _, p := range bytes.Split(git(t, work, "ls-files", "-z", "--others", "--exclude-standard"), []byte{0}) {
			if len(p) > 0 {
				want = append(want, string(p))
			}
		}
		slices.Sort(want)
		var got []string
		all, stats := findAll(t, j, start, FindOptions{Pattern: "**/*", Gitignore: true})
		for _, p := range all {
			if info, err := os.Lstat(filepath.Join(work, p)); err == nil && !info.IsDir() {
				got = append(got, p)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			rt.Fatalf("got  %q\nwant %q\nleft out %d", got, want, stats.Ignored)
		}
	})
}

func clean(t testing.TB, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func writeFile(name, text string) {
	if os.MkdirAll(filepath.Dir(name), 0o755) == nil {
		_ = os.WriteFile(name, []byte(text), 0o644)
	}
}
