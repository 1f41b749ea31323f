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
	blank    = "␣"    // a blank at the end of a row
	kinds    = 8      // of characters that are spelled out, to be named
)

// page writes rows. It keeps the first error of the writer.
type page struct {
	w      *bufio.Writer
	width  int // 0: lines are not folded
	color  bool
	limit  int // rows to write; 0: all
	rows   int // written
	hidden int // not written

	spelled map[string]int // characters that are spelled out, and how often
	order   []string       // of these, as they came
}

func newPage(w io.Writer, o Options) *page {
	p := &page{w: bufio.NewWriter(w), color: o.Color, limit: o.Lines, spelled: map[string]int{}}
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
	row := row{page: p}
	row.begin(first)
	glyphs(s, func(g glyph) {
		if p.width > 0 && g.cells > row.room {
			row.end()
			row.begin(next)
		}
		row.add(style, g)
		if g.escaped {
			p.note(g.text)
		}
	})
	row.end()
}

// note counts a character that is spelled out.
func (p *page) note(spelling string) {
	if p.spelled[spelling]++; p.spelled[spelling] == 1 {
		p.order = append(p.order, spelling)
	}
}

// row is one row as it is put together.
type row struct {
	*page
	text strings.Builder
	room int
	on   string // the style that is switched on
	// last is not yet in text: at the end of a row nobody would see a blank.
	last      glyph
	lastStyle string
}

func (r *row) begin(margin string) {
	r.text.Reset()
	r.text.WriteString(margin)
	r.room = r.width - len(margin)
}

func (r *row) add(style string, g glyph) {
	r.flush()
	if g.escaped {
		style = reverse
	}
	r.last, r.lastStyle = g, style
	r.room -= g.cells
}

func (r *row) flush() {
	if r.last.text != "" {
		r.turn(r.lastStyle)
		r.text.WriteString(r.last.text)
		r.last = glyph{}
	}
}

// turn switches to a style.
func (r *row) turn(to string) {
	if !r.color || r.on == to {
		return
	}
	if r.on != plain {
		r.text.WriteString(reset)
	}
	r.text.WriteString(to)
	r.on = to
}

func (r *row) end() {
	if r.last.text == " " {
		r.last.text = blank
	}
	r.flush()
	r.turn(plain)
	r.row(r.text.String())
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
	hidden := p.hidden
	p.limit = 0
	p.sayWhatIsSpelled()
	if !complete {
		p.put("", "  ", yellow, fmt.Sprintf("... and %s that you have not seen: %s", count(hidden, "more line"), more))
	}
	return complete, p.w.Flush()
}

// sayWhatIsSpelled tells which characters were spelled out: an agent can write the
// same letters, but not this.
func (p *page) sayWhatIsSpelled() {
	if len(p.order) == 0 {
		return
	}
	named := p.order[:min(len(p.order), kinds)]
	list := make([]string, 0, len(named)+1)
	for _, s := range named {
		list = append(list, fmt.Sprintf("%s (%d)", s, p.spelled[s]))
	}
	if more := len(p.order) - len(named); more > 0 {
		list = append(list, "and "+count(more, "other"))
	}
	p.prose("note", yellow, "spelled out, since they would not be seen as themselves: "+strings.Join(list, ", "))
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
