package text

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"pgregory.net/rapid"
)

func mustLookup(t testing.TB, label string) Encoding {
	t.Helper()
	e, err := Lookup(label)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLookup(t *testing.T) {
	for label, want := range map[string]string{
		"": "text", "text": "text", "TEXT": "text", "base64": "base64",
		"utf8": "utf-8", " UTF-8 ": "utf-8", "utf-8-bom": "utf-8-bom", "utf-8-sig": "utf-8-bom",
		"utf-16": "utf-16le", "utf-16le": "utf-16le", "UTF-16BE": "utf-16be",
		"latin1": "windows-1252", "ascii": "windows-1252", "cp1252": "windows-1252",
		"sjis": "shift_jis", "shift_jis": "shift_jis", "gb2312": "gbk", "gb18030": "gb18030",
		"big5": "big5", "iso-8859-8-i": "iso-8859-8-i", "koi8-r": "koi8-r",
	} {
		e, err := Lookup(label)
		if err != nil || e.Name() != want {
			t.Errorf("Lookup(%q) = %v, %v; want %s", label, e, err, want)
			continue
		}
		if again, err := Lookup(e.Name()); err != nil || again != e {
			t.Errorf("Lookup(%q) = %#v, %v; want %#v", e.Name(), again, err, e)
		}
	}
}

func TestLookupUnknown(t *testing.T) {
	for label, near := range map[string]string{
		"utf_8": "utf-8", "latin-1": "latin1", "win-1252": "windows-1252", "shiftjs": "shift_jis",
		"gb1803": "gb18030", "klingon-piqad": "", "replacement": "", strings.Repeat("x", 1000): "",
		"\xff": "", "utf-32": "utf-16",
	} {
		_, err := Lookup(label)
		var e *LabelError
		if !errors.As(err, &e) || !errors.Is(err, ErrInvalid) {
			t.Errorf("Lookup(%.20q): %v; want a LabelError", label, err)
			continue
		}
		if near != "" && (len(e.Near) == 0 || !strings.Contains(strings.Join(e.Near, " "), near)) {
			t.Errorf("Lookup(%q): near %v; want %s", label, e.Near, near)
		}
		if near == "" && label != "\xff" && label != "replacement" && len(e.Near) > 0 {
			t.Errorf("Lookup(%.20q): near %v; want none", label, e.Near)
		}
	}
}

func TestKnownLabels(t *testing.T) {
	for _, label := range knownLabels {
		if e := mustLookup(t, label); e != Detect && e != Base64 && !e.isUnicode() {
			if c, err := htmlindex.Get(e.name); err != nil || c == nil {
				t.Errorf("%s has no table: %v", label, err)
			}
		}
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		label, src, want, name string
	}{
		{"", "", "", "utf-8"},
		{"", "grün\r\n", "grün\r\n", "utf-8"},
		{"", "\xEF\xBB\xBFa", "a", "utf-8-bom"},
		{"", "\xEF\xBB\xBF\xEF\xBB\xBFa", "\uFEFFa", "utf-8-bom"},
		{"", "\xFF\xFEa\x00\x3d\xd8\x00\xde", "a😀", "utf-16le"},
		{"", "\xFE\xFF\x00a\xd8\x3d\xde\x00", "a😀", "utf-16be"},
		{"utf-16", "\xFE\xFF\x00a", "a", "utf-16be"},
		{"utf-16le", "a\x00", "a", "utf-16le"},
		{"utf-8", "\xFF\xFEa\x00", "a", "utf-16le"},
		{"utf-8-bom", "a", "a", "utf-8"},
		{"latin1", "gr\xfcn \x80", "grün €", "windows-1252"},
		{"latin1", "\xEF\xBB\xBF", "ï»¿", "windows-1252"},
		{"shift_jis", "\x93\xfa\x96\x7b\\", "日本\\", "shift_jis"},
		{"gb18030", "\x84\x31\xa4\x37\xc4\xe3", "\uFFFD你", "gb18030"},
		{"iso-2022-jp", "\x1b$B\x46\x7c\x1b(B\n", "日\n", "iso-2022-jp"},
		{"base64", "\x00\xff", "AP8=", "base64"},
	} {
		got, enc, err := Decode([]byte(c.src), mustLookup(t, c.label))
		if err != nil || got != c.want || enc.Name() != c.name {
			t.Errorf("Decode(%q, %q) = %q, %v, %v; want %q, %s", c.src, c.label, got, enc, err, c.want, c.name)
			continue
		}
		back, err := Encode(got, enc)
		if err != nil || string(back) != c.src {
			t.Errorf("Encode(%q, %v) = %q, %v; want %q", got, enc, back, err, c.src)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct {
		label, src string
		offset     int64
	}{
		{"", "a\x00b", 1},
		{"", "ab\xff", 2},
		{"", "ab\xe2\x82", 2},
		{"", "\xEF\xBB\xBFa\xff", 4},
		{"", "\xed\xa0\x80", 0}, // a surrogate
		{"", "\xFF\xFEa\x00b", 4},
		{"", "\xFF\xFE\x00\x00a\x00\x00\x00", 2}, // UTF-32
		{"", "\xFF\xFEa\x00\x00\xdc", 4},
		{"", "\xFF\xFEa\x00\x00\xd8", 4},
		{"", "\xFF\xFEa\x00\x00\xd8a\x00", 4},
		{"latin1", "a\x00", 1},
		{"shift_jis", "ab\x93", 2},
		{"shift_jis", "ab\x93\xfa\xff\xff", 4},
		{"gb18030", "abc\xff", 3},
		{"iso-2022-jp", "ab\xff", 2},
		{"windows-1253", "a\xaab\xff", 1},
	} {
		_, _, err := Decode([]byte(c.src), mustLookup(t, c.label))
		var e *NotTextError
		if !errors.As(err, &e) || !errors.Is(err, ErrNotText) {
			t.Errorf("Decode(%q, %q): %v; want a NotTextError", c.src, c.label, err)
			continue
		}
		if e.Offset != c.offset {
			t.Errorf("Decode(%q, %q): offset %d; want %d", c.src, c.label, e.Offset, c.offset)
		}
	}
}

func TestNotTextSays(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"latin-1", "Stra\xdfe und Gr\xfc\xdfe, \xe0 bient\xf4t", `"windows-1252"`},
		{"shift_jis", "\x93\xfa\x96\x7b\x8c\xea\x82\xc5\x82\xb7", `"shift_jis"`},
		{"utf-16 without mark", "h\x00e\x00l\x00l\x00o\x00", `"utf-16le"`},
		{"utf-16 big endian", "\x00h\x00e\x00l\x00l\x00o", `"utf-16be"`},
		{"png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "PNG image (image/png)"},
		{"elf", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00", "ELF executable"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "gzip archive"},
		{"zeros", strings.Repeat("\x00", 64), "binary data (application/octet-stream)"},
	} {
		_, _, err := Decode([]byte(c.src), Detect)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want it to say %s", c.name, err, c.want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		label, s     string
		r            rune
		line, column int
	}{
		{"latin1", "ab\nx日", '日', 2, 2},
		{"shift_jis", "é", 'é', 1, 1},
		{"iso-8859-2", "ok\n\n€", '€', 3, 1},
		{"windows-1252", "a\uFFFD", utf8.RuneError, 1, 2},
		{"utf-8", "a\xff", utf8.RuneError, 1, 2},
		{"utf-16le", "a\xff", utf8.RuneError, 1, 2},
	} {
		_, err := Encode(c.s, mustLookup(t, c.label))
		var e *UnencodableError
		if !errors.As(err, &e) || !errors.Is(err, ErrInvalid) {
			t.Errorf("Encode(%q, %s): %v; want an UnencodableError", c.s, c.label, err)
			continue
		}
		if e.Rune != c.r || e.Line != c.line || e.Column != c.column || e.Encoding.Name() != c.label && c.label != "latin1" {
			t.Errorf("Encode(%q, %s): %+v", c.s, c.label, e)
		}
	}
}

func TestContent(t *testing.T) {
	for _, c := range []struct{ label, content, want string }{
		{"", "a\n", "a\n"},
		{"", "\uFEFFa", "\uFEFFa"},
		{"utf-8-bom", "a", "\uFEFFa"},
		{"utf-8-bom", "\uFEFFa", "\uFEFFa"},
		{"utf-16le", "a", "\xFF\xFEa\x00"},
		{"utf-16be", "\uFEFFa", "\xFE\xFF\x00a"},
		{"base64", "AP8=", "\x00\xff"},
		{"base64", "AP\r\n8=\n", "\x00\xff"},
		{"base64", "", ""},
	} {
		got, err := Content(c.content, mustLookup(t, c.label))
		if err != nil || string(got) != c.want {
			t.Errorf("Content(%q, %q) = %q, %v; want %q", c.content, c.label, got, err, c.want)
		}
	}
	for _, content := range []string{"AP8", "AP8=x", "AP-_", "AP9=", "A P8=", "="} {
		_, err := Content(content, Base64)
		var e *Base64Error
		if !errors.As(err, &e) || !errors.Is(err, ErrInvalid) {
			t.Errorf("Content(%q, base64): %v; want a Base64Error", content, err)
		}
	}
}

// Every byte string either decodes to text that encodes back to it, or is
// refused by Decode or, for editing, by reversible.
func checkRoundTrip(t interface{ Fatalf(string, ...any) }, src []byte, enc Encoding) {
	s, real, err := Decode(src, enc)
	if err != nil {
		return
	}
	if !utf8.ValidString(s) {
		t.Fatalf("%v: decoded to invalid UTF-8: %q", real, s)
	}
	if reversible(s, src, real) != nil {
		return
	}
	if back, err := Encode(s, real); err != nil || !bytes.Equal(back, src) {
		t.Fatalf("%v: %q → %q → %q, %v", real, src, s, back, err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.SampledFrom(knownLabels).Draw(t, "label")
		enc, _ := Lookup(label)
		checkRoundTrip(t, rapid.SliceOf(rapid.Byte()).Draw(t, "src"), enc)
		// Text that the charset can hold always comes back as it was.
		s := strings.ReplaceAll(rapid.String().Draw(t, "text"), "\x00", "")
		b, err := Encode(s, enc)
		if err != nil || enc == Base64 || !enc.isUnicode() {
			return
		}
		if got, _, err := Decode(b, enc); err != nil || got != s && got != strings.TrimPrefix(s, "\uFEFF") {
			t.Fatalf("%s: %q → %q → %q, %v", label, s, b, got, err)
		}
	})
}

// What a charset decodes but does not encode back is refused for edits.
func TestLossyRefused(t *testing.T) {
	for label, src := range map[string]string{
		"shift_jis":   "a\xfa\x54b",                   // a second code of ¬
		"iso-2022-jp": "\x1b$B\x1b$B\x46\x7c\x1b(B a", // an escape too many
	} {
		enc := mustLookup(t, label)
		if _, _, err := Decode([]byte(src), enc); err != nil {
			t.Errorf("%s: must be readable: %v", label, err)
		}
		_, _, err := Apply([]byte(src), enc, []Edit{{OldText: "a", NewText: "c"}})
		var e *LossyError
		if !errors.As(err, &e) || !errors.Is(err, ErrNotText) {
			t.Errorf("%s: %v; want a LossyError", label, err)
		}
	}
	out, _, err := Apply([]byte("a\x93\xfab"), mustLookup(t, "shift_jis"), []Edit{{OldText: "b", NewText: "本"}})
	if err != nil || string(out) != "a\x93\xfa\x96\x7b" {
		t.Errorf("control: %q, %v", out, err)
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("grün\r\n"), "")
	f.Add([]byte("\xFF\xFEa\x00"), "utf-16")
	f.Add([]byte("\x93\xfa\x96\x7b"), "shift_jis")
	f.Add([]byte("\x1b$B\x46\x7c\x1b(B"), "iso-2022-jp")
	f.Fuzz(func(t *testing.T, src []byte, label string) {
		if enc, err := Lookup(label); err == nil {
			checkRoundTrip(t, src, enc)
		}
	})
}

func TestDescribe(t *testing.T) {
	for src, want := range map[string]string{
		"": "plain text", "hello": "plain text", "%PDF-1.7": "PDF document", "GIF89a": "GIF image",
		"PK\x03\x04": "ZIP archive", "SQLite format 3\x00": "SQLite database",
		"\x00asm\x01\x00\x00\x00": "WebAssembly module",
	} {
		if got := Describe([]byte(src)); got != want {
			t.Errorf("Describe(%q) = %q (%s); want %q", src, got, MediaType([]byte(src)), want)
		}
	}
}
