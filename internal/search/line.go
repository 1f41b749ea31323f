package search

import "unicode/utf8"

// MaxLineText is the most bytes of a line that are shown.
const MaxLineText = 2000

// Line is one line of a file: a match, or context around one.
type Line struct {
	Number  int64  // 1-based
	Offset  int64  // of the line's first byte in the file (in the decoded text, for UTF-16)
	Column  int    // 1-based byte column of the line's first match; 0 for context
	Text    string // without line ending, at most MaxLineText bytes around the match; the file's bytes, not always UTF-8
	Skipped int    // bytes of the line before Text
	Cut     bool   // Text is not the whole line
}

// IsMatch tells a matching line from context.
func (l Line) IsMatch() bool { return l.Column > 0 }

// FileMatches are matching lines of one file with their context, in the
// file's order, no line twice. Where Number jumps, lines lie between.
type FileMatches struct {
	Path   string // relative to the start, slash separated; the base name if the start is a file
	Real   string // absolute real path
	Binary bool   // the file matches but is not text: no Lines
	Lines  []Line
}

// window returns the part of a line to show, which includes the byte at col.
func window(line []byte, col int) (text []byte, skipped int) {
	if len(line) <= MaxLineText {
		return line, 0
	}
	const lead = MaxLineText / 4
	from := 0
	if col > MaxLineText-lead {
		from = min(col-lead, len(line)-MaxLineText)
	}
	to := from + MaxLineText
	for range utf8.UTFMax - 1 { // whole runes only
		if from > 0 && !utf8.RuneStart(line[from]) {
			from++
		}
		if to < len(line) && !utf8.RuneStart(line[to]) {
			to--
		}
	}
	return line[from:to], from
}
