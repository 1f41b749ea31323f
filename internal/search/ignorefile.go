package search

import (
	"bytes"
	"strings"
)

// ignoreRules are the patterns of one .gitignore file.
//
// They are our own and not go-git's: that package (v5.19) decides otherwise
// than git on `[!a]`, `[[:alpha:]]`, `a/b**/c`, `a/*/c` and "\r\n", and compares
// each pattern with each segment of a path: 26 µs against 0.4 µs for 50 patterns.
type ignoreRules struct {
	rules []ignoreRule
	names map[string][]int // rules that are plain base names, by name
	globs []int            // all others
	paths bool             // some rule looks at more than the base name
}

type ignoreRule struct {
	pattern string
	negate  bool
	dirOnly bool
	path    bool   // compared with the path below the file's directory
	suffix  bool   // `*` and a plain rest
	plain   int    // length of the plain text that the pattern starts with
	rest    string // of the pattern, after it
}

const wildBytes = `*?[\`

func parseIgnore(text []byte) *ignoreRules {
	r := &ignoreRules{names: make(map[string][]int)}
	text = bytes.TrimPrefix(text, []byte(utf8BOM))
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		r.add(string(trimBlanks(trimCR(line))))
	}
	if len(r.rules) == 0 {
		return nil
	}
	return r
}

// trimBlanks takes trailing spaces off that no backslash protects.
func trimBlanks(line []byte) []byte {
	keep := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		keep = min(i+1, len(line))
	}
	return line[:keep]
}

func (r *ignoreRules) add(line string) {
	if line == "" || line[0] == '#' {
		return
	}
	rule := ignoreRule{}
	line, rule.negate = strings.CutPrefix(line, "!")
	line, rule.dirOnly = strings.CutSuffix(line, "/")
	rule.path = strings.Contains(line, "/")
	if rule.path {
		line = strings.TrimPrefix(line, "/")
	}
	rule.pattern = line
	rule.plain = strings.IndexAny(line, wildBytes)
	if rule.plain < 0 {
		rule.plain = len(line)
	}
	rule.rest = line[rule.plain:]
	rule.suffix = !rule.path && strings.HasPrefix(line, "*") && !strings.ContainsAny(line[1:], wildBytes)
	n := len(r.rules)
	r.rules = append(r.rules, rule)
	if !rule.path && rule.rest == "" {
		r.names[line] = append(r.names[line], n)
		return
	}
	r.globs = append(r.globs, n)
	r.paths = r.paths || rule.path
}

// decide returns what the last matching rule says: leave out or keep. path is
// below the file's directory, name its last segment.
func (r *ignoreRules) decide(path, name string, dir bool) (out, decided bool) {
	last := -1
	named := r.names[name]
	for i := len(named) - 1; i >= 0; i-- {
		if dir || !r.rules[named[i]].dirOnly {
			last = named[i]
			break
		}
	}
	for i := len(r.globs) - 1; i >= 0 && r.globs[i] > last; i-- {
		if r.rules[r.globs[i]].match(path, name, dir) {
			last = r.globs[i]
			break
		}
	}
	if last < 0 {
		return false, false
	}
	return !r.rules[last].negate, true
}

func (r *ignoreRule) match(path, name string, dir bool) bool {
	switch {
	case r.dirOnly && !dir:
		return false
	case r.suffix:
		return strings.HasSuffix(name, r.pattern[1:])
	case !r.path:
		return wildmatch(r.pattern, name, true)
	case !strings.HasPrefix(path, r.pattern[:r.plain]):
		return false
	case r.rest == "":
		return len(path) == r.plain
	}
	// As git, the rest is a pattern of its own: `a/b**` has a whole `**` in it.
	return wildmatch(r.rest, path[r.plain:], false)
}
