package mcpserver

import (
	"strings"
	"unicode/utf8"
)

// appendString appends s as a JSON string. What is not UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	dst = append(dst, '"')
	for len(s) > 0 {
		n := plain(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			break
		}
		dst = appendEscape(dst, s[n])
		s = s[n+1:]
	}
	return append(dst, '"')
}

// plain returns how many bytes at the start of s need no escape. It looks at
// eight at once: a byte below 0x20 borrows in x-0x20…, and equality with a quote
// or a backslash is a zero byte after xor (Hacker's Delight, 6-1).
func plain(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := x^('"'*ones), x^('\\'*ones)
		if ((x-0x20*ones)|(quote-ones)|(slash-ones))&^x&high != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		const hex = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
}
