package text

import "strings"

// difference is what remains of two texts without what both begin and end
// with.
type difference struct{ prefix, removed, inserted string }

// differ never takes a "\r\n" of the new text apart: it is to be inserted as a
// whole or not at all.
func differ(old, new string) difference {
	i := 0
	for i < len(old) && i < len(new) && old[i] == new[i] {
		i++
	}
	if i > 0 && i < len(new) && new[i-1] == '\r' && new[i] == '\n' {
		i--
	}
	o, n := len(old), len(new)
	for o > i && n > i && old[o-1] == new[n-1] {
		o--
		n--
	}
	if n > 0 && n < len(new) && new[n-1] == '\r' && new[n] == '\n' {
		o++
		n++
	}
	return difference{old[:i], old[i:o], new[i:n]}
}

// spelledLen returns how many bytes of region stand for the text that it
// starts with, as line feeds may have a carriage return before them in region.
func spelledLen(region, text string) int {
	n := 0
	for i := range len(text) {
		if text[i] == '\n' && region[n] == '\r' {
			n++
		}
		n++
	}
	return n
}

// mostlyEndsIn returns the line ending that most lines of s have, or otherwise
// if none is in the majority.
func mostlyEndsIn(s, otherwise string) string {
	pairs := strings.Count(s, "\r\n")
	single := strings.Count(s, "\n") - pairs
	switch {
	case pairs > single:
		return "\r\n"
	case single > pairs:
		return "\n"
	}
	return otherwise
}

// withEnding gives the ending to line feeds that have no carriage return.
func withEnding(s, ending string) string {
	if ending == "\n" {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", ending)
}
