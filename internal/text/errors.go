package text

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels for errors.Is. Each stands for one way in which a caller reacts.
var (
	ErrNotText  = errors.New("not text")
	ErrTooLarge = errors.New("too large")
	ErrMismatch = errors.New("edit does not match")
	ErrInvalid  = errors.New("invalid argument")
)

// NotTextError says that bytes are not text in an encoding. It matches
// [ErrNotText].
type NotTextError struct {
	Encoding    Encoding
	Offset      int64    // in bytes from the start of the file; -1 if unknown
	Reason      string   // such as "a NUL byte"
	MediaType   string   // of the file's beginning; "" if it was not looked at
	Description string   // the media type in words
	Suggest     []string // labels under which the beginning would decode
}

func (e *NotTextError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "not %s text: %s", e.Encoding.Name(), e.Reason)
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " at byte %d", e.Offset)
	}
	if len(e.Suggest) > 0 {
		fmt.Fprintf(&b, "; it may be text in another encoding, try encoding %q", e.Suggest[0])
		for _, s := range e.Suggest[1:] {
			fmt.Fprintf(&b, " or %q", s)
		}
		return b.String()
	}
	if e.MediaType != "" {
		fmt.Fprintf(&b, "; the file is %s (%s), encoding \"base64\" reads its bytes", e.Description, e.MediaType)
	}
	return b.String()
}

// Is reports whether target is [ErrNotText].
func (e *NotTextError) Is(target error) bool { return target == ErrNotText }

// LossyError says that a file can be read in an encoding but not written back
// without changing bytes that no edit touched. It matches [ErrNotText].
type LossyError struct {
	Encoding Encoding
	Offset   int64 // first byte that would change
}

func (e *LossyError) Error() string {
	return fmt.Sprintf("not editable as %s: writing it back would change untouched bytes, first at byte %d", e.Encoding.Name(), e.Offset)
}

// Is reports whether target is [ErrNotText].
func (e *LossyError) Is(target error) bool { return target == ErrNotText }

// TooLargeError says that more than Max bytes would have to be held. It
// matches [ErrTooLarge].
type TooLargeError struct {
	Size, Max int64  // in bytes
	Hint      string // what to do instead
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("too large: %d bytes, at most %d are possible at once; %s", e.Size, e.Max, e.Hint)
}

// Is reports whether target is [ErrTooLarge].
func (e *TooLargeError) Is(target error) bool { return target == ErrTooLarge }

// RangeError says that a [Range] makes no sense. It matches [ErrInvalid].
type RangeError struct{ Reason string }

func (e *RangeError) Error() string { return "invalid range: " + e.Reason }

// Is reports whether target is [ErrInvalid].
func (e *RangeError) Is(target error) bool { return target == ErrInvalid }

// LabelError says that an encoding label is unknown. It matches [ErrInvalid].
type LabelError struct {
	Label string
	Near  []string // similar labels, best first
}

func (e *LabelError) Error() string {
	msg := fmt.Sprintf("unknown encoding %q", e.Label)
	if len(e.Near) > 0 {
		msg += "; near: " + strings.Join(e.Near, ", ")
	}
	return msg
}

// Is reports whether target is [ErrInvalid].
func (e *LabelError) Is(target error) bool { return target == ErrInvalid }

// UnencodableError names a character that an encoding can't hold. It matches
// [ErrInvalid].
type UnencodableError struct {
	Rune     rune
	Line     int // 1-based, within the text that was to be encoded
	Column   int // 1-based, in characters
	Encoding Encoding
}

func (e *UnencodableError) Error() string {
	return fmt.Sprintf("%s can't hold the character %s at line %d, column %d", e.Encoding.Name(), quoteRune(e.Rune), e.Line, e.Column)
}

// Is reports whether target is [ErrInvalid].
func (e *UnencodableError) Is(target error) bool { return target == ErrInvalid }

// Base64Error says where content is not base64. It matches [ErrInvalid].
type Base64Error struct{ Offset int64 }

func (e *Base64Error) Error() string {
	return fmt.Sprintf("content is not standard padded base64: error at character %d", e.Offset)
}

// Is reports whether target is [ErrInvalid].
func (e *Base64Error) Is(target error) bool { return target == ErrInvalid }

// EditError says that an edit can't be carried out on any file. It matches
// [ErrInvalid].
type EditError struct {
	Index  int // 0-based; -1 if it is not about one edit
	Reason string
}

func (e *EditError) Error() string {
	if e.Index < 0 {
		return "invalid edits: " + e.Reason
	}
	return fmt.Sprintf("invalid edit %d: %s", e.Index+1, e.Reason)
}

// Is reports whether target is [ErrInvalid].
func (e *EditError) Is(target error) bool { return target == ErrInvalid }
