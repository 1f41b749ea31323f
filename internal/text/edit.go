package text

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"
)

// MaxEditBytes is the largest file that [Apply] takes or makes, in bytes.
const MaxEditBytes = 64 << 20

// maxEditWork bounds the bytes that all edits of one call look at: each goes over
// the whole text, and a call may hold hundreds of thousands of them.
const maxEditWork = 512 << 20

// maxLines bounds the line numbers in [Applied] and [MismatchError].
const maxLines = 20

// Edit replaces OldText, which must stand in the file exactly once, or at
// least once with ReplaceAll.
type Edit struct {
	OldText    string `json:"old_text"`
	NewText    string `json:"new_text"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
}

// Applied tells what one edit did.
type Applied struct {
	Index int   // of the edit, from 0
	Count int   // replacements
	Lines []int // 1-based lines on which the first 20 began, in the text that the edit met
}

// Apply carries out edits one after another, each on the result of the one
// before, and returns the new bytes of a file that has the bytes src. On an
// error nothing is to be written.
//
// Line endings: "\n" in OldText matches a line feed with or without a carriage
// return before it. What NewText puts in place of the part that differs from
// OldText gets the ending that the replaced lines mostly have, or else the
// file; all other endings stay. An OldText that itself holds "\r\n" is matched
// and replaced literally, and so is a "\r\n" in NewText.
//
// An OldText that overlaps itself in the file, as "aa" in "aaa", does not
// stand there exactly once. With ReplaceAll, matches are taken from the
// beginning and do not overlap. An OldText equal to its NewText must match
// too, and changes nothing. An empty one is refused.
//
// A file that is not text in enc (or has NUL bytes) is edited as bytes if all
// edits are ASCII and enc is one in which an ASCII byte can't be part of
// another character as far as is known: detected, UTF-8 or a single-byte
// charset.
//
// Errors: [MismatchError], [EditError], [NotTextError], [LossyError],
// [UnencodableError], [TooLargeError].
func Apply(src []byte, enc Encoding, edits []Edit) (out []byte, applied []Applied, err error) {
	if err := checkEdits(enc, edits); err != nil {
		return nil, nil, err
	}
	if err := checkSize(len(src)); err != nil {
		return nil, nil, err
	}
	s, encode, err := editable(src, enc, edits)
	if err != nil {
		return nil, nil, err
	}
	work := 0
	for i, e := range edits {
		if work += len(s); work > maxEditWork {
			return nil, nil, &EditError{i, "too many edits at once for a text of this size: carry them out in several calls"}
		}
		var done Applied
		if s, done, err = applyOne(s, i, e); err != nil {
			return nil, nil, err
		}
		applied = append(applied, done)
	}
	out, err = encode(s)
	return out, applied, err
}

// editable returns src as a string to edit, and how to turn that into bytes
// again.
func editable(src []byte, enc Encoding, edits []Edit) (s string, encode func(string) ([]byte, error), err error) {
	s, enc, err = Decode(src, enc)
	if errors.Is(err, ErrNotText) && editableAsBytes(enc, edits) {
		return string(src), func(s string) ([]byte, error) { return []byte(s), nil }, nil
	}
	if err == nil {
		err = reversible(s, src, enc)
	}
	return s, func(s string) ([]byte, error) { return Encode(s, enc) }, err
}

func checkEdits(enc Encoding, edits []Edit) error {
	if enc == Base64 {
		return &EditError{-1, "bytes given as base64 can't be edited, only written"}
	}
	if len(edits) == 0 {
		return &EditError{-1, "no edits given"}
	}
	for i, e := range edits {
		switch {
		case e.OldText == "":
			return &EditError{i, "old_text is empty"}
		case !utf8.ValidString(e.OldText) || !utf8.ValidString(e.NewText):
			return &EditError{i, "old_text and new_text must be valid UTF-8"}
		}
	}
	return nil
}

func checkSize(n int) error {
	if n > MaxEditBytes {
		return &TooLargeError{Size: int64(n), Max: MaxEditBytes, Hint: "edit it with a command, or write it anew"}
	}
	return nil
}

// reversible makes sure that writing s back gives src.
func reversible(s string, src []byte, enc Encoding) error {
	if enc.isUnicode() {
		return nil // decoded strictly, hence reversible
	}
	back, err := Encode(s, enc)
	if err == nil && bytes.Equal(back, src) {
		return nil
	}
	same := 0
	for same < len(src) && same < len(back) && src[same] == back[same] {
		same++
	}
	return &LossyError{Encoding: enc, Offset: int64(same)}
}

func editableAsBytes(enc Encoding, edits []Edit) bool {
	if enc.isUTF16() || enc.isMultiByte() {
		return false
	}
	for _, e := range edits {
		if !isASCII(e.OldText) || !isASCII(e.NewText) {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// applyOne carries out edit number index on s.
func applyOne(s string, index int, e Edit) (string, Applied, error) {
	q := searchFor(s, e.OldText)
	count := q.count()
	if count > 1 && e.ReplaceAll {
		count = q.separate()
	}
	if count == 0 || count > 1 && !e.ReplaceAll {
		return "", Applied{}, mismatch(q, index, count, e)
	}
	out, err := replace(q, e)
	return out, Applied{Index: index, Count: count, Lines: q.lines(!e.ReplaceAll)}, err
}

// replace puts e.NewText in place of every match. Only the part in which old
// and new text differ is replaced, so that the endings of lines that an edit
// repeats as context stay what they are.
func replace(q search, e Edit) (string, error) {
	d := differ(e.OldText, e.NewText)
	adapt := strings.Contains(d.inserted, "\n") && !strings.Contains(e.OldText, "\r\n")
	fileEnding := "\n"
	if adapt {
		fileEnding = mostlyEndsIn(q.s, "\n")
	}
	var b strings.Builder
	done := 0
	for start, end := range q.spans() {
		region := q.s[start:end]
		inserted := d.inserted
		if adapt {
			inserted = withEnding(inserted, mostlyEndsIn(region, fileEnding))
		}
		skip := spelledLen(region, d.prefix)
		b.WriteString(q.s[done : start+skip])
		b.WriteString(inserted)
		done = start + skip + spelledLen(region[skip:], d.removed)
		if err := checkSize(b.Len() + len(q.s) - done); err != nil {
			return "", err
		}
	}
	b.WriteString(q.s[done:])
	return b.String(), nil
}
