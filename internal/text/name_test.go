package text

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	for _, c := range []struct{ name, shown string }{
		{"", ""},
		{"plain", "plain"},
		{`back\slash`, `back\slash`},
		{`back\x41`, `back\x41`},
		{"grün", "grün"},
		{"\uFFFD", "\uFFFD"},
		{"a\nb", "a\nb"},
		{"a\xff", `a\xff`},
		{"\xff\\x", `\xff\\x`},
		{"grün\xe9", `grün\xe9`},
		{`a\b/c` + "\xe9", `a\b/c\xe9`},
		{"\xed\xa0\x80", `\xed\xa0\x80`},
	} {
		if got := DisplayName(c.name); got != c.shown {
			t.Errorf("DisplayName(%q) = %q; want %q", c.name, got, c.shown)
		}
		if got := ParseName(c.shown); got != c.name {
			t.Errorf("ParseName(%q) = %q; want %q", c.shown, got, c.name)
		}
	}
}

func TestParseNameLiteral(t *testing.T) {
	for _, s := range []string{
		`\`, `\\`, `\x`, `\xf`, `\xfg`, `a\x41`, `\xc3\xa9`, `\xff\`, `\xff\n`, `\xff\x2f`, `\xff\x00`, `\xff\x2e\x2e`, "\xff\\xff", `..\xc3\xa9`,
	} {
		if got := ParseName(s); got != s {
			t.Errorf("ParseName(%q) = %q; want it as it is", s, got)
		}
	}
	if got := ParseName(`\xFF\\`); got != "\xff\\" {
		t.Errorf("upper case: %q", got)
	}
}

func checkNames(t interface{ Fatalf(string, ...any) }, b string) {
	shown := DisplayName(b)
	if !utf8.ValidString(shown) {
		t.Fatalf("%q is shown as %q", b, shown)
	}
	spellsBad := false // the exception in DisplayName's comment
	for _, name := range strings.Split(b, "/") {
		spellsBad = spellsBad || utf8.ValidString(name) && parseOne(name) != name
	}
	if got := ParseName(shown); got != b && !spellsBad {
		t.Fatalf("%q → %q → %q", b, shown, got)
	}
	if strings.Count(shown, "/") != strings.Count(b, "/") || strings.Count(ParseName(b), "/") != strings.Count(b, "/") {
		t.Fatalf("%q: the number of names changes", b)
	}
}

func TestNamesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SampledFrom([]string{"a", "\\", "x", "ff", "41", "/", "\xff", "\xe9", "é", "\n", "\\xff", "\\x2f", "日"})
		checkNames(t, strings.Join(rapid.SliceOf(parts).Draw(t, "name"), ""))
	})
}

func FuzzNames(f *testing.F) {
	f.Add("a\xff\\")
	f.Add(`\xff\\/b`)
	f.Fuzz(func(t *testing.T, b string) { checkNames(t, b) })
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ s, control, text string }{
		{"plain – grün 日本 😀", "plain – grün 日本 😀", "plain – grün 日本 😀"},
		{"a\nb\tc\r\n", `a\nb\tc\r\n`, "a\nb\tc\r\n"},
		{"over\rwritten", `over\rwritten`, `over\rwritten`},
		{"\x1b[31m\x07\x7f", `\x1b[31m\a\x7f`, `\x1b[31m\a\x7f`},
		{"\u009b31m\u0085", `\u009b31m\u0085`, `\u009b31m\u0085`},
		{"a\u202egnp.exe\u2066", `a\u202egnp.exe\u2066`, `a\u202egnp.exe\u2066`},
		{"\u200b\ufeff\u2028\u00ad", `\u200b\ufeff\u2028\u00ad`, `\u200b\ufeff\u2028\u00ad`},
		{"\U000e0041", `\U000e0041`, `\U000e0041`},
		{"bad\xff", `bad\xff`, `bad\xff`},
		{"👩\u200d👩", "👩\u200d👩", "👩\u200d👩"},
		{"\u0600", "\u0600", "\u0600"},
		{"\ufffd", "\ufffd", "\ufffd"},
	} {
		if got := VisibleControl(c.s); got != c.control {
			t.Errorf("VisibleControl(%q) = %q; want %q", c.s, got, c.control)
		}
		if got := VisibleText(c.s); got != c.text {
			t.Errorf("VisibleText(%q) = %q; want %q", c.s, got, c.text)
		}
	}
}

func TestVisibleJSON(t *testing.T) {
	for in, want := range map[string]string{
		"{\n\"a\": 1\n}\n":                 "{\n\"a\": 1\n}\n",
		"\"é\u200d😀\"":                     "\"é\u200d😀\"",
		"\"\u009b2J\x7f\u202e\U000E0041\"": `"\u009b2J\u007f\u202e\udb40\udc41"`,
	} {
		got := VisibleJSON(in)
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		var a, b any
		if json.Unmarshal([]byte(in), &a) != nil || json.Unmarshal([]byte(got), &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%q means %v, not %v", in, b, a)
		}
	}
}
