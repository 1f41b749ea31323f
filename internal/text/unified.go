package text

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// Bounds of [Unified].
const (
	maxDiffBytes  = 1 << 20 // of output
	maxDiffInput  = 4 << 20 // bytes of each side
	maxDiffLines  = 1 << 18 // of each side
	diffCutNotice = "\\ The diff goes on for %d more lines\n"
)

// Unified returns a diff of two contents of a file in unified format, with
// three lines of context; "" if they are equal. UTF-16 with a byte order mark
// is shown as text; a byte that is not UTF-8 is shown as \xNN. Control
// characters in the names are made visible, in the contents they stay.
//
// It is bounded: the output is cut behind a line and ends in a notice then
// (truncated), and of binary or very large contents (4 MiB, 2¹⁸ lines) there
// is only a line that sums up the change (truncated too). The notices start
// with a backslash, which no other line does but the one about a missing
// newline at the end.
func Unified(oldName, newName string, old, new []byte) (text string, truncated bool) {
	if bytes.Equal(old, new) {
		return "", false
	}
	oldName, newName = VisibleControl(oldName), VisibleControl(newName)
	header := fmt.Sprintf("--- %s\n+++ %s\n", oldName, newName)
	if why := undiffable(old, new); why != "" {
		return fmt.Sprintf("%s\\ %s: %d bytes before, %d bytes after\n", header, why, len(old), len(new)), true
	}
	a, oldEnc := diffText(old)
	b, newEnc := diffText(new)
	if bytes.Equal(a, b) {
		return fmt.Sprintf("%s\\ Only the encoding changes: %s before, %s after\n", header, oldEnc, newEnc), false
	}
	body := diff.Diff("a", a, "b", b)
	for range 3 { // the tool's own header
		_, body, _ = bytes.Cut(body, []byte("\n"))
	}
	return cutDiff(header + visibleBytes(body))
}

func undiffable(old, new []byte) string {
	for _, b := range [][]byte{old, new} {
		if len(b) > maxDiffInput || bytes.Count(b, []byte("\n")) > maxDiffLines {
			return "Too large for a diff"
		}
	}
	for _, b := range [][]byte{old, new} {
		if _, _, err := Decode(b, Detect); err != nil && bytes.IndexByte(b, 0) >= 0 {
			return "Binary content"
		}
	}
	return ""
}

// diffText returns UTF-16 as UTF-8, and all else as it is.
func diffText(b []byte) ([]byte, Encoding) {
	s, enc, err := Decode(b, Detect)
	if err == nil && enc.isUTF16() {
		return []byte(s), enc
	}
	return b, enc
}

// visibleBytes returns b as a string in which bytes that are not UTF-8 are
// \xNN.
func visibleBytes(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, `\x%02x`, b[0])
		} else {
			out.Write(b[:size])
		}
		b = b[size:]
	}
	return out.String()
}

// cutDiff bounds a diff behind a line.
func cutDiff(s string) (string, bool) {
	if len(s) <= maxDiffBytes {
		return s, false
	}
	keep := maxDiffBytes - len(diffCutNotice) - 8 // room for the number
	keep = strings.LastIndexByte(s[:keep], '\n') + 1
	return s[:keep] + fmt.Sprintf(diffCutNotice, strings.Count(s[keep:], "\n")), true
}
