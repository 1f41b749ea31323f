package text

import "unicode/utf8"

// character returns the offset of the first character that does not start
// before offset.
func (f *file) character(offset int64) (int64, error) {
	switch {
	case offset <= f.begin || offset >= f.size:
		return offset, nil
	case f.enc.name == utf8Name:
		return f.utf8Character(offset)
	case f.enc.isUTF16():
		return f.utf16Character(offset)
	case f.enc.isMultiByte():
		return f.charsetCharacter(offset)
	}
	return offset, nil
}

// utf8Character looks for a character that starts up to three bytes before
// offset and reaches over it.
func (f *file) utf8Character(offset int64) (int64, error) {
	from := max(f.begin, offset-(utf8.UTFMax-1))
	b, err := f.at(from, offset-from+utf8.UTFMax)
	if err != nil {
		return 0, err
	}
	here := int(offset - from)
	for i := here - 1; i >= 0 && here < len(b); i-- {
		if utf8.RuneStart(b[i]) {
			if _, size := utf8.DecodeRune(b[i:]); i+size > here {
				return from + int64(i+size), nil
			}
			break
		}
	}
	return offset, nil
}

func (f *file) utf16Character(offset int64) (int64, error) {
	offset += (offset - f.begin) % 2
	if offset-2 < f.begin {
		return offset, nil
	}
	b, err := f.at(offset-2, 4)
	if err != nil || len(b) < 4 {
		return offset, err
	}
	order := f.enc.byteOrder()
	if isHighSurrogate(rune(order.Uint16(b))) && isLowSurrogate(rune(order.Uint16(b[2:]))) {
		offset += 2
	}
	return offset, nil
}

// charsetCharacter decodes up to offset from a place that is a boundary for
// certain: in none of the multi-byte charsets does a character of several
// bytes hold one below 0x30. Half a block of text without is unheard of.
func (f *file) charsetCharacter(offset int64) (int64, error) {
	from := max(f.begin, offset-f.sizes.block/2)
	b, err := f.at(from, offset-from+utf8.UTFMax)
	if err != nil {
		return 0, err
	}
	here := min(int(offset-from), len(b))
	sure := here
	for sure > 0 && b[sure-1] >= 0x30 {
		sure--
	}
	if sure == 0 && from > f.begin {
		return 0, &RangeError{"no boundary between characters can be told near byte_offset in " + f.enc.Name()}
	}
	for end := here; ; end++ {
		_, n, bad := decodeStrict(b[sure:end], f.enc, false)
		switch {
		case bad != nil:
			return 0, bad.at(from+int64(sure), f.prefix)
		case sure+n >= here:
			return from + int64(sure+n), nil
		case end == len(b):
			return offset, nil // the file ends within a character: decoding will tell
		}
	}
}
