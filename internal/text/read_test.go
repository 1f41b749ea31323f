package text

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func n(v int64) *int64 { return &v }

func readString(s string, enc Encoding, r Range) (Result, error) {
	return Read(context.Background(), Source{Reader: strings.NewReader(s), Size: int64(len(s)), Encoding: enc}, r)
}

func TestRead(t *testing.T) {
	const file = "one\ntwo\r\nthree\nfour"
	for _, c := range []struct {
		name string
		r    Range
		want Result // only the fields below are compared
	}{
		{"whole", Range{}, Result{Text: file, StartLine: 1, EndLine: 4, ByteEnd: 19}},
		{"offset", Range{Offset: n(3)}, Result{Text: "three\nfour", StartLine: 3, EndLine: 4, ByteStart: 9, ByteEnd: 19}},
		{"offset and limit", Range{Offset: n(2), Limit: n(2)}, Result{Text: "two\r\nthree\n", StartLine: 2, EndLine: 3, ByteStart: 4, ByteEnd: 15, Truncated: true, NextOffset: 4, NextByteOffset: 15}},
		{"limit", Range{Limit: n(1)}, Result{Text: "one\n", StartLine: 1, EndLine: 1, ByteEnd: 4, Truncated: true, NextOffset: 2, NextByteOffset: 4}},
		{"head", Range{Head: n(1)}, Result{Text: "one\n", StartLine: 1, EndLine: 1, ByteEnd: 4, Truncated: true, NextOffset: 2, NextByteOffset: 4}},
		{"head of more", Range{Head: n(9)}, Result{Text: file, StartLine: 1, EndLine: 4, ByteEnd: 19}},
		{"tail", Range{Tail: n(2)}, Result{Text: "three\nfour", StartLine: 3, EndLine: 4, ByteStart: 9, ByteEnd: 19}},
		{"tail of more", Range{Tail: n(9)}, Result{Text: file, StartLine: 1, EndLine: 4, ByteEnd: 19}},
		{"last line", Range{Offset: n(4), Limit: n(5)}, Result{Text: "four", StartLine: 4, EndLine: 4, ByteStart: 15, ByteEnd: 19}},
		{"behind the end", Range{Offset: n(5)}, Result{ByteStart: 19, ByteEnd: 19}},
		{"far behind", Range{Offset: n(1 << 60), Limit: n(1 << 60)}, Result{ByteStart: 19, ByteEnd: 19}},
		{"bytes", Range{ByteOffset: n(2), MaxBytes: n(5)}, Result{Text: "e\ntwo", StartLine: 1, EndLine: 2, ByteStart: 2, ByteEnd: 7, Truncated: true, NextByteOffset: 7}},
		{"first bytes", Range{MaxBytes: n(4)}, Result{Text: "one\n", StartLine: 1, EndLine: 1, ByteEnd: 4, Truncated: true, NextOffset: 2, NextByteOffset: 4}},
		{"bytes behind", Range{ByteOffset: n(1 << 62)}, Result{ByteStart: 19, ByteEnd: 19}},
		{"lines cut behind a line", Range{Offset: n(1), Limit: n(3), MaxBytes: n(11)}, Result{Text: "one\ntwo\r\n", StartLine: 1, EndLine: 2, ByteEnd: 9, Truncated: true, NextOffset: 3, NextByteOffset: 9}},
		{"line cut within", Range{Offset: n(3), MaxBytes: n(3)}, Result{Text: "thr", StartLine: 3, EndLine: 3, ByteStart: 9, ByteEnd: 12, Truncated: true, NextByteOffset: 12}},
		{"tail shortened", Range{Tail: n(3), MaxBytes: n(11)}, Result{Text: "three\nfour", StartLine: 3, EndLine: 4, ByteStart: 9, ByteEnd: 19, Truncated: true}},
		{"tail fits to the byte", Range{Tail: n(2), MaxBytes: n(10)}, Result{Text: "three\nfour", StartLine: 3, EndLine: 4, ByteStart: 9, ByteEnd: 19}},
		{"tail within a line", Range{Tail: n(1), MaxBytes: n(3)}, Result{Text: "our", StartLine: 4, EndLine: 4, ByteStart: 16, ByteEnd: 19, Truncated: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readString(file, Detect, c.r)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256([]byte(file))
			c.want.Encoding, c.want.LineEndings = UTF8, "mixed"
			c.want.TotalLines, c.want.LinesKnown = 4, true
			c.want.SHA256 = hex.EncodeToString(sum[:])
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestReadEmpty(t *testing.T) {
	for _, src := range []string{"", "\xEF\xBB\xBF", "\xFF\xFE"} {
		for _, r := range []Range{{}, {Head: n(1)}, {Tail: n(1)}, {Offset: n(7)}, {ByteOffset: n(3)}, {MaxBytes: n(1)}} {
			got, err := readString(src, Detect, r)
			if err != nil || got.Text != "" || got.TotalLines != 0 || !got.LinesKnown || got.Truncated || got.StartLine != 0 || got.LineEndings != "none" {
				t.Errorf("%q: %+v, %v", src, got, err)
			}
		}
	}
}

func TestLineEndings(t *testing.T) {
	for s, want := range map[string]string{
		"": "none", "a": "none", "a\n": "lf", "a\r\n": "crlf", "a\r\nb\n": "mixed",
		"a\rb": "cr", "a\rb\n": "lf", "a\r\r\n": "crlf", "\n\r": "lf",
	} {
		if got := LineEndings(s); got != want {
			t.Errorf("%q: %s; want %s", s, got, want)
		}
		for _, enc := range []Encoding{UTF8, UTF16LE, UTF16BE} {
			b, _ := Encode(s, enc)
			// Blocks of two bytes part every pair.
			res, err := readSized(context.Background(), sizes{16, 1 << 20}, Source{Reader: bytes.NewReader(b), Size: int64(len(b))}, Range{})
			if err != nil || res.LineEndings != want {
				t.Errorf("%v %q: %s, %v; want %s", enc, s, res.LineEndings, err, want)
			}
		}
	}
}

func TestReadBase64(t *testing.T) {
	const file = "\x00\x01\x02\xff\n"
	for _, c := range []struct {
		r    Range
		want string
		next int64
	}{
		{Range{}, "AAEC/wo=", 0},
		{Range{ByteOffset: n(1), MaxBytes: n(2)}, "AQI=", 3},
		{Range{MaxBytes: n(3)}, "AAEC", 3},
		{Range{ByteOffset: n(9)}, "", 0},
	} {
		got, err := readString(file, Base64, c.r)
		if err != nil || got.Text != c.want || got.NextByteOffset != c.next || got.Truncated != (c.next > 0) || got.Encoding != Base64 || got.LinesKnown || got.LineEndings != "" || got.SHA256 == "" {
			t.Errorf("%+v, %v; want %q", got, err, c.want)
		}
	}
}

func TestReadBinary(t *testing.T) {
	for _, c := range []struct {
		name, src string
		r         Range
		refused   bool
	}{
		{"NUL", "a\x00", Range{}, true},
		{"invalid", "a\xff", Range{}, true},
		{"invalid beyond the range", "a\nb\xff", Range{Head: n(1)}, false},
		{"invalid before the range", "a\xff\nb", Range{Offset: n(2)}, false},
		{"NUL before the range", "a\x00\nb", Range{Offset: n(2)}, true},
		{"NUL beyond the range", "a\nb\x00", Range{Head: n(1)}, false},
		{"NUL before the tail", "a\x00\nb", Range{Tail: n(1)}, false},
		{"NUL in the tail", "a\n\x00b", Range{Tail: n(1)}, true},
	} {
		_, err := readString(c.src, Detect, c.r)
		if errors.Is(err, ErrNotText) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestRangeCheck(t *testing.T) {
	for _, r := range []Range{
		{Offset: n(0)},
		{Offset: n(-1)},
		{Limit: n(0)},
		{Head: n(0)},
		{Tail: n(-3)},
		{ByteOffset: n(-1)},
		{MaxBytes: n(0)},
		{Head: n(1), Tail: n(1)},
		{Head: n(1), Offset: n(1)},
		{Head: n(1), Limit: n(1)},
		{Tail: n(1), Offset: n(1)},
		{ByteOffset: n(1), Offset: n(1)},
		{ByteOffset: n(1), Head: n(1)},
		{ByteOffset: n(1), Tail: n(1)},
		{ByteOffset: n(1), Limit: n(1)},
	} {
		var e *RangeError
		if _, err := readString("a", Detect, r); !errors.As(err, &e) || !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v; want a RangeError", r, err)
		}
	}
	for _, r := range []Range{{Head: n(1)}, {Tail: n(1)}, {Offset: n(1)}} {
		if _, err := readString("a", Base64, r); !errors.Is(err, ErrInvalid) {
			t.Errorf("base64: %v", err)
		}
	}
	if _, err := readString("a", mustLookup(t, "iso-2022-jp"), Range{ByteOffset: n(1)}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "iso-2022-jp") {
		t.Errorf("iso-2022-jp: %v", err)
	}
	if _, err := readString("€", Detect, Range{MaxBytes: n(2)}); !errors.Is(err, ErrInvalid) {
		t.Errorf("half a character: %v", err)
	}
}

func TestReadTooLarge(t *testing.T) {
	src := Source{Reader: strings.NewReader("0123456789\n"), Size: 11, MaxBytes: 10}
	_, err := Read(context.Background(), src, Range{})
	var e *TooLargeError
	if !errors.As(err, &e) || !errors.Is(err, ErrTooLarge) || e.Size != 11 || e.Max != 10 {
		t.Fatal(err)
	}
	for _, way := range []string{"offset", "limit", "tail", "max_bytes"} {
		if !strings.Contains(err.Error(), way) {
			t.Errorf("%q does not name %s", err, way)
		}
	}
	res, err := Read(context.Background(), src, Range{MaxBytes: n(1 << 40)})
	if err != nil || res.Text != "0123456789" || !res.Truncated || res.NextByteOffset != 10 {
		t.Errorf("max_bytes is not cut to the source's: %+v, %v", res, err)
	}
	src.MaxBytes = 11
	if res, err := Read(context.Background(), src, Range{}); err != nil || res.Truncated {
		t.Errorf("control: %+v, %v", res, err)
	}
}

// zeros is a sparse file. It fails the test when more is read than allowed.
type zeros struct {
	t    testing.TB
	left int64
}

func (z *zeros) ReadAt(p []byte, _ int64) (int, error) {
	if z.left -= int64(len(p)); z.left < 0 {
		z.t.Fatal("too much of a sparse file is read")
	}
	clear(p)
	return len(p), nil
}

func TestReadSparse(t *testing.T) {
	const size = 8 << 40
	for _, enc := range []string{"", "utf-16le", "shift_jis"} {
		_, err := Read(context.Background(), Source{Reader: &zeros{t, 1 << 20}, Size: size, Encoding: mustLookup(t, enc)}, Range{})
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s whole: %v", enc, err)
		}
		for _, r := range []Range{
			{Head: n(1)},
			{Offset: n(1 << 40)},
			{Tail: n(1)},
			{Offset: n(1), Limit: n(1)},
			{ByteOffset: n(1 << 42), MaxBytes: n(100)},
			{MaxBytes: n(100)},
		} {
			_, err := Read(context.Background(), Source{Reader: &zeros{t, 1 << 20}, Size: size, Encoding: mustLookup(t, enc)}, r)
			if !errors.Is(err, ErrNotText) && (enc != "shift_jis" || !errors.Is(err, ErrInvalid)) {
				t.Errorf("%s %+v: %v", enc, r, err)
			}
		}
	}
	res, err := Read(context.Background(), Source{Reader: &zeros{t, 1 << 20}, Size: size, Encoding: Base64}, Range{ByteOffset: n(1 << 42), MaxBytes: n(3)})
	if err != nil || res.Text != "AAAA" || res.SHA256 != "" || res.NextByteOffset != 1<<42+3 {
		t.Errorf("base64: %+v, %v", res, err)
	}
}

// endless is a file that consists of one line over and over, without memory.
type endless struct {
	line string
	reads,
	most int64
}

func (e *endless) ReadAt(p []byte, off int64) (int, error) {
	e.reads++
	e.most = max(e.most, int64(len(p)))
	for i := 0; i < len(p); {
		i += copy(p[i:], e.line[(off+int64(i))%int64(len(e.line)):])
	}
	return len(p), nil
}

func TestReadHugeLine(t *testing.T) {
	const size = 1 << 40
	r := &endless{line: "€"}
	src := Source{Reader: r, Size: size - size%3, MaxBytes: 1 << 20}
	for _, c := range []struct {
		r          Range
		start, end int64
	}{
		{Range{Head: n(1)}, 0, 1<<20 - 1},
		{Range{Offset: n(1), Limit: n(1), MaxBytes: n(100)}, 0, 99},
		{Range{ByteOffset: n(3<<20 + 1), MaxBytes: n(7)}, 3<<20 + 3, 3<<20 + 9},
	} {
		res, err := Read(context.Background(), src, c.r)
		if err != nil || res.ByteStart != c.start || res.ByteEnd != c.end || !res.Truncated || res.NextByteOffset != c.end || res.NextOffset != 0 || int64(len(res.Text)) != c.end-c.start || res.SHA256 != "" || res.LinesKnown {
			t.Errorf("%+v: %d–%d, %v", c.r, res.ByteStart, res.ByteEnd, err)
		}
	}
	res, err := Read(context.Background(), src, Range{Tail: n(5)})
	if err != nil || res.ByteEnd != src.Size || res.ByteStart < src.Size-src.MaxBytes || len(res.Text) < 1<<20-3 || !res.Truncated || !utf8.ValidString(res.Text) {
		t.Errorf("tail: %d–%d, %v", res.ByteStart, res.ByteEnd, err)
	}
	if r.most > usual.block {
		t.Errorf("reads of %d bytes", r.most)
	}
}

func TestReadCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &cancelling{endless: endless{line: "no line feed in here "}, after: 20, cancel: cancel}
	_, err := Read(ctx, Source{Reader: r, Size: 1 << 50}, Range{Offset: n(2)})
	if !errors.Is(err, context.Canceled) || r.reads > 22 {
		t.Errorf("%v after %d reads", err, r.reads)
	}
}

type cancelling struct {
	endless
	after  int64
	cancel func()
}

func (c *cancelling) ReadAt(p []byte, off int64) (int, error) {
	if c.reads == c.after {
		c.cancel()
	}
	return c.endless.ReadAt(p, off)
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, r := range []Range{{}, {Head: n(1)}, {Tail: n(1)}, {Offset: n(3)}, {ByteOffset: n(5)}} {
		_, err := Read(context.Background(), Source{Reader: failing{broken}, Size: 10}, r)
		if !errors.Is(err, broken) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	// A file that has become shorter ends where it ends.
	for _, r := range []Range{{}, {Head: n(9)}, {Offset: n(1), Limit: n(9)}, {ByteOffset: n(0)}} {
		res, err := Read(context.Background(), Source{Reader: strings.NewReader("a\nb"), Size: 100}, r)
		if err != nil || res.Text != "a\nb" || res.TotalLines != 2 || res.Truncated {
			t.Errorf("%+v: %+v, %v", r, res, err)
		}
	}
	if _, err := Read(context.Background(), Source{Reader: strings.NewReader("a\nb"), Size: 100}, Range{Tail: n(1)}); err != nil {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// model splits the whole text and knows nothing of bytes, blocks and charsets.
func model(lines []string, r Range) string {
	first, last := 1, len(lines)
	switch {
	case r.Head != nil:
		last = int(min(int64(last), *r.Head))
	case r.Tail != nil:
		first = int(max(1, int64(last)-*r.Tail+1))
	default:
		if r.Offset != nil {
			first = int(min(*r.Offset, int64(last+1)))
		}
		if r.Limit != nil {
			last = int(min(int64(last), int64(first)+*r.Limit-1))
		}
	}
	return strings.Join(lines[first-1:last], "")
}

func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// checkLines compares a range of lines with the model, in small blocks, with
// and without the survey of the whole file.
func checkLines(t interface{ Fatalf(string, ...any) }, s string, enc Encoding, r Range) {
	b, err := Encode(s, enc)
	if err != nil {
		return
	}
	for _, scan := range []int64{0, 1 << 20} {
		src := Source{Reader: bytes.NewReader(b), Size: int64(len(b)), Encoding: enc}
		res, err := readSized(context.Background(), sizes{16, scan}, src, r)
		if err != nil {
			t.Fatalf("%v %+v: %v", enc, r, err)
		}
		lines := splitLines(s)
		want := model(lines, r)
		if res.Text != want {
			t.Fatalf("%v %s: got %q, want %q", enc, show(r), res.Text, want)
		}
		if !enc.isStateful() {
			if part, err := Encode(res.Text, Encoding{name: enc.name}); err != nil || !bytes.Equal(part, b[res.ByteStart:res.ByteEnd]) {
				t.Fatalf("%v %s: bytes %d–%d are not the text's", enc, show(r), res.ByteStart, res.ByteEnd)
			}
		}
		if res.LinesKnown && res.TotalLines != int64(len(lines)) || scan > 0 && !res.LinesKnown {
			t.Fatalf("%v %s: %d lines of %d", enc, show(r), res.TotalLines, len(lines))
		}
		if res.StartLine > 0 {
			if got := strings.Join(lines[res.StartLine-1:res.EndLine], ""); got != want {
				t.Fatalf("%v %s: lines %d–%d are %q", enc, show(r), res.StartLine, res.EndLine, got)
			}
		} else if want != "" && (scan > 0 || r.Tail == nil) {
			t.Fatalf("%v %s: no start line", enc, show(r))
		}
		if res.NextOffset > 0 && model(lines, Range{Offset: n(res.NextOffset), Limit: n(1)}) == "" {
			t.Fatalf("%v %s: nothing at the next offset %d", enc, show(r), res.NextOffset)
		}
	}
}

func show(r Range) string {
	var b strings.Builder
	for _, f := range []struct {
		name string
		v    *int64
	}{{"offset", r.Offset}, {"limit", r.Limit}, {"head", r.Head}, {"tail", r.Tail}, {"byte_offset", r.ByteOffset}, {"max_bytes", r.MaxBytes}} {
		if f.v != nil {
			fmt.Fprintf(&b, "%s=%d ", f.name, *f.v)
		}
	}
	return b.String()
}

// drawText draws text with short lines of characters that the encoding has.
func drawText(t *rapid.T, enc Encoding) string {
	letters := []string{"a", "b", "\n", "\n", "\r\n", "\r", "\\", "0"}
	switch {
	case enc.isUnicode():
		letters = append(letters, "é", "日", "😀", "\uFEFF", "\u0A0A", "\u0D0D")
	case enc.isMultiByte():
		letters = append(letters, "日", "表", "一") // 表 ends in a backslash in shift_jis
	default:
		letters = append(letters, "é")
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 80).Draw(t, "text"), "")
}

var testedEncodings = []string{"utf-8", "utf-8-bom", "utf-16le", "utf-16be", "windows-1252", "shift_jis", "gb18030", "euc-jp", "iso-2022-jp"}

func TestLinesLikeModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		enc, _ := Lookup(rapid.SampledFrom(testedEncodings).Draw(t, "encoding"))
		s := drawText(t, enc)
		if !enc.bom {
			s = strings.TrimLeft(s, "\uFEFF") // else it would be a byte order mark
		}
		lines := rapid.Int64Range(1, 40)
		r := Range{}
		switch rapid.IntRange(0, 4).Draw(t, "way") {
		case 0:
			r.Head = n(lines.Draw(t, "head"))
		case 1:
			r.Tail = n(lines.Draw(t, "tail"))
		case 2:
			r.Offset = n(lines.Draw(t, "offset"))
		case 3:
			r.Offset, r.Limit = n(lines.Draw(t, "offset")), n(lines.Draw(t, "limit"))
		}
		checkLines(t, s, enc, r)
	})
}

// Reading on at NextByteOffset, or NextOffset, gives all of the file and
// nothing twice, whatever the bound.
func TestReadOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		enc, _ := Lookup(rapid.SampledFrom(testedEncodings[:8]).Draw(t, "encoding"))
		s := drawText(t, enc)
		if !enc.bom {
			s = strings.TrimLeft(s, "\uFEFF")
		}
		b, err := Encode(s, enc)
		if err != nil {
			t.Fatal(err)
		}
		bound := rapid.Int64Range(4, 20).Draw(t, "max_bytes")
		scan := rapid.SampledFrom([]int64{0, 1 << 20}).Draw(t, "scan")
		byLines := rapid.Bool().Draw(t, "lines")
		src := Source{Reader: bytes.NewReader(b), Size: int64(len(b)), Encoding: enc, MaxBytes: bound}
		r := Range{MaxBytes: n(bound)}
		if byLines {
			r.Offset = n(1)
		}
		var got strings.Builder
		for {
			res, err := readSized(context.Background(), sizes{64, scan}, src, r)
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(res.Text)
			if res.ByteEnd-res.ByteStart > bound {
				t.Fatalf("%d bytes", res.ByteEnd-res.ByteStart)
			}
			if !res.Truncated {
				break
			}
			if r = (Range{ByteOffset: n(res.NextByteOffset), MaxBytes: n(bound)}); byLines && res.NextOffset > 0 {
				r = Range{Offset: n(res.NextOffset), MaxBytes: n(bound)}
			}
		}
		if got.String() != s {
			t.Fatalf("%v: got %q, want %q", enc, got.String(), s)
		}
	})
}

// A byte range at any place starts and ends between characters.
func TestBytesLikeModel(t *testing.T) {
	for label, s := range map[string]string{
		"utf-8": "aé日\n😀b", "utf-8-bom": "aé日\n😀b", "utf-16le": "aé\n😀😀b", "utf-16be": "aé\n😀😀b",
		"windows-1252": "aé\nb€", "shift_jis": "a表表\n日b表", "gb18030": "a表\n😀é丂b", "euc-jp": "a日本\nb",
	} {
		enc := mustLookup(t, label)
		b, err := Encode(s, enc)
		if err != nil {
			t.Fatal(err)
		}
		src := Source{Reader: bytes.NewReader(b), Size: int64(len(b)), Encoding: enc}
		for offset := range src.Size + 3 {
			for bound := int64(4); bound < src.Size; bound++ {
				res, err := readSized(context.Background(), sizes{512, 0}, src, Range{ByteOffset: n(offset), MaxBytes: n(bound)})
				if err != nil {
					t.Fatalf("%s at %d: %v", label, offset, err)
				}
				want, start, end := bytesModel(s, enc, offset, bound)
				if res.Text != want || start >= 0 && (res.ByteStart != start || res.ByteEnd != end) {
					t.Fatalf("%s at %d: got %q (%d–%d), want %q (%d–%d)", label, offset, res.Text, res.ByteStart, res.ByteEnd, want, start, end)
				}
			}
		}
	}
}

// bytesModel encodes one character after another.
func bytesModel(s string, enc Encoding, offset, bound int64) (want string, start, end int64) {
	at := int64(len(enc.mark()))
	start, end = -1, at
	for _, r := range s {
		c, _ := Encode(string(r), Encoding{name: enc.name})
		if at >= offset && start < 0 {
			start = at
		}
		at += int64(len(c))
		if start >= 0 {
			if at > start+bound {
				break
			}
			want += string(r)
			end = at
		}
	}
	return want, start, end
}

func TestHashOfAllBytes(t *testing.T) {
	for _, s := range []string{"\xEF\xBB\xBFa\nb", "\xFF\xFEa\x00"} {
		sum := sha256.Sum256([]byte(s))
		for _, r := range []Range{{}, {Head: n(1)}, {Tail: n(1)}, {Offset: n(9)}} {
			if res, err := readString(s, Detect, r); err != nil || res.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("%q: %s, %v", s, res.SHA256, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a\nb\r\nc", int64(2), int64(1), int64(0), uint8(0))
	f.Add("日本\n語", int64(1), int64(0), int64(1), uint8(3))
	f.Fuzz(func(t *testing.T, s string, offset, limit, tail int64, label uint8) {
		enc, _ := Lookup(testedEncodings[int(label)%len(testedEncodings)])
		s = strings.ReplaceAll(s, "\x00", "")
		if !enc.bom {
			s = strings.TrimLeft(s, "\uFEFF")
		}
		if !enc.isUnicode() {
			if b, err := Encode(s, enc); err != nil || reversible(s, b, enc) != nil {
				return
			} else if back, _, err := Decode(b, enc); err != nil || back != s {
				return // a character that comes back as another
			}
		}
		var r Range
		switch {
		case tail > 0:
			r.Tail = n(tail)
		default:
			if offset > 0 {
				r.Offset = n(offset)
			}
			if limit > 0 {
				r.Limit = n(limit)
			}
		}
		checkLines(t, s, enc, r)
	})
}

// FuzzReadBytes looks for panics and for text that is not valid.
func FuzzReadBytes(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00\n\x00"), "utf-16le", int64(1), int64(5), int64(0))
	f.Fuzz(func(t *testing.T, b []byte, label string, offset, bound, tail int64) {
		enc, err := Lookup(label)
		if err != nil {
			return
		}
		r := Range{ByteOffset: n(offset), MaxBytes: n(bound)}
		if tail > 0 {
			r = Range{Tail: n(tail), MaxBytes: n(bound)}
		}
		res, err := readSized(context.Background(), sizes{32, int64(len(b) % 2 * 1000)}, Source{Reader: bytes.NewReader(b), Size: int64(len(b)), Encoding: enc}, r)
		if err == nil && (!utf8.ValidString(res.Text) || res.ByteStart > res.ByteEnd || res.ByteEnd > int64(len(b))) {
			t.Fatalf("%+v", res)
		}
	})
}

func BenchmarkTailOf1GiB(b *testing.B) {
	src := Source{Reader: &endless{line: strings.Repeat("x", 79) + "\n"}, Size: 1 << 30}
	for b.Loop() {
		if res, err := Read(context.Background(), src, Range{Tail: n(100)}); err != nil || len(res.Text) == 0 {
			b.Fatal(err)
		}
	}
}

func BenchmarkLastLinesOf1GiB(b *testing.B) {
	block := bytes.Repeat([]byte(strings.Repeat("x", 79)+"\n"), 1<<12)
	src := Source{Reader: repeated(block), Size: 1 << 30}
	b.SetBytes(src.Size)
	for b.Loop() {
		res, err := Read(context.Background(), src, Range{Offset: n(1<<30/80 - 10)})
		if err != nil || res.EndLine < 1<<30/80 {
			b.Fatal(err)
		}
	}
}

// repeated is a file of one block over and over, as cheap as memory.
type repeated []byte

func (r repeated) ReadAt(p []byte, off int64) (int, error) {
	for i := 0; i < len(p); {
		i += copy(p[i:], r[(off+int64(i))%int64(len(r)):])
	}
	return len(p), nil
}

var _ io.ReaderAt = repeated(nil)
