package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// PatternOptions say how a pattern is read.
type PatternOptions struct {
	Literal    bool // the pattern is plain text
	IgnoreCase bool // Unicode simple folding, as (?i)
}

// Matcher finds the lines that match a pattern. It is immutable and safe for
// concurrent use; what a search has to remember is in a finder, one for each
// worker.
//
// A line is matched on its own, without its ending ("\n" or "\r\n"): ^ and $
// are its ends and nothing matches across lines. Bytes that are not UTF-8 are
// no obstacle: `.` matches each of them, a literal is compared byte by byte.
type Matcher struct {
	// literals: every matching line holds one of them (empty: nothing is
	// known). With fold they are lower-case ASCII and compared so.
	literals []string
	fold     bool
	// exact: a line matches if and only if it holds one of the literals, and
	// the match starts there. The regular expression is never run then.
	exact bool
	line  *regexp.Regexp // matches one line; nil if exact
	prog  []inst         // automaton that filters lines; nil if exact or too big
}

// worthwhile is the selectivity from which on looking for literals first is
// cheaper than running the automaton over all of the text.
const worthwhile = 192

// maxPattern bounds a pattern: a compiled one takes hundreds of times the memory.
const maxPattern = 32 << 10

// Compile reads a pattern. Regular expressions have Go's RE2 syntax and run in
// time linear in the text. The error is a *PatternError.
func Compile(pattern string, opts PatternOptions) (*Matcher, error) {
	fail := func(reason string, err error) (*Matcher, error) {
		return nil, &PatternError{Kind: "regular expression", Pattern: pattern, Reason: reason, Err: err}
	}
	if len(pattern) > maxPattern {
		return nil, &PatternError{
			Kind: "regular expression", Pattern: pattern[:maxPattern], Reason: fmt.Sprintf("it is longer than %d bytes", maxPattern),
		}
	}
	if opts.Literal {
		if strings.ContainsRune(pattern, '\n') {
			return fail("it holds a line break, and lines are matched one by one: search for one line of it", nil)
		}
		if !opts.IgnoreCase && pattern != "" {
			return &Matcher{literals: []string{pattern}, exact: true}, nil
		}
	}
	source := pattern
	if opts.Literal {
		source = regexp.QuoteMeta(pattern)
	}
	flags := syntax.Perl
	if opts.IgnoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(source, flags)
	if err != nil {
		return fail(syntaxReason(err), err)
	}
	tree = tree.Simplify()
	if needsNewline(tree) {
		return fail("it holds a line break (\\n), and lines are matched one by one: search for one line of it", nil)
	}
	if opts.IgnoreCase {
		source = "(?i)" + source
	}
	line, err := regexp.Compile(source)
	if err != nil {
		return fail(syntaxReason(err), err)
	}
	m := &Matcher{line: line}
	m.literals, m.fold, m.exact = required(tree)
	if m.exact {
		m.line = nil
		return m, nil
	}
	m.prog = compileFilter(tree)
	if m.prog != nil && selectivity(m.literals) < worthwhile {
		m.literals = nil
	}
	return m, nil
}

func syntaxReason(err error) string {
	var se *syntax.Error
	if !errors.As(err, &se) {
		return err.Error()
	}
	reason := se.Code.String()
	if se.Expr != "" {
		reason += " at " + quote(se.Expr)
	}
	if se.Code == syntax.ErrInvalidPerlOp || se.Code == syntax.ErrInvalidEscape {
		reason += " (RE2 syntax: no look-around, no back-references)"
	}
	return reason
}

// needsNewline tells whether some part of the expression is a literal line
// break. Classes that merely include it (`\s`, `[^a]`) are fine.
func needsNewline(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') {
		return true
	}
	if re.Op == syntax.OpCharClass && len(re.Rune) == 2 && re.Rune[0] == '\n' && re.Rune[1] == '\n' {
		return true
	}
	return slices.ContainsFunc(re.Sub, needsNewline)
}
