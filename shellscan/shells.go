package shellscan

import "strings"

// shells are the programs that run a shell text, and the dialects that the text
// may be read in: sh is dash on one system and bash on the next.
var shells = map[string][]Dialect{
	"sh": {POSIX, Bash}, "dash": {POSIX}, "ash": {POSIX}, "bash": {Bash}, "rbash": {Bash},
	// Read in the nearest dialect to find what is forbidden, never completely.
	"ksh": {Bash}, "ksh93": {Bash}, "mksh": {Bash}, "zsh": {Bash}, "fish": {Bash}, "yash": {Bash}, "posh": {POSIX},
	"rksh": {Bash}, "lksh": {Bash}, "oksh": {Bash}, "pdksh": {Bash}, "rzsh": {Bash}, "hush": {POSIX}, "sash": {POSIX}, "es": {POSIX}, "ion": {POSIX},
	"csh": {POSIX}, "tcsh": {POSIX}, "rc": {POSIX}, "elvish": {Bash}, "nu": {Bash}, "pwsh": {POSIX}, "xonsh": {Bash}, "osh": {Bash},
}

var readableShells = set("sh dash ash bash rbash")

// shellFlags are options that don't change how the text is read.
const shellFlags = "euxvnfCbm"

// shellCall reads sh -c TEXT, sh FILE, and a shell that reads its commands.
func (s *scanner) shellCall(at int, c call, dialects []Dialect) {
	name := s.reading.Programs[at].Name
	if !readableShells[knownAs(baseName(name))] {
		s.dynamic(quote(name) + " reads another language")
	}
	text, reads, rest := false, false, c.words[1:]
	for len(rest) > 0 && rest[0].Kind == Literal && rest[0].Text != "" && strings.ContainsAny(rest[0].Text[:1], "-+") {
		word := rest[0].Text
		rest = rest[1:]
		if word == "--" || word == "-" {
			break
		}
		switch {
		case word == "--norc", word == "--noprofile", word == "--posix" && !hasBash(dialects):
		case plainFlags(word, shellFlags+"cs"):
			text = text || strings.Contains(word, "c")
			reads = reads || strings.Contains(word, "s")
		case plainFlags(word, shellFlags+"co") && strings.Count(word, "o") == 1 && len(rest) > 0 &&
			rest[0].Kind == Literal && setOptions[rest[0].Text]:
			text = text || strings.Contains(word, "c")
			rest = rest[1:]
		default:
			s.dynamic(name + " " + quote(word) + " changes what it reads")
			text = text || strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c")
		}
	}
	switch {
	case text && len(rest) > 0:
		s.shellCommand(at, rest[0], dialects)
		if reads { // dash goes on with what it reads
			s.stream(at, c, dialects)
		}
	case text:
		s.dynamic(name + " has no text to run")
	case len(rest) > 0 && !reads:
		s.script(at, rest[0])
		s.dynamic(name + " executes a file, which may run anything")
	default:
		s.stream(at, c, dialects)
	}
}

func hasBash(dialects []Dialect) bool {
	for _, d := range dialects {
		if d == Bash {
			return true
		}
	}
	return false
}

func (s *scanner) shellCommand(at int, text Arg, dialects []Dialect) {
	s.reading.Programs[at].Source = Inline
	if text.Kind != Literal {
		s.dynamic(s.reading.Programs[at].Name + " executes " + quote(text.Text) + ", which is decided at the run")
		return
	}
	s.shellText(s.reading.Programs[at].Name, text.Text, dialects...)
}

// script notes a file whose content is executed.
func (s *scanner) script(at int, file Arg) {
	p := &s.reading.Programs[at]
	p.Source = File
	switch {
	case file.Kind != Literal:
		s.dynamic(p.Name + " executes " + quote(file.Text) + ", which is decided at the run")
	case file.Text == "-", strings.HasPrefix(file.Text, "/dev/"), strings.HasPrefix(file.Text, "/proc/"):
		p.Source = Stream
		s.dynamic(p.Name + " executes what it reads")
	default:
		if !strings.HasPrefix(file.Text, "/") {
			s.relative = append(s.relative, place{"the script", file.Text, s.at})
		}
		p.Scripts = append(p.Scripts, file.Text)
	}
}

// stream reads the call of a program that executes its standard input. A text
// that the command holds is read for what is forbidden in it.
func (s *scanner) stream(at int, c call, dialects []Dialect) {
	p := &s.reading.Programs[at]
	p.Source = Stream
	s.dynamic(p.Name + " executes what it reads")
	for _, text := range c.stdin {
		if text.Kind == Literal && len(dialects) > 0 {
			s.shellText(s.reading.Programs[at].Name, text.Text, dialects...)
		}
	}
}

func baseName(name string) string {
	return name[strings.LastIndexByte(name, '/')+1:]
}
