package text

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// Encode returns s as bytes of enc, with the byte order mark that enc has;
// [Detect] stands for UTF-8. It is the reverse of [Decode]. A character that
// enc can't hold, or bytes in s that are not UTF-8, are an [UnencodableError].
// With [Base64], s is decoded: standard alphabet, padded, line breaks
// permitted, else a [Base64Error].
func Encode(s string, enc Encoding) ([]byte, error) {
	if enc == Base64 {
		return decodeBase64(s)
	}
	if valid, bad := validUTF8([]byte(s), true); bad >= 0 {
		return nil, unencodable(s, valid, enc)
	}
	switch {
	case enc == Detect || enc.name == utf8Name:
		return append(enc.mark(), s...), nil
	case enc.isUTF16():
		return appendUTF16(append(make([]byte, 0, 2*len(s)+2), enc.mark()...), s, enc), nil
	}
	return encodeCharset(s, enc)
}

// Content returns the bytes of a new file with this content: as [Encode], but
// a byte order mark that content itself starts with is not written twice.
func Content(content string, enc Encoding) ([]byte, error) {
	if enc.bom {
		content = strings.TrimPrefix(content, "\uFEFF")
	}
	return Encode(content, enc)
}

func encodeCharset(s string, enc Encoding) ([]byte, error) {
	encoder := enc.charset().NewEncoder().Transformer
	src := []byte(s)
	dst := make([]byte, len(src)+16)
	written, consumed := 0, 0
	for {
		nDst, nSrc, err := encoder.Transform(dst[written:], src[consumed:], true)
		written += nDst
		consumed += nSrc
		switch {
		case err == nil:
			return dst[:written], nil
		case !errors.Is(err, transform.ErrShortDst):
			return nil, unencodable(s, consumed, enc)
		}
		dst = append(dst[:written], make([]byte, len(dst))...)
	}
}

func unencodable(s string, i int, enc Encoding) *UnencodableError {
	r, _ := utf8.DecodeRuneInString(s[i:])
	line, column := position(s, i)
	return &UnencodableError{Rune: r, Line: line, Column: column, Encoding: enc.Resolve(nil)}
}

func decodeBase64(s string) ([]byte, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return nil, &Base64Error{Offset: int64(corrupt)}
	}
	return b, err
}
