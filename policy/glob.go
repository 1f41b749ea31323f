package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// glob matches one path segment against a pattern without braces and slashes.
// Nearly all globs in real rules are text around one star; those are decided by
// two comparisons, as head and tail hold the literal ends of every glob.
type glob struct {
	text   string   // as written
	head   string   // literal text that a match starts with
	tail   string   // literal text that a match ends with
	middle []item   // what lies between
	except []string // endings that are no match after all
	fold   bool     // names are folded; a class matches if it has any case variant
}

type item struct {
	kind   itemKind
	lit    string
	spans  []span
	negate bool
}

type itemKind uint8

const (
	literalItem itemKind = iota
	starItem             // any text
	runeItem             // any one character, or one byte that is no UTF-8
	classItem            // one character of a set
)

type span struct{ low, high rune }

// parseGlob compiles a segment. Of a segment without wildcards it returns the
// plain text and a nil glob.
func parseGlob(text string, foldCase bool) (string, *glob, error) {
	items, err := parseItems(text, foldCase)
	if err != nil {
		return "", nil, err
	}
	g := &glob{text: text, middle: items, fold: foldCase}
	if n := len(g.middle); n > 0 && g.middle[0].kind == literalItem {
		g.head, g.middle = g.middle[0].lit, g.middle[1:]
	}
	if len(g.middle) == 0 {
		return g.head, nil, nil
	}
	if last := len(g.middle) - 1; g.middle[last].kind == literalItem {
		g.tail, g.middle = g.middle[last].lit, g.middle[:last]
	}
	return "", g, nil
}

func parseItems(text string, foldCase bool) ([]item, error) {
	var items []item
	var lit strings.Builder
	flush := func() {
		if lit.Len() == 0 {
			return
		}
		s := lit.String()
		if foldCase {
			s = fold(s)
		}
		items = append(items, item{kind: literalItem, lit: s})
		lit.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; i == len(text) {
				return nil, patternError("ends in a backslash")
			}
			lit.WriteByte(text[i])
		case '*':
			flush()
			if n := len(items); n == 0 || items[n-1].kind != starItem {
				items = append(items, item{kind: starItem})
			}
		case '?':
			flush()
			items = append(items, item{kind: runeItem})
		case '[':
			flush()
			class, width, err := parseClass(text[i:])
			if err != nil {
				return nil, err
			}
			items = append(items, class)
			i += width - 1
		default:
			lit.WriteByte(c)
		}
	}
	flush()
	return items, nil
}

// parseClass reads a class that starts at text[0], and returns its width.
func parseClass(text string) (item, int, error) {
	class := item{kind: classItem}
	i := 1
	if i < len(text) && (text[i] == '^' || text[i] == '!') {
		class.negate = true
		i++
	}
	pending := rune(-1) // the low end of a range, if '-' follows
	for i < len(text) && text[i] != ']' {
		r, size, escaped := classRune(text[i:])
		i += size
		if r == '-' && !escaped && pending >= 0 && i < len(text) && text[i] != ']' {
			high, size, _ := classRune(text[i:])
			i += size
			class.spans = append(class.spans, span{pending, high})
			pending = -1
			continue
		}
		class.spans = append(class.spans, span{r, r})
		pending = r
	}
	switch {
	case i >= len(text):
		return item{}, 0, patternError("a [ has no ] in the same path segment")
	case len(class.spans) == 0:
		return item{}, 0, patternError("an empty [] matches nothing")
	}
	return class, i + 1, nil
}

func classRune(text string) (r rune, size int, escaped bool) {
	if text[0] == '\\' && len(text) > 1 {
		r, size = utf8.DecodeRuneInString(text[1:])
		return r, size + 1, true
	}
	r, size = utf8.DecodeRuneInString(text)
	return r, size, false
}

// match reports whether the glob matches the whole of name, which is folded if
// the glob is.
func (g *glob) match(name string) bool {
	if len(name) < len(g.head)+len(g.tail) ||
		!strings.HasPrefix(name, g.head) || !strings.HasSuffix(name, g.tail) {
		return false
	}
	if !g.matchMiddle(name[len(g.head) : len(name)-len(g.tail)]) {
		return false
	}
	for _, ending := range g.except {
		if strings.HasSuffix(name, ending) {
			return false
		}
	}
	return true
}

// matchMiddle goes back to the latest star only, so it takes no more than
// len(s) times len(g.middle) steps.
func (g *glob) matchMiddle(s string) bool {
	if len(g.middle) == 1 && g.middle[0].kind == starItem {
		return true
	}
	i, at := 0, 0
	star, starAt := -1, 0
	for {
		switch {
		case i < len(g.middle) && g.middle[i].kind == starItem:
			star, starAt = i, at
			i++
			continue
		case i < len(g.middle):
			if width := g.width(&g.middle[i], s[at:]); width > 0 {
				i, at = i+1, at+width
				continue
			}
		case at == len(s):
			return true
		}
		if star < 0 || starAt == len(s) {
			return false
		}
		_, size := utf8.DecodeRuneInString(s[starAt:])
		starAt += size
		i, at = star+1, starAt
	}
}

// width is how many bytes of s an item other than a star takes, 0 if it does not match.
func (g *glob) width(it *item, s string) int {
	if it.kind == literalItem {
		if strings.HasPrefix(s, it.lit) {
			return len(it.lit)
		}
		return 0
	}
	r, size := utf8.DecodeRuneInString(s)
	if size > 0 && it.kind == classItem && !g.inClass(it, r) {
		return 0
	}
	return size
}

func (g *glob) inClass(it *item, r rune) bool {
	if it.has(r) {
		return true
	}
	if !g.fold {
		return false
	}
	// Folding has hidden how the name was written: it matches if any way of
	// writing it does, so that changing case never gets past a rule.
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		if it.has(v) {
			return true
		}
	}
	return false
}

func (it *item) has(r rune) bool {
	for _, s := range it.spans {
		if s.low <= r && r <= s.high {
			return !it.negate
		}
	}
	return it.negate
}
