package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// words returns the arguments that a word becomes: none is dropped, and brace
// expansion makes several.
func (s *scanner) words(w *syntax.Word) []Arg {
	if s.dialect != Bash || !hasBrace(w) {
		return []Arg{s.one(w)}
	}
	alternatives, known := s.braces(w)
	if !known {
		arg := s.one(w)
		return []Arg{{Kind: Many, Text: s.source(w, arg.Text)}}
	}
	var out []Arg
	for _, text := range alternatives {
		out = append(out, Arg{Text: text})
	}
	return out
}

// one returns what a word becomes where no braces are expanded. It reads the
// commands in it.
func (s *scanner) one(w *syntax.Word) Arg {
	if w == nil {
		return Arg{}
	}
	if len(w.Parts) == 1 { // most words
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, "\\*?[~$!") {
			return Arg{Text: lit.Value}
		}
	}
	b := wordBuilder{scanner: s}
	b.parts(w.Parts)
	return b.arg(w)
}

// quoting is where in a text a part of a word stands.
type quoting uint8

const (
	bare     quoting = iota
	quoted           // between double quotes
	hereText         // in a here-document that is expanded
	dataText         // in one that is not
)

// wordBuilder puts the value of a word together.
type wordBuilder struct {
	*scanner
	in      quoting
	text    strings.Builder
	kind    Kind
	started bool // there is something before the current part
	path    bool // it is a process substitution
}

func (b *wordBuilder) arg(n syntax.Node) Arg {
	if b.kind != Literal {
		return Arg{Kind: b.kind, Text: b.source(n, ""), path: b.path}
	}
	return Arg{Text: b.text.String()}
}

// source returns how a node is written in the current text.
func (s *scanner) source(n syntax.Node, fallback string) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if !n.Pos().IsValid() || from > to || to > uint(len(s.text)) {
		return fallback
	}
	return s.text[from:to]
}

func (b *wordBuilder) raise(k Kind) { b.kind = max(b.kind, k) }

func (b *wordBuilder) parts(parts []syntax.WordPart) {
	before := ""
	for i, part := range parts {
		b.part(part, before, i+1 < len(parts))
		b.started = true
		before = ""
		if lit, ok := part.(*syntax.Lit); ok {
			before = lit.Value
		}
	}
}

// part adds one part of a word. before is the literal text right before it.
func (b *wordBuilder) part(part syntax.WordPart, before string, more bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		b.lit(part.Value, more)
	case *syntax.SglQuoted:
		if b.dialect == POSIX && strings.HasSuffix(before, "$") && strings.Contains(part.Value, `\`) {
			// Shells that decode $'…' look for another end of it.
			b.dynamic("$'…' with a backslash ends elsewhere in some shells")
		}
		b.single(part)
	case *syntax.DblQuoted:
		b.double(part)
	case *syntax.ParamExp:
		b.param(part)
	case *syntax.CmdSubst:
		b.substitution(part)
	case *syntax.ArithmExp:
		b.arithmetic(part.X)
		b.raise(One)
	case *syntax.ProcSubst:
		b.stmts(part.Stmts)
		b.path = !b.started && !more
		b.raise(One)
	case *syntax.ExtGlob:
		// Whether bash knows it depends on an option, and so does how the rest
		// of the line is parsed.
		b.dynamic("it holds an extended pattern")
		b.raise(Glob)
	default:
		b.dynamic("it holds an expansion that this reader doesn't know")
		b.search(part)
		b.raise(Many)
	}
}

// lit adds literal text. Backslashes in it are still those of the source.
func (b *wordBuilder) lit(text string, more bool) {
	if b.in == dataText {
		b.text.WriteString(text)
		return
	}
	if b.in == bare && more && b.dialect == POSIX && strings.HasSuffix(text, "$") {
		// $'…' and $"…": some shells decode it, to others $ is a character.
		b.raise(One)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) && b.escapes(text[i+1]) {
			i++
			if text[i] != '\n' {
				b.text.WriteByte(text[i])
			}
			continue
		}
		if b.in == bare {
			b.raise(b.meaning(text, i))
		}
		b.text.WriteByte(c)
	}
}

// escapes reports whether a backslash is taken off before a character.
func (b *wordBuilder) escapes(c byte) bool {
	switch b.in {
	case bare:
		return true
	case quoted:
		return strings.IndexByte("$`\"\\\n", c) >= 0
	case hereText:
		return strings.IndexByte("$`\\\n", c) >= 0
	default:
		return false
	}
}

// meaning returns what an unquoted character makes of its word.
func (b *wordBuilder) meaning(text string, i int) Kind {
	switch text[i] {
	case '*', '?':
		return Glob
	case '[':
		if text == "[" && !b.started {
			return Literal // the command
		}
		return Glob
	case '~':
		first := i == 0 && !b.started
		if first || i > 0 && (text[i-1] == '=' || text[i-1] == ':') {
			return One
		}
	}
	return Literal
}

func (b *wordBuilder) single(q *syntax.SglQuoted) {
	if !q.Dollar {
		b.text.WriteString(q.Value)
		return
	}
	text, ok := decodeANSI(q.Value)
	if !ok {
		b.raise(One)
	}
	b.text.WriteString(text)
}

func (b *wordBuilder) double(q *syntax.DblQuoted) {
	if q.Dollar {
		b.raise(One) // a translation takes its place
	}
	outer := b.in
	b.in = quoted
	for _, part := range q.Parts {
		b.part(part, "", false)
	}
	b.in = outer
}

// expansion is what an expansion contributes to a word.
func (b *wordBuilder) expansion() Kind {
	if b.in == bare {
		return Many
	}
	return One
}

func (b *wordBuilder) param(p *syntax.ParamExp) {
	kind := b.expansion()
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	switch {
	case p.Excl || p.Names != 0 || p.NestedParam != nil || p.Flags != nil || p.Width || p.IsSet || len(p.Modifiers) > 0:
		b.dynamic("it uses the variable that a variable names")
	case name == "@", p.Index != nil && p.Index.Pos().IsValid() && wordIs(p.Index, "@"):
		kind = Many
	case p.Length:
		kind = One
	case kind == Many && isCount(name) && p.Slice == nil && p.Repl == nil && p.Exp == nil:
		kind = One // a number
	}
	b.raise(kind)
	if (b.in == quoted || b.in == hereText) && holdsQuotes(p) {
		// Whether ' is a quote there depends on the shell and the operator, and
		// with it what is executed, and where the expansion ends.
		b.dynamic("an expansion between quotes holds quotes")
	}
	if p.Index != nil && !wordIs(p.Index, "@") && !wordIs(p.Index, "*") {
		b.arithmetic(p.Index)
	}
	if p.Slice != nil {
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x != nil {
				b.arithmetic(x)
			}
		}
	}
	if p.Repl != nil {
		b.one(p.Repl.Orig)
		b.one(p.Repl.With)
	}
	if p.Exp != nil {
		b.one(p.Exp.Word)
		switch p.Exp.Op {
		case syntax.OtherParamOps:
			b.dynamic("an expansion may evaluate its value")
		case syntax.AssignUnset, syntax.AssignUnsetOrNull:
			b.variable(name)
		default:
		}
	}
}

// holdsQuotes reports whether an expansion holds quotes of its own.
func holdsQuotes(p *syntax.ParamExp) bool {
	found := false
	syntax.Walk(p, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			found = true
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false // begins anew
		}
		return !found
	})
	return found
}

func wordIs(x syntax.ArithmExpr, text string) bool {
	w, ok := x.(*syntax.Word)
	return ok && w.Lit() == text
}

// substitution reads the commands of $(…). One that only copies a here-document
// stands for its text.
func (b *wordBuilder) substitution(c *syntax.CmdSubst) {
	if c.TempFile || c.ReplyVar {
		b.dynamic("it holds a substitution that older shells don't know")
	}
	if b.in == hereText && c.Backquotes && strings.Contains(b.source(c, ""), `\"`) {
		b.dynamic("shells take other quotes off in a here-document")
	}
	from := len(b.reading.Programs)
	text, copied := b.copied(c)
	b.stmts(c.Stmts)
	if copied && b.in != bare && len(b.reading.Programs) == from+1 {
		b.reading.Programs[from].Inert = true
		b.text.WriteString(strings.TrimRight(text, "\n"))
		return
	}
	b.raise(b.expansion())
}

// copied returns the text of a substitution that is `cat` with a quoted
// here-document.
func (b *wordBuilder) copied(c *syntax.CmdSubst) (string, bool) {
	if len(c.Stmts) != 1 || b.hasFunctions || c.Backquotes {
		return "", false
	}
	stmt := c.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || len(call.Assigns) > 0 || len(call.Args) != 1 ||
		call.Args[0].Lit() != "cat" || len(stmt.Redirs) != 1 {
		return "", false
	}
	r := stmt.Redirs[0]
	if r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc || r.N != nil || r.Hdoc == nil || expanded(r) {
		return "", false
	}
	text := b.hereDocument(r)
	return text.Text, text.Kind == Literal
}

// expanded reports whether a here-document holds anything but plain text.
func expanded(r *syntax.Redirect) bool {
	for _, part := range r.Hdoc.Parts {
		if _, ok := part.(*syntax.Lit); !ok {
			return true
		}
	}
	return false
}
