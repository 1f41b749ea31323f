package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// What follows refuses patterns that would be legal names, and that nobody means
// as such: a rule with one would look as if it protected something.

// misread finds what a path pattern does not mean although it looks so. The
// pattern has no braces left.
func misread(text string) error {
	if rest, ok := strings.CutPrefix(text, "$"); ok && rest != "" && startsWord(rest) {
		return patternError(`variables are not expanded; write the path, ~ for your home, or \$ for a name that starts with $`)
	}
	if strings.HasPrefix(text, "!") {
		return patternError(`! takes nothing back, as the strictest rule wins; for a name that starts with ! write \!`)
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; i < len(text) && startsWord(text[i:]) {
			return patternError(`segments are separated by /; a backslash only takes the meaning from a character that has one`)
		}
	}
	for _, r := range text {
		if invisible(r) {
			return patternError(fmt.Sprintf("holds the character %U, which can't be seen; ? matches any one", r))
		}
	}
	for _, segment := range strings.Split(text, "/") {
		if strings.TrimLeft(segment, " ") != segment || strings.HasSuffix(segment, " ") && !strings.HasSuffix(segment, `\ `) {
			return patternError(`has a blank at the start or the end of a name; if the name has it too, write \ and the blank`)
		}
	}
	return nil
}

// startsWord reports whether a text starts with a letter, a digit or _.
func startsWord(text string) bool {
	c := text[0]
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

func invisible(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// joiners are words that a shell acts on, so that no program gets them unquoted.
var joiners = []string{"&&", "||", "|", "|&", "&", ">", ">>", "<", "<<", "<<<", "&>", "2>", "2>>", "2>&1", ">&2"}

// misreadWord does the same for word i of a command pattern of n words.
func misreadWord(word string, i, n int) error {
	name, _, assigns := strings.Cut(word, "=")
	opens := strings.IndexByte(word, '[')
	switch {
	case strings.ContainsAny(word, "\"'`\\"):
		return patternError("quotes and backslashes are not read as a shell does: words are separated by blanks, and * stands for any text in one")
	case slices.Contains(joiners, word), word == ";" && i < n-1, len(word) > 1 && strings.HasSuffix(word, ";"), strings.Contains(word, "$("):
		return patternError("it is about one program; write a pattern for each, and rules with paths for the files of redirects")
	case i == 0 && assigns && isName(name):
		return patternError("variables before a program are no part of it; leave them out")
	case len(word) > 1 && word[0] == '$' && (startsWord(word[1:]) || word[1] == '{'):
		return patternError("variables are not expanded; * stands for any text in a word")
	case strings.Contains(word, "{") && strings.Contains(word, ",") && strings.Contains(word, "}"):
		return patternError("braces are not expanded in commands; write a pattern for each")
	case opens >= 0 && strings.Contains(word[opens:], "]"):
		return patternError("only * is a wildcard in commands")
	}
	return nil
}

// isName reports whether a text can be the name of a variable.
func isName(text string) bool {
	if text == "" || text[0] >= '0' && text[0] <= '9' {
		return false
	}
	for i := range len(text) {
		if !startsWord(text[i:]) {
			return false
		}
	}
	return true
}
