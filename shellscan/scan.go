package shellscan

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxText is what Linux takes for one argument, and so for the text of
	// `sh -c`, its closing NUL included.
	maxText = 128 << 10
	// maxNested bounds how many texts within texts are read, each as often as
	// there are dialects it could be run in. Real commands have a few.
	maxNested = 64
	maxDepth  = 8
	// maxPrograms and maxWords bound what a short text can unfold to.
	maxPrograms = 4096
	maxWords    = 4096
	// maxListed bounds the words of all programs together: the command of a
	// wrapper is listed again for each that runs it.
	maxListed = 1 << 18
	// maxFunctions bounds how deeply functions are declared in one another.
	maxFunctions = 64
	// maxReasons bounds what is told of a command that is not known anyway.
	maxReasons = 32
)

// Scan reads a command.
func Scan(in Input) *Reading {
	s := &scanner{reading: &Reading{}, stdin: in.Stdin}
	for _, name := range in.Env {
		if ChangesPrograms(name) {
			s.dynamic("the environment variable " + name + " changes what runs")
		}
	}
	if in.Argv != nil {
		s.argv(in.Argv)
	} else {
		s.read(in.Command, in.Dialect)
	}
	s.finish()
	return s.reading
}

// scanner walks through one command and the texts within it.
type scanner struct {
	reading *Reading
	stdin   bool

	text    string // that is read at the moment
	dialect Dialect
	at      Position
	nested  int // texts read so far
	depth   int // of the current one; 0 is the command itself
	guess   int // above 0 while what is read may not be a command at all

	listed int  // words of programs so far
	full   bool // no more programs are listed

	via          []string
	functions    []function    // that are being walked through
	hasFunctions bool          // some function is declared
	arrays       []string      // variables that are set to arrays
	declared     []declaration // that would evaluate their values, were they arrays
	fetched      int           // how many listed programs fetch something
	piped        int           // pipes and backgrounds around the current command

	moved    bool    // the working directory may be another one
	relative []place // what depends on it
}

// place is a path that depends on the working directory.
type place struct {
	what, path string
	at         Position
}

// declaration sets a variable to what the run decides.
type declaration struct {
	name string
	at   Position
}

// function is a declaration that the scanner is in.
type function struct {
	name     string
	piped    int   // as it was outside
	itself   []int // the programs of its own name that it calls
	parallel bool  // one of them without waiting for it
}

func (s *scanner) dynamic(reason string) {
	if len(s.reading.Dynamic) >= maxReasons {
		return
	}
	for i := range s.reading.Dynamic {
		if s.reading.Dynamic[i].Text == reason {
			return
		}
	}
	s.reading.Dynamic = append(s.reading.Dynamic, Reason{reason, s.at})
}

// finish judges what can be judged only after all is read: loops and functions
// make a later array or change of directory apply to an earlier command.
func (s *scanner) finish() {
	for _, d := range s.declared {
		if s.at = d.at; slices.Contains(s.arrays, d.name) {
			s.dynamic("the value of " + d.name + " may be evaluated as that of an array")
		}
	}
	if !s.moved {
		return
	}
	for _, r := range s.relative {
		s.at = r.at
		s.dynamic(r.what + " " + quote(r.path) + " is relative, and the working directory changes")
	}
}

func (s *scanner) argv(argv []string) {
	if len(argv) == 0 || argv[0] == "" {
		s.dynamic("there is no program")
		return
	}
	args := make([]Arg, len(argv))
	for i, word := range argv {
		if strings.IndexByte(word, 0) >= 0 {
			s.dynamic("an argument holds a NUL byte")
			return
		}
		args[i] = Arg{Text: word}
	}
	s.run(call{words: args})
}

var parsers = [...]sync.Pool{
	POSIX: {New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangPOSIX)) }},
	Bash:  {New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }},
}

// read walks through a text. Shells execute a text line by line, so what comes
// before a mistake runs: it is listed, too.
func (s *scanner) read(text string, d Dialect) {
	if reason := unreadable(text); reason != "" {
		s.dynamic(reason)
		return
	}
	if int(d) >= len(parsers) {
		s.dynamic("the shell's dialect is not known")
		return
	}
	if joins(text, d) {
		s.dynamic("a comment ends in a backslash, and is taken to go on by some")
	}
	if splits(text) {
		s.dynamic("a line goes on within what some take for one token")
	}
	saved := *s
	s.text, s.dialect = text, d
	if parser, ok := parsers[d].Get().(*syntax.Parser); ok {
		failed := false
		for stmt, err := range parser.StmtsSeq(strings.NewReader(text)) {
			// The loop is never broken off: the parser may yield its error twice,
			// which after a break is a panic.
			switch {
			case failed:
			case err != nil:
				failed = true
				s.dynamic("it can't be parsed: " + err.Error())
			default:
				s.stmt(stmt)
			}
		}
		parsers[d].Put(parser)
	}
	s.text, s.dialect = saved.text, saved.dialect
}

// nest reads a text that the command at hand has a shell run.
func (s *scanner) nest(text string, dialects ...Dialect) {
	for _, d := range dialects {
		if s.nested++; s.nested > maxNested || s.depth >= maxDepth {
			s.dynamic("too many texts within texts")
			return
		}
		s.depth++
		s.read(text, d)
		s.depth--
	}
}

// unreadable returns why a text is not even parsed. Shells disagree about
// control bytes: some split words at a carriage return, some drop NUL.
func unreadable(text string) string {
	if len(text) >= maxText {
		return "the text is longer than any shell takes"
	}
	if !utf8.ValidString(text) {
		return "the text is not UTF-8"
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return "the text holds a control byte"
		}
	}
	return ""
}

// joins reports whether the parser takes a line for a part of the comment
// before it. Shells don't: a backslash at the end of a comment means nothing.
func joins(text string, d Dialect) bool {
	if !strings.Contains(text, "\\\n") || !strings.Contains(text, "#") {
		return false
	}
	lang := syntax.LangPOSIX
	if d == Bash {
		lang = syntax.LangBash
	}
	file, err := syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return true // it is not read completely anyway
	}
	for node := range syntax.Preorder(file) {
		if c, ok := node.(*syntax.Comment); ok && strings.Contains(c.Text, "\n") {
			return true
		}
	}
	return false
}

// pairs are two characters that the parser takes for two tokens, and shells for
// one, where a line ends in a backslash between them; also the start of ~ in an
// assignment.
var pairs = set("(( )) [[ ]] << >> <( >( <& >& <> >| && || ;; ;& |& &> &- !( @( ?( *( +( =~ :~ =(")

// splits reports whether a line that goes on splits a token so that the parser
// misses it: a $ is most often the start of something.
func splits(text string) bool {
	rest := text
	for before := byte(0); ; {
		i := strings.Index(rest, "\\\n")
		if i < 0 {
			return false
		}
		if i > 0 {
			before = rest[i-1]
		}
		rest = rest[i+2:]
		if rest == "" {
			return false
		}
		if before == '$' && rest[0] > ' ' || pairs[string([]byte{before, rest[0]})] {
			return true
		}
	}
}

// place returns where a node is; in a nested text that is where its command is.
func (s *scanner) place(p syntax.Pos) Position {
	if s.depth > 0 {
		return s.at
	}
	return Position{p.Line(), p.Col()}
}
