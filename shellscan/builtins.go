package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// posixBuiltins are the commands that dash and ash both carry out themselves.
var posixBuiltins = set(". : [ alias bg break cd command continue echo eval exec exit export false fg getopts hash jobs",
	"kill local printf pwd read readonly return set shift test times trap true type ulimit umask unalias unset wait")

var bashBuiltins = set(". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown",
	"echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf",
	"pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask",
	"unalias unset wait")

// uncertainBuiltins are programs to one sh and commands to another.
var uncertainBuiltins = set("source let [[ function select declare typeset builtin fc history help chdir shopt")

func isBuiltin(name string, d Dialect) bool {
	if d == Bash {
		return bashBuiltins[name]
	}
	return posixBuiltins[name]
}

// quiet are builtins that do nothing but arrange the shell's own state, whatever
// their arguments are.
var quiet = set(": true false echo pwd times type help caller dirs suspend logout fg bg disown")

// quietLiteral are the same if the arguments are known.
var quietLiteral = set("break continue exit return shift ulimit umask wait jobs getopts")

func (s *scanner) builtin(at int, c call) {
	p := &s.reading.Programs[at]
	p.Builtin, p.Inert = true, true
	name, args := p.Name, p.Args
	switch {
	case quiet[name]:
	case quietLiteral[name]:
		s.quietBuiltin(name, args)
	default:
		if read, ok := builtinReaders[name]; ok {
			read(s, at, c)
			return
		}
		p.Inert = false
		s.dynamic(name + " changes how the shell reads what follows")
		s.guess++
		for _, arg := range args {
			_, value, _ := strings.Cut(arg.Text, "=") // an alias
			if arg.Kind == Literal && value != "" {
				s.nest(value, s.dialect)
			}
		}
		s.guess--
	}
}

// builtinReaders are set at the start, since they call each other.
var builtinReaders map[string]func(*scanner, int, call)

func init() {
	builtinReaders = map[string]func(*scanner, int, call){
		"cd":      (*scanner).cd,
		"pushd":   (*scanner).cd,
		"popd":    (*scanner).cd,
		"test":    (*scanner).testBuiltin,
		"[":       (*scanner).testBuiltin,
		"printf":  (*scanner).printf,
		"set":     (*scanner).set,
		"read":    (*scanner).readBuiltin,
		"export":  (*scanner).names,
		"local":   (*scanner).names,
		"unset":   (*scanner).names,
		"kill":    (*scanner).kill,
		"trap":    (*scanner).trap,
		"eval":    (*scanner).eval,
		"exec":    (*scanner).exec,
		"command": (*scanner).commandBuiltin,
		"builtin": (*scanner).builtinBuiltin,

		"readonly": (*scanner).names,
	}
}

func (s *scanner) quietBuiltin(name string, args []Arg) {
	for i, arg := range args {
		switch {
		case arg.Kind == One && hasWord("$? $# $$", arg.Text):
		case name == "jobs" && !plainFlags(arg.Text, "lprsn") && strings.HasPrefix(arg.Text, "-"),
			arg.Kind != Literal, name != "umask" && name != "ulimit" && strings.HasPrefix(arg.Text, "-") && !plainFlags(arg.Text, "lrsnf") && name != "jobs":
			s.dynamic(name + " may evaluate " + quote(arg.Text))
			return
		case name == "getopts" && i == 1:
			s.variable(arg.Text)
		case name != "getopts" && strings.Contains(arg.Text, "["):
			s.dynamic(name + " may evaluate " + quote(arg.Text))
		}
	}
}

func (s *scanner) cd(at int, c call) {
	s.moved = true
	if s.reading.Programs[at].Name != "cd" && len(c.words) > 1 && c.words[1].Kind != Literal {
		s.dynamic(c.words[0].Text + " may evaluate " + quote(c.words[1].Text))
	}
}

// testOperators are the binary operators of [, and the unary ones.
var (
	testBinary = set("= == != -eq -ne -lt -le -gt -ge -nt -ot -ef < >")
	testUnary  = set("-n -z -a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S")
)

// testBuiltin reads [. Its -v looks a variable up by name, and an index in the
// name is evaluated: no operand whose text isn't known may become -v.
func (s *scanner) testBuiltin(_ int, c call) {
	if s.dialect != Bash {
		return
	}
	args := c.words[1:]
	for i, arg := range args {
		switch {
		case arg.Kind == Literal:
			if (arg.Text == "-v" || arg.Text == "-R") && i+1 < len(args) &&
				(args[i+1].Kind != Literal || strings.Contains(args[i+1].Text, "[")) {
				s.dynamic("a test evaluates what may hold a command")
			}
		case arg.Kind == One && (binaryNext(args, i) || i > 0 && args[i-1].Kind == Literal &&
			(testUnary[args[i-1].Text] || testBinary[args[i-1].Text])):
		default:
			s.dynamic("a test evaluates what may hold a command")
			return
		}
	}
}

func binaryNext(args []Arg, i int) bool {
	return i+1 < len(args) && args[i+1].Kind == Literal && testBinary[args[i+1].Text]
}

// printf is harmless but for -v, which names a variable.
func (s *scanner) printf(_ int, c call) {
	if len(c.words) > 1 && (c.words[1].Kind != Literal || strings.HasPrefix(c.words[1].Text, "-") && c.words[1].Text != "--") {
		s.dynamic("printf may set a variable")
	}
}

// setOptions are the names that set -o takes here.
var setOptions = set("errexit nounset pipefail noglob noclobber noexec verbose xtrace monitor notify errtrace functrace")

func (s *scanner) set(_ int, c call) {
	args := c.words[1:]
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg.Kind != Literal:
			s.dynamic("set " + quote(arg.Text) + " may change how the shell reads what follows")
			return
		case arg.Text == "--", arg.Text == "-", !strings.HasPrefix(arg.Text, "-") && !strings.HasPrefix(arg.Text, "+"):
			return // what follows are parameters
		case strings.HasSuffix(arg.Text, "o") && plainFlags(arg.Text, "euxvnfCbmETo"):
			if i++; i < len(args) && !(args[i].Kind == Literal && setOptions[args[i].Text]) {
				s.dynamic("set -o " + quote(args[i].Text) + " may change how the shell reads what follows")
			}
		case !plainFlags(arg.Text, "euxvnfCbmET"):
			s.dynamic("set " + quote(arg.Text) + " may change how the shell reads what follows")
		}
	}
}

func (s *scanner) readBuiltin(_ int, c call) {
	for _, arg := range c.words[1:] {
		switch {
		case arg.Kind == Literal && (plainFlags(arg.Text, "rs") || arg.Text == "--"):
		case arg.Kind == Literal && syntax.ValidName(arg.Text):
			s.variable(arg.Text)
		default:
			s.dynamic("read may evaluate " + quote(arg.Text))
		}
	}
}

// names reads export, readonly, local and unset where they are plain commands.
func (s *scanner) names(at int, c call) {
	for _, arg := range c.words[1:] {
		name, text, assigns := strings.Cut(arg.Text, "=")
		value := Arg{Kind: arg.Kind, Text: text}
		switch {
		case syntax.ValidName(name) && (arg.Kind == Literal || assigns && s.reading.Programs[at].Name != "unset"):
			s.variable(name)
			s.locale(c.words[0].Text, name, value)
			if arg.Kind == Many {
				// Where the value is split, its parts are more names: bash does so
				// unless it sees the unquoted word of the builtin.
				s.dynamic(c.words[0].Text + " may take a part of " + quote(arg.Text) + " for a name")
			}
		case arg.Kind == Literal && plainFlags(arg.Text, "pnv") && arg.Text != "-n":
		default:
			s.dynamic(c.words[0].Text + " may evaluate " + quote(arg.Text))
		}
	}
}

func (s *scanner) kill(at int, _ call) {
	p := &s.reading.Programs[at]
	p.Inert = false
	p.Danger = dangerOf("kill", p.Args)
	if why := mayBeDangerous("kill", p.Args); why != "" && p.Danger == "" {
		s.dynamic(why)
	}
}

func (s *scanner) trap(at int, c call) {
	args := c.words[1:]
	if len(args) > 0 && args[0].Kind == Literal && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 || args[0].Kind == Literal && strings.Trim(args[0].Text, "0123456789") == "" {
		return
	}
	if args[0].Kind == Literal && (plainFlags(args[0].Text, "lp") || args[0].Text == "-") {
		return
	}
	s.evaluate(at, args[:1])
}

func (s *scanner) eval(at int, c call) {
	args := c.words[1:]
	if len(args) > 0 && args[0].Kind == Literal && args[0].Text == "--" {
		args = args[1:]
	}
	s.evaluate(at, args)
}

// evaluate reads arguments that this shell takes for a text.
func (s *scanner) evaluate(at int, args []Arg) {
	var words []string
	for _, arg := range args {
		if arg.Kind != Literal {
			s.dynamic(s.reading.Programs[at].Name + " executes " + quote(arg.Text) + ", which is decided at the run")
			s.reading.Programs[at].Source = Inline
			continue
		}
		words = append(words, arg.Text)
	}
	s.via = append(s.via, s.reading.Programs[at].Name)
	s.nest(strings.Join(words, " "), s.dialect)
	s.via = s.via[:len(s.via)-1]
}

// exec replaces the shell by a program.
func (s *scanner) exec(_ int, c call) {
	rest := c.words[1:]
	if len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") && rest[0].Kind == Literal {
		if rest[0].Text != "--" {
			s.dynamic("exec " + quote(rest[0].Text) + " changes the name or environment of the program")
		}
		rest = rest[1:]
	}
	s.runVia("exec", call{words: rest, env: c.env, stdin: c.stdin})
}

func (s *scanner) commandBuiltin(_ int, c call) {
	rest := c.words[1:]
	for len(rest) > 0 && rest[0].Kind == Literal && strings.HasPrefix(rest[0].Text, "-") {
		flag := rest[0].Text
		rest = rest[1:]
		if flag == "--" {
			break
		}
		if strings.ContainsAny(flag, "vV") && plainFlags(flag, "pvV") {
			return
		}
		if flag != "-p" {
			s.dynamic("command " + quote(flag) + " is not known")
		}
	}
	s.runVia("command", call{words: rest, env: c.env, stdin: c.stdin, shell: true})
}

func (s *scanner) builtinBuiltin(_ int, c call) {
	rest := c.words[1:]
	if len(rest) > 0 && rest[0].Kind == Literal && rest[0].Text == "--" {
		rest = rest[1:]
	}
	s.runVia("builtin", call{words: rest, env: c.env, stdin: c.stdin, shell: true})
}

// runVia runs a call on behalf of another program.
func (s *scanner) runVia(via string, c call) {
	if len(s.via) > maxDepth {
		s.dynamic("too many programs run one another")
		return
	}
	s.via = append(s.via, via)
	s.run(c)
	s.via = s.via[:len(s.via)-1]
}
