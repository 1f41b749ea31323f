package search

import (
	"bytes"
	"math"
)

// commonness orders the bytes from the most frequent to the rarer in program
// text and prose; what is not listed is rare.
const commonness = " etaoinrsl\ndcupmf\thg.b,y()v_w\"=x:-k/{}0;1SE*TI'ACRNO[]2jLPDMqF><#z3FB5U46G8V7&9H+!W|$\\@XK%Q`Yj?~^ZJ"

var byteRarity = func() (table [256]uint8) {
	for i := range table {
		table[i] = math.MaxUint8
	}
	for i := len(commonness) - 1; i >= 0; i-- {
		table[commonness[i]] = uint8(2 * i)
	}
	return table
}()

// rarity of a byte, 0 (everywhere) to 255.
func rarity(b byte) int { return int(byteRarity[b]) }

// none is a cursor's position when there is no further occurrence.
const none = math.MaxInt

// cursor walks over the occurrences of one literal in a buffer.
type cursor struct {
	lit  []byte
	fold bool
	at   int // of the current occurrence; -1 before the first, none after the last

	// Without regard to case a literal is found by its rarest byte, in both its
	// cases, and then compared.
	rare         int // index in lit
	lower, upper byte
	atLow, atUp  int
}

func newCursor(lit string, fold bool) cursor {
	c := cursor{lit: []byte(lit), fold: fold}
	if fold {
		best := -1
		for i, b := range c.lit {
			r := rarity(b)
			if up := upperASCII(b); up != b {
				r = min(r, rarity(up))
			}
			if r > best {
				best, c.rare = r, i
			}
		}
		c.lower, c.upper = c.lit[c.rare], upperASCII(c.lit[c.rare])
	}
	c.reset()
	return c
}

func (c *cursor) reset() { c.at, c.atLow, c.atUp = -1, -1, -1 }

// seek moves to the first occurrence at or after pos.
func (c *cursor) seek(buf []byte, pos int) {
	if c.fold {
		c.seekFold(buf, pos)
		return
	}
	c.at = none
	if i := bytes.Index(buf[pos:], c.lit); i >= 0 {
		c.at = pos + i
	}
}

func (c *cursor) seekFold(buf []byte, pos int) {
	c.at = none
	last := len(buf) - len(c.lit) // the last start that leaves room
	for p := pos + c.rare; p <= last+c.rare; {
		if c.atLow < p {
			c.atLow = indexFrom(buf, p, c.lower)
		}
		if c.upper == c.lower {
			c.atUp = none
		} else if c.atUp < p {
			c.atUp = indexFrom(buf, p, c.upper)
		}
		p = min(c.atLow, c.atUp)
		if p > last+c.rare {
			return
		}
		if start := p - c.rare; equalFoldASCII(buf[start:start+len(c.lit)], c.lit) {
			c.at = start
			return
		}
		p++
	}
}

func indexFrom(buf []byte, pos int, b byte) int {
	if i := bytes.IndexByte(buf[pos:], b); i >= 0 {
		return pos + i
	}
	return none
}

func upperASCII(b byte) byte {
	if 'a' <= b && b <= 'z' {
		return b - ('a' - 'A')
	}
	return b
}

// equalFoldASCII compares text of the same length with a lower-case literal.
func equalFoldASCII(text, lower []byte) bool {
	text = text[:len(lower)]
	for i, want := range lower {
		b := text[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != want {
			return false
		}
	}
	return true
}
