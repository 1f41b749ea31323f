package shellscan

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (s *scanner) stmts(list []*syntax.Stmt) {
	for _, stmt := range list {
		s.stmt(stmt)
	}
}

func (s *scanner) stmt(stmt *syntax.Stmt) {
	outer := s.at
	s.at = s.place(stmt.Pos())
	defer func() { s.at = outer }()
	if stmt.Coprocess || stmt.Disown {
		s.dynamic("it runs a coprocess")
	}
	if stmt.Background {
		s.piped++
		defer func() { s.piped-- }()
	}
	fetched := s.fetched
	stdin := s.stdin
	var body []Arg
	for _, r := range stmt.Redirs {
		if text, feeds := s.redirect(r); feeds {
			s.stdin = true
			body = append(body, text)
		}
	}
	switch cmd := stmt.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		s.callExpr(cmd, fetched, body)
	default:
		s.command(cmd)
	}
	s.stdin = stdin
}

func (s *scanner) command(cmd syntax.Command) {
	switch cmd := cmd.(type) {
	case *syntax.BinaryCmd:
		s.binary(cmd)
	case *syntax.Block:
		s.stmts(cmd.Stmts)
	case *syntax.Subshell:
		s.stmts(cmd.Stmts)
	case *syntax.IfClause:
		for c := cmd; c != nil; c = c.Else {
			s.stmts(c.Cond)
			s.stmts(c.Then)
		}
	case *syntax.WhileClause:
		s.stmts(cmd.Cond)
		s.stmts(cmd.Do)
	case *syntax.ForClause:
		s.loop(cmd.Loop)
		s.stmts(cmd.Do)
	case *syntax.CaseClause:
		s.one(cmd.Word)
		for _, item := range cmd.Items {
			for _, pattern := range item.Patterns {
				s.one(pattern)
			}
			s.stmts(item.Stmts)
		}
	case *syntax.FuncDecl:
		s.declare(cmd)
	case *syntax.TimeClause:
		s.time(cmd)
	case *syntax.TestClause:
		s.test(cmd.X)
	case *syntax.ArithmCmd:
		s.arithmetic(cmd.X)
	case *syntax.LetClause:
		for _, x := range cmd.Exprs {
			s.arithmetic(x)
		}
	case *syntax.DeclClause:
		s.declClause(cmd)
	case *syntax.CoprocClause:
		s.dynamic("it runs a coprocess")
		s.stmt(cmd.Stmt)
	default:
		s.dynamic("it holds what this reader doesn't know")
		s.search(cmd)
	}
}

// time reads bash's keyword. It takes -- for the end of its options, which the
// parser takes for a program.
func (s *scanner) time(t *syntax.TimeClause) {
	if t.Stmt == nil {
		return
	}
	if c, ok := t.Stmt.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && strings.HasPrefix(c.Args[0].Lit(), "-") {
		s.dynamic("time has an option that is not known")
		s.guess++
		s.callExpr(&syntax.CallExpr{Assigns: c.Assigns, Args: c.Args[1:]}, s.fetched, nil)
		s.guess--
	}
	s.stmt(t.Stmt)
}

// search lists the programs below a node of an unknown kind.
func (s *scanner) search(n syntax.Node) {
	for node := range syntax.Preorder(n) {
		if stmt, ok := node.(*syntax.Stmt); ok {
			s.stmt(stmt)
		}
	}
}

func (s *scanner) binary(cmd *syntax.BinaryCmd) {
	if cmd.Op != syntax.Pipe && cmd.Op != syntax.PipeAll {
		s.stmt(cmd.X)
		s.stmt(cmd.Y)
		return
	}
	s.piped++
	fetched := s.fetched
	s.stmt(cmd.X)
	fetches := s.fetched > fetched
	to := len(s.reading.Programs)
	stdin := s.stdin
	s.stdin = true
	s.stmt(cmd.Y)
	s.stdin = stdin
	s.piped--
	if fetches {
		for i := to; i < len(s.reading.Programs); i++ {
			if p := &s.reading.Programs[i]; p.Source == Stream || p.Source != NoSource && slices.Contains(p.Args, xargsInput) {
				p.Danger = Download
			}
		}
	}
}

func (s *scanner) loop(loop syntax.Loop) {
	switch loop := loop.(type) {
	case *syntax.WordIter:
		s.variable(loop.Name.Value)
		for _, item := range loop.Items {
			s.words(item)
		}
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			if x != nil {
				s.arithmetic(x)
			}
		}
	default:
		s.dynamic("it holds a loop that this reader doesn't know")
	}
}

// declare walks through a function's body. Wherever its name is called, the
// program of that name is listed as well: the call may come before.
func (s *scanner) declare(f *syntax.FuncDecl) {
	if f.Name == nil {
		s.dynamic("it declares a function without a name")
		s.stmt(f.Body)
		return
	}
	name := f.Name.Value
	if strings.ContainsAny(name, "\\$`'\"*?[") || isBuiltin(name, Bash) || isBuiltin(name, POSIX) || replaced[name] {
		s.dynamic("it declares a function named " + quote(name))
	}
	s.hasFunctions = true
	if len(s.functions) >= maxFunctions {
		s.dynamic("too many functions within functions")
		return
	}
	s.functions = append(s.functions, function{name: name, piped: s.piped})
	s.stmt(f.Body)
	last := len(s.functions) - 1
	calls := s.functions[last]
	s.functions = s.functions[:last]
	if len(calls.itself) > 1 && calls.parallel {
		for _, i := range calls.itself {
			s.reading.Programs[i].Danger = ForkBomb
		}
	}
}

// replaced are the programs whose work the scanner knows without running them.
var replaced = map[string]bool{"cat": true}

// called notes a call of a function in its own body.
func (s *scanner) called(name string, program int) {
	for i := range s.functions {
		if f := &s.functions[i]; f.name == name {
			f.itself = append(f.itself, program)
			f.parallel = f.parallel || s.piped > f.piped
		}
	}
}

// test reads [[ … ]].
func (s *scanner) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		s.one(x)
	case *syntax.ParenTest:
		s.test(x.X)
	case *syntax.UnaryTest:
		s.test(x.X)
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			s.plainName(x.X)
		}
	case *syntax.BinaryTest:
		s.test(x.X)
		s.test(x.Y)
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			s.plainNumber(x.X)
			s.plainNumber(x.Y)
		default:
		}
	default:
		s.dynamic("it holds a test that this reader doesn't know")
	}
}

// plainName refuses what is taken for the name of a variable, and whose index
// is evaluated, unless it is a plain name.
func (s *scanner) plainName(x syntax.TestExpr) {
	if w, ok := x.(*syntax.Word); !ok || !syntax.ValidName(w.Lit()) {
		s.dynamic("a test evaluates what may hold a command")
	}
}

// plainNumber refuses what is evaluated as arithmetic unless it is a number. The
// name of a variable is evaluated, and what the variable holds is so in turn.
func (s *scanner) plainNumber(x syntax.TestExpr) {
	if w, ok := x.(*syntax.Word); !ok || !isNumber(w) {
		s.dynamic("a test evaluates what may hold a command")
	}
}

// declClause reads declare, local, export, readonly and typeset of bash.
func (s *scanner) declClause(d *syntax.DeclClause) {
	args := []Arg{}
	for _, a := range d.Args {
		switch {
		case a.Name != nil:
			value := s.assign(a)
			s.compound(a, value, args)
			args = append(args, Arg{Kind: value.Kind, Text: a.Name.Value + "=" + value.Text})
		case a.Value != nil:
			arg := s.one(a.Value)
			args = append(args, arg)
			if arg.Kind != Literal || !plainFlags(arg.Text, "rxgaAlupt") {
				s.dynamic(d.Variant.Value + " " + quote(arg.Text) + " may evaluate what it is given")
			}
		}
	}
	s.add(Program{Name: d.Variant.Value, Args: args, Builtin: true, Inert: true})
}

// compound finds the values that a declaration takes for those of an array: the
// text "($(x))" is expanded once more.
func (s *scanner) compound(a *syntax.Assign, value Arg, before []Arg) {
	switch {
	case a.Array != nil || a.Value == nil:
		return
	case value.Kind == Literal && !strings.HasPrefix(value.Text, "("):
		return
	case value.Kind == Literal, slices.ContainsFunc(before, declaresArray):
		s.dynamic("the value of " + a.Name.Value + " may be evaluated as that of an array")
	default:
		s.declared = append(s.declared, declaration{a.Name.Value, s.at})
	}
}

func declaresArray(arg Arg) bool {
	return arg.Kind == Literal && len(arg.Text) > 1 && strings.IndexByte("-+", arg.Text[0]) >= 0 && strings.ContainsAny(arg.Text, "aA")
}

// plainFlags reports whether a word is made of the given option letters.
func plainFlags(word, letters string) bool {
	return len(word) > 1 && (word[0] == '-' || word[0] == '+') && strings.Trim(word[1:], letters) == ""
}

// assign reads an assignment and returns its value.
func (s *scanner) assign(a *syntax.Assign) Arg {
	s.variable(a.Name.Value)
	if a.Index != nil {
		s.arithmetic(a.Index)
	}
	if a.Array != nil {
		s.arrays = append(s.arrays, a.Name.Value)
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				s.arithmetic(e.Index)
			}
			if e.Value != nil {
				s.words(e.Value)
			}
		}
		return Arg{Kind: Many}
	}
	if a.Value == nil {
		return Arg{}
	}
	value := s.one(a.Value)
	value.Kind = min(value.Kind, One) // it is not split, nor matched with files
	s.locale("an assignment", a.Name.Value, value)
	return value
}

// variable notes that a variable is set.
func (s *scanner) variable(name string) {
	switch {
	case !syntax.ValidName(name):
		s.dynamic("it sets a variable by the name " + quote(name))
	case ChangesPrograms(name):
		s.dynamic("setting " + name + " changes what runs")
	case evaluated[name]:
		s.dynamic("the variable " + name + " evaluates what it is set to")
	}
}

// redirect reads one redirect. If it feeds standard input with a text, that is
// returned.
func (s *scanner) redirect(r *syntax.Redirect) (text Arg, feeds bool) {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		s.dynamic("a redirect sets a variable")
	}
	toStdin := r.N == nil || r.N.Value == "0"
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return s.hereDocument(r), toStdin
	case syntax.WordHdoc:
		text = s.one(r.Word)
		text.Text += "\n"
		return text, toStdin
	case syntax.DplIn, syntax.DplOut:
		s.duplicate(r)
		return Arg{Kind: Many}, toStdin && r.Op == syntax.DplIn
	case syntax.RdrIn:
		s.file(r.Word, true, false)
		return Arg{Kind: Many}, toStdin
	case syntax.RdrInOut:
		s.file(r.Word, true, true)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		s.file(r.Word, false, true)
	default:
		s.dynamic("it holds a redirect that this reader doesn't know")
		s.one(r.Word)
	}
	return Arg{}, false
}

func (s *scanner) duplicate(r *syntax.Redirect) {
	word := s.one(r.Word)
	switch {
	case word.Kind == Literal && word.Text != "" && strings.Trim(strings.TrimSuffix(word.Text, "-"), "0123456789") == "":
	case strings.HasPrefix(word.Text, "-"):
		// >&-x closes a descriptor, and x is an argument.
		s.dynamic("what follows >&- is not known")
	case word.Kind == Literal && s.dialect == Bash && r.Op == syntax.DplOut && r.N == nil:
		s.addRedirect(word, false, true)
	default:
		s.dynamic("a redirect's target is not known beforehand")
	}
}

// file reads the target of a redirect.
func (s *scanner) file(w *syntax.Word, read, write bool) {
	words := s.words(w)
	if len(words) != 1 {
		s.dynamic("a redirect's target is not known beforehand")
		return
	}
	s.addRedirect(words[0], read, write)
}

func (s *scanner) addRedirect(word Arg, read, write bool) {
	if s.dialect == Bash && (strings.HasPrefix(word.Text, "/dev/tcp/") || strings.HasPrefix(word.Text, "/dev/udp/")) {
		s.dynamic("a redirect opens a network connection")
	}
	r := Redirect{Path: word.Text, Read: read, Write: write, Position: s.at}
	switch {
	case word.Kind == One && (word.Text == "~" || strings.HasPrefix(word.Text, "~/") && plainPath(word.Text[1:])):
		r.Home = true
	case word.Kind == One && strings.HasPrefix(word.Text, "<(") || strings.HasPrefix(word.Text, ">("):
		return // a pipe to programs that are listed
	case word.Kind != Literal:
		s.dynamic("a redirect's target is not known beforehand")
		return
	case !strings.HasPrefix(word.Text, "/"):
		s.relative = append(s.relative, place{"a redirect's target", word.Text, s.at})
	}
	s.reading.Redirects = append(s.reading.Redirects, r)
}

// plainPath reports whether a path is spelled without anything that a shell
// would replace.
func plainPath(p string) bool { return !strings.ContainsAny(p, "$`\\'\"*?[{~<>(") }

// endsEarly reports whether lines of a here-document that go on may together be
// the one that ends it. Shells disagree about that.
func (s *scanner) endsEarly(r *syntax.Redirect) bool {
	body := s.source(r.Hdoc, "")
	if at := r.Hdoc.Pos().Offset(); at <= uint(len(s.text)) && strings.HasSuffix(s.text[:at], "\\\n") {
		return true // the parser has left out the first line
	}
	for line := range strings.SplitSeq(body, "\n") {
		text, goesOn := strings.CutSuffix(line, `\`)
		if goesOn && strings.HasPrefix(r.Word.Lit(), strings.TrimLeft(text, "\t")) {
			return true
		}
	}
	return false
}

// hereDocument returns the text of a here-document.
func (s *scanner) hereDocument(r *syntax.Redirect) Arg {
	quoted := false
	for _, part := range r.Word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			quoted = quoted || strings.ContainsRune(part.Value, '\\')
			if strings.HasSuffix(part.Value, "$") && len(r.Word.Parts) > 1 { // $'…' to some
				s.dynamic("a here-document has a strange end")
			}
		case *syntax.SglQuoted:
			quoted = true
			if part.Dollar {
				s.dynamic("a here-document has a strange end")
			}
		case *syntax.DblQuoted:
			quoted = true
			for _, inner := range part.Parts {
				// The parser takes the backslash of "\"" for a part of the end.
				if lit, ok := inner.(*syntax.Lit); !ok || part.Dollar || strings.Contains(lit.Value, `\`) {
					s.dynamic("a here-document has a strange end")
				}
			}
		default:
			s.dynamic("a here-document has a strange end")
		}
	}
	if r.Hdoc == nil {
		return Arg{}
	}
	if !quoted && s.endsEarly(r) {
		s.dynamic("a line of a here-document goes on in what may be its end")
	}
	b := wordBuilder{scanner: s, in: hereText}
	if quoted {
		b.in = dataText
	}
	b.parts(r.Hdoc.Parts)
	text := b.arg(r.Hdoc)
	if r.Op == syntax.DashHdoc && text.Kind == Literal {
		lines := strings.SplitAfter(text.Text, "\n")
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], "\t")
		}
		text.Text = strings.Join(lines, "")
	}
	return text
}
