package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

// scanAll runs a scanner over text and returns what it handed on, as one.
func scanAll(t testing.TB, m *Matcher, r io.Reader, size int64, context, limit int) FileMatches {
	t.Helper()
	var out FileMatches
	s := newScanner(m, context, limit, func(f FileMatches) error {
		out.Binary = out.Binary || f.Binary
		out.Lines = append(out.Lines, f.Lines...)
		return nil
	})
	if err := s.scan(t.Context(), r, size); err != nil {
		t.Fatal(err)
	}
	return out
}

// model is grep written plainly.
func model(re *regexp.Regexp, text []byte, context int) []Line {
	var all []Line
	offset := int64(0)
	for i, raw := range bytes.SplitAfter(text, []byte{'\n'}) {
		if len(raw) == 0 {
			break
		}
		line := trimCR(bytes.TrimSuffix(raw, []byte{'\n'}))
		l := Line{Number: int64(i + 1), Offset: offset}
		col := 0
		if loc := re.FindIndex(line); loc != nil {
			col = loc[0]
			l.Column = col + 1
		}
		shown, skipped := window(line, col)
		l.Text, l.Skipped, l.Cut = string(shown), skipped, len(shown) < len(line)
		all = append(all, l)
		offset += int64(len(raw))
	}
	var out []Line
	for i, l := range all {
		near := all[max(0, i-context):min(len(all), i+context+1)]
		if slices.ContainsFunc(near, Line.IsMatch) {
			out = append(out, l)
		}
	}
	return out
}

func diffLines(got, want []Line) string {
	if slices.Equal(got, want) {
		return ""
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("line %d of %d/%d:\n got %+v\nwant %+v", i, len(got), len(want), got[i], want[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(got), len(want))
}

func randomText(rng *rand.Rand, size int) []byte {
	words := []string{"foo", "bar", "barbaz", "needle", "x_123", "\r", "Éa", "\t", "\xff", "func NewHandler(", ""}
	var b bytes.Buffer
	for b.Len() < size {
		for range rng.IntN(12) {
			b.WriteString(words[rng.IntN(len(words))])
			b.WriteByte(' ')
		}
		switch rng.IntN(200) {
		case 0:
			b.WriteString(strings.Repeat("long ", rng.IntN(2000)))
		case 1:
			b.WriteString(strings.Repeat("lang ", rng.IntN(40_000)) + "needle")
		case 2, 3, 4:
			b.WriteByte('\r')
		}
		if rng.IntN(30) != 0 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func TestScanEqualsModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	patterns := []string{"needle", "foo|barbaz", `^$`, `\w+_\d{3}`, `(?i)NEEDLE`, `func \w+Handler\(`, "no such thing", `bar $`}
	for round := range 6 {
		text := randomText(rng, []int{0, 1, 100, 5_000, 300_000, 600_000}[round%6])
		for i, pattern := range patterns {
			m := mustCompile(t, pattern, PatternOptions{})
			context := []int{0, 1, 3, 100}[(round+i)%4]
			want := model(regexp.MustCompile(pattern), text, context)
			size := []int64{int64(len(text)), 0, -1}[i%3]
			var r io.Reader = bytes.NewReader(text)
			if round%2 == 1 {
				r = iotest.DataErrReader(iotest.HalfReader(r))
			}
			if d := diffLines(scanAll(t, m, r, size, context, 0).Lines, want); d != "" {
				t.Errorf("round %d, %q, context %d: %s", round, pattern, context, d)
			}
		}
	}
}

func TestScanByteByByte(t *testing.T) {
	text := "\xef\xbb\xbfneedle\nfoo\n\nneedle"
	got := scanAll(t, mustCompile(t, "^needle", PatternOptions{}), iotest.OneByteReader(strings.NewReader(text)), 0, 0, 0)
	want := []Line{{Number: 1, Offset: 3, Column: 1, Text: "needle"}, {Number: 4, Offset: 15, Column: 1, Text: "needle"}}
	if d := diffLines(got.Lines, want); d != "" {
		t.Error(d)
	}
}

func TestScanUTF16(t *testing.T) {
	text := "first\r\nsecond: Füße 😀 needle\r\nthird\r\n"
	for name, encode := range map[string]func(uint16) []byte{
		"little endian": func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} },
		"big endian":    func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} },
	} {
		raw := encode(0xfeff)
		for _, u := range utf16.Encode([]rune(text)) {
			raw = append(raw, encode(u)...)
		}
		got := scanAll(t, mustCompile(t, "Füße 😀", PatternOptions{}), bytes.NewReader(raw), int64(len(raw)), 1, 0)
		if d := diffLines(got.Lines, model(regexp.MustCompile("Füße 😀"), []byte(text), 1)); d != "" || got.Binary {
			t.Errorf("%s: binary %v %s", name, got.Binary, d)
		}
	}
}

func TestScanBinary(t *testing.T) {
	raw := "\x7fELF\x00\x01needle\x00\nneedle\n"
	m := mustCompile(t, "needle", PatternOptions{})
	if got := scanAll(t, m, strings.NewReader(raw), 0, 2, 0); !got.Binary || len(got.Lines) > 0 {
		t.Errorf("got %+v, want a binary match without text", got)
	}
	if got := scanAll(t, mustCompile(t, "absent", PatternOptions{}), strings.NewReader(raw), 0, 2, 0); got.Binary || len(got.Lines) > 0 {
		t.Errorf("got %+v, want nothing", got)
	}
	blob := strings.Repeat("\x00", 3*maxBuffer) + "needle"
	if got := scanAll(t, m, strings.NewReader(blob), 0, 0, 0); !got.Binary {
		t.Error("no match at the end of one long binary line")
	}
}

func TestScanLongLine(t *testing.T) {
	pad := strings.Repeat("0123456789abcdef", maxBuffer/16)
	m := mustCompile(t, "needle", PatternOptions{})
	for name, before := range map[string]int{
		"first piece":         1000,
		"across the first":    maxBuffer - 3,
		"second piece":        maxBuffer + 5,
		"across the overlap":  maxBuffer - pieceOverlap - 3,
		"third piece":         2*maxBuffer + 77,
		"just before its end": 3*maxBuffer - 6,
	} {
		long := (pad + pad + pad)[:before] + "needle" + (pad + pad + pad)[before+6:]
		text := "one\ntwo\n" + long + "\nfour\nneedle five"
		got := scanAll(t, m, strings.NewReader(text), 0, 1, 0).Lines
		if len(got) != 4 {
			t.Fatalf("%s: %d lines, want 4: %+v", name, len(got), got)
		}
		l := got[1]
		if l.Number != 3 || l.Offset != 8 || l.Column != before+1 || !l.Cut || len(l.Text) > MaxLineText ||
			l.Text[l.Column-1-l.Skipped:][:6] != "needle" || long[l.Skipped:][:len(l.Text)] != l.Text {
			t.Errorf("%s: line %d at %d, column %d, skipped %d, %d bytes", name, l.Number, l.Offset, l.Column, l.Skipped, len(l.Text))
		}
		if got[0].Text != "two" || got[2].Text != "four" || got[3].Number != 5 || got[3].Text != "needle five" {
			t.Errorf("%s: around it: %+v, %+v, %+v", name, got[0], got[2], got[3])
		}
	}
	text := "one\ntwo\n" + pad + pad + "needle\nneedle\nfive\nsix\n" + pad + pad + "needle"
	var numbers []int64
	for _, l := range scanAll(t, m, strings.NewReader(text), 0, 5, 0).Lines {
		numbers = append(numbers, l.Number)
	}
	if !slices.Equal(numbers, []int64{1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("context around long lines: %v, want each line once", numbers)
	}
	numbers = nil
	text = "needle\n" + pad + pad + "\nthree\n" + pad + pad + "\nneedle\n"
	for _, l := range scanAll(t, m, strings.NewReader(text), 0, 1, 0).Lines {
		numbers = append(numbers, l.Number)
	}
	if !slices.Equal(numbers, []int64{1, 2, 4, 5}) {
		t.Errorf("long lines as context: %v, want lines 1, 2, 4, 5", numbers)
	}
}

func TestScanLimit(t *testing.T) {
	text := strings.Repeat("needle\nhay\nhay\n", 100)
	m := mustCompile(t, "needle", PatternOptions{})
	matches := 0
	for _, l := range scanAll(t, m, strings.NewReader(text), 0, 1, 5).Lines {
		if l.IsMatch() {
			matches++
		}
	}
	if matches != 6 { // the one too many tells that there are more
		t.Errorf("%d matches, want the limit and one more", matches)
	}
}

func TestScanMemoryIsBounded(t *testing.T) {
	pieces, most := 0, 0
	s := newScanner(mustCompile(t, "needle", PatternOptions{}), 2, 0, func(f FileMatches) error {
		pieces++
		most = max(most, len(f.Lines))
		return nil
	})
	if err := s.scan(t.Context(), io.LimitReader(repeating("one line "), 3<<20), 0); err != nil {
		t.Fatal(err)
	}
	r := io.LimitReader(repeating("a needle in the hay\n"), 8<<20)
	if err := s.scan(t.Context(), r, 0); err != nil {
		t.Fatal(err)
	}
	if most > flushLines || pieces < 50 || cap(s.buf) > bufferSize || cap(s.text) > 2*flushBytes {
		t.Errorf("%d pieces of up to %d lines, buffer %d, text %d", pieces, most, cap(s.buf), cap(s.text))
	}
}

type repeating string

func (r repeating) Read(p []byte) (int, error) {
	n := 0
	for n+len(r) <= len(p) {
		n += copy(p[n:], r)
	}
	if n == 0 {
		n = copy(p, r)
	}
	return n, nil
}

func TestScanStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	endless := readerFunc(func(p []byte) (int, error) {
		if reads++; reads == 5 {
			cancel()
		}
		return repeating("hay\n").Read(p)
	})
	s := newScanner(mustCompile(t, "needle", PatternOptions{}), 0, 0, func(FileMatches) error { return nil })
	if err := s.scan(ctx, endless, 0); !errors.Is(err, context.Canceled) || reads > 6 {
		t.Errorf("%v after %d reads, want a cancel at once", err, reads)
	}
	broken := errors.New("disk on fire")
	if err := s.scan(t.Context(), iotest.ErrReader(broken), 0); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
	s.emit = func(FileMatches) error { return broken }
	if err := s.scan(t.Context(), repeating("needle\n"), 0); !errors.Is(err, broken) {
		t.Errorf("got %v, want emit's error", err)
	}
	idle := readerFunc(func([]byte) (int, error) { return 0, nil })
	if err := s.scan(t.Context(), idle, 0); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v, want %v", err, io.ErrNoProgress)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestWindowKeepsRunes(t *testing.T) {
	line := []byte(strings.Repeat("é", 3000))
	for _, col := range []int{0, 1, 1999, 2000, 3001, 5998} {
		text, skipped := window(line, col&^1)
		if len(text) > MaxLineText || len(text) < MaxLineText-6 || col < skipped || col >= skipped+len(text)+1 || skipped%2 != 0 || len(text)%2 != 0 {
			t.Errorf("column %d: %d bytes from %d on", col, len(text), skipped)
		}
	}
}

// TestScanBinaryBound: a file of terabytes of NUL bytes ends a search soon; one
// that is text is searched to its end.
func TestScanBinaryBound(t *testing.T) {
	const size = 1 << 40
	read := int64(0)
	s := newScanner(mustCompile(t, "needle", PatternOptions{}), 0, 0, func(FileMatches) error { return nil })
	err := s.scan(t.Context(), readerFunc(func(p []byte) (int, error) {
		clear(p)
		read += int64(len(p))
		if read > 4*maxBinary {
			t.Fatal("a binary file is searched without a bound")
		}
		return len(p), nil
	}), size)
	if err != nil || read < maxBinary {
		t.Errorf("read %d bytes, %v", read, err)
	}

	found := 0
	text := io.MultiReader(strings.NewReader(strings.Repeat("plain text\n", 2*maxBinary/11)), strings.NewReader("needle\n"))
	s = newScanner(mustCompile(t, "needle", PatternOptions{}), 0, 0, func(f FileMatches) error { found += len(f.Lines); return nil })
	if err := s.scan(t.Context(), text, 0); err != nil || found != 1 {
		t.Errorf("found %d in a large text, %v", found, err)
	}
}
