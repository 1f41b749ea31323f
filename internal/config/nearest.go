package config

import (
	"strings"
	"unicode/utf8"
)

// didYouMean is the hint that names the candidate nearest to what was written,
// "" where none is near.
func didYouMean(name string, candidates []string) string {
	return suggestion(nearest(name, candidates))
}

func suggestion(name string) string {
	if name == "" {
		return ""
	}
	return "did you mean `" + name + "`?"
}

// nearest allows one slip for each three characters, and at least one.
func nearest(name string, candidates []string) string {
	if utf8.RuneCountInString(name) > 64 {
		return ""
	}
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	best, least := "", 1+max(1, utf8.RuneCountInString(name)/3)
	for _, c := range candidates {
		if d := distance(name, strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance counts insertions, deletions, changes and swaps of neighbours
// (restricted Damerau-Levenshtein), as typing errors are.
func distance(a, b string) int {
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
