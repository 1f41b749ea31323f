package policy

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

// TestMain fixes what rapid draws, so that a run is like the one before. Search
// further with -rapid.seed=N -rapid.checks=10000.
func TestMain(m *testing.M) {
	flag.Parse()
	seed, quiet := flag.Lookup("rapid.seed"), flag.Lookup("rapid.nofailfile")
	if seed.Value.String() == "0" {
		_ = seed.Value.Set("1")
	}
	_ = quiet.Value.Set("true")
	os.Exit(m.Run())
}

// The generators use few names, so that patterns and paths meet often.
var (
	genName = rapid.SampledFrom([]string{
		"a", "b", "A", "ab", "a.go", "B.go", "ſ", "s", ".env", ".ENV", ".ssh", "id_rsa", ".git", "hooks", "config", ".claude", "é", "\xff",
	})
	genPart = rapid.SampledFrom([]string{
		"a", "b", "A", "ab", "*", "?", "**", "*.go", "a*", "[ab]", "[^a]", "{a,b}", "S", ".env", ".ssh", ".git", "hooks", "con*", "*a*b", "é",
	})
	genPath = rapid.Map(rapid.SliceOfN(genName, 1, 5), func(names []string) string {
		return "/ws/" + strings.Join(names, "/")
	})
	genPattern = rapid.Map(rapid.SliceOfN(genPart, 1, 4), func(parts []string) string {
		return strings.Join(parts, "/")
	})
	genRule = rapid.Custom(func(t *rapid.T) Rule {
		r := Rule{
			Action: Action(rapid.IntRange(0, 2).Draw(t, "action")),
			Paths:  rapid.SliceOfN(genPattern, 1, 3).Draw(t, "paths"),
		}
		if rapid.Bool().Draw(t, "for tools") {
			r.Tools = []string{rapid.SampledFrom([]string{"file_read", "file_write", "file_*", "*_grep"}).Draw(t, "tool")}
		}
		return r
	})
	genConfig = rapid.Custom(func(t *rapid.T) Config {
		c := Config{
			Workspace:     []string{"/ws"},
			Rules:         rapid.SliceOfN(genRule, 0, 8).Draw(t, "rules"),
			DefaultAction: Action(rapid.IntRange(0, 2).Draw(t, "default")),
			Tools:         map[string]Action{"file_grep": Action(rapid.IntRange(0, 2).Draw(t, "grep"))},
			KnownTools:    []string{"file_read", "file_write", "file_grep"},
		}
		for i := range c.Rules {
			c.Rules[i].Name = string(rune('a' + i))
		}
		return c
	})
	genAccess = rapid.Custom(func(t *rapid.T) Access {
		a := Access{
			Tool:   rapid.SampledFrom([]string{"file_read", "file_write", "file_grep", "unknown"}).Draw(t, "tool"),
			Effect: Effect(rapid.IntRange(0, 7).Draw(t, "effect")),
			Real:   genPath.Draw(t, "real"),
			Dir:    rapid.Bool().Draw(t, "dir"),
			Link:   rapid.Bool().Draw(t, "link"),
		}
		if rapid.Bool().Draw(t, "by a link") {
			a.Requested = genPath.Draw(t, "requested")
		}
		if i := strings.LastIndexByte(a.Real, '/'); i > 0 && rapid.Bool().Draw(t, "in a repository") {
			a.GitDir = []string{a.Real[:i]}
		}
		return a
	})
)

func compileFor(t *rapid.T, c Config) *Policy {
	p, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOrderOfRulesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig.Draw(t, "config")
		p := compileFor(t, c)
		shuffled := c
		shuffled.Rules = rapid.Permutation(c.Rules).Draw(t, "shuffled")
		q := compileFor(t, shuffled)
		if p.Version() != q.Version() {
			t.Error("the versions differ")
		}
		for range 5 {
			a := genAccess.Draw(t, "access")
			if v, w := p.Judge(a), q.Judge(a); v != w {
				t.Errorf("%+v: %+v, in another order %+v", a, v, w)
			}
		}
	})
}

func TestAddingADenyNeverLoosens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig.Draw(t, "config")
		more := c
		extra := genRule.Draw(t, "extra")
		extra.Action, extra.Name = Deny, "extra"
		more.Rules = append(slices.Clone(c.Rules), extra)
		p, q := compileFor(t, c), compileFor(t, more)
		for range 5 {
			a := genAccess.Draw(t, "access")
			if v, w := p.Judge(a), q.Judge(a); w.Action < v.Action {
				t.Errorf("%+v: %+v, with one more deny %+v", a, v, w)
			}
		}
	})
}

func TestCaseNeverLoosensADeny(t *testing.T) {
	variants := strings.NewReplacer("a", "A", "b", "B", "g", "G", "s", "ſ", "k", "K", "é", "É", ".E", ".e", "A", "a", "ſ", "S")
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig.Draw(t, "config")
		c.Rules = slices.DeleteFunc(c.Rules, func(r Rule) bool { return r.Action != Deny })
		p := compileFor(t, c)
		a := genAccess.Draw(t, "access")
		a.Requested, a.GitDir = "", nil
		b := a
		b.Real = "/ws/" + variants.Replace(strings.TrimPrefix(a.Real, "/ws/"))
		if v, w := p.Judge(a), p.Judge(b); v != w {
			t.Errorf("%s: %+v, but %s: %+v", a.Real, v, b.Real, w)
		}
	})
}

func TestCursorEqualsJudge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig.Draw(t, "config")
		if rapid.Bool().Draw(t, "spellings") {
			c.Workspace = append(c.Workspace, "/b/link")
			c.Spellings = [][]string{{"/ws/a", "/ws/b/ab", "/s"}, {"/ws/.git/a", "/c"}}
		}
		p := compileFor(t, c)
		for range 5 {
			a := genAccess.Draw(t, "access")
			suffix := rapid.SliceOfN(genName, 1, 4).Draw(t, "suffix")
			compareCursor(t, p, a, suffix)
		}
	})
}

type errorer interface {
	Helper()
	Errorf(format string, args ...any)
}

// compareCursor walks from the directory of a down to an entry.
func compareCursor(t errorer, p *Policy, dir Access, names []string) {
	t.Helper()
	c := p.CursorFor(dir)
	a := dir
	for i, name := range names {
		a.Real += "/" + name
		if a.Requested != "" {
			a.Requested += "/" + name
		}
		if v, w := c.Judge(name, a.Dir, a.Link), p.Judge(a); v != w {
			t.Errorf("entry %d of %+v: cursor %+v, Judge %+v", i, a, v, w)
		}
		c = c.Enter(name)
	}
}

// TestRulesAgainstDoublestar judges by rules alone, once with the compiled
// machine and once with doublestar, glob after glob.
func TestRulesAgainstDoublestar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig.Draw(t, "config")
		p := compileFor(t, c)
		a := genAccess.Draw(t, "access")
		a.GitDir = nil
		want := unmatched
		for _, r := range c.Rules {
			if naiveCovers(r, a) && naiveMatches(r, a) {
				want = max(want, int(r.Action))
			}
		}
		_, f := p.judge(a)
		got := unmatched
		switch {
		case p.Tool(a.Tool).Action == Deny:
			return
		case f.deny != none:
			got = int(Deny)
		case f.supervised != none:
			got = int(Supervised)
		case f.allow != none:
			got = int(Allow)
		}
		if got != want {
			t.Errorf("%+v: got %d, want %d", a, got, want)
		}
	})
}

// unmatched is less strict than any action.
const unmatched = -1

func naiveCovers(r Rule, a Access) bool {
	if r.Tools == nil {
		return true
	}
	for _, tool := range r.Tools {
		match := func(name string) bool { return doublestar.MatchUnvalidated(tool, name) }
		if match(a.Tool) || r.Action != Allow &&
			(a.Effect&Reveal != 0 && match("file_read") || a.Effect&Change != 0 && match("file_write")) {
			return true
		}
	}
	return false
}

func naiveMatches(r Rule, a Access) bool {
	for _, glob := range r.Paths {
		if !strings.HasPrefix(glob, "**") {
			glob = "/ws/" + glob
		} else {
			glob = "/" + glob
		}
		if r.Action == Allow {
			if naiveMatch(glob, a.Real) {
				return true
			}
			continue
		}
		// Where case is ignored, [^a] has A to match an a by.
		glob = strings.ReplaceAll(glob, "[^a]", "?")
		for _, path := range []string{a.Real, a.Requested} {
			for dir := path; dir != ""; dir = dir[:strings.LastIndexByte(dir, '/')] {
				if naiveMatch(fold(glob), fold(dir)) {
					return true
				}
			}
		}
	}
	return false
}

// naiveMatch is doublestar's, but that a/**/** and a*/** match a, too.
func naiveMatch(glob, path string) bool {
	if doublestar.MatchUnvalidated(glob, path) {
		return true
	}
	shorter, ok := strings.CutSuffix(glob, "/**")
	return ok && naiveMatch(shorter, path)
}
