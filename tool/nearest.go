package tool

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/baileyhq/bailey/internal/nearest"
)

// unknownName says that a name is not one of the known ones, and which of them
// was probably meant.
func unknownName(what, at, name string, known []string) error {
	shown := strconv.Quote(clip(name, 60))
	if at != name {
		shown = at + ": " + shown
	}
	if near := nearest.Of(name, known); near != "" {
		return fmt.Errorf("unknown %s %s; did you mean %q?", what, shown, near)
	}
	return fmt.Errorf("unknown %s %s; known are %s", what, shown, strings.Join(known, ", "))
}

// clip shortens a text of a caller's for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
