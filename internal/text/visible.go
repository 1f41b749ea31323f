package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// VisibleControl returns s on one line and without anything that could steer a
// terminal or hide or reorder what a human reads: control characters (C0, DEL,
// C1), bidirectional controls, line and paragraph separators, tag characters
// and invisible spaces are spelled as Go escapes, bytes that are not UTF-8 as
// \xNN. Backslashes stay, so it can't be reversed: it is for eyes only.
func VisibleControl(s string) string { return visible(s, false) }

// VisibleText is VisibleControl for text of several lines: line feeds, tabs
// and carriage returns before line feeds stay.
func VisibleText(s string) string { return visible(s, true) }

// VisibleJSON returns a JSON text that means the same, with the characters that
// [VisibleControl] spells out as JSON's escapes. Encoders leave some as they are,
// such as those of C1, which terminals obey.
func VisibleJSON(s string) string {
	if isPlain(strings.ReplaceAll(s, "\n", "")) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch high, low := utf16.EncodeRune(r); {
		case r < 0x20 || !isHidden(r): // below, only the blanks between values are bare
			b.WriteRune(r)
		case high == utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}

func visible(s string, multiline bool) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case multiline && (r == '\n' || r == '\t' || strings.HasPrefix(s[i:], "\r\n")), !isHidden(r):
			b.WriteString(s[i : i+size])
		default:
			b.WriteString(escapeRune(r))
		}
		i += size
	}
	return b.String()
}

// isPlain reports whether s is printable ASCII throughout, as most names are.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7F {
			return false
		}
	}
	return true
}

func isHidden(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r == 0x2028, r == 0x2029, r == 0x00AD, r == 0x180E, r == 0x3164, r == 0xFFA0, r == 0x115F, r == 0x1160:
		return true // separators, soft hyphen, fillers that show nothing
	case r == 0x200C, r == 0x200D:
		return false // joiners: scripts and emoji need them
	}
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false // of class Cf, but they show
	}
	return unicode.Is(unicode.Cf, r) || r >= 0xE0000 && r < 0xE1000
}

func escapeRune(r rune) string {
	quoted := fmt.Sprintf("%+q", string(r))
	return quoted[1 : len(quoted)-1]
}

// quoteRune names a character for an error message.
func quoteRune(r rune) string {
	if r == utf8.RuneError {
		return "U+FFFD (or a byte that is not UTF-8)"
	}
	if isHidden(r) || !unicode.IsGraphic(r) {
		return fmt.Sprintf("%U", r)
	}
	return fmt.Sprintf("%q (%U)", r, r)
}
