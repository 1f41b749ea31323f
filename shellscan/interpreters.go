package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// interpreter says how a program is told what to execute.
type interpreter struct {
	inline string // options with code, short ones may be bundled with others
	flags  string // short options without a value
	values string // short options with one
	long   string // harmless long options, with a value after = if any
	takes  string // harmless long options with a value in the next word
	module string // option that names a module to execute
	runs   string // long options that execute files of the project
	info   string // options after which nothing is executed
	// verbs: the first word says what to do, and is no file.
	verbs bool
}

var interpreters = withVersions(map[string]interpreter{
	"python": {inline: "c", flags: "bBdEhIOPqsSuvx", values: "WX", module: "m", info: "V version h help"},
	"perl":   {inline: "eEnpMmx", flags: "cstTuUwWX", info: "v version V"},
	"ruby":   {inline: "enprx", flags: "cdsSwW", info: "v version"},
	"node": {
		inline: "eprc", info: "v version h help",
		runs:  "test",
		long:  "trace-warnings no-warnings enable-source-maps max-old-space-size stack-trace-limit trace-uncaught unhandled-rejections",
		takes: "test-name-pattern test-reporter",
	},
	"php":     {inline: "rBREFaz", flags: "nq", info: "v version m i"},
	"lua":     {inline: "ei", flags: "EW", info: "v"},
	"luajit":  {inline: "ei", info: "v"},
	"tclsh":   {},
	"wish":    {},
	"Rscript": {inline: "e", long: "vanilla", info: "version"},
	"julia":   {inline: "eELi", info: "version v"},
	"guile":   {inline: "cls", info: "version v"},
	"groovy":  {inline: "e", info: "version v"},
	"scala":   {inline: "e", info: "version"},
	"osascript": {
		inline: "e",
	},
	"deno":   {verbs: true, info: "version V"},
	"bun":    {verbs: true, inline: "eprc", info: "version v"},
	"npm":    {verbs: true, info: "version v"},
	"npx":    {verbs: true, inline: "c", info: "version v"},
	"pnpm":   {verbs: true, info: "version v"},
	"yarn":   {verbs: true, info: "version v"},
	"cargo":  {verbs: true, info: "version V"},
	"go":     {verbs: true},
	"rake":   {verbs: true, inline: "eErp"},
	"bundle": {verbs: true},
	"just":   {verbs: true, inline: "c"},
	"task":   {verbs: true},
	"tox":    {verbs: true, inline: "xc"},
	"nox":    {verbs: true},
	"mvn":    {verbs: true, info: "version v"},
	"gradle": {verbs: true, inline: "I", info: "version v"},
	"ant":    {verbs: true, info: "version"},
	"ninja":  {verbs: true, info: "version"},
	"pip":    {verbs: true, info: "version V"},
	"pipx":   {verbs: true},
	"uv":     {verbs: true},
	"poetry": {verbs: true},
	"pytest": {verbs: true, inline: "pc"},
})

// withVersions adds the names that versions of a program go by.
func withVersions(m map[string]interpreter) map[string]interpreter {
	m["python2"], m["python3"], m["pypy"], m["pypy3"] = m["python"], m["python"], m["python"], m["python"]
	m["nodejs"], m["pip3"] = m["node"], m["pip"]
	return m
}

// interpreter reads the call of a program that executes code. Code in an
// argument or on standard input could do anything, so it is never known; a file
// that is named can be looked at.
func (s *scanner) interpreter(at int, c call, in interpreter) {
	p := &s.reading.Programs[at]
	if in.verbs {
		s.verbs(at, c, in)
		return
	}
	project := false
	args := c.words[1:]
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg.Kind != Literal || arg.Text == "-" || !strings.HasPrefix(arg.Text, "-"):
			s.script(at, arg)
			return
		case arg.Text == "--":
			if len(args) > 0 {
				s.script(at, args[0])
			}
			return
		}
		used, kind := in.option(arg.Text, args)
		switch kind {
		case codeOption:
			p.Source = Inline
			s.dynamic(p.Name + " " + quote(arg.Text) + " executes what it is given")
			return
		case moduleOption:
			p.Source = File
			if len(args) == 0 || args[0].Kind != Literal || evaluating[args[0].Text] {
				s.dynamic(p.Name + " executes a module that is decided at the run, or evaluates code")
			}
			return
		case infoOption:
			return
		case unknownOption:
			s.dynamic(p.Name + " " + quote(arg.Text) + " is not known")
		case projectOption:
			project = true
		case harmlessOption:
		}
		args = args[min(used, len(args)):]
	}
	if project {
		p.Source = File
		return
	}
	s.stream(at, c, nil)
}

type optionKind uint8

const (
	harmlessOption optionKind = iota
	codeOption
	moduleOption
	infoOption
	projectOption
	unknownOption
)

// evaluating are modules of Python that execute what they are given.
var evaluating = set("timeit pdb code codeop cProfile profile trace runpy asyncio idlelib doctest sqlite3 turtledemo")

// option tells what an option does, and how many words after it are its own.
func (in *interpreter) option(word string, next []Arg) (used int, kind optionKind) {
	name := strings.TrimLeft(word, "-")
	long, _, has := strings.Cut(name, "=")
	switch {
	case hasWord(in.info, name):
		return 0, infoOption
	case hasWord(in.runs, long):
		return 0, projectOption
	case hasWord(in.long, long):
		return 0, harmlessOption
	case hasWord(in.takes, long) && (has || isOneWord(next)):
		if has {
			return 0, harmlessOption
		}
		return 1, harmlessOption
	case strings.HasPrefix(word, "--"):
		return 0, unknownOption
	}
	for i := range len(name) {
		letter := name[i : i+1]
		switch {
		case strings.Contains(in.inline, letter):
			return 0, codeOption
		case in.module != "" && letter == in.module:
			if i+1 < len(name) {
				return 0, unknownOption
			}
			return 0, moduleOption
		case strings.Contains(in.values, letter):
			if i+1 < len(name) {
				if strings.Contains(name, ":") { // -W imports the class that it names
					return 0, unknownOption
				}
				return 0, harmlessOption
			}
			if !isOneWord(next) || strings.Contains(next[0].Text, ":") {
				return 0, unknownOption
			}
			return 1, harmlessOption
		case !strings.Contains(in.flags, letter):
			return 0, unknownOption
		}
	}
	return 0, harmlessOption
}

// verbs reads the call of a program that runs what a project's files say.
func (s *scanner) verbs(at int, c call, in interpreter) {
	p := &s.reading.Programs[at]
	p.Source = File
	base := baseName(p.Name)
	for _, arg := range c.words[1:] {
		switch {
		case arg.Kind != Literal:
			s.dynamic(quote(arg.Text) + " is decided at the run, and an option could make " + p.Name + " run another program")
			return
		case len(arg.Text) > 1 && arg.Text[0] == '-' && arg.Text[1] != '-' && base != "go" && strings.ContainsAny(arg.Text[1:2], in.inline):
			p.Source = Inline
			s.dynamic(p.Name + " " + quote(arg.Text) + " executes what it is given")
			s.texts(c.words[1:])
			return
		}
	}
	if option := runsOthers(base, c.words[1:]); option != "" {
		s.dynamic(p.Name + " " + quote(option) + " runs another program")
		s.texts(c.words[1:])
	}
}

// make runs what a Makefile says, and what is set on its command line.
func (s *scanner) make(at int, c call) {
	p := &s.reading.Programs[at]
	p.Source = File
	args := c.words[1:]
	for i, arg := range args {
		name, value, assigns := strings.Cut(arg.Text, "=")
		switch {
		case arg.Kind != Literal:
			s.dynamic(quote(arg.Text) + " is decided at the run, and could make " + p.Name + " run another program")
		case isLong(arg.Text, "eval", "environment-overrides"):
			p.Source = Inline
			s.dynamic(p.Name + " " + quote(arg.Text) + " executes what it is given")
		case isLong(arg.Text, "file"), isLong(arg.Text, "makefile"):
			s.makefile(at, strings.TrimPrefix(value, "="), args[i+1:])
		case isLong(arg.Text, "directory", "debug", "dry-run"), isLong(arg.Text, "include-dir", "ignore-errors"):
		case isShort(arg.Text, "E"):
			p.Source = Inline
			s.dynamic(p.Name + " " + quote(arg.Text) + " executes what it is given")
		case isShort(arg.Text, "f"):
			_, file, _ := strings.Cut(arg.Text, "f")
			s.makefile(at, file, args[i+1:])
		case assigns && !strings.HasPrefix(arg.Text, "-") && !describes(name, value):
			s.dynamic(p.Name + " " + quote(arg.Text) + " may change what runs")
		}
	}
}

// isShort reports whether a word holds one of some short options.
func isShort(word, letters string) bool {
	return strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.ContainsAny(word, letters)
}

// describes reports whether a variable of make can hardly be a command.
func describes(name, value string) bool {
	plain := syntax.ValidName(name) // else it is x!, or expanded as a$(shell y) is
	return plain && !ChangesPrograms(name) && (strings.Trim(value, "0123456789.") == "" ||
		value == "yes" || value == "no" || value == "true" || value == "false")
}

func (s *scanner) makefile(at int, file string, next []Arg) {
	switch {
	case file != "":
		s.script(at, Arg{Text: file})
	case len(next) > 0:
		s.script(at, next[0])
	}
}
