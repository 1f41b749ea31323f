package policy

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxCommandWords is how many words a command pattern may have: one bit each,
// and one for the end.
const maxCommandWords = 63

// commandPattern matches the words of one program call.
type commandPattern struct {
	words []commandWord
}

// commandWord is one word, or with many any number of them.
type commandWord struct {
	many   bool
	text   string // * stands for any text, slashes included
	folded string
	plain  bool // has no *
}

// commandTools are the tools whose calls are commands.
var commandTools = []string{shellTool, "exec"}

func parseCommand(text string) (commandPattern, error) {
	var p commandPattern
	switch {
	case !utf8.ValidString(text):
		return p, patternError("is not UTF-8")
	case strings.ContainsFunc(text, func(r rune) bool { return invisible(r) && r != '\t' }):
		return p, patternError("holds a character that can't be seen")
	}
	words := strings.Fields(text)
	for i, word := range words {
		if word != "**" && strings.Contains(word, "**") {
			return p, patternError("** stands for whole words, use * within one")
		}
		if err := misreadWord(word, i, len(words)); err != nil {
			return p, err
		}
		p.words = append(p.words, commandWord{
			many: word == "**", text: word, folded: fold(word), plain: !strings.Contains(word, "*"),
		})
	}
	switch {
	case len(p.words) == 0:
		return p, ErrEmpty
	case len(p.words) > maxCommandWords:
		return p, patternError("has too many words")
	}
	return p, nil
}

// names reports whether the pattern spells out what makes a program dangerous:
// its name, or where it is the arguments that do, all words.
func (p *commandPattern) names(danger string) bool {
	if !inArguments[danger] {
		return p.words[0].plain
	}
	return !slices.ContainsFunc(p.words, func(w commandWord) bool { return !w.plain })
}

// inArguments are the dangers of programs that are harmless with other arguments.
var inArguments = map[string]bool{"roots": true, "kill-all": true, "fork-bomb": true, "download": true}

// matching is how sure a match must be.
type matching uint8

const (
	allowed  matching = iota // whatever the run makes of the arguments, and only by **
	certain                  // whatever the run makes of the arguments
	possible                 // for some of what the run may make of them
)

// subject is a program with the names that patterns compare.
type subject struct {
	*Program
	base   string
	folded [4]string // of the name and of what it resolves to, whole and the last part
}

func subjectOf(p *Program) subject {
	s := subject{Program: p, base: path.Base(p.Name)}
	if p.Name != "" {
		s.folded[0] = fold(p.Name)
		s.folded[1] = path.Base(s.folded[0])
	}
	if p.Resolved != "" {
		s.folded[2] = fold(p.Resolved)
		s.folded[3] = path.Base(s.folded[2])
	}
	return s
}

// match reports whether the pattern matches a program's call as a whole, with
// its global options or without.
func (p *commandPattern) match(prog *subject, m matching) bool {
	if w := &p.words[0]; !w.many && !w.names(prog, m) {
		return false
	}
	after := p.closure(p.program(p.closure(1), prog, m))
	if after == 0 {
		return false
	}
	if p.args(after, prog.Args, m) {
		return true
	}
	skip := min(max(prog.Options, 0), len(prog.Args))
	return skip > 0 && p.args(after, prog.Args[skip:], m)
}

// The pattern is an automaton: bit i of a state says that i words are matched.

// closure adds what ** reaches by matching nothing.
func (p *commandPattern) closure(state uint64) uint64 {
	for i := range p.words {
		if state&(1<<i) != 0 && p.words[i].many {
			state |= 1 << (i + 1)
		}
	}
	return state
}

// program steps over the program's name.
func (p *commandPattern) program(state uint64, prog *subject, m matching) uint64 {
	var next uint64
	for i := range p.words {
		switch w := &p.words[i]; {
		case state&(1<<i) == 0:
		case w.many:
			next |= 1 << i
		case w.names(prog, m):
			next |= 1 << (i + 1)
		}
	}
	return next
}

// args steps over the arguments.
func (p *commandPattern) args(state uint64, args []Word, m matching) bool {
	for i := range args {
		if state = p.step(state, &args[i], m); state == 0 {
			return false
		}
	}
	return state&(1<<len(p.words)) != 0
}

func (p *commandPattern) step(state uint64, arg *Word, m matching) uint64 {
	if arg.Kind == ManyWords && m == possible {
		// It may be any words at all: from the first state on, all are possible.
		first := state & -state
		return ^(first - 1) & (1<<(len(p.words)+1) - 1)
	}
	var next uint64
	for i := range p.words {
		switch w := &p.words[i]; {
		case state&(1<<i) == 0:
		case w.many:
			next |= 1 << i
		case w.matches(arg, m):
			next |= 1 << (i + 1)
		}
	}
	return p.closure(next)
}

func (w *commandWord) matches(arg *Word, m matching) bool {
	switch arg.Kind {
	case KnownWord:
		return w.is(arg.Text)
	case OneWord:
		return m == possible || m == certain && w.text == "*"
	default:
		return false
	}
}

// names reports whether a word stands for a program. To refuse, each name that
// it goes by counts, in any case; to allow, only what it resolves to, and the
// last part of its name if that is the shell's own or lies where nothing the
// agent can write does.
func (w *commandWord) names(prog *subject, m matching) bool {
	switch {
	case m != allowed:
		for _, name := range prog.folded {
			if name != "" && (name == w.folded || !w.plain && globMatch(w.folded, name)) {
				return true
			}
		}
		return w.text == "*"
	case prog.Builtin:
		return w.is(prog.Name)
	default:
		return (w.is(prog.base) || w.is(prog.Resolved)) && prog.trusted()
	}
}

// is compares a word with a text, where case counts.
func (w *commandWord) is(text string) bool {
	return text == w.text || !w.plain && globMatch(w.text, text)
}

// globMatch matches a text against a pattern in which * stands for any text.
func globMatch(pattern, text string) bool {
	before, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == text
	}
	if !strings.HasPrefix(text, before) {
		return false
	}
	text = text[len(before):]
	for {
		part, next, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], next
	}
}
