package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hasBrace reports whether bash might expand braces in a word.
func hasBrace(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && opensBrace(lit.Value) {
			return !isLiteralBrace(w)
		}
	}
	return false
}

// opensBrace reports whether a literal holds a { without a backslash.
func opensBrace(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			return true
		}
	}
	return false
}

// isLiteralBrace reports whether a word's braces stay what they are: there are
// neither commas nor ranges in all of it. {} is one, as find and xargs use it.
func isLiteralBrace(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.Contains(part.Value, ",") || strings.Contains(part.Value, "..") {
				return false
			}
		case *syntax.SglQuoted:
		default:
			return false
		}
	}
	return true
}

// plainInBraces is what an alternative may consist of to be split here. All
// else is left to the run.
const plainInBraces = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+@%"

// braces expands a word of plain text and lists such as {a,b}.
func (s *scanner) braces(w *syntax.Word) ([]string, bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.Trim(lit.Value, plainInBraces+"{},") != "" || strings.Contains(lit.Value, "..") {
		return nil, false
	}
	// A word that is one list, with text around it.
	before, rest, _ := strings.Cut(lit.Value, "{")
	list, after, closed := strings.Cut(rest, "}")
	if !closed || strings.ContainsAny(before, "},") || strings.ContainsAny(list, "{") ||
		strings.ContainsAny(after, "{},") || !strings.Contains(list, ",") {
		return nil, false
	}
	// A short text can unfold to a long one, which no shell could pass on.
	if (strings.Count(list, ",")+1)*(len(before)+len(after))+len(list) > maxText {
		return nil, false
	}
	var out []string
	for _, item := range strings.Split(list, ",") {
		if text := before + item + after; text != "" { // bash drops an empty one
			out = append(out, text)
		}
	}
	return out, true
}
