package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// commandPattern matches the words of one program call.
type commandPattern struct {
	words []commandWord
}

// commandWord is one word, or with many any number of them.
type commandWord struct {
	many bool
	text string // * stands for any text, slashes included
}

// commandTools are the tools whose calls are commands.
var commandTools = []string{"shell", "exec"}

func parseCommand(text string) (commandPattern, error) {
	var p commandPattern
	switch {
	case !utf8.ValidString(text):
		return p, patternError("is not UTF-8")
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }):
		return p, patternError("holds a control character")
	}
	for _, word := range strings.Fields(text) {
		if word != "**" && strings.Contains(word, "**") {
			return p, patternError("** stands for whole words, use * within one")
		}
		p.words = append(p.words, commandWord{many: word == "**", text: word})
	}
	if len(p.words) == 0 {
		return p, ErrEmpty
	}
	return p, nil
}
