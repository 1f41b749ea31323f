package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DisplayName spells a file name, or a path of them, in valid UTF-8. A name
// that is valid stays as it is, whatever else it holds. In one that is not,
// each bad byte becomes \xNN (lower case) and each backslash two.
//
// [ParseName] is the reverse, with one exception that lies in the form itself:
// a valid name that happens to spell a bad one, such as the six characters
// a\xff, is parsed as that bad one.
func DisplayName(b string) string {
	if utf8.ValidString(b) {
		return b
	}
	return eachName(b, displayOne)
}

// ParseName takes names or paths in the form that DisplayName gives them, with
// NN in either case. A name that is not in that form stays as it is: one
// without a \xNN, one whose bytes would be valid UTF-8, one with a backslash
// that is neither doubled nor before xNN, or one that spells an ASCII
// character (such as a slash) as \xNN.
func ParseName(s string) string {
	if !strings.Contains(s, `\x`) {
		return s
	}
	return eachName(s, parseOne)
}

func eachName(path string, spell func(string) string) string {
	names := strings.Split(path, "/")
	for i, n := range names {
		names[i] = spell(n)
	}
	return strings.Join(names, "/")
}

func displayOne(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case r == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

func parseOne(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '\\' {
			b.WriteByte(name[i])
			continue
		}
		rest := name[i+1:]
		switch {
		case strings.HasPrefix(rest, `\`):
			b.WriteByte('\\')
			i++
		case len(rest) >= 3 && rest[0] == 'x' && fromHex(rest[1:3]) >= utf8.RuneSelf:
			b.WriteByte(byte(fromHex(rest[1:3])))
			i += 3
		default:
			return name
		}
	}
	if !utf8.ValidString(name) || utf8.ValidString(b.String()) {
		return name
	}
	return b.String()
}

// fromHex returns the value of hexadecimal digits, or -1.
func fromHex(s string) int {
	v := 0
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | int(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | int(c-'a'+10)
		case c >= 'A' && c <= 'F':
			v = v<<4 | int(c-'A'+10)
		default:
			return -1
		}
	}
	return v
}
