package tool

import (
	"fmt"
	"strings"
	"unicode"
)

const bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,@+%"

// QuoteWords writes words on one line as a shell would read them. One that holds
// control characters is $'…', in which no backslash of its own can be taken for one
// of them.
func QuoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	return strings.Join(quoted, " ")
}

func quoteWord(w string) string {
	switch {
	case w != "" && strings.Trim(w, bare) == "":
		return w
	case strings.ContainsFunc(w, unicode.IsControl):
		return "$'" + controls.Replace(w) + "'"
	default:
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
}

// controls spells what must not stand in $'…' as it is.
var controls = func() *strings.Replacer {
	pairs := []string{`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`, "\r", `\r`}
	for r := rune(0); r < 0xA0; r++ {
		if unicode.IsControl(r) {
			pairs = append(pairs, string(r), hexOf(string(r)))
		}
	}
	return strings.NewReplacer(pairs...)
}()

func hexOf(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, `\x%02x`, s[i])
	}
	return b.String()
}
