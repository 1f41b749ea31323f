package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wrapper is a program that runs the command in its arguments.
type wrapper struct {
	options
	operands int    // words between the options and the command
	dynamic  string // options that change what runs, short or long, blank-separated
	moves    string // options that change the working directory
	assigns  bool   // NAME=value words set variables for the command
	files    string // options that name a file to write
}

var wrappers map[string]wrapper

// readers are programs with a syntax of their own.
var readers map[string]func(*scanner, int, call)

func init() {
	wrappers = map[string]wrapper{
		"env": {
			options: options{flags: "iv0", values: "uCS", long: "ignore-environment null debug", takes: "unset chdir split-string"},
			dynamic: "i ignore-environment u unset S split-string", moves: "C chdir", assigns: true,
		},
		"nohup":  {},
		"nice":   {options: options{values: "n", takes: "adjustment", number: true}},
		"setsid": {options: options{flags: "cfw", long: "ctty fork wait"}},
		"timeout": {
			options:  options{flags: "vfp", values: "ks", long: "foreground preserve-status verbose", takes: "kill-after signal"},
			operands: 1,
		},
		"stdbuf": {options: options{values: "ioe", takes: "input output error"}},
		"time": {
			options: options{flags: "apvq", values: "of", long: "append portability verbose quiet", takes: "output format"},
			files:   "o output",
		},
		"ionice": {options: options{flags: "t", values: "cn", long: "ignore", takes: "class classdata"}},
		"taskset": {
			options:  options{flags: "ac", long: "all-tasks cpu-list"},
			operands: 1,
		},
		"chrt": {
			options:  options{flags: "abfior", long: "all-tasks batch fifo idle other rr"},
			operands: 1,
		},
		"sudo": {
			options: options{
				flags: "EHPSbknKA", values: "ugpChTD", long: "preserve-env set-home stdin background non-interactive reset-timestamp askpass",
				takes: "user group prompt close-from host command-timeout chdir",
			},
			dynamic: "A askpass E preserve-env", moves: "D chdir", assigns: true,
		},
		"doas": {options: options{flags: "n", values: "u"}},
	}
	readers = map[string]func(*scanner, int, call){
		"xargs": (*scanner).xargs,
		"find":  (*scanner).find,
		"flock": (*scanner).flock,
		"watch": (*scanner).watch,
		"git":   (*scanner).git,
		"awk":   (*scanner).awk,
		"gawk":  (*scanner).awk,
		"mawk":  (*scanner).awk,
		"nawk":  (*scanner).awk,
		"igawk": (*scanner).awk,
		"goawk": (*scanner).awk,

		"original-awk": (*scanner).awk,
		"sed":          (*scanner).sed,
		"gsed":         (*scanner).sed,
		"make":         (*scanner).make,
		"gmake":        (*scanner).make,
		"sort":         (*scanner).sort,

		"busybox": (*scanner).applet,
		"toybox":  (*scanner).applet,

		"coreutils": (*scanner).multicall,
	}
}

func (s *scanner) wrapper(at int, c call, w wrapper) {
	name := s.reading.Programs[at].Name
	given, rest, unknown := w.leading(c.words[1:])
	for _, opt := range given {
		switch {
		case hasWord(w.dynamic, opt.name):
			s.dynamic(name + " -" + opt.name + " changes what runs")
			if opt.value.Kind == Literal && strings.Contains(opt.value.Text, " ") {
				s.maybe(opt.value.Text)
			}
		case hasWord(w.moves, opt.name):
			s.moved = true
		case hasWord(w.files, opt.name):
			s.addRedirect(opt.value, false, true)
		}
	}
	if unknown != "" {
		s.dynamic(name + " " + quote(unknown) + " is not known")
	}
	if name == "env" && len(rest) > 0 && rest[0].Kind == Literal && rest[0].Text == "-" {
		s.dynamic("env - changes what runs")
		rest = rest[1:]
	}
	rest, ok := s.operands(name, rest, w.operands)
	if !ok {
		return
	}
	var env []Assignment
	if w.assigns {
		env, rest = s.assignments(name, rest)
	}
	s.runVia(name, call{words: rest, env: append(env, c.env...), stdin: c.stdin})
}

// operands skips the words between options and command.
func (s *scanner) operands(name string, rest []Arg, n int) ([]Arg, bool) {
	for range n {
		if len(rest) == 0 {
			return nil, false
		}
		if rest[0].Kind != Literal {
			s.dynamic(quote(rest[0].Text) + " is decided at the run, and could be an option of " + name)
		}
		rest = rest[1:]
	}
	return rest, true
}

// assignments reads the NAME=value words of env and sudo.
func (s *scanner) assignments(name string, rest []Arg) (env []Assignment, command []Arg) {
	for len(rest) > 0 {
		variable, value, ok := strings.Cut(rest[0].Text, "=")
		if !ok || rest[0].Kind == Many || rest[0].Kind != Literal && !syntax.ValidName(variable) {
			break
		}
		if ChangesPrograms(variable) {
			s.dynamic(name + " sets " + variable + ", which changes what runs")
		}
		set := Arg{Kind: rest[0].Kind, Text: value}
		s.locale(name, variable, set)
		env = append(env, Assignment{variable, set})
		rest = rest[1:]
	}
	return env, rest
}

// xargsInput stands for what xargs reads.
var xargsInput = Arg{Kind: Many, Text: "<input of xargs>"}

// xargs adds what it reads to the command.
func (s *scanner) xargs(at int, c call) {
	o := options{
		flags: "0rtxop", values: "ILnPsEda", long: "null no-run-if-empty verbose exit open-tty interactive show-limits",
		takes: "max-args max-procs max-chars max-lines delimiter arg-file process-slot-var",
	}
	given, rest, unknown := o.leading(c.words[1:])
	if unknown != "" {
		s.dynamic("xargs " + quote(unknown) + " is not known")
	}
	replaced := ""
	for _, opt := range given {
		switch opt.name {
		case "I":
			replaced = opt.value.Text
			if opt.value.Kind != Literal || replaced == "" {
				s.dynamic("xargs -I " + quote(opt.value.Text) + " may replace any word")
			}
		case "process-slot-var":
			s.variable(opt.value.Text)
		}
	}
	if len(rest) == 0 {
		rest = []Arg{{Text: "echo"}}
	}
	command := append([]Arg(nil), rest...)
	if replaced == "" {
		command = append(command, xargsInput)
	} else {
		for i := range command {
			if strings.Contains(command[i].Text, replaced) {
				command[i].Kind = max(command[i].Kind, One)
				if strings.Contains(command[i].Text, "=") { // the name before it may be replaced, too
					command[i].Text = quote(command[i].Text)
				}
			}
		}
	}
	s.runVia(s.reading.Programs[at].Name, call{words: command, env: c.env})
}

// find runs commands for what it finds, and writes files.
func (s *scanner) find(at int, c call) {
	name := s.reading.Programs[at].Name
	args := c.words[1:]
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg.Kind != Literal && arg.Kind != Glob {
			s.dynamic(quote(arg.Text) + " is decided at the run, and could make find run a program")
			continue
		}
		if arg.Kind == Glob {
			if !strings.HasPrefix(arg.Text, "/") && !strings.HasPrefix(arg.Text, "./") {
				s.dynamic(quote(arg.Text) + " is decided at the run, and could make find run a program")
			}
			continue
		}
		switch arg.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && !(args[end].Kind == Literal && (args[end].Text == ";" || args[end].Text == "+" && args[end-1].Text == "{}")) {
				end++
			}
			many := end < len(args) && args[end].Text == "+"
			s.findExec(name, arg.Text, args[i+1:end], many, c.env)
			i = end
		case "-files0-from": // the paths may look like options
			s.dynamic(name + " -files0-from reads where to start")
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				s.addRedirect(args[i+1], false, true)
			}
		}
	}
}

func (s *scanner) findExec(name, action string, words []Arg, many bool, env []Assignment) {
	command := append([]Arg(nil), words...)
	for i := range command {
		switch {
		case command[i].Text == "{}":
			// Paths start as find's starting points do, which are no options.
			command[i] = Arg{Kind: One, Text: "{}", path: true}
			if many {
				command[i].Kind = Many
			}
		case command[i].Kind != Literal:
			s.dynamic(quote(command[i].Text) + " is decided at the run, and could end the command of " + action)
		case strings.Contains(command[i].Text, "{}"):
			command[i].Kind = One
		}
	}
	if strings.HasSuffix(action, "dir") {
		s.moved = true
	}
	s.runVia(name, call{words: command, env: env})
}

// flock locks a file and runs a command, or has a shell run a text.
func (s *scanner) flock(at int, c call) {
	name := s.reading.Programs[at].Name
	o := options{
		flags: "sxeunoFv", values: "wE", long: "shared exclusive unlock nonblock close no-fork verbose",
		takes: "timeout wait conflict-exit-code",
	}
	_, rest, unknown := o.leading(c.words[1:])
	if unknown != "" {
		s.dynamic(name + " " + quote(unknown) + " is not known")
	}
	if len(rest) == 0 {
		return
	}
	if lock := rest[0]; lock.Kind != Literal || strings.Trim(lock.Text, "0123456789") != "" {
		s.addRedirect(lock, true, true)
	}
	rest = rest[1:]
	if len(rest) > 0 && rest[0].Kind == Literal && strings.HasPrefix(rest[0].Text, "-") {
		if rest[0].Text != "-c" && rest[0].Text != "--command" || len(rest) != 2 || rest[1].Kind != Literal {
			s.dynamic(name + " " + quote(rest[0].Text) + " is not known")
			s.texts(rest)
			return
		}
		s.shellText(name, rest[1].Text, POSIX, Bash)
		return
	}
	s.runVia(name, call{words: rest, env: c.env, stdin: c.stdin})
}

// watch has a shell run its words, joined.
func (s *scanner) watch(at int, c call) {
	name := s.reading.Programs[at].Name
	o := options{
		flags: "bcegtwrCpx", values: "nq", long: "beep color errexit chgexit no-title no-wrap precise exec no-color",
		takes: "interval equexit",
	}
	given, rest, unknown := o.leading(c.words[1:])
	if unknown != "" {
		s.dynamic(name + " " + quote(unknown) + " is not known")
	}
	for _, opt := range given {
		if opt.name == "x" || opt.name == "exec" {
			s.runVia(name, call{words: rest, env: c.env})
			return
		}
	}
	var words []string
	for _, arg := range rest {
		if arg.Kind != Literal {
			s.dynamic(name + " executes " + quote(arg.Text) + ", which is decided at the run")
		}
		words = append(words, arg.Text)
	}
	s.shellText(name, strings.Join(words, " "), POSIX, Bash)
}

// shellText reads a text that a program hands to some sh.
func (s *scanner) shellText(via, text string, dialects ...Dialect) {
	stdin := s.stdin
	s.via = append(s.via, via)
	s.nest(text, dialects...)
	s.via = s.via[:len(s.via)-1]
	s.stdin = stdin
}

// applet reads busybox NAME args.
func (s *scanner) applet(at int, c call) {
	rest := c.words[1:]
	if len(rest) > 0 && rest[0].Kind == Literal && strings.HasPrefix(rest[0].Text, "-") {
		if rest[0].Text != "--help" && rest[0].Text != "--list" {
			s.dynamic("busybox " + quote(rest[0].Text) + " is not known")
		}
		return
	}
	s.runVia(s.reading.Programs[at].Name, call{words: rest, env: c.env, stdin: c.stdin})
}

// multicall reads coreutils --coreutils-prog=NAME args, and coreutils NAME args.
func (s *scanner) multicall(at int, c call) {
	rest := append([]Arg(nil), c.words[1:]...)
	if len(rest) > 0 && rest[0].Kind == Literal {
		name, has := strings.CutPrefix(rest[0].Text, "--coreutils-prog=")
		if has {
			rest[0].Text = name
		} else if strings.HasPrefix(rest[0].Text, "-") {
			s.dynamic("coreutils " + quote(rest[0].Text) + " is not known")
			return
		}
	}
	s.runVia(s.reading.Programs[at].Name, call{words: rest, env: c.env, stdin: c.stdin})
}

// sort writes a file with -o, and runs a program to compress with.
func (s *scanner) sort(at int, c call) {
	args := c.words[1:]
	for i, arg := range args {
		switch {
		case arg.Kind != Literal:
			if !strings.HasPrefix(arg.Text, "/") && !strings.HasPrefix(arg.Text, "./") || arg.Kind == Many {
				s.dynamic(quote(arg.Text) + " is decided at the run, and an option could make sort run another program")
			}
		case isLong(arg.Text, "compress-program", "check"):
			s.dynamic("sort " + quote(arg.Text) + " runs another program")
			_, value, has := strings.Cut(arg.Text, "=")
			if !has && i+1 < len(args) {
				value = args[i+1].Text
			}
			s.runVia(s.reading.Programs[at].Name, call{words: []Arg{{Text: value}}})
		case isLong(arg.Text, "output"):
			_, value, has := strings.Cut(arg.Text, "=")
			s.outputOption(value, has, args[i+1:])
		case len(arg.Text) > 1 && arg.Text[0] == '-' && arg.Text[1] != '-':
			// o after a letter that takes a value belongs to that value.
			if o := strings.IndexAny(arg.Text, "oktST"); o > 0 && arg.Text[o] == 'o' {
				s.outputOption(arg.Text[o+1:], o+1 < len(arg.Text), args[i+1:])
			}
		}
	}
}

func (s *scanner) outputOption(value string, has bool, next []Arg) {
	switch {
	case has:
		s.addRedirect(Arg{Text: value}, false, true)
	case len(next) > 0:
		s.addRedirect(next[0], false, true)
	}
}

// isLong reports whether a word is a long option, or an abbreviation of it that
// is none of the exact names.
func isLong(word, name string, exact ...string) bool {
	word, ok := strings.CutPrefix(word, "--")
	if !ok || word == "" {
		return false
	}
	word, _, _ = strings.Cut(word, "=")
	for _, e := range exact {
		if word == e {
			return false
		}
	}
	return word != "" && strings.HasPrefix(name, word)
}
