package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold maps all case variants of a text to one form, by Unicode's simple case
// folding. It is not lower-casing: the Kelvin sign and the long s fold to k and
// s, as file systems that ignore case see them. Bytes that are not UTF-8 stay
// what they are. A text that is in that form already is returned without a copy.
func fold(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return foldFrom(s, i)
		}
	}
	return s
}

func foldFrom(s string, start int) string {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:start])
	for i := start; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b.WriteByte(s[i])
		} else {
			b.WriteRune(foldRune(r))
		}
		i += size
	}
	return b.String()
}

// foldRune returns the smallest of r's case variants, as a small letter in ASCII.
func foldRune(r rune) rune {
	least := r
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		least = min(least, v)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
