//go:build unix

package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/jail"
)

func findAll(t testing.TB, j *jail.Jail, start *jail.Object, opts FindOptions) ([]string, FindStats) {
	t.Helper()
	var paths []string
	opts.Jail = j
	stats, err := Find(t.Context(), start, opts, func(f Found) error {
		if f.Real != start.Real()+"/"+f.Path {
			t.Errorf("%s has real path %s", f.Path, f.Real)
		}
		paths = append(paths, f.Path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths, stats
}

func TestFind(t *testing.T) {
	root := makeTree(t,
		"main.go: x", "main_test.go: x", "doc/readme.md: x", "src/a.go: x", "src/b.txt: x", "src/sub/c.go: x", "src/sub/.env: x",
		"node_modules/left/index.js: x", "src/node_modules/right.js: x", "link -> src", "src/dangling -> nowhere", "a[b].txt: x", ".git/config: x",
	)
	j, start := open(t, root, ".")
	for _, tt := range []struct {
		pattern string
		exclude []string
		want    string
	}{
		{"*.go", nil, "main.go main_test.go"},
		{"./*.go", nil, "main.go main_test.go"},
		{"**/*.go", nil, "main.go main_test.go src/a.go src/sub/c.go"},
		{"src/*.go", nil, "src/a.go"},
		{"src/**/*.go", nil, "src/a.go src/sub/c.go"},
		{"{src,doc}/*.{go,md}", nil, "doc/readme.md src/a.go"},
		{"{src/sub,doc}/*", nil, "doc/readme.md src/sub/.env src/sub/c.go"},
		{"s*/", nil, "src"},
		{"**/sub/", nil, "src/sub"},
		{"**/*.go", []string{"*_test.go", "src/sub"}, "main.go src/a.go"},
		{"**/*.go", []string{"sub/"}, "main.go main_test.go src/a.go"},
		{"**/*.js", []string{"node_modules"}, ""},
		{"**/*.js", []string{"node_modules/**"}, "src/node_modules/right.js"},
		{"**/{link,dangling}", nil, "link src/dangling"},
		{"link/*", nil, ""},
		{`a\[b\].txt`, nil, "a[b].txt"},
		{"**/config", nil, ""},
		{"src/sub", nil, "src/sub"},
	} {
		got, stats := findAll(t, j, start, FindOptions{Pattern: tt.pattern, Exclude: tt.exclude, Gitignore: true})
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s without %q: got %q, want %q", tt.pattern, tt.exclude, got, tt.want)
		}
		if stats.Found != len(got) || stats.Ignored+stats.Hidden+stats.Failed > 0 || stats.Truncated {
			t.Errorf("%s: %+v for %d entries", tt.pattern, stats, len(got))
		}
	}
	if got, _ := findAll(t, j, start, FindOptions{Pattern: "**/config"}); !slices.Equal(got, []string{".git/config"}) {
		t.Errorf("without .gitignore rules: %q, want .git/config", got)
	}
}

func TestFindTypes(t *testing.T) {
	root := makeTree(t, "d/", "f: x", "l -> f", "p|")
	j, start := open(t, root, ".")
	got := make(map[string]fs.FileMode)
	if _, err := Find(t.Context(), start, FindOptions{Jail: j, Pattern: "*"}, func(f Found) error { got[f.Path] = f.Type; return nil }); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"d": fs.ModeDir, "f": 0, "l": fs.ModeSymlink, "p": fs.ModeNamedPipe} {
		if mode, ok := got[name]; !ok || mode != want {
			t.Errorf("%s: %v %v, want %v", name, mode, ok, want)
		}
	}
}

func TestFindJudged(t *testing.T) {
	root := makeTree(t, "a/x: 1", "a/secret: 1", "private/x: 1", "private/y: 1", "x: 1")
	j, start := open(t, root, ".")
	judge := deny("secret", "private")
	got, stats := findAll(t, j, start, FindOptions{Pattern: "**", Judge: judge})
	if strings.Join(got, " ") != "a a/x x" || stats.Hidden != 2 {
		t.Errorf("got %q, %d hidden, want a a/x x and 2 hidden", got, stats.Hidden)
	}
	// What the pattern does not ask for is not hidden from it.
	if got, stats = findAll(t, j, start, FindOptions{Pattern: "a/x", Judge: judge}); len(got) != 1 || stats.Hidden != 0 {
		t.Errorf("got %q, %d hidden, want a/x and nothing hidden", got, stats.Hidden)
	}
}

func TestFindLimit(t *testing.T) {
	root := makeTree(t, "a: 1", "b: 1", "c: 1")
	j, start := open(t, root, ".")
	for limit, want := range map[int]bool{1: true, 2: true, 3: false, 4: false, 0: false} {
		got, stats := findAll(t, j, start, FindOptions{Pattern: "*", Limit: limit})
		if stats.Truncated != want || len(got) != stats.Found || limit > 0 && len(got) > limit {
			t.Errorf("limit %d: %q, truncated %v", limit, got, stats.Truncated)
		}
	}
}

func TestFindPrunes(t *testing.T) {
	root := makeTree(t, "a/b/c/d: 1", "x/y/z: 1", "a/n/o: 1")
	j, start := open(t, root, ".")
	var seen []string
	judge := deny()
	judge.seen = func(name string) { seen = append(seen, name) }
	if got, _ := findAll(t, j, start, FindOptions{Pattern: "a/b/*", Judge: judge}); !slices.Equal(got, []string{"a/b/c"}) {
		t.Errorf("got %q", got)
	}
	if !slices.Equal(seen, []string{"a", "b", "c"}) {
		t.Errorf("looked at %q, want only what can match", seen)
	}
}

func TestFindEnds(t *testing.T) {
	root := makeTree(t, "a: 1", "b: 1")
	j, start := open(t, root, ".")
	for _, want := range []error{errors.New("full"), fs.SkipAll, fs.SkipDir} {
		calls := 0
		_, err := Find(t.Context(), start, FindOptions{Jail: j, Pattern: "*"}, func(Found) error { calls++; return want })
		if !errors.Is(err, want) || calls != 1 {
			t.Errorf("emit's %v came back as %v after %d calls", want, err, calls)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	for i := range 100 {
		addTree(t, root, fmt.Sprintf("many/%d: 1", i))
	}
	_, err := Find(ctx, start, FindOptions{Jail: j, Pattern: "**"}, func(Found) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a cancel", err)
	}
}

func TestGlobRefused(t *testing.T) {
	root := makeTree(t, "a: 1")
	j, start := open(t, root, ".")
	for _, pattern := range []string{
		"", "/etc/*", "../*", "a/../../b", "..", "[", "{a", "a/{b", ".", "./", `x\`,
		strings.Repeat("{a,b}", 9), "{" + strings.Repeat("a,", 256) + "}", strings.Repeat("a", 1025), strings.Repeat("{a,b}", 8) + strings.Repeat("a", 200),
	} {
		if _, err := ParseGlob(pattern); !errors.Is(err, ErrPattern) {
			t.Errorf("ParseGlob(%q) = %v, want a pattern error", pattern, err)
		}
		none := func(Found) error { t.Errorf("%q found something", pattern); return nil }
		if _, err := Find(t.Context(), start, FindOptions{Jail: j, Pattern: pattern}, none); !errors.Is(err, ErrPattern) {
			t.Errorf("Find(%q) = %v, want a pattern error", pattern, err)
		}
		if _, err := Find(t.Context(), start, FindOptions{Jail: j, Pattern: "none", Exclude: []string{pattern}}, none); !errors.Is(err, ErrPattern) {
			t.Errorf("Find without %q = %v, want a pattern error", pattern, err)
		}
		if pattern == "" {
			continue // all files, for Grep
		}
		_, err := Grep(t.Context(), start, GrepOptions{Jail: j, Matcher: mustCompile(t, "1", PatternOptions{}), Glob: pattern}, nil)
		if !errors.Is(err, ErrPattern) {
			t.Errorf("Grep in %q = %v, want a pattern error", pattern, err)
		}
	}
	for _, pattern := range []string{"*", "**", "a..b", "...", "a/**/b", "{a,b}/c"} {
		if _, err := ParseGlob(pattern); err != nil {
			t.Errorf("ParseGlob(%q) = %v", pattern, err)
		}
	}
}

// Braces mean their alternatives, wherever they stand, and take no more time.
func TestGlobBraces(t *testing.T) {
	for pattern, want := range map[string]string{
		"{a,b}": "a b", "x{a,,b{c,d}}y": "xay xy xbcy xbdy", `\{a,b\}{c,d}`: `\{a,b\}c \{a,b\}d`,
		"[{,}]{a,b}": "[{,}]a [{,}]b", "{a/b,c}/d": "a/b/d c/d", "{a}": "a", "a,b": "a,b", `{a\,b,[,}]}`: `a\,b [,}]`,
	} {
		g, err := parseGlob(pattern)
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
			continue
		}
		var got []string
		for _, a := range g.alternatives {
			got = append(got, a.pattern)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q means %q, want %q", pattern, got, want)
		}
	}
	g, err := parseGlob(strings.Repeat("*{a,b}", 8) + "c")
	if err != nil {
		t.Fatal(err)
	}
	if g.match(strings.Repeat("a", 255), false) || !g.match(strings.Repeat("a", 254)+"c", false) {
		t.Error("wrong match")
	}
	if want, err := parseGlob("{src,lib/*}/{x,y/z}"); err != nil || !want.beneath("lib") || !want.beneath("lib/q/y") || want.beneath("doc") || want.beneath("src/x/y") {
		t.Errorf("beneath is wrong (%v)", err)
	}
}

func TestGlobHint(t *testing.T) {
	for pattern, want := range map[string]bool{"*.go": true, "**/*.go": false, "**": false, "src/*.go": false, "x": true, "[": false} {
		if got := GlobHint(pattern); strings.Contains(got, "**/"+pattern) != want {
			t.Errorf("GlobHint(%q) = %q", pattern, got)
		}
	}
}
