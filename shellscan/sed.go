package shellscan

import "strings"

// sed reads the scripts of a call: its commands e and w, and the same flags of
// s, run programs and write files.
func (s *scanner) sed(at int, c call) {
	name := s.reading.Programs[at].Name
	args := c.words[1:]
	scripted := false
	var operands []Arg
	for i := 0; i < len(args); i++ {
		arg := args[i]
		word := arg.Text
		switch {
		case arg.Kind != Literal || word == "-" || !strings.HasPrefix(word, "-"):
			operands = append(operands, arg)
			continue
		case word == "--":
			operands = append(operands, args[i+1:]...)
			i = len(args)
			continue
		case strings.HasPrefix(word, "--expression="):
			scripted = true
			s.sedScript(name, Arg{Text: word[len("--expression="):]})
			continue
		case hasWord("--quiet --silent --regexp-extended --separate --null-data --unbuffered --posix --debug --sandbox --version --help --in-place --follow-symlinks", strings.SplitN(word, "=", 2)[0]):
			continue
		}
		flags := strings.TrimLeft(word[1:], "nrEsuz")
		switch {
		case flags == "", flags[0] == 'i' && word[1] != '-':
		case flags == "e" && i+1 < len(args):
			i++
			scripted = true
			s.sedScript(name, args[i])
		case flags[0] == 'e' && len(flags) > 1:
			scripted = true
			s.sedScript(name, Arg{Text: flags[1:]})
		case flags == "l" && i+1 < len(args) && args[i+1].Kind == Literal:
			i++
		default:
			s.dynamic(name + " " + quote(word) + " is not known")
		}
	}
	if !scripted && len(operands) > 0 {
		s.sedScript(name, operands[0])
		operands = operands[1:]
	}
	for _, arg := range operands { // sed looks for options among its files, too
		if arg.Kind != Literal && (arg.Kind != Glob || arg.Text[0] == '*' || arg.Text[0] == '?' || arg.Text[0] == '[') {
			s.dynamic(quote(arg.Text) + " is decided at the run, and an option could make sed run a program")
		}
	}
}

func (s *scanner) sedScript(name string, script Arg) {
	if script.Kind != Literal {
		s.dynamic(name + " executes " + quote(script.Text) + ", which is decided at the run")
		return
	}
	r := sedReader{text: script.Text}
	if !r.script() {
		s.dynamic("the script of " + name + " may run a program or write a file: " + quote(script.Text))
		if text, ok := strings.CutPrefix(strings.TrimLeft(script.Text, "0123456789,$ \t"), "e"); ok {
			s.maybe(text)
		}
	}
}

// sedReader reads the common part of sed's language.
type sedReader struct {
	text string
	at   int
}

// script reports whether the whole script consists of known, harmless commands.
func (r *sedReader) script() bool {
	for {
		r.skip(" \t\n;")
		if r.at == len(r.text) {
			return true
		}
		if !r.address() || !r.command() {
			return false
		}
	}
}

func (r *sedReader) skip(chars string) {
	for r.at < len(r.text) && strings.IndexByte(chars, r.text[r.at]) >= 0 {
		r.at++
	}
}

func (r *sedReader) next() byte {
	if r.at == len(r.text) {
		return 0
	}
	r.at++
	return r.text[r.at-1]
}

func (r *sedReader) peek() byte {
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// address reads what stands before a command.
func (r *sedReader) address() bool {
	for {
		switch c := r.peek(); {
		case c == '/':
			r.at++
			if !r.until('/') {
				return false
			}
			r.skip("IM")
		case c == '\\':
			r.at++
			if d := r.next(); d == 0 || d == '\n' || d == '\\' || d >= 0x80 || !r.until(d) {
				return false
			}
			r.skip("IM")
		case c == '$', c == ',', c == '~', c == '+', c == '!', c == ' ', c == '\t', '0' <= c && c <= '9':
			r.at++
		default:
			return c != 0
		}
	}
}

// until moves behind the next delimiter that is neither escaped nor in a
// bracket expression. Versions of sed disagree about delimiters in brackets, and
// a bracket that starts with ] is easily misread: such texts are not understood.
func (r *sedReader) until(delimiter byte) bool {
	bracket := false
	for r.at < len(r.text) {
		switch c := r.next(); {
		case c == '\\':
			if r.next() == 0 {
				return false
			}
		case c == '\n':
			return false
		case c == delimiter:
			return !bracket
		case c == '[' && bracket:
			if class := r.peek(); class == ':' || class == '.' || class == '=' {
				end := strings.Index(r.text[r.at+1:], string(class)+"]")
				if end < 0 {
					return false
				}
				r.at += end + 3
			}
		case c == '[':
			bracket = true
			if rest := strings.TrimPrefix(r.text[r.at:], "^"); strings.HasPrefix(rest, "]") {
				return false
			}
		case c == ']':
			bracket = false
		}
	}
	return false
}

func (r *sedReader) command() bool {
	switch r.next() {
	case 'p', 'd', 'D', 'P', 'n', 'N', 'h', 'H', 'g', 'G', 'x', 'l', '=', 'z', 'q', 'Q', '}':
		r.skip(" \t0123456789")
		return r.end()
	case '{':
		return true
	case 's':
		return r.substitute()
	case 'y':
		d := r.next()
		return d != 0 && d != '\\' && d != '\n' && d < 0x80 && r.until(d) && r.until(d) && r.end()
	case 'b', 't', 'T', ':':
		for c := r.peek(); c == ' ' || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'; c = r.peek() {
			r.at++
		}
		return r.end()
	case 'a', 'i', 'c':
		return r.added()
	default:
		return false
	}
}

// substitute reads s/a/b/flags. The flags e and w are not among the known ones.
func (r *sedReader) substitute() bool {
	d := r.next()
	if d == 0 || d == '\\' || d == '\n' || d >= 0x80 || !r.until(d) {
		return false
	}
	for { // the replacement has no bracket expressions
		c := r.next()
		if c == 0 || c == '\n' {
			return false
		}
		if c == d {
			break
		}
		if c == '\\' && r.next() == 0 {
			return false
		}
	}
	r.skip("gpiIm0123456789")
	return r.end()
}

// added reads text to add, which goes on over lines that end in a backslash.
func (r *sedReader) added() bool {
	for {
		line, _, more := strings.Cut(r.text[r.at:], "\n")
		r.at += len(line)
		if !more {
			return true
		}
		r.at++
		if !continues(line) {
			return true
		}
	}
}

// continues reports whether a line ends in a backslash that is not itself escaped.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// end reports whether a command ends here.
func (r *sedReader) end() bool {
	r.skip(" \t")
	c := r.peek()
	return c == 0 || c == ';' || c == '\n' || c == '}'
}
