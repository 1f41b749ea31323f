package policy

import "strings"

// maxAlternatives bounds what the braces of one pattern may multiply to.
const maxAlternatives = 1024

// expandBraces writes out the alternatives of a pattern: "a/{b,c{d,e}}" becomes
// a/b, a/cd and a/ce. The pattern's braces are balanced.
func expandBraces(text string) ([]string, error) {
	open, alternatives, end := findBraces(text)
	if open < 0 {
		return []string{text}, nil
	}
	var all []string
	for _, alternative := range alternatives {
		expanded, err := expandBraces(text[:open] + alternative + text[end:])
		if err != nil {
			return nil, err
		}
		if all = append(all, expanded...); len(all) > maxAlternatives {
			return nil, patternError("its braces give more than 1024 patterns")
		}
	}
	return all, nil
}

// findBraces locates the first group: where it opens, its alternatives, and
// where the text goes on after it. Escapes and classes are passed over.
func findBraces(text string) (open int, alternatives []string, end int) {
	open = -1
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(text, i)
		case '{':
			if depth++; depth == 1 {
				open, from = i, i+1
			}
		case ',':
			if depth == 1 {
				alternatives = append(alternatives, text[from:i])
				from = i + 1
			}
		case '}':
			if depth--; depth == 0 {
				return open, append(alternatives, text[from:i]), i + 1
			}
		}
	}
	return -1, nil, 0
}

// classEnd returns where the class that opens at i closes.
func classEnd(text string, i int) int {
	for i++; i < len(text) && text[i] != ']'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// splitPath returns the segments of a slash-separated path, without empty ones.
func splitPath(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}
