package search

import "bytes"

// finder walks over the matching lines of a buffer. It holds what one search
// remembers, so it is for one goroutine; reset makes it ready for another buffer.
type finder struct {
	m       *Matcher
	buf     []byte
	cursors []cursor
	filter  *automaton
}

func newFinder(m *Matcher) *finder {
	f := &finder{m: m}
	for _, lit := range m.literals {
		f.cursors = append(f.cursors, newCursor(lit, m.fold))
	}
	if m.prog != nil {
		f.filter = newAutomaton(m.prog)
	}
	return f
}

func (f *finder) reset(buf []byte) {
	f.buf = buf
	for i := range f.cursors {
		f.cursors[i].reset()
	}
}

// next returns the first matching line at or after pos, which is the start of
// a line: buf[start:end] is the line without its "\n", col the index in it
// where the match begins.
func (f *finder) next(pos int) (start, end, col int, ok bool) {
	for pos < len(f.buf) {
		i := f.candidate(pos)
		if i == none {
			return 0, 0, 0, false
		}
		start = pos + bytes.LastIndexByte(f.buf[pos:i], '\n') + 1
		end = lineEnd(f.buf, i)
		if f.m.exact {
			return start, end, i - start, true
		}
		if len(f.cursors) > 0 && !f.plausible(f.buf[start:end]) {
			pos = end + 1
			continue
		}
		if loc := f.m.line.FindIndex(trimCR(f.buf[start:end])); loc != nil {
			return start, end, loc[0], true
		}
		pos = end + 1
	}
	return 0, 0, 0, false
}

// candidate returns a position in the first line at or after pos that may
// match (its end included), or none.
func (f *finder) candidate(pos int) int {
	if len(f.cursors) > 0 {
		at := none
		for i := range f.cursors {
			c := &f.cursors[i]
			if c.at < pos {
				c.seek(f.buf, pos)
			}
			at = min(at, c.at)
		}
		return at
	}
	return f.filtered(f.buf, pos)
}

// plausible asks the automaton about a line that holds a literal.
func (f *finder) plausible(line []byte) bool { return f.filtered(line, 0) != none }

// filtered returns a position in the first line at or after pos that the
// automaton lets pass, or none. Without an automaton each line does.
func (f *finder) filtered(buf []byte, pos int) int {
	if f.filter != nil {
		if at, ok := f.filter.search(buf, pos); ok {
			return at
		}
		f.filter = nil // this pattern needs too many states
	}
	return pos
}

// lineEnd returns the index of the "\n" at or after pos, or the buffer's end.
func lineEnd(buf []byte, pos int) int {
	if i := bytes.IndexByte(buf[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(buf)
}

// trimCR takes the "\r" of a "\r\n" line ending off.
func trimCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
