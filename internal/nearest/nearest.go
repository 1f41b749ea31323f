// Package nearest finds the known name that somebody most likely meant, for
// messages about a name that is not known. It is a leaf: every package may use it.
package nearest

import (
	"strings"
	"unicode/utf8"
)

// longest is the length in characters above which a name is no slip of a known one.
const longest = 64

// Of returns the known name that is nearest to name, or "" if none is near. It
// allows one slip for every three characters, and at least one; letter case does
// not count. Of names that are equally near the first is returned.
func Of(name string, known []string) string {
	length := utf8.RuneCountInString(name)
	if length > longest {
		return ""
	}
	name = strings.ToLower(name)
	best, least := "", 1+max(1, length/3)
	for _, k := range known {
		if d := Distance(name, strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// Distance counts insertions, deletions, changes and swaps of neighbours
// (restricted Damerau-Levenshtein), as typing errors are.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
