package text

import "bytes"

// units finds line feeds and NULs in the raw bytes of an encoding, so that
// huge files can be searched without decoding them. Slices must start at a
// code unit. In every charset that [Lookup] knows besides UTF-16, the bytes
// 0x00, 0x0A and 0x0D stand for themselves wherever they occur.
type units interface {
	width() int
	// newline returns the index behind the first line feed, or -1.
	newline(b []byte) int
	// lastNewline returns the index behind the last line feed, or -1.
	lastNewline(b []byte) int
	// newlines counts the line feeds.
	newlines(b []byte) int64
	// nul returns the index of the first NUL, or -1.
	nul(b []byte) int
	// tally adds b to counts.
	tally(counts *lineCounts, b []byte)
}

func unitsOf(enc Encoding) units {
	switch enc.name {
	case utf16leName:
		return wideUnits{low: 0, high: 1}
	case utf16beName:
		return wideUnits{low: 1, high: 0}
	}
	return byteUnits{}
}

type byteUnits struct{}

func (byteUnits) width() int { return 1 }

func (byteUnits) newline(b []byte) int { return behind(bytes.IndexByte(b, '\n'), 1) }

func (byteUnits) lastNewline(b []byte) int { return behind(bytes.LastIndexByte(b, '\n'), 1) }

func (byteUnits) newlines(b []byte) int64 { return int64(bytes.Count(b, []byte{'\n'})) }

func (byteUnits) nul(b []byte) int { return bytes.IndexByte(b, 0) }

func (u byteUnits) tally(c *lineCounts, b []byte) {
	if len(b) == 0 {
		return
	}
	c.newlines += u.newlines(b)
	if returns := int64(bytes.Count(b, []byte{'\r'})); returns > 0 {
		c.returns += returns
		c.pairs += int64(bytes.Count(b, []byte("\r\n")))
	}
	if c.afterReturn && b[0] == '\n' {
		c.pairs++
	}
	last := b[len(b)-1]
	c.afterReturn, c.open = last == '\r', last != '\n'
}

// wideUnits are those of UTF-16; low and high say where in a unit its low and
// high byte are.
type wideUnits struct{ low, high int }

func (wideUnits) width() int { return 2 }

func (u wideUnits) at(b []byte, i int) uint16 {
	return uint16(b[i+u.high])<<8 | uint16(b[i+u.low])
}

func (u wideUnits) newline(b []byte) int {
	for i := 0; i+2 <= len(b); i += 2 {
		if u.at(b, i) == '\n' {
			return i + 2
		}
	}
	return -1
}

func (u wideUnits) lastNewline(b []byte) int {
	for i := len(b)&^1 - 2; i >= 0; i -= 2 {
		if u.at(b, i) == '\n' {
			return i + 2
		}
	}
	return -1
}

func (u wideUnits) newlines(b []byte) int64 {
	var c lineCounts
	u.tally(&c, b)
	return c.newlines
}

func (u wideUnits) nul(b []byte) int {
	for i := 0; i+2 <= len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return i
		}
	}
	return -1
}

func (u wideUnits) tally(c *lineCounts, b []byte) {
	for i := 0; i+2 <= len(b); i += 2 {
		unit := u.at(b, i)
		switch unit {
		case '\n':
			c.newlines++
			if c.afterReturn {
				c.pairs++
			}
		case '\r':
			c.returns++
		}
		c.afterReturn, c.open = unit == '\r', unit != '\n'
	}
	if len(b)%2 == 1 {
		c.open = true
	}
}

func behind(i, width int) int {
	if i < 0 {
		return -1
	}
	return i + width
}

// lineCounts counts line ends while a file goes by in blocks.
type lineCounts struct {
	newlines int64 // line feeds, those of pairs included
	returns  int64 // carriage returns, those of pairs included
	pairs    int64 // carriage return and line feed

	afterReturn bool // the last unit was a carriage return
	open        bool // the last line has no line feed
}

// lines is how many lines there are; a last one without line feed counts.
func (c *lineCounts) lines() int64 {
	if c.open {
		return c.newlines + 1
	}
	return c.newlines
}

// Values of [Result].LineEndings.
const (
	EndingsLF    = "lf"
	EndingsCRLF  = "crlf"
	EndingsMixed = "mixed" // some lines end in CRLF, some in LF
	EndingsCR    = "cr"    // carriage returns only: one line to everything here
	EndingsNone  = "none"
)

func (c *lineCounts) endings() string {
	switch {
	case c.pairs > 0 && c.pairs < c.newlines:
		return EndingsMixed
	case c.pairs > 0:
		return EndingsCRLF
	case c.newlines > 0:
		return EndingsLF
	case c.returns > 0:
		return EndingsCR
	}
	return EndingsNone
}

// LineEndings returns how the lines of s end: one of the Endings constants.
func LineEndings(s string) string {
	var c lineCounts
	byteUnits{}.tally(&c, []byte(s))
	return c.endings()
}
