package review

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Select graphic rendition. Only these escape sequences are ever written, and only
// with [Options.Color].
const (
	plain   = ""
	bold    = "\x1b[1m"
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	yellow  = "\x1b[33m"
	cyan    = "\x1b[36m"
	reverse = "\x1b[7m"
	reset   = "\x1b[0m"
)

const (
	minWidth = 24
	label    = 12     // columns of a field's label
	margin   = "  | " // of what an agent has written
	folded   = "  : " // of the rest of a folded line
)

// page writes rows. It keeps the first error of the writer.
type page struct {
	w      *bufio.Writer
	width  int // 0: lines are not folded
	color  bool
	limit  int // rows to write; 0: all
	rows   int // written
	hidden int // not written
}

func newPage(w io.Writer, o Options) *page {
	p := &page{w: bufio.NewWriter(w), color: o.Color, limit: o.Lines}
	if o.Width > 0 {
		p.width = max(o.Width, minWidth)
	}
	return p
}

func (p *page) heading(style, s string) { p.put("", "  ", style, s) }

// section begins a part of the page.
func (p *page) section(format string, args ...any) {
	p.put("", "  ", bold, fmt.Sprintf(format, args...))
}

// field writes a labelled value.
func (p *page) field(name, value string) { p.styled(name, plain, value) }

func (p *page) styled(name, style, value string) {
	p.put(fmt.Sprintf("  %-*s", label-2, name), strings.Repeat(" ", label-2)+": ", style, value)
}

// prose writes a labelled sentence of Bailey's, folded between words.
func (p *page) prose(name, style, sentence string) {
	room := p.width - label
	line := ""
	for _, word := range strings.Fields(sentence) {
		if p.width > 0 && line != "" && len(line)+1+len(word) > room {
			p.styled(name, style, line)
			name, line = "", ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	p.styled(name, style, line)
}

// block writes text of several lines behind the margin.
func (p *page) block(s string, style func(line string) string) {
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		p.put(margin, folded, style(line), line)
	}
}

func unstyled(string) string { return plain }

// put writes one line, folded at the page's width: first before its first row, next
// before the others.
func (p *page) put(first, next, style, s string) {
	var row strings.Builder
	room := p.width - len(first)
	on := plain // the style that is switched on
	turn := func(to string) {
		if !p.color || on == to {
			return
		}
		if on != plain {
			row.WriteString(reset)
		}
		row.WriteString(to)
		on = to
	}
	row.WriteString(first)
	glyphs(s, func(g glyph) {
		if p.width > 0 && g.cells > room {
			turn(plain)
			p.row(row.String())
			row.Reset()
			row.WriteString(next)
			room = p.width - len(next)
		}
		turn(style)
		if g.escaped {
			turn(reverse)
		}
		row.WriteString(g.text)
		room -= g.cells
	})
	turn(plain)
	p.row(row.String())
}

func (p *page) row(s string) {
	if p.limit > 0 && p.rows >= p.limit {
		p.hidden++
		return
	}
	p.rows++
	_, _ = p.w.WriteString(strings.TrimRight(s, " ")) // the writer keeps its error
	_ = p.w.WriteByte('\n')
}

// end says what was left out, and how to see it.
func (p *page) end(more string) (complete bool, err error) {
	complete = p.hidden == 0
	if !complete {
		hidden := p.hidden
		p.limit = 0
		p.put("", "  ", yellow, fmt.Sprintf("... and %s that you have not seen: %s", count(hidden, "more line"), more))
	}
	return complete, p.w.Flush()
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
