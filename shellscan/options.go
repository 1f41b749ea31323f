package shellscan

import "strings"

// options says how a program's options are spelled, as far as it takes a
// command after them.
type options struct {
	flags  string // short options without a value
	values string // short options with one
	long   string // long options without a value, or with one after =
	takes  string // long options with a value in the next word
	// number permits -10 in the place of an option.
	number bool
}

// leading walks over the options in front of a command. It returns the options
// and the rest, and the first word that is no known option, if one stands in
// their place. What a program with abbreviated long options would take is not
// known here, and so is reported.
func (o options) leading(args []Arg) (given []option, rest []Arg, unknown string) {
	for len(args) > 0 {
		word := args[0]
		switch {
		case word.Kind != Literal:
			return given, args, ""
		case word.Text == "--":
			return given, args[1:], ""
		case len(word.Text) < 2 || word.Text[0] != '-':
			return given, args, ""
		case o.number && strings.Trim(word.Text[1:], "0123456789") == "":
			args = args[1:]
			continue
		}
		opt, used, ok := o.parse(word.Text, args[1:])
		if !ok {
			return given, args[1:], word.Text
		}
		given = append(given, opt...)
		args = args[1+used:]
	}
	return given, nil, ""
}

// option is one option with its value.
type option struct {
	name  string // without dashes
	value Arg
}

// parse reads one word of options. used is the number of words that follow and
// belong to it.
func (o options) parse(word string, next []Arg) (given []option, used int, ok bool) {
	if name, isLong := strings.CutPrefix(word, "--"); isLong {
		name, value, has := strings.Cut(name, "=")
		switch {
		case has && (hasWord(o.long, name) || hasWord(o.takes, name)):
			return []option{{name, Arg{Text: value}}}, 0, true
		case hasWord(o.long, name):
			return []option{{name: name}}, 0, true
		case hasWord(o.takes, name) && isOneWord(next):
			return []option{{name, next[0]}}, 1, true
		}
		return nil, 0, false
	}
	for i := 1; i < len(word); i++ {
		name := word[i : i+1]
		switch {
		case strings.Contains(o.flags, name):
			given = append(given, option{name: name})
		case !strings.Contains(o.values, name):
			return nil, 0, false
		case i+1 < len(word):
			return append(given, option{name, Arg{Text: word[i+1:]}}), 0, true
		case isOneWord(next):
			return append(given, option{name, next[0]}), 1, true
		default:
			return nil, 0, false
		}
	}
	return given, 0, true
}

// isOneWord reports whether the next argument is one word and no more.
func isOneWord(next []Arg) bool { return len(next) > 0 && next[0].Kind <= One }

// hasWord reports whether a list of words holds one.
func hasWord(list, word string) bool {
	for list != "" {
		var first string
		first, list, _ = strings.Cut(list, " ")
		if first == word {
			return true
		}
	}
	return false
}
