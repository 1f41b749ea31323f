package shellscan

import (
	"strconv"
	"strings"
)

// ansiEscapes are the one-letter escapes of $'…'.
var ansiEscapes = map[byte]byte{
	'a': '\a', 'b': '\b', 'e': 0x1b, 'E': 0x1b, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
	'\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// decodeANSI decodes what stands in bash's $'…'. It is false for what depends on
// the locale, ends the string early, or is no escape.
func decodeANSI(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) {
			return b.String(), false
		}
		if c, ok := ansiEscapes[text[i]]; ok {
			b.WriteByte(c)
			continue
		}
		digits, base := numericEscape(text[i:])
		value, err := strconv.ParseUint(digits, base, 8)
		if err != nil || value == 0 || value > 0x7f {
			return b.String(), false
		}
		b.WriteByte(byte(value))
		i += len(digits) - 1
		if base == 16 {
			i++ // the x
		}
	}
	return b.String(), true
}

// numericEscape cuts the digits of \123 and \x1b off.
func numericEscape(text string) (digits string, base int) {
	base, limit := 8, 3
	if text[0] == 'x' {
		text, base, limit = text[1:], 16, 2
	}
	n := 0
	for n < len(text) && n < limit && isDigit(text[n], base) {
		n++
	}
	return text[:n], base
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return '0' <= c && c <= '7'
	}
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
