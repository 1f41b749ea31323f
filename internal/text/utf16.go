package text

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrder of an UTF-16 encoding.
func (e Encoding) byteOrder() interface {
	binary.ByteOrder
	binary.AppendByteOrder
} {
	if e.name == utf16beName {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// decodeUTF16 decodes b strictly: an unpaired surrogate is an error, and so is
// an incomplete character at the end if final; else it is left unconsumed.
// bad is the index of the error, or -1.
func decodeUTF16(b []byte, enc Encoding, final bool) (s string, consumed, bad int) {
	order := enc.byteOrder()
	out := make([]byte, 0, len(b))
	i := 0
	for i+2 <= len(b) {
		r, size := rune(order.Uint16(b[i:])), 2
		if utf16.IsSurrogate(r) {
			if i+4 > len(b) && isHighSurrogate(r) {
				break
			}
			if i+4 <= len(b) {
				r, size = utf16.DecodeRune(r, rune(order.Uint16(b[i+2:]))), 4
			}
			if size == 2 || r == utf8.RuneError {
				return string(out), i, i
			}
		}
		out = utf8.AppendRune(out, r)
		i += size
	}
	if i < len(b) && final {
		return string(out), i, i
	}
	return string(out), i, -1
}

func isHighSurrogate(r rune) bool { return r >= 0xD800 && r < 0xDC00 }

func isLowSurrogate(r rune) bool { return r >= 0xDC00 && r < 0xE000 }

// appendUTF16 encodes s, which must be valid UTF-8.
func appendUTF16(dst []byte, s string, enc Encoding) []byte {
	order := enc.byteOrder()
	for _, r := range s {
		if r1, r2 := utf16.EncodeRune(r); r1 != utf8.RuneError {
			dst = order.AppendUint16(dst, uint16(r1))
			r = r2
		}
		dst = order.AppendUint16(dst, uint16(r))
	}
	return dst
}
