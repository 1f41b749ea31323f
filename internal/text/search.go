package text

import (
	"iter"
	"strings"
)

// search is one old_text and the text in which it is looked for.
type search struct {
	s   string
	old string
	hay string // s, with line ends collapsed to line feeds if old asks for it
}

func searchFor(s, old string) search {
	q := search{s: s, old: old, hay: s}
	if strings.Contains(old, "\n") && !strings.Contains(old, "\r\n") {
		q.hay = strings.ReplaceAll(s, "\r\n", "\n") // s itself if it has none
	}
	return q
}

// separate counts matches that do not overlap.
func (q search) separate() int { return strings.Count(q.hay, q.old) }

// count is separate, but at least 2 if the first match overlaps another.
func (q search) count() int {
	first := strings.Index(q.hay, q.old)
	if first < 0 {
		return 0
	}
	n := q.separate()
	if n == 1 && strings.Contains(q.hay[first+1:], q.old) {
		return 2
	}
	return n
}

// lines returns the lines on which the first maxLines matches begin.
func (q search) lines(overlapping bool) []int {
	step := len(q.old)
	if overlapping {
		step = 1
	}
	var lines []int
	line, counted, from := 1, 0, 0
	for len(lines) < maxLines {
		i := strings.Index(q.hay[from:], q.old)
		if i < 0 {
			break
		}
		at := from + i
		line += strings.Count(q.hay[counted:at], "\n")
		lines = append(lines, line)
		counted, from = at, at+step
	}
	return lines
}

// spans yields start and end in s of all matches that do not overlap.
func (q search) spans() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		m := mapping{s: q.s, same: len(q.hay) == len(q.s), next: -1}
		for from := 0; ; {
			i := strings.Index(q.hay[from:], q.old)
			if i < 0 {
				return
			}
			start := from + i
			from = start + len(q.old)
			if !yield(m.to(start), m.to(from)) {
				return
			}
		}
	}
}

// mapping finds places of a text with collapsed line ends in the text itself.
// It goes forward only.
type mapping struct {
	s              string
	same           bool // nothing was collapsed
	collapsed, pos int  // a place in the collapsed text, and in s
	next           int  // of the next "\r\n" in s at or after pos; -1 if not looked for yet
}

func (m *mapping) to(place int) int {
	if m.same {
		return place
	}
	for {
		if m.next < 0 {
			m.next = len(m.s)
			if i := strings.Index(m.s[m.pos:], "\r\n"); i >= 0 {
				m.next = m.pos + i
			}
		}
		plain := m.next - m.pos
		if m.collapsed+plain >= place {
			m.pos += place - m.collapsed
			m.collapsed = place
			return m.pos
		}
		m.collapsed += plain + 1
		m.pos = m.next + 2
		m.next = -1
	}
}
