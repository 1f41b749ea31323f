package text

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// Decode returns the text that src holds in enc, without its byte order mark,
// and the encoding that it really has (see [Encoding.Resolve]). Bytes that do
// not decode, and text with NUL characters, are a [NotTextError].
func Decode(src []byte, enc Encoding) (string, Encoding, error) {
	enc = enc.Resolve(src)
	if enc == Base64 {
		return base64.StdEncoding.EncodeToString(src), enc, nil
	}
	mark := len(enc.mark())
	s, _, err := decodeStrict(src[mark:], enc, true)
	if err != nil {
		return "", enc, err.at(int64(mark), src)
	}
	return s, enc, nil
}

// badBytes is an error at an offset in a part of a file.
type badBytes struct {
	enc    Encoding
	offset int
	reason string
}

// at completes the error with where the part starts in the file and with how
// the file begins.
func (b *badBytes) at(start int64, prefix []byte) *NotTextError {
	prefix = prefix[:min(len(prefix), prefixSize)]
	return &NotTextError{
		Encoding:    b.enc,
		Offset:      start + int64(b.offset),
		Reason:      b.reason,
		MediaType:   MediaType(prefix),
		Description: Describe(prefix),
		Suggest:     suggest(prefix, b.enc),
	}
}

const (
	reasonNUL  = "a NUL byte"
	reasonUTF8 = "an invalid UTF-8 sequence"
	reasonCode = "bytes that stand for no character"
)

// decodeStrict decodes raw, which starts at a character of enc and holds no
// byte order mark. An incomplete character at the end is an error if final,
// else it is not consumed.
func decodeStrict(raw []byte, enc Encoding, final bool) (s string, consumed int, err *badBytes) {
	if i := unitsOf(enc).nul(raw); i >= 0 {
		return "", 0, &badBytes{enc, i, reasonNUL}
	}
	var bad int
	reason := reasonCode
	switch {
	case enc.name == utf8Name:
		consumed, bad = validUTF8(raw, final)
		s, reason = string(raw[:consumed]), reasonUTF8
	case enc.isUTF16():
		s, consumed, bad = decodeUTF16(raw, enc, final)
	default:
		s, consumed, bad = decodeCharset(raw, enc, final)
	}
	if bad >= 0 {
		return "", 0, &badBytes{enc, bad, reason}
	}
	return s, consumed, nil
}

// validUTF8 returns how much of b is valid, and where it is not (-1 if it is).
func validUTF8(b []byte, final bool) (valid, bad int) {
	if utf8.Valid(b) {
		return len(b), -1
	}
	i := 0
	for i < len(b) {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			if !final && !utf8.FullRune(b[i:]) {
				return i, -1
			}
			return i, i
		}
		i += size
	}
	return i, -1
}

// decodeCharset decodes by a table of x/text. Those decoders put U+FFFD in
// place of what they don't know; as it may also be a real character (gb18030
// has a code for it), text with U+FFFD is taken only if it encodes back to the
// same bytes.
func decodeCharset(raw []byte, enc Encoding, final bool) (s string, consumed, bad int) {
	charset := enc.charset()
	dst, consumed := runDecoder(charset, raw, final)
	if !bytes.ContainsRune(dst, utf8.RuneError) || encodesTo(charset, dst, raw[:consumed]) {
		return string(dst), consumed, -1
	}
	return "", 0, firstBad(charset, raw)
}

func runDecoder(charset encoding.Encoding, raw []byte, final bool) (dst []byte, consumed int) {
	decoder := charset.NewDecoder().Transformer
	dst = make([]byte, len(raw)+len(raw)/2+2*utf8.UTFMax)
	written := 0
	for {
		nDst, nSrc, err := decoder.Transform(dst[written:], raw[consumed:], final)
		written += nDst
		consumed += nSrc
		if !errors.Is(err, transform.ErrShortDst) {
			return dst[:written], consumed
		}
		dst = append(dst[:written], make([]byte, len(dst))...)
	}
}

func encodesTo(charset encoding.Encoding, s, want []byte) bool {
	got, err := charset.NewEncoder().Bytes(s)
	return err == nil && bytes.Equal(got, want)
}

// firstBad finds the first byte of raw that decodes to nothing, given that
// there is one: the longest prefix that decodes well, by bisection.
func firstBad(charset encoding.Encoding, raw []byte) int {
	good, tooFar := 0, len(raw)
	for tooFar-good > 1 {
		middle := good + (tooFar-good)/2
		dst, n := runDecoder(charset, raw[:middle], false)
		if bytes.ContainsRune(dst, utf8.RuneError) && !encodesTo(charset, dst, raw[:n]) {
			tooFar = middle
		} else {
			good = middle
		}
	}
	_, n := runDecoder(charset, raw[:good], false)
	return n
}

// position returns line and column, both 1-based, of the byte at index i.
func position(s string, i int) (line, column int) {
	before := s[:i]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
