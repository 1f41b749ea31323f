package search

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// binaryProbe tells by a NUL byte in the first bytes of a file that it is not text.
func binaryProbe(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }

const utf8BOM = "\xef\xbb\xbf"

// isUTF16 recognises a UTF-16 byte order mark.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// decodeUTF16 reads the file, of which head was read already, as UTF-8 without a mark.
func decodeUTF16(head []byte, rest io.Reader) io.Reader {
	whole := io.MultiReader(bytes.NewReader(bytes.Clone(head)), rest)
	return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Reader(whole)
}
