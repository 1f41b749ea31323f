package policy

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// FuzzPattern compiles any pattern for both kinds of rule, and judges a path.
func FuzzPattern(f *testing.F) {
	for _, s := range []string{"**/a", "{a,b}/[c-e]*", "~/x", `\{a`, "[!a-]", "a/../b", "{,a}/", "{{,},}", "[[]", "***"} {
		f.Add(s, "a/b")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		for _, action := range []Action{Allow, Deny} {
			p, err := Compile(Config{
				Workspace: []string{"/ws", "/link"}, Home: "/home/u",
				Rules: []Rule{{Name: "r", Action: action, Paths: []string{pattern}}},
			})
			if err == nil {
				p.Judge(Access{Tool: "file_read", Effect: Reveal, Real: "/ws/" + name, Requested: name})
			}
		}
	})
}

// FuzzGlob compares the matcher of one segment with doublestar's.
func FuzzGlob(f *testing.F) {
	for _, s := range [][2]string{
		{"a*b?[c-e]", "axxbzd"},
		{"*a*a*", "aba"},
		{"[^a]*.go", "b.go"},
		{`[\]-a]`, "_"},
		{"[a-]", "-"},
		{"?é", "éé"},
		{"a*", "a\xff"},
		{"[z-a]", "z"},
		{"", ""},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.ContainsAny(pattern, "{}/\uFFFD") || strings.Contains(name, "/") || !utf8.ValidString(pattern) ||
			hasDoubleStar(pattern) || !doublestar.ValidatePattern(pattern) || name == "" {
			return
		}
		lit, g, err := parseGlob(pattern, false)
		if err != nil {
			t.Fatalf("%q: %v", pattern, err)
		}
		got := lit == name
		if g != nil {
			got = g.match(name)
		}
		if want := doublestar.MatchUnvalidated(pattern, name); got != want {
			t.Errorf("%q on %q: got %v, doublestar says %v", pattern, name, got, want)
		}
		checkFoldedGlob(t, pattern, name, got)
	})
}

// checkFoldedGlob checks that ignoring case never matches less.
func checkFoldedGlob(t *testing.T, pattern, name string, exact bool) {
	t.Helper()
	lit, g, err := parseGlob(pattern, true)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	got := lit == fold(name)
	if g != nil {
		got = g.match(fold(name))
	}
	if exact && !got {
		t.Errorf("%q matches %q, but not when case is ignored", pattern, name)
	}
}

// FuzzJudge looks for paths that make it panic, that are let through although
// they are not clean, or on which a Cursor differs.
func FuzzJudge(f *testing.F) {
	c := Config{
		Workspace: []string{"/ws", "/home/u/link"}, Home: "/home/u",
		Spellings: [][]string{{"/ws/a", "/srv"}},
		Rules: []Rule{
			{Name: "a", Action: Deny, Paths: []string{"**/secret*/**", "~/x"}},
			{Name: "b", Paths: []string{"**/.env", "src/**", "**/.git/hooks/**"}},
			{Name: "c", Action: Supervised, Paths: []string{"**/.ssh/config", "[a-z]?/*"}},
		},
	}
	p, err := Compile(c)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"/ws/a/.env", "/home/u/link/src/x", "/ws/x/hooks/y", "/", "", "a", "/ws/../x", "/ws/\xff/.SSH/config"} {
		f.Add(s, "/ws/a", "/ws/x", uint8(3))
	}
	f.Fuzz(func(t *testing.T, real, asked, repo string, bits uint8) {
		a := Access{
			Tool: "file_read", Effect: Effect(bits & 7), Dir: bits&8 != 0, Link: bits&16 != 0,
			Real: real, Requested: asked, GitDir: []string{repo},
		}
		v := p.Judge(a)
		if real != "" && (!path.IsAbs(real) || path.Clean(real) != real) && v.Action != Deny {
			t.Errorf("%q: %+v", real, v)
		}
		a.Requested = ""
		if dir, name := path.Split(real); name != "" && path.IsAbs(dir) {
			want := p.Judge(a)
			a.Real = path.Clean(dir)
			if path.Clean(real) != real || strings.HasSuffix(dir, "//") {
				return
			}
			if got := p.CursorFor(a).Judge(name, a.Dir, a.Link); got != want {
				t.Errorf("%q: cursor %+v, Judge %+v", real, got, want)
			}
		}
	})
}
