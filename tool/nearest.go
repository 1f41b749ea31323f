package tool

import (
	"fmt"
	"strconv"
	"strings"
)

// unknownName says that a name is not one of the known ones, and which of them
// was probably meant.
func unknownName(what, at, name string, known []string) error {
	shown := strconv.Quote(clip(name, 60))
	if at != name {
		shown = at + ": " + shown
	}
	if near := nearest(name, known); near != "" {
		return fmt.Errorf("unknown %s %s; did you mean %q?", what, shown, near)
	}
	return fmt.Errorf("unknown %s %s; known are %s", what, shown, strings.Join(known, ", "))
}

// nearest returns the known name that differs least from name, or "" if none
// is near enough to be a likely slip.
func nearest(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	best, least := "", (len(name)+1)/2+1
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// clip shortens a text of a caller's for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
