package shellscan

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is one program call before it is known what its words mean.
type call struct {
	words []Arg
	env   []Assignment
	shell bool  // the shell looks the name up: builtins count
	stdin []Arg // the text that it reads, where the command holds it
}

// callExpr reads a simple command. fetched is how many programs that fetch
// something came before its redirects.
func (s *scanner) callExpr(c *syntax.CallExpr, fetched int, stdin []Arg) {
	in := call{shell: true, stdin: stdin}
	for _, a := range c.Assigns {
		in.env = append(in.env, Assignment{a.Name.Value, s.assign(a)})
	}
	if len(c.Args) == 0 {
		return
	}
	in.words = make([]Arg, 0, len(c.Args))
	for _, w := range c.Args {
		in.words = append(in.words, s.words(w)...)
		if len(in.words) > maxWords {
			s.dynamic("it has too many words")
			return
		}
	}
	feeds := s.fetched > fetched
	at := len(s.reading.Programs)
	s.run(in)
	if feeds {
		for i := at; i < len(s.reading.Programs); i++ {
			if p := &s.reading.Programs[i]; p.Source != NoSource || executesWords[p.Name] {
				p.Danger = Download
			}
		}
	}
}

// executesWords are builtins that execute what their arguments say or name.
var executesWords = set("eval source .")

// fetching are programs that bring something from the network.
var fetching = set("curl wget wget2 aria2c axel fetch lwp-request GET http https xh lynx links w3m nc ncat netcat ftp tftp sftp")

// add lists a program and returns its index.
func (s *scanner) add(p Program) int {
	if s.listed += len(p.Args) + 1; len(s.reading.Programs) >= maxPrograms || s.listed > maxListed {
		s.full = true
		s.dynamic("it has too many programs")
		return len(s.reading.Programs) - 1
	}
	p.Position, p.Guess = s.at, s.guess > 0
	if len(s.via) > 0 {
		p.Via = append([]string(nil), s.via...)
	}
	if fetching[path.Base(p.Name)] {
		s.fetched++
	}
	s.reading.Programs = append(s.reading.Programs, p)
	return len(s.reading.Programs) - 1
}

// run lists the program of a call, and the programs that it runs in turn.
func (s *scanner) run(c call) {
	if len(c.words) == 0 || s.full {
		return
	}
	name := c.words[0]
	switch {
	case name.Kind != Literal:
		s.unknownProgram(c)
		return
	case name.Text == "":
		s.dynamic("a program has no name")
		return
	}
	at := s.add(Program{Name: name.Text, Args: c.words[1:], Env: c.env})
	if s.full {
		return
	}
	if c.shell {
		s.called(name.Text, at)
		if s.dialect == POSIX && uncertainBuiltins[name.Text] {
			s.dynamic(name.Text + " is a command of some shells only")
		}
		if isBuiltin(name.Text, s.dialect) {
			s.builtin(at, c)
			return
		}
	}
	if !path.IsAbs(name.Text) && strings.Contains(name.Text, "/") {
		s.relative = append(s.relative, place{"the program", name.Text, s.at})
	}
	if full := path.Clean(name.Text); strings.HasPrefix(full, "/proc/") || strings.HasPrefix(full, "/dev/") {
		s.dynamic(quote(name.Text) + " is a program only at the run")
	}
	s.program(at, path.Base(name.Text), c)
}

// unknownProgram lists what can be told of a call whose program the run decides.
func (s *scanner) unknownProgram(c call) {
	name := c.words[0]
	s.dynamic("the program " + quote(name.Text) + " is decided at the run")
	s.add(Program{Args: c.words[1:], Env: c.env})
	if name.Kind == Many && len(c.words) > 1 {
		s.run(call{words: c.words[1:], env: c.env, shell: c.shell}) // if it becomes no word at all
	}
}

// program reads the call of a program that is no builtin.
func (s *scanner) program(at int, base string, c call) {
	base = knownAs(base)
	args := c.words[1:]
	p := &s.reading.Programs[at]
	if s.guess == 0 {
		p.Danger = dangerOf(base, args)
	}
	if p.Danger == "" {
		if r := mayBeDangerous(base, args); r != "" {
			s.dynamic(r)
		}
	}
	reader, known := readers[base]
	if known {
		reader(s, at, c)
		return
	}
	if dialects, isShell := shells[base]; isShell {
		s.shellCall(at, c, dialects)
		return
	}
	if w, wraps := wrappers[base]; wraps {
		s.wrapper(at, c, w)
		return
	}
	if spec, ok := interpreters[base]; ok {
		s.interpreter(at, c, spec)
		return
	}
	if runners[base] || closed[base] {
		s.opaque(at, base, c)
		return
	}
	s.plain(at, base, c)
}

// plain reads the call of a program that runs others by certain options at most.
func (s *scanner) plain(at int, base string, c call) {
	args := c.words[1:]
	if option := runsOthers(base, args); option != "" {
		s.dynamic(base + " " + quote(option) + " runs another program")
		s.texts(args)
	}
	for _, arg := range args {
		if arg.Kind != Literal && !arg.path && !optionless[base] {
			s.dynamic(quote(arg.Text) + " is decided at the run, and an option could make " + base + " run another program")
			break
		}
	}
	if strings.Contains(c.words[0].Text, "/") {
		s.reading.Programs[at].Scripts = append(s.reading.Programs[at].Scripts, c.words[0].Text)
	}
}

// texts reads arguments that may be commands, after they were found to be
// dynamic: so that what is forbidden is seen all the same. Those are values of
// options, and words with blanks.
func (s *scanner) texts(args []Arg) {
	for i, arg := range args {
		option, value, has := strings.Cut(arg.Text, "=")
		switch {
		case arg.Kind != Literal:
		case has && strings.HasPrefix(option, "-"):
			s.maybe(strings.TrimPrefix(value, "exec="))
		case strings.HasPrefix(arg.Text, "-"):
		case i > 0 && strings.HasPrefix(args[i-1].Text, "-") && !strings.Contains(args[i-1].Text, "="), strings.ContainsAny(arg.Text, " \t\n"):
			s.maybe(arg.Text)
		}
	}
}

// maybe reads a text that may be a command.
func (s *scanner) maybe(text string) {
	if strings.HasPrefix(text, "-") || strings.TrimSpace(text) == "" {
		return
	}
	s.guess++
	s.nest(strings.TrimPrefix(text, "!"), POSIX)
	s.guess--
}
