package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmetic reads an arithmetic expression. A variable in it is evaluated as
// an expression in turn, and an expression can hold a command: x='a[$(reboot)]'.
// So only numbers are known.
func (s *scanner) arithmetic(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		s.one(x)
		if !isNumber(x) {
			s.dynamic("arithmetic evaluates what variables hold")
		}
	case *syntax.BinaryArithm:
		s.arithmetic(x.X)
		s.arithmetic(x.Y)
	case *syntax.UnaryArithm:
		s.arithmetic(x.X)
	case *syntax.ParenArithm:
		s.arithmetic(x.X)
	default:
		s.dynamic("it holds arithmetic that this reader doesn't know")
		s.search(x)
	}
}

// isNumber reports whether a word is a number, or a parameter that always is.
func isNumber(w *syntax.Word) bool {
	if w == nil || len(w.Parts) != 1 {
		return false
	}
	switch part := w.Parts[0].(type) {
	case *syntax.Lit:
		return part.Value != "" && strings.Trim(part.Value, "0123456789") == ""
	case *syntax.ParamExp:
		return part.Param != nil && isCount(part.Param.Value) &&
			!part.Excl && part.Index == nil && part.Slice == nil && part.Repl == nil && part.Exp == nil
	default:
		return false
	}
}

// isCount reports whether a parameter always is a number.
func isCount(name string) bool { return name == "?" || name == "#" || name == "$" }

// quote shows a text in a reason.
func quote(text string) string {
	const most = 60
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return "“" + text + "”"
}
