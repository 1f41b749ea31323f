package gitguard

import (
	"bytes"
	"errors"
	"strings"
)

// errConfig says that a configuration is not one that this package understands
// whole. git may well: what is not understood is taken for hostile.
var errConfig = errors.New("not a plain git configuration")

// maxConfig is the size of a configuration that is read, in bytes.
const maxConfig = 1 << 20

// name is what an entry sets: section.sub.key. Section and key are in lower case;
// the case of the subsection counts.
type name struct{ section, sub, key string }

func (n name) String() string {
	if n.sub == "" {
		return n.section + "." + n.key
	}
	return n.section + "." + n.sub + "." + n.key
}

// entry is one line of a configuration, with where it lies in the text.
type entry struct {
	name
	value string
	bare  bool // without "=": true, for a key of that kind
	from  int  // where the value starts, after the "="
	to    int  // the end of the entry's last line
}

// parseConfig reads a configuration as git does, but strictly: what git accepts
// for old files' sake (carriage returns, a byte order mark) is refused, as is what
// it refuses.
func parseConfig(text []byte) ([]entry, error) {
	if len(text) > maxConfig || bytes.ContainsAny(text, "\x00\r\ufeff") {
		return nil, errConfig
	}
	p := parser{text: text}
	for p.at < len(p.text) {
		if err := p.item(); err != nil {
			return nil, err
		}
	}
	return p.entries, nil
}

type parser struct {
	text    []byte
	at      int
	section string
	sub     string
	inside  bool // a section has begun
	entries []entry
}

func (p *parser) peek() (byte, bool) {
	if p.at >= len(p.text) {
		return '\n', false
	}
	return p.text[p.at], true
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isWord(c byte) bool { return isAlpha(c) || c >= '0' && c <= '9' || c == '-' }

func (p *parser) blanks() {
	for c, ok := p.peek(); ok && isBlank(c); c, ok = p.peek() {
		p.at++
	}
}

// item reads a header, an entry, a comment or white space.
func (p *parser) item() error {
	switch c, _ := p.peek(); {
	case isBlank(c), c == '\n':
		p.at++
		return nil
	case c == '#', c == ';':
		if end := bytes.IndexByte(p.text[p.at:], '\n'); end >= 0 {
			p.at += end
		} else {
			p.at = len(p.text)
		}
		return nil
	case c == '[':
		p.at++
		return p.header()
	case isAlpha(c) && p.inside:
		return p.entry()
	default:
		return errConfig
	}
}

// header reads what follows "[": name] or name "sub"].
func (p *parser) header() error {
	start := p.at
	for c, ok := p.peek(); ok && (isWord(c) || c == '.'); c, ok = p.peek() {
		p.at++
	}
	section := strings.ToLower(string(p.text[start:p.at]))
	c, ok := p.peek()
	if !ok || section == "" {
		return errConfig
	}
	p.inside, p.section, p.sub = true, section, ""
	if c == ']' {
		p.at++
		// The old spelling [branch.name], in which the case doesn't count.
		p.section, p.sub, _ = strings.Cut(section, ".")
		if p.section == "" || strings.Contains(section, ".") && p.sub == "" {
			return errConfig
		}
		return nil
	}
	if strings.Contains(section, ".") || !isBlank(c) {
		return errConfig
	}
	p.blanks()
	return p.subsection()
}

func (p *parser) subsection() error {
	if c, _ := p.peek(); c != '"' {
		return errConfig
	}
	p.at++
	var sub []byte
	for {
		c, ok := p.peek()
		if !ok || c == '\n' {
			return errConfig
		}
		p.at++
		switch c {
		case '"':
			if end, _ := p.peek(); end != ']' || len(sub) == 0 {
				return errConfig
			}
			p.at++
			p.sub = string(sub)
			return nil
		case '\\':
			if c, ok = p.peek(); !ok || c == '\n' {
				return errConfig
			}
			p.at++
		}
		sub = append(sub, c)
	}
}

func (p *parser) entry() error {
	start := p.at
	for c, ok := p.peek(); ok && isWord(c); c, ok = p.peek() {
		p.at++
	}
	e := entry{name: name{p.section, p.sub, strings.ToLower(string(p.text[start:p.at]))}}
	p.blanks()
	c, _ := p.peek()
	var err error
	switch c {
	case '\n':
		e.bare, e.from = true, p.at
	case '=':
		p.at++
		e.from = p.at
		e.value, err = p.value()
	default:
		return errConfig
	}
	e.to = p.at
	p.entries = append(p.entries, e)
	return err
}

// value reads up to the end of the line, or of the last of continued lines.
func (p *parser) value() (string, error) {
	var (
		value  []byte
		quoted bool
		keep   int // blanks after that belong to the value only if more follows
	)
	p.blanks()
	for {
		c, ok := p.peek()
		if !ok || c == '\n' {
			if quoted {
				return "", errConfig
			}
			return string(value[:keep]), nil
		}
		p.at++
		switch {
		case c == '"':
			quoted = !quoted
			keep = len(value)
			continue
		case c == '\\':
			c, ok = p.escape()
			if !ok {
				return "", errConfig
			}
			if c != 0 {
				value = append(value, c)
			}
		case !quoted && (c == '#' || c == ';'):
			if end := bytes.IndexByte(p.text[p.at:], '\n'); end >= 0 {
				p.at += end
			} else {
				p.at = len(p.text)
			}
			return string(value[:keep]), nil
		case !quoted && c == ' ' && len(value) == 0:
			continue
		case !quoted && c == '\t':
			return "", errConfig // versions of git differ in what it stands for
		default:
			value = append(value, c)
			if !quoted && c == ' ' {
				continue
			}
		}
		keep = len(value)
	}
}

// escape reads what follows a backslash; 0 for a continued line.
func (p *parser) escape() (byte, bool) {
	c, ok := p.peek()
	if !ok {
		return 0, false
	}
	p.at++
	switch c {
	case '\n':
		return 0, true
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case '"', '\\':
		return c, true
	default:
		return 0, false
	}
}

// renderConfig writes entries in the form that git itself writes.
func renderConfig(entries []entry) []byte {
	var b bytes.Buffer
	last := name{}
	for _, e := range entries {
		if e.section != last.section || e.sub != last.sub {
			b.WriteString(header(e.name))
			last = name{section: e.section, sub: e.sub}
		}
		b.WriteString("\t" + e.key)
		if !e.bare {
			b.WriteString(" = " + quote(e.value))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func header(n name) string {
	if n.sub == "" {
		return "[" + n.section + "]\n"
	}
	return "[" + n.section + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(n.sub) + "\"]\n"
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)

// quote writes a value, in quotes where git needs them.
func quote(value string) string {
	out := escapes.Replace(value)
	if strings.ContainsAny(value, "#;") || strings.HasPrefix(value, " ") || strings.HasSuffix(value, " ") {
		return `"` + out + `"`
	}
	return out
}
