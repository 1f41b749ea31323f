package bailey

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// clip keeps the head and the tail of what is written to it, and counts the rest,
// so that a command can write without end. It is for one writer.
type clip struct {
	half  int // bytes of the head, and of the tail
	head  []byte
	tail  []byte // a ring once it is full
	start int    // of the ring
	total int64
}

// newClip keeps size bytes.
func newClip(size int64) *clip { return &clip{half: int(max(size/2, 1))} }

func (c *clip) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	if room := c.half - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head, p = append(c.head, p[:take]...), p[take:]
	}
	if len(p) > c.half {
		p = p[len(p)-c.half:]
	}
	for len(p) > 0 {
		if len(c.tail) < c.half {
			take := min(c.half-len(c.tail), len(p))
			c.tail, p = append(c.tail, p[:take]...), p[take:]
			continue
		}
		take := copy(c.tail[c.start:], p)
		c.start, p = (c.start+take)%c.half, p[take:]
	}
	return n, nil
}

func (c *clip) cut() bool { return c.total > int64(len(c.head)+len(c.tail)) }

// String is what was kept, with a line that says how much was not.
func (c *clip) String() string {
	tail := append(append([]byte(nil), c.tail[c.start:]...), c.tail[:c.start]...)
	if !c.cut() {
		return string(append(append([]byte(nil), c.head...), tail...))
	}
	left := c.total - int64(len(c.head)+len(tail))
	return wholeEnd(string(c.head)) + fmt.Sprintf("\n[… %d bytes left out …]\n", left) + wholeStart(string(tail))
}

// wholeEnd takes off a character that was cut at the end.
func wholeEnd(s string) string {
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if r := s[len(s)-i:]; utf8.RuneStart(r[0]) {
			if !utf8.FullRuneInString(r) {
				return s[:len(s)-i]
			}
			break
		}
	}
	return s
}

// wholeStart takes off the rest of a character that was cut at the start.
func wholeStart(s string) string {
	for i := 1; i < utf8.UTFMax && s != "" && !utf8.RuneStart(s[0]); i++ {
		s = s[1:]
	}
	return s
}

// textOf makes valid UTF-8 of a command's output, and tells whether it was that.
func textOf(s string) (string, bool) {
	return strings.ToValidUTF8(s, "\uFFFD"), utf8.ValidString(s)
}
