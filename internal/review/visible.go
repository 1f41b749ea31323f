package review

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/baileyhq/bailey/internal/text"
)

const (
	tabStop  = 4
	maxMarks = 4 // combining marks on one letter; more would run into other lines
)

// glyph is what a reader sees of one character.
type glyph struct {
	text    string
	cells   int  // columns that it takes
	escaped bool // spelled out
}

// glyphs calls yield for each character of a line. col is the column at which the
// line begins, for tabs.
func glyphs(line string, yield func(glyph)) {
	marks := maxMarks // none may begin a line: it would sit on the margin
	col := 0
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		g := glyph{text: line[i : i+size], cells: 1}
		switch {
		case r == '\t':
			g.cells = tabStop - col%tabStop
			g.text = "→" + strings.Repeat(" ", g.cells-1)
			marks = maxMarks
		case r < 0x7F && r >= ' ':
			marks = 0
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
			if marks++; marks > maxMarks || invisible(r) {
				g = spelled(g.text)
			} else {
				g.cells = 0
			}
		case invisible(r) || r == utf8.RuneError && size == 1:
			g = spelled(g.text)
			marks = 0
		default:
			marks = 0
			if g.text = text.VisibleControl(g.text); g.text != line[i:i+size] {
				g = glyph{g.text, len(g.text), true}
			} else if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
				g.cells = 2
			}
		}
		yield(g)
		col += g.cells
		i += size
	}
}

// invisible are the characters that package text leaves alone since scripts and
// typography need them, but that a reader takes for nothing or for a blank, and
// those that no font knows, or each another way.
func invisible(r rune) bool {
	return !unicode.IsPrint(r) || r == 0x200C || r == 0x200D || r == 0x2800 ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
}

// spelled spells a character as an escape.
func spelled(s string) glyph {
	out := text.VisibleControl(s)
	if out == s {
		quoted := strconv.QuoteToASCII(s)
		out = quoted[1 : len(quoted)-1]
	}
	return glyph{out, len(out), true}
}

// oneLine is a text on one line with everything visible.
func oneLine(s string) string {
	var b strings.Builder
	glyphs(strings.ReplaceAll(s, "\t", "\x00"), func(g glyph) { b.WriteString(g.text) })
	return b.String()
}
