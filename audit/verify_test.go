package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"
)

// chain returns the lines of a log of n records, newlines included.
func chain(n int) []string {
	out := make([]string, 0, n)
	prev := origin
	for i := range n {
		line, hash := seal(nil, &Record{Seq: int64(i + 1), TS: testTime, Tool: "file_read", Path: fmt.Sprintf("file-%d", i+1), Prev: prev})
		out, prev = append(out, string(line)), hash
	}
	return out
}

// forge is a line that someone made who knows how hashes are computed.
func forge(seq int64, prev, path string) string {
	line, _ := seal(nil, &Record{Seq: seq, TS: testTime, Tool: "file_read", Path: path, Prev: prev})
	return string(line)
}

func TestTampering(t *testing.T) {
	hash := func(line string) string { return hashOf(strings.TrimSuffix(line, "\n")) }
	tests := []struct {
		name   string
		tamper func(l []string) []string
		line   int64 // of the first bad record, 0: none
		reason string
	}{
		{"control", func(l []string) []string { return l }, 0, ""},
		{"edited", func(l []string) []string { l[2] = strings.Replace(l[2], "file-3", "file-x", 1); return l }, 3, "edited"},
		{"edited, blank added", func(l []string) []string { l[2] = strings.Replace(l[2], `,"tool"`, `, "tool"`, 1); return l }, 3, "edited"},
		{"edited, hash recomputed", func(l []string) []string { l[2] = forge(3, hash(l[1]), "file-x"); return l }, 4, "record 3 was edited"},
		{"edited, carriage return", func(l []string) []string { l[2] = strings.Replace(l[2], "\n", "\r\n", 1); return l }, 3, "edited"},
		{"edited, upper case hash", func(l []string) []string { l[2] = l[2][:len(l[2])-67] + strings.ToUpper(l[2][len(l[2])-67:]); return l }, 3, "edited"},
		{"edited, text for a record", func(l []string) []string { l[2] = "hello\n"; return l }, 3, "not a record"},
		{"edited, first record", func(l []string) []string { l[0] = strings.Replace(l[0], "file-1", "file-x", 1); return l }, 1, "edited"},
		{"edited, last record", func(l []string) []string { l[4] = strings.Replace(l[4], "file-5", "file-x", 1); return l }, 5, "edited"},
		{"removed", func(l []string) []string { return append(l[:2], l[3:]...) }, 3, "record 3 should stand here"},
		{"removed at the beginning", func(l []string) []string { return l[1:] }, 1, "record 1 should stand here"},
		{"removed and renumbered", func(l []string) []string { return append(l[:2], forge(3, hash(l[2]), "file-4")) }, 3, "does not carry the hash"},
		{"reordered", func(l []string) []string { l[1], l[2] = l[2], l[1]; return l }, 2, "record 2 should stand here"},
		{"inserted copy", func(l []string) []string { return append(l[:2], append([]string{l[1]}, l[2:]...)...) }, 3, "inserted or moved"},
		{"inserted with hashes", func(l []string) []string {
			return append(l[:2], append([]string{forge(3, hash(l[1]), "new")}, l[2:]...)...)
		}, 4, "inserted or moved"},
		{"inserted before the first", func(l []string) []string { return append([]string{forge(1, origin, "new")}, l...) }, 2, "inserted or moved"},
		{"inserted blank line", func(l []string) []string { return append(l[:2], append([]string{"\n"}, l[2:]...)...) }, 3, "not a record"},
		{"another log appended", func(l []string) []string { return append(l, chain(2)...) }, 6, "inserted or moved"},
		{"torn", func(l []string) []string { l[4] = l[4][:50]; return l }, 5, "torn"},
		{"huge line", func(l []string) []string { l[3] = strings.Repeat("x", maxLine+1) + "\n"; return l }, 4, "longer"},
		{"newline missing at the end", func(l []string) []string { l[4] = strings.TrimSuffix(l[4], "\n"); return l }, 0, ""},
		{"cut between records, not noticed", func(l []string) []string { return l[:3] }, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines := tt.tamper(chain(5))
			n, err := Verify(strings.NewReader(strings.Join(lines, "")))
			if tt.line == 0 {
				if err != nil || n != int64(len(lines)) {
					t.Fatalf("Verify = %d, %v", n, err)
				}
				return
			}
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || !errors.Is(err, ErrCorrupt) {
				t.Fatalf("Verify = %d, %v; want a CorruptError", n, err)
			}
			if corrupt.Line != tt.line || n != tt.line-1 || !strings.Contains(corrupt.Reason, tt.reason) {
				t.Errorf("%d records, then %v; want line %d, %q", n, err, tt.line, tt.reason)
			}
		})
	}
}

func TestVerifyReadError(t *testing.T) {
	lines := chain(3)
	broken := errors.New("broken disk")
	n, err := Verify(io.MultiReader(strings.NewReader(lines[0]+lines[1]), iotest.ErrReader(broken)))
	if n != 2 || !errors.Is(err, broken) || errors.Is(err, ErrCorrupt) {
		t.Errorf("Verify = %d, %v", n, err)
	}
}

func TestRecords(t *testing.T) {
	lines := chain(3)
	input := lines[0] + "nonsense\n" + lines[2]
	var got []string
	for rec, err := range Records(strings.NewReader(input)) {
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Error(err)
			}
			got = append(got, "bad")
			continue
		}
		if !rec.TS.Equal(testTime) || rec.TS.Location() != time.UTC {
			t.Errorf("time %v", rec.TS)
		}
		got = append(got, rec.Path)
	}
	if want := "file-1 bad file-3"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for range Records(strings.NewReader(input)) {
		break // an early end must not yield again
	}
}

// Whatever the bytes, Verify and Records return, and agree with each other.
func FuzzVerify(f *testing.F) {
	good := strings.Join(chain(3), "")
	f.Add([]byte(good))
	f.Add([]byte(good[:len(good)-10]))
	f.Add([]byte(strings.Replace(good, "file-2", "file-x", 1)))
	f.Add([]byte("\n\r\n{}\n"))
	f.Add([]byte(`{"seq":1,"prev":"` + origin + `","hash":"` + origin + `"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Verify(bytes.NewReader(data))
		if lines := int64(bytes.Count(data, []byte{'\n'})) + 1; n > lines {
			t.Fatalf("%d records in %d lines", n, lines)
		}
		var corrupt *CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			t.Fatalf("error of another kind: %v", err)
		}
		for rec, err := range Records(bytes.NewReader(data)) {
			if err == nil && rec.Seq < 1 {
				t.Fatalf("record without a number: %+v", rec)
			}
		}
	})
}

// A record of any texts makes one line of valid, printable UTF-8, which reads
// back as the texts' visible form; any changed byte of it is noticed.
func FuzzRecord(f *testing.F) {
	f.Add("plain", "a/b", 3)
	f.Add("\xff\\\x00", "\u0085\u2028\u202e<>&\"", 70)
	f.Add("\xc2", "\xed\xa0\x80", 200)
	f.Fuzz(func(t *testing.T, session, path string, at int) {
		line, _ := seal(nil, &Record{Seq: 1, TS: testTime, Session: session, Path: path, Paths: []string{path, session}, Prev: origin})
		text := string(line[:len(line)-1])
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || 0x7F <= r && r < 0xA0 }) {
			t.Fatalf("not printable UTF-8: %q", text)
		}
		count := 0
		for rec, err := range Records(bytes.NewReader(line)) {
			count++
			if err != nil {
				t.Fatal(err)
			}
			if want := shown(path); rec.Path != want || rec.Paths[0] != want {
				t.Fatalf("path %q reads back as %q", path, rec.Path)
			}
		}
		if n, err := Verify(bytes.NewReader(line)); n != 1 || err != nil || count != 1 {
			t.Fatalf("Verify = %d, %v; %d records", n, err, count)
		}
		line[uint(at)%uint(len(line)-1)] ^= 1
		if n, err := Verify(bytes.NewReader(line)); n != 0 || err == nil {
			t.Fatalf("a changed byte went unnoticed: %q", line)
		}
	})
}

func shown(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return visible(s)
}

func BenchmarkVerify(b *testing.B) {
	data := []byte(strings.Join(chain(1000), ""))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if n, err := Verify(bytes.NewReader(data)); n != 1000 || err != nil {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
