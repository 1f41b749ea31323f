package search

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob is a checked doublestar pattern, relative to the start of a search.
type glob struct {
	pattern  string
	segments []string // nil if they can't be told apart
	base     bool     // no slash in it
	dirOnly  bool     // it ended in one
}

// CheckGlob refuses patterns that are broken or point outside: absolute ones
// and those with a `..` segment. The error is a *PatternError.
func CheckGlob(pattern string) error {
	_, err := parseGlob(pattern)
	return err
}

// GlobHint returns a sentence for whom a pattern found nothing, or "".
func GlobHint(pattern string) string {
	g, err := parseGlob(pattern)
	if err != nil || !g.base || g.pattern == "**" {
		return ""
	}
	return "A pattern without a slash matches only directly below the start; `**/" + g.pattern + "` matches at any depth."
}

func parseGlob(pattern string) (glob, error) {
	fail := func(reason string) (glob, error) {
		return glob{}, &PatternError{Kind: "glob", Pattern: pattern, Reason: reason, Err: doublestar.ErrBadPattern}
	}
	switch {
	case pattern == "":
		return fail("it is empty")
	case strings.HasPrefix(pattern, "/"):
		return fail("it is absolute: give it relative to the start of the search, and the start as path")
	case !doublestar.ValidatePattern(pattern):
		return fail("bad syntax (doublestar: *, **, ?, [a-z], {a,b}, \\ quotes)")
	}
	g := glob{pattern: pattern}
	g.pattern, g.dirOnly = strings.CutSuffix(g.pattern, "/")
	for strings.HasPrefix(g.pattern, "./") {
		g.pattern = strings.TrimLeft(g.pattern[2:], "/")
	}
	segments := strings.Split(g.pattern, "/")
	if slices.Contains(segments, "..") {
		return fail("it has a `..` segment: searches go downwards only")
	}
	if g.pattern == "" || g.pattern == "." {
		return fail("it names the start itself")
	}
	g.base = len(segments) == 1
	if !slices.ContainsFunc(segments, torn) {
		g.segments = segments
	}
	return g, nil
}

// torn tells whether splitting at slashes has cut through braces or brackets.
func torn(segment string) bool {
	return strings.Count(segment, "{") != strings.Count(segment, "}") ||
		strings.Count(segment, "[") != strings.Count(segment, "]") || strings.HasSuffix(segment, `\`)
}

// match tells whether the whole path below the start matches.
func (g *glob) match(path string, dir bool) bool {
	if g.dirOnly && !dir {
		return false
	}
	ok, err := doublestar.Match(g.pattern, path)
	return err == nil && ok
}

// matchLoose is match, but a pattern without a slash is for the base name at any depth.
func (g *glob) matchLoose(path, name string, dir bool) bool {
	if g.base {
		path = name
	}
	return g.match(path, dir)
}

// beneath tells whether anything below the directory could match.
func (g *glob) beneath(dir string) bool {
	if g.segments == nil {
		return true
	}
	for i, want := range g.segments {
		if want == "**" {
			return true
		}
		name, rest, more := strings.Cut(dir, "/")
		if ok, err := doublestar.Match(want, name); err != nil || !ok {
			return false
		}
		if !more {
			return i < len(g.segments)-1
		}
		dir = rest
	}
	return false
}
