package search

import "strings"

// wildmatch tells whether a name matches a pattern as git reads it: `*`, `?`
// and `[…]` match no slash, `**` as a whole segment matches any number of
// segments, `\` quotes. With flat, `*` matches slashes too. The rules are those
// of gitignore(5) and fnmatch(3); what those leave open follows git's behaviour.
func wildmatch(pattern, name string, flat bool) bool {
	w := wild{flat: flat, budget: wildBudget}
	return w.match(pattern, name) == matched
}

type outcome uint8

const (
	matched outcome = iota
	failed
	failedToStarStar // no single `*` to the left can repair it, a `**` may
	failedForGood    // the name is used up
)

// wildBudget is the most steps of one comparison; real patterns need hundreds.
const wildBudget = 100_000

// wild bounds the work: a pattern made to backtrack matches nothing.
type wild struct {
	flat   bool
	budget int
}

// match compares p, which starts a segment or follows a star, with all of t.
func (w *wild) match(p, t string) outcome {
	prev := byte('/')
	for p != "" {
		if w.budget--; w.budget < 0 {
			return failedForGood
		}
		if p[0] == '*' {
			return w.star(p, t, prev == '/')
		}
		if t == "" {
			return failedForGood
		}
		c := p[0]
		switch c {
		case '\\':
			if len(p) < 2 || p[1] != t[0] {
				return failed
			}
			c = p[1]
			p = p[2:]
		case '?':
			if t[0] == '/' && !w.flat {
				return failed
			}
			p = p[1:]
		case '[':
			rest, in, ok := bracket(p[1:], t[0])
			if !ok {
				return failedForGood
			}
			if !in || t[0] == '/' && !w.flat {
				return failed
			}
			p = rest
		default:
			if c != t[0] {
				return failed
			}
			p = p[1:]
		}
		prev = c
		t = t[1:]
	}
	if t != "" {
		return failed
	}
	return matched
}

// star matches p, which starts with `*`. atSegment: it follows a slash or starts the pattern.
func (w *wild) star(p, t string, atSegment bool) outcome {
	run := len(p) - len(strings.TrimLeft(p, "*"))
	p = p[run:]
	slashes := w.flat
	if run > 1 && !w.flat {
		slashes = atSegment && (p == "" || p[0] == '/' || strings.HasPrefix(p, `\/`))
		if slashes && p != "" && p[0] == '/' && w.match(p[1:], t) == matched {
			return matched // `**/` may stand for nothing
		}
	}
	if p == "" {
		if !slashes && strings.Contains(t, "/") {
			return failedToStarStar
		}
		return matched
	}
	if !slashes && p[0] == '/' {
		i := strings.IndexByte(t, '/')
		if i < 0 {
			return failedForGood
		}
		return w.match(p[1:], t[i+1:])
	}
	for ; t != ""; t = t[1:] {
		switch got := w.match(p, t); {
		case got != failed && (!slashes || got != failedToStarStar):
			return got
		case got == failed && !slashes && t[0] == '/':
			return failedToStarStar
		}
	}
	return failedForGood
}

// bracket reads a class after its `[`. in: it holds c; !ok: it never ends.
func bracket(p string, c byte) (rest string, in, ok bool) {
	negate := p != "" && (p[0] == '!' || p[0] == '^')
	if negate {
		p = p[1:]
	}
	var low byte // start of a range, 0 if there is none
	for first := true; first || p == "" || p[0] != ']'; first = false {
		if p == "" {
			return "", false, false
		}
		ch := p[0]
		switch {
		case ch == '\\':
			if len(p) < 2 {
				return "", false, false
			}
			ch = p[1]
			in = in || c == ch
			p = p[2:]
		case ch == '-' && low != 0 && len(p) > 1 && p[1] != ']':
			high, n := p[1], 2
			if high == '\\' {
				if len(p) < 3 {
					return "", false, false
				}
				high, n = p[2], 3
			}
			in = in || low <= c && c <= high
			p, ch = p[n:], 0
		case ch == '[' && len(p) > 1 && p[1] == ':':
			end := strings.IndexByte(p[2:], ']')
			if end < 0 {
				return "", false, false
			}
			name := p[2 : 2+end]
			if name == "" || name[len(name)-1] != ':' { // no class after all: a plain `[`
				in = in || c == '['
				p = p[1:]
				break
			}
			is, known := classes[name[:len(name)-1]]
			if !known {
				return "", false, false
			}
			in = in || is(c)
			p, ch = p[2+end+1:], 0
		default:
			in = in || c == ch
			p = p[1:]
		}
		low = ch
	}
	return p[1:], in != negate, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlpha(c byte) bool { return isUpper(c) || isLower(c) }
func isGraph(c byte) bool { return '!' <= c && c <= '~' }

var classes = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit":  isDigit,
	"graph":  isGraph,
	"lower":  isLower,
	"print":  func(c byte) bool { return isGraph(c) || c == ' ' },
	"punct":  func(c byte) bool { return isGraph(c) && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' },
	"upper":  isUpper,
	"xdigit": func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' },
}
