package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	maxMessage = 16 << 20 // bytes of a call's arguments
	maxNesting = 32       // arrays and objects within each other
)

// object is a JSON object with its keys in the order of the text.
type object struct {
	keys   []string
	values map[string]any
}

// parseJSON reads one JSON value: nil, bool, string, json.Number, []any or
// *object. It is stricter than encoding/json, which would silently keep the
// last of two equal keys and turn bytes that are not UTF-8, and halves of
// surrogate pairs, into U+FFFD: then a file would get another content than
// the caller sent.
func parseJSON(raw []byte) (any, error) {
	if len(raw) > maxMessage {
		return nil, fmt.Errorf("%d bytes are more than the %d that a call may have", len(raw), maxMessage)
	}
	if !utf8.Valid(raw) {
		return nil, errors.New(`the text is not valid UTF-8; write a byte of a file name that is not UTF-8 as \xNN`)
	}
	if err := checkSurrogates(raw); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := parseValue(dec, 0)
	if err != nil {
		return nil, jsonError(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more text after the JSON value")
	}
	return v, nil
}

func jsonError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON text ends too early")
	}
	return err
}

func parseValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("more than %d levels of nesting", maxNesting)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		return parseObject(dec, depth)
	case json.Delim('['):
		return parseArray(dec, depth)
	default:
		return tok, nil
	}
}

func parseObject(dec *json.Decoder, depth int) (any, error) {
	o := &object{values: map[string]any{}}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := tok.(string)
		if !ok {
			return nil, errors.New("a key of an object must be a string")
		}
		if _, twice := o.values[key]; twice {
			return nil, fmt.Errorf("%q is given twice", key)
		}
		v, err := parseValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		o.keys = append(o.keys, key)
		o.values[key] = v
	}
	_, err := dec.Token() // the closing brace
	return o, err
}

func parseArray(dec *json.Decoder, depth int) (any, error) {
	list := []any{}
	for dec.More() {
		v, err := parseValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := dec.Token() // the closing bracket
	return list, err
}

// checkSurrogates refuses \uD800–\uDFFF escapes that are not a pair.
func checkSurrogates(raw []byte) error {
	for i := 0; ; {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 || i+n+1 >= len(raw) {
			return nil
		}
		i += n
		unit, ok := escapedUnit(raw[i:])
		switch {
		case !ok:
			i += 2
		case unit < 0xD800 || unit > 0xDFFF:
			i += 6
		default:
			low, ok := escapedUnit(raw[min(i+6, len(raw)):])
			if unit >= 0xDC00 || !ok || low < 0xDC00 || low > 0xDFFF {
				return fmt.Errorf(`\u%04X is half of a surrogate pair and no character`, unit)
			}
			i += 12
		}
	}
}

// escapedUnit reads a \uXXXX escape at the start of b.
func escapedUnit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var unit rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			unit = unit<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}
