package text

import (
	"bytes"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// Encoding says how the bytes of a file stand for text. The zero value is
// [Detect]. Values can be compared.
type Encoding struct {
	name string // canonical WHATWG name in lower case, or "base64"; "" = Detect
	bom  bool   // a byte order mark stands before the text
}

// Encodings that need no charset table.
var (
	// Detect is UTF-8 unless the file starts with a byte order mark.
	Detect = Encoding{}
	// Base64 takes the bytes as they are; their text is standard base64.
	Base64  = Encoding{name: base64Name}
	UTF8    = Encoding{name: utf8Name}
	UTF8BOM = Encoding{name: utf8Name, bom: true}
	// UTF16LE and UTF16BE write a byte order mark, as without it no reader
	// could tell the file from a binary one. Files without it are read and
	// kept so if their encoding is asked for by name.
	UTF16LE = Encoding{name: utf16leName, bom: true}
	UTF16BE = Encoding{name: utf16beName, bom: true}
)

const (
	base64Name  = "base64"
	utf8Name    = "utf-8"
	utf16leName = "utf-16le"
	utf16beName = "utf-16be"
	detectName  = "text"

	// replacementName stands for charsets that browsers refuse to decode.
	replacementName = "replacement"
)

// Lookup finds an encoding by its label, without regard to case and blanks
// around it: "text" (or nothing) for [Detect], "base64", "utf-8-bom", or a
// label of the WHATWG Encoding Standard. As there, "latin1" and "ascii" are
// windows-1252 and "utf-16" is little endian unless the file's byte order mark
// says otherwise. An unknown label is a [LabelError].
func Lookup(label string) (Encoding, error) {
	switch l := strings.ToLower(strings.TrimSpace(label)); l {
	case "", detectName:
		return Detect, nil
	case base64Name:
		return Base64, nil
	case "utf-8-bom", "utf8-bom", "utf-8-sig":
		return UTF8BOM, nil
	}
	name := ""
	if e, err := htmlindex.Get(label); err == nil {
		name, _ = htmlindex.Name(e)
	}
	switch name {
	case "", replacementName:
		return Encoding{}, &LabelError{Label: label, Near: nearLabels(label)}
	case utf16leName:
		return UTF16LE, nil
	case utf16beName:
		return UTF16BE, nil
	}
	return Encoding{name: name}, nil
}

// Name returns the label that [Lookup] takes for e.
func (e Encoding) Name() string {
	switch {
	case e.name == "":
		return detectName
	case e == UTF8BOM:
		return "utf-8-bom"
	}
	return e.name
}

// String is the same as Name.
func (e Encoding) String() string { return e.Name() }

// MarshalText gives the name.
func (e Encoding) MarshalText() ([]byte, error) { return []byte(e.Name()), nil }

// Resolve returns the encoding that a file with these first bytes (three are
// enough) has when e is asked for. A byte order mark decides between the
// Unicode encodings, whichever of them e is; other charsets are as asked.
func (e Encoding) Resolve(prefix []byte) Encoding {
	if e != Detect && !e.isUnicode() {
		return e
	}
	for _, u := range []Encoding{UTF8BOM, UTF16LE, UTF16BE} {
		if bytes.HasPrefix(prefix, u.mark()) {
			return u
		}
	}
	if e == Detect {
		return UTF8
	}
	return Encoding{name: e.name}
}

func (e Encoding) isUnicode() bool {
	return e.name == utf8Name || e.isUTF16()
}

func (e Encoding) isUTF16() bool {
	return e.name == utf16leName || e.name == utf16beName
}

// mark returns the bytes of e's byte order mark, none if it has none.
func (e Encoding) mark() []byte {
	if !e.bom {
		return nil
	}
	switch e.name {
	case utf16leName:
		return []byte{0xFF, 0xFE}
	case utf16beName:
		return []byte{0xFE, 0xFF}
	}
	return []byte{0xEF, 0xBB, 0xBF}
}

// isStateful reports whether the meaning of a byte depends on escape sequences
// anywhere before it, so that decoding can't start in the middle.
func (e Encoding) isStateful() bool { return e.name == "iso-2022-jp" }

// isMultiByte reports whether a charset other than Unicode has characters of
// several bytes, of which all but the first may look like ASCII.
func (e Encoding) isMultiByte() bool {
	switch e.name {
	case "gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr", "iso-2022-jp":
		return true
	}
	return false
}

// charset returns the table of an encoding that is neither Unicode nor base64.
func (e Encoding) charset() encoding.Encoding {
	c, err := htmlindex.Get(e.name)
	if err != nil {
		return encoding.Replacement // decodes nothing: the strict decoder then refuses
	}
	return c
}
