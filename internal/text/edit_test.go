package text

import (
	"bytes"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name, label, src string
		edits            []Edit
		want             string
	}{
		{"one", "", "a b c", []Edit{{OldText: "b", NewText: "x"}}, "a x c"},
		{"in sequence", "", "a b", []Edit{{OldText: "a", NewText: "c"}, {OldText: "c b", NewText: "d"}}, "d"},
		{"all", "", "a-a-a", []Edit{{OldText: "a", NewText: "bb", ReplaceAll: true}}, "bb-bb-bb"},
		{"all, overlapping", "", "aaa", []Edit{{OldText: "aa", NewText: "b", ReplaceAll: true}}, "ba"},
		{"delete", "", "a\nb\n", []Edit{{OldText: "b\n"}}, "a\n"},
		{"no change", "", "a\n", []Edit{{OldText: "a", NewText: "a"}}, "a\n"},
		{"no final newline stays", "", "a\nb", []Edit{{OldText: "a", NewText: "x"}}, "x\nb"},
		{"LF matches CRLF", "", "a\r\nb\r\nc\r\n", []Edit{{OldText: "a\nb\n", NewText: "x\ny\nz\n"}}, "x\r\ny\r\nz\r\nc\r\n"},
		{"LF at the start", "", "a\r\nb", []Edit{{OldText: "\nb", NewText: "\nc\nd"}}, "a\r\nc\r\nd"},
		{"new lines as the file", "", "a\r\nb\r\n", []Edit{{OldText: "b", NewText: "b\nc"}}, "a\r\nb\r\nc\r\n"},
		{"new lines in an LF file", "", "a\nb\n", []Edit{{OldText: "b", NewText: "b\nc"}}, "a\nb\nc\n"},
		{"new lines as the region", "", "a\r\nb\r\nc\r\nd\ne\n", []Edit{{OldText: "d\ne\n", NewText: "x\ny\nz\n"}}, "a\r\nb\r\nc\r\nx\ny\nz\n"},
		{"context keeps its ends", "", "a\r\nb\nc\r\nd", []Edit{{OldText: "a\nb\nc\n", NewText: "a\nx\nc\n"}}, "a\r\nx\nc\r\nd"},
		{"CRLF is literal", "", "a\r\nb\r\n", []Edit{{OldText: "a\r\n", NewText: "a\n"}}, "a\nb\r\n"},
		{"CRLF inserted", "", "a\nb\n", []Edit{{OldText: "a\nb", NewText: "a\r\nb"}}, "a\r\nb\n"},
		{"CRLF in a CRLF file", "", "a\r\nb\r\n", []Edit{{OldText: "a\nb", NewText: "a\r\nb"}}, "a\r\nb\r\n"},
		{"CRLF for a lone return", "", "a\rb\r\n", []Edit{{OldText: "a\r", NewText: "a\r\n"}}, "a\r\nb\r\n"},
		{"lone return stays", "", "a\rb\nc\n", []Edit{{OldText: "c", NewText: "d"}}, "a\rb\nd\n"},
		{"UTF-8 with mark", "", "\xEF\xBB\xBFa\n", []Edit{{OldText: "a", NewText: "ü"}}, "\xEF\xBB\xBFü\n"},
		{"UTF-16", "", "\xFF\xFEa\x00\r\x00\n\x00", []Edit{{OldText: "a\n", NewText: "😀\n"}}, "\xFF\xFE\x3d\xd8\x00\xde\r\x00\n\x00"},
		{"UTF-16 without mark", "utf-16be", "\x00a", []Edit{{OldText: "a", NewText: "b"}}, "\x00b"},
		{"charset", "latin1", "gr\xfcn", []Edit{{OldText: "grün", NewText: "weiß"}}, "wei\xdf"},
		{"bytes", "", "a\xffb\r\n", []Edit{{OldText: "b\n", NewText: "c\nd\n"}}, "a\xffc\r\nd\r\n"},
		{"bytes with NUL", "", "a\x00b", []Edit{{OldText: "b", NewText: "c"}}, "a\x00c"},
		{"bytes below a mark", "", "\xEF\xBB\xBFa\xff", []Edit{{OldText: "a", NewText: "b"}}, "\xEF\xBB\xBFb\xff"},
		{"differ in the middle of a character", "", "é", []Edit{{OldText: "é", NewText: "è"}}, "è"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, applied, err := Apply([]byte(c.src), mustLookup(t, c.label), c.edits)
			if err != nil || string(got) != c.want {
				t.Fatalf("got %q, %v\nwant %q", got, err, c.want)
			}
			if len(applied) != len(c.edits) || applied[0].Count == 0 || len(applied[0].Lines) == 0 {
				t.Errorf("applied: %+v", applied)
			}
		})
	}
}

func TestAppliedLines(t *testing.T) {
	_, applied, err := Apply([]byte("a\r\nb\r\na\r\n"), Detect, []Edit{{OldText: "a\n", NewText: "", ReplaceAll: true}, {OldText: "b", NewText: "c"}})
	want := []Applied{{0, 2, []int{1, 3}}, {1, 1, []int{1}}}
	if err != nil || !reflect.DeepEqual(applied, want) {
		t.Errorf("%+v, %v", applied, err)
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, c := range []struct {
		name, label, src string
		edits            []Edit
		want             error
	}{
		{"no edits", "", "a", nil, ErrInvalid},
		{"empty", "", "a", []Edit{{OldText: "", NewText: "b"}}, ErrInvalid},
		{"invalid UTF-8", "", "a", []Edit{{OldText: "a", NewText: "\xff"}}, ErrInvalid},
		{"base64", "base64", "a", []Edit{{OldText: "a", NewText: "b"}}, ErrInvalid},
		{"none", "", "a", []Edit{{OldText: "b", NewText: "c"}}, ErrMismatch},
		{"twice", "", "a a", []Edit{{OldText: "a", NewText: "c"}}, ErrMismatch},
		{"overlapping", "", "aaa", []Edit{{OldText: "aa", NewText: "c"}}, ErrMismatch},
		{"none of all", "", "a", []Edit{{OldText: "b", NewText: "c", ReplaceAll: true}}, ErrMismatch},
		{"equal and absent", "", "a", []Edit{{OldText: "b", NewText: "b"}}, ErrMismatch},
		{"the second", "", "a", []Edit{{OldText: "a", NewText: "b"}, {OldText: "a", NewText: "c"}}, ErrMismatch},
		{"CRLF in an LF file", "", "a\nb", []Edit{{OldText: "a\r\nb", NewText: "c"}}, ErrMismatch},
		{"bytes, not ASCII", "", "\xffa", []Edit{{OldText: "a", NewText: "ü"}}, ErrNotText},
		{"bytes of UTF-16", "", "\xFF\xFEa\x00\x00\xdc", []Edit{{OldText: "a", NewText: "b"}}, ErrNotText},
		{"bytes of a double-byte charset", "shift_jis", "a\xff", []Edit{{OldText: "a", NewText: "b"}}, ErrNotText},
		{"not in the charset", "latin1", "a\xff", []Edit{{OldText: "a", NewText: "日"}}, ErrInvalid},
	} {
		out, _, err := Apply([]byte(c.src), mustLookup(t, c.label), c.edits)
		if !errors.Is(err, c.want) || out != nil {
			t.Errorf("%s: %q, %v; want %v", c.name, out, err, c.want)
		}
	}
}

func TestApplyBounded(t *testing.T) {
	src := bytes.Repeat([]byte("a"), 1<<16)
	big := strings.Repeat("b", 1<<14)
	if _, _, err := Apply(src, Detect, []Edit{{OldText: "a", NewText: big, ReplaceAll: true}}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("output: %v", err)
	}
	if _, _, err := Apply(make([]byte, MaxEditBytes+1), Detect, []Edit{{OldText: "a", NewText: "b"}}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("input: %v", err)
	}
}

func TestNoHintForLargeText(t *testing.T) {
	for size, hinted := range map[int]bool{100: true, maxHintBytes + 1: false} {
		src := append(bytes.Repeat([]byte("x"), size), "\nsome  words\n"...)
		_, _, err := Apply(src, Detect, []Edit{{OldText: "some words", NewText: "y"}})
		var e *MismatchError
		if !errors.As(err, &e) || (e.Near != nil) != hinted {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestMismatch(t *testing.T) {
	const file = "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n\nfunc other() {\n\tprintln(\"it’s\")\n\treturn\n}\n"
	for _, c := range []struct {
		name string
		edit Edit
		says []string
	}{
		{"count and lines", Edit{OldText: "println"}, []string{"edit 1", "2 times", "lines 4, 8", "replace_all"}},
		{"overlap", Edit{OldText: "ll"}, []string{"is not", "not in the file"}},
		{"whitespace", Edit{OldText: "func main() {\n    println(\"hello\")\n}"}, []string{"lines 3-5", "whitespace", "\tprintln(\"hello\")"}},
		{"trailing blank", Edit{OldText: "\treturn \n"}, []string{"line 9", "whitespace"}},
		{"case", Edit{OldText: "Func Other"}, []string{"line 7", "case"}},
		{"quotes", Edit{OldText: "println(\"it's\")"}, []string{"line 8", "look-alike"}},
		{"a line differs", Edit{OldText: "func other() {\n\tprintln(\"nope\")\n\treturn\n}"}, []string{"lines 7-10", "first at line 8"}},
		{"words", Edit{OldText: "fmt.println(\"hello\", hello)"}, []string{"line 4", "some words"}},
		{"escaped", Edit{OldText: `func main() {\n\tprintln(\"hello\")`}, []string{"escaped once too often"}},
		{"numbered", Edit{OldText: "     3\tfunc main() {\n     4\t\tprintln(\"hello\")\n"}, []string{"line numbers"}},
		{"CRLF", Edit{OldText: "package main\r\n"}, []string{`\r\n`}},
		{"done already", Edit{OldText: "func first() {", NewText: "func other() {"}, []string{"new_text is in the file already, at line 7"}},
		{"nothing near", Edit{OldText: "zzz yyy xxx"}, []string{"old_text is not in the file"}},
	} {
		_, _, err := Apply([]byte(file), Detect, []Edit{c.edit})
		var e *MismatchError
		if c.name == "overlap" { // "hello" has it
			c.says = []string{}
			if err != nil {
				t.Errorf("control: %v", err)
			}
			continue
		}
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", c.name, err, s)
			}
		}
	}
	_, _, err := Apply([]byte("a\nb"), Detect, []Edit{{OldText: "b\n", NewText: "c\n"}})
	if err == nil || !strings.Contains(err.Error(), "last line does not") {
		t.Errorf("final newline: %v", err)
	}
	_, _, err = Apply([]byte("a\naaa\n"), Detect, []Edit{{OldText: "aa", NewText: "c"}})
	var e *MismatchError
	if !errors.As(err, &e) || e.Count != 2 || !reflect.DeepEqual(e.Lines, []int{2, 2}) {
		t.Errorf("overlap: %+v", err)
	}
	_, _, err = Apply(bytes.Repeat([]byte("a\n"), 1000), Detect, []Edit{{OldText: "a", NewText: "c"}})
	if !errors.As(err, &e) || e.Count != 1000 || len(e.Lines) != maxLines || !strings.Contains(err.Error(), "…") {
		t.Errorf("many: %+v", err)
	}
}

// unit is a character of the model: a line end is one, whatever its bytes.
type unit struct{ spelled, meant string }

func unitsIn(s string) []unit {
	var us []unit
	for s != "" {
		switch {
		case strings.HasPrefix(s, "\r\n"):
			us, s = append(us, unit{"\r\n", "\n"}), s[2:]
		default:
			us, s = append(us, unit{s[:1], s[:1]}), s[1:]
		}
	}
	return us
}

// applyModel matches unit by unit. It leaves open which ending inserted lines
// get: those are compared by what they mean.
func applyModel(s, old, new string) (meant string, matches int) {
	us, want := unitsIn(s), unitsIn(old)
	var out strings.Builder
	for i := 0; i < len(us); {
		hit := i+len(want) <= len(us)
		for j := 0; hit && j < len(want); j++ {
			hit = us[i+j].meant == want[j].meant
		}
		if !hit {
			out.WriteString(us[i].meant)
			i++
			continue
		}
		matches++
		for _, u := range unitsIn(new) {
			out.WriteString(u.meant)
		}
		i += len(want)
	}
	return out.String(), matches
}

// pairs are line ends in any spelling, also those that an edit made by taking
// away what stood between.
var pairs = regexp.MustCompile("\r+\n")

func checkEdit(t interface{ Fatalf(string, ...any) }, s, old, new string) {
	if strings.Contains(old, "\r") || strings.Contains(new, "\r") {
		return // literal: not of this model
	}
	meant, matches := applyModel(s, old, new)
	got, applied, err := Apply([]byte(s), Detect, []Edit{{OldText: old, NewText: new, ReplaceAll: true}})
	if matches == 0 {
		if !errors.Is(err, ErrMismatch) {
			t.Fatalf("%q in %q: %v; want a mismatch", old, s, err)
		}
		return
	}
	if err != nil || applied[0].Count != matches {
		t.Fatalf("%q in %q: %+v, %v; want %d matches", old, s, applied, err, matches)
	}
	if got, meant := pairs.ReplaceAllString(string(got), "\n"), pairs.ReplaceAllString(meant, "\n"); got != meant {
		t.Fatalf("%q → %q in %q: %q; want %q", old, new, s, got, meant)
	}
	if old == new && string(got) != s {
		t.Fatalf("%q in %q: no change changed it to %q", old, s, got)
	}
	lone := strings.Contains(strings.ReplaceAll(s, "\r\n", ""), "\r") // may come to stand before a line feed
	if before := LineEndings(s); !lone && (before == EndingsCRLF || before == EndingsLF) {
		if after := LineEndings(string(got)); after != before && strings.Contains(string(got), "\n") {
			t.Fatalf("%q → %q in %q: endings became %s", old, new, s, after)
		}
	}
	if _, _, err := Apply([]byte(s), Detect, []Edit{{OldText: old, NewText: new}}); err == nil && matches != 1 {
		t.Fatalf("%q in %q: applied, though there are %d matches", old, s, matches)
	}
}

func TestEditsLikeModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{"a", "a", "b", "\n", "\r\n", "\r"})
		s := strings.Join(rapid.SliceOfN(letters, 0, 40).Draw(t, "s"), "")
		if rapid.Bool().Draw(t, "crlf") {
			s = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(s, "\r", ""), "\n", "\r\n"), "\r\r", "\r")
		}
		short := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n"}), 1, 4)
		checkEdit(t, s, strings.Join(short.Draw(t, "old"), ""), strings.Join(short.Draw(t, "new"), ""))
	})
}

func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\nb", "c\nd")
	f.Add("\r\r\n", "\n", "x")
	f.Fuzz(func(t *testing.T, s, old, new string) {
		if old == "" || !isASCII(s) || !isASCII(old) || !isASCII(new) {
			return
		}
		checkEdit(t, s, old, new)
	})
}

func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     difference
	}{
		{"a", "a", difference{"a", "", ""}},
		{"abc", "axc", difference{"a", "b", "x"}},
		{"aa", "aaa", difference{"aa", "", "a"}},
		{"x\ny", "x\r\ny", difference{"x", "\n", "\r\n"}},
		{"a\r", "a\r\nb", difference{"a", "\r", "\r\nb"}},
		{"", "x", difference{"", "", "x"}},
	} {
		if got := differ(c.old, c.new); got != c.want {
			t.Errorf("differ(%q, %q) = %q", c.old, c.new, got)
		}
	}
}

func BenchmarkEdit1MiB(b *testing.B) {
	for name, ending := range map[string]string{"lf": "\n", "crlf": "\r\n"} {
		b.Run(name, func(b *testing.B) {
			src := []byte(strings.Repeat(strings.Repeat("x", 62)+ending, 1<<20/64) + "here" + ending + "there" + ending)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, _, err := Apply(src, Detect, []Edit{{OldText: "here\nthere\n", NewText: "gone\nthere\n"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMismatch1MiB(b *testing.B) {
	src := []byte(strings.Repeat("some words on a line, and numbers 123\n", 1<<20/38))
	for b.Loop() {
		if _, _, err := Apply(src, Detect, []Edit{{OldText: "other words\nin two lines", NewText: "x"}}); err == nil {
			b.Fatal("must not match")
		}
	}
}

// Each edit goes over the whole text, so that many of them on a large one would
// keep a processor busy for hours.
func TestApplyBoundsItsWork(t *testing.T) {
	src := []byte("a" + strings.Repeat("x", 4<<20))
	edits := make([]Edit, maxEditWork/len(src)+1)
	for i := range edits {
		edits[i] = Edit{OldText: "a", NewText: "a"}
	}
	if _, _, err := Apply(src, Detect, edits[1:]); err != nil {
		t.Errorf("one edit less: %v", err)
	}
	if _, _, err := Apply(src, Detect, edits); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v, want it refused", err)
	}
}
