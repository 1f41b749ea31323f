package search

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// hits are the matching lines that a finder reports: "number:column".
func hits(m *Matcher, text []byte) []string {
	f := newFinder(m)
	f.reset(text)
	var out []string
	for pos := 0; pos < len(text); {
		start, end, col, ok := f.next(pos)
		if !ok {
			break
		}
		out = append(out, fmt.Sprintf("%d:%d", bytes.Count(text[:start], []byte{'\n'})+1, col+1))
		pos = end + 1
	}
	return out
}

// naiveHits runs the regular expression over line after line.
func naiveHits(re *regexp.Regexp, text []byte) []string {
	var out []string
	lines := bytes.Split(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\n'})
	if len(text) == 0 {
		lines = nil
	}
	for i, line := range lines {
		if loc := re.FindIndex(bytes.TrimSuffix(line, []byte{'\r'})); loc != nil {
			out = append(out, fmt.Sprintf("%d:%d", i+1, loc[0]+1))
		}
	}
	return out
}

func mustCompile(t testing.TB, pattern string, opts PatternOptions) *Matcher {
	t.Helper()
	m, err := Compile(pattern, opts)
	if err != nil {
		t.Fatalf("Compile(%q): %v", pattern, err)
	}
	return m
}

func TestMatcherLines(t *testing.T) {
	text := "func NewHandler(x int) {\n\tfoo bar\r\nFOO.BAR\n\nbarbaz \xff\xfe end\nqux\nΣίσυφος Kelvin \u212a\nsnake_case_123 = 1\r\n\r\nlast line without end"
	patterns := []string{
		"foo", "Foo", `func \w+Handler\(`, "foo|barbaz|qux", `[a-z]+_[0-9]{3,}`, `^$`, `^`, `$`, `bar$`, `^\tfoo`,
		`(?i)foo`, `(?i)foo.bar`, `(?i:foo)\.BAR`, `(?i)kelvin`, `(?i)σίσυφος`, `.`, `\S+\s\S+`, `\bend\b`, `\Bz`, `x*`,
		`^.{3}$`, `[^a]{20,}`, `[[:upper:]]{3}`, `(foo|bar)(baz|qux)?`, `\x{FFFD}`, `end$`, `1$`, `\A\w`, `e\z`, `(a|b|c|d|e|f)(g|h|i|j)`,
		`(?s).+`, `(?m)^qux$`, `\pL+\s`, `[ab]ar`, `(?i)[k]`, `(?i)k`, `(?i)ba[rz]`, `\d+ = \d`, `nothing here`, `(|foo)bar`, `a{0}qux`, `(?i)s`,
	}
	for _, pattern := range patterns {
		m := mustCompile(t, pattern, PatternOptions{})
		want := naiveHits(regexp.MustCompile(pattern), []byte(text))
		if got := hits(m, []byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", pattern, got, want)
		}
		m = mustCompile(t, pattern, PatternOptions{IgnoreCase: true})
		want = naiveHits(regexp.MustCompile("(?i)"+pattern), []byte(text))
		if got := hits(m, []byte(text)); !slices.Equal(got, want) {
			t.Errorf("ignoring case, %q: got %v, want %v", pattern, got, want)
		}
	}
}

func TestMatcherLiteral(t *testing.T) {
	text := []byte("a.b\nacb\nA.B\n\xff\xfe\nf(x)[1]\n")
	for _, tt := range []struct {
		pattern string
		opts    PatternOptions
		want    []string
	}{
		{"a.b", PatternOptions{Literal: true}, []string{"1:1"}},
		{"a.b", PatternOptions{Literal: true, IgnoreCase: true}, []string{"1:1", "3:1"}},
		{"\xfe", PatternOptions{Literal: true}, []string{"4:2"}},
		{"(x)[", PatternOptions{Literal: true}, []string{"5:2"}},
		{"", PatternOptions{Literal: true}, []string{"1:1", "2:1", "3:1", "4:1", "5:1"}},
	} {
		if got := hits(mustCompile(t, tt.pattern, tt.opts), text); !slices.Equal(got, tt.want) {
			t.Errorf("%q %+v: got %v, want %v", tt.pattern, tt.opts, got, tt.want)
		}
	}
}

// The way of searching that a pattern gets is what makes it fast.
func TestMatcherPlan(t *testing.T) {
	for _, tt := range []struct {
		pattern  string
		literals []string
		fold     bool
		exact    bool
	}{
		{`foo`, []string{"foo"}, false, true},
		{`func \w+Handler\(`, []string{"Handler("}, false, false},
		{`foo|barbaz|qux`, []string{"foo", "barbaz", "qux"}, false, true},
		{`foo|barbaz|a.`, nil, false, false},
		{`foo|barbaz|qux.`, []string{"foo", "barbaz", "qux"}, false, false},
		{`ba(r|z)`, []string{"bar", "baz"}, false, true},
		{`(?i)Handler`, []string{"handler"}, true, true},
		{`(?i)workspace`, []string{"pace"}, true, false},
		{`(?i:foo)Bar`, []string{"foobar"}, true, false},
		{`^foo$`, []string{"foo"}, false, false},
		{`(foo)+x`, []string{"foo"}, false, false},
		{`(foo)*xyz`, []string{"xyz"}, false, false},
		{`(foo)?`, nil, false, false},
		{`[a-z]+_[0-9]{3,}`, nil, false, false},
		{`[a-z]+[0-9]{3,}`, nil, false, false},
		{"é\uFFFDlan", []string{"é"}, false, false},
	} {
		m := mustCompile(t, tt.pattern, PatternOptions{})
		if !slices.Equal(m.literals, tt.literals) || m.fold && !tt.fold || m.exact != tt.exact {
			t.Errorf("%q: literals %q fold %v exact %v, want %q %v %v", tt.pattern, m.literals, m.fold, m.exact, tt.literals, tt.fold, tt.exact)
		}
		if m.exact != (m.line == nil) {
			t.Errorf("%q: an exact matcher runs a regular expression", tt.pattern)
		}
		if m.exact != (m.prog == nil) {
			t.Errorf("%q: an exact matcher has an automaton, or another none", tt.pattern)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		opts    PatternOptions
		say     string
	}{
		{`a\nb`, PatternOptions{}, "line break"},
		{`[\n]`, PatternOptions{}, "line break"},
		{"a\nb", PatternOptions{Literal: true}, "line break"},
		{`(`, PatternOptions{}, "missing closing )"},
		{`(?=x)`, PatternOptions{}, "look-around"},
		{`(a)\1`, PatternOptions{}, "back-references"},
		{`a**`, PatternOptions{}, "nested repetition"},
	} {
		_, err := Compile(tt.pattern, tt.opts)
		var pe *PatternError
		if !errors.Is(err, ErrPattern) || !errors.As(err, &pe) || !strings.Contains(pe.Reason, tt.say) {
			t.Errorf("Compile(%q) = %v, want it to speak of %q", tt.pattern, err, tt.say)
		}
	}
	for _, pattern := range []string{`\s`, `[^a]`, `(?s)a.b`, `[\n\t]`} {
		if _, err := Compile(pattern, PatternOptions{}); err != nil {
			t.Errorf("Compile(%q) = %v, want no error", pattern, err)
		}
	}
}

// A pattern with too many states falls back to one line after the other.
func TestAutomatonGivesUp(t *testing.T) {
	pattern := `[ab][^x]{18}[cd][^y]{19}$`
	var text []byte
	seed := uint32(1)
	for range 300_000 {
		seed = seed*1664525 + 1013904223
		text = append(text, "abcdefxy"[seed>>29])
		if seed>>16%97 == 0 {
			text = append(text, '\n')
		}
	}
	m := mustCompile(t, pattern, PatternOptions{})
	f := newFinder(m)
	f.reset(text)
	for pos := 0; pos < len(text); {
		_, end, _, ok := f.next(pos)
		if !ok {
			break
		}
		pos = end + 1
	}
	if f.filter != nil {
		t.Error("the automaton was kept, want it given up")
	}
	if got, want := hits(m, text), naiveHits(regexp.MustCompile(pattern), text); !slices.Equal(got, want) {
		t.Errorf("got %d lines, want %d", len(got), len(want))
	}
}

func FuzzMatcher(f *testing.F) {
	for _, pattern := range []string{
		"foo", `func \w+Handler\(`, "foo|bar|qux", `[a-z]+_\d{3,}`, `(?i)kiss`, `^$`, `\bx\b`, `(a|b)*c$`, `.é`, `[^\x{80}-\x{10ffff}]$`,
		`(?i:foo)Bar`, `\x{fffd}`, `$^`, `(?:)`, `a?b?c?$`, `[[:alpha:]]\r`, `(?s).$`,
	} {
		f.Add(pattern, "foo bar\r\nfunc NewHandler(\n\nKISS \u212aiss\nx_123\n\xff\xfe\xef\xbf\xbd\na.é", false, false)
		f.Add(pattern, "", true, true)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, literal, ignoreCase bool) {
		m, err := Compile(pattern, PatternOptions{Literal: literal, IgnoreCase: ignoreCase})
		if err != nil {
			return
		}
		source := pattern
		if literal {
			if !utf8.ValidString(pattern) {
				return
			}
			source = regexp.QuoteMeta(pattern)
			if strings.ContainsRune(pattern, utf8.RuneError) {
				return // as a literal it is compared byte by byte
			}
		}
		if ignoreCase {
			source = "(?i)" + source
		}
		if literal && strings.HasSuffix(pattern, "\r") {
			return // a literal may name the "\r" of a line ending
		}
		want := naiveHits(regexp.MustCompile(source), []byte(text))
		if got := hits(m, []byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q in %q: got %v, want %v", source, text, got, want)
		}
	})
}

// What is compiled takes hundreds of times the memory of the pattern.
func TestPatternLength(t *testing.T) {
	for _, o := range []PatternOptions{{}, {Literal: true}, {IgnoreCase: true}} {
		mustCompile(t, strings.Repeat("x", maxPattern), o)
		if _, err := Compile(strings.Repeat("x", maxPattern+1), o); !errors.Is(err, ErrPattern) {
			t.Errorf("%+v: got %v, want it refused", o, err)
		}
	}
}
