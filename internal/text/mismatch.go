package text

import (
	"fmt"
	"strconv"
	"strings"
)

// MismatchError says that an edit's old_text does not stand in the file
// exactly once, or with replace_all not at all. It matches [ErrMismatch].
type MismatchError struct {
	Index int    // of the edit, from 0
	Count int    // matches; an overlapping one counts
	Lines []int  // 1-based lines on which the first 20 matches begin
	Near  *Near  // for no match: the most similar part, nil if there is none
	Hint  string // for no match: a reason in words, "" if there is none
}

// Near is a part of the file that resembles an old_text that was not found.
type Near struct {
	StartLine, EndLine int    // 1-based, both inclusive
	Text               string // as it stands in the file, at most a few lines
	Differs            string // how: "in whitespace", "first at line 7", …
}

func (n *Near) where() string {
	if n.StartLine == n.EndLine {
		return fmt.Sprintf("line %d", n.StartLine)
	}
	return fmt.Sprintf("lines %d-%d", n.StartLine, n.EndLine)
}

func (e *MismatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "edit %d: old_text ", e.Index+1)
	if e.Count > 0 {
		fmt.Fprintf(&b, "matches %d times, at lines %s; give more of the text around it, or set replace_all", e.Count, joinLines(e.Lines, e.Count))
		return b.String()
	}
	b.WriteString("is not in the file")
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	if e.Near != nil {
		fmt.Fprintf(&b, "; nearest is %s, which differs %s:\n%s", e.Near.where(), e.Near.Differs, e.Near.Text)
	}
	return b.String()
}

// Is reports whether target is [ErrMismatch].
func (e *MismatchError) Is(target error) bool { return target == ErrMismatch }

func joinLines(lines []int, count int) string {
	words := make([]string, 0, len(lines)+1)
	for _, l := range lines {
		words = append(words, strconv.Itoa(l))
	}
	if count > len(lines) {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}
