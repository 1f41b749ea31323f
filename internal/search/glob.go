package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of a pattern. A matcher that tries the alternatives of braces as it comes
// to them takes time exponential in their number; they are spelled out instead.
const (
	maxGlob         = 1 << 10 // bytes
	maxAlternatives = 256
	maxSpelled      = 32 << 10 // bytes of all alternatives
)

// glob is a checked doublestar pattern, relative to the start of a search.
type glob struct {
	pattern      string
	alternatives []alternative // any of which matches; without braces
	base         bool          // no slash in it
	dirOnly      bool          // it ended in one
}

type alternative struct {
	pattern  string
	segments []string // nil if they can't be told apart
}

// A Glob is a pattern that leaves out entries, as [FindOptions].Exclude has it.
type Glob struct{ glob glob }

// ParseGlob reads a pattern. It refuses those that are broken or point outside:
// absolute ones and those with a `..` segment. The error is a *PatternError.
func ParseGlob(pattern string) (*Glob, error) {
	g, err := parseGlob(pattern)
	if err != nil {
		return nil, err
	}
	return &Glob{g}, nil
}

// Match tells whether an entry is meant: path is relative to the start, and a
// pattern without a slash is for the base name, at any depth.
func (g *Glob) Match(path, name string, dir bool) bool { return g.glob.matchLoose(path, name, dir) }

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
	case len(pattern) > maxGlob:
		return fail(fmt.Sprintf("it is longer than %d bytes", maxGlob))
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
	all, ok := expandBraces(g.pattern)
	if !ok {
		return fail(fmt.Sprintf("its braces make more than %d alternatives, or %d bytes", maxAlternatives, maxSpelled))
	}
	for _, text := range all {
		a := alternative{pattern: text}
		if parts := strings.Split(text, "/"); !slices.ContainsFunc(parts, torn) {
			a.segments = parts
		}
		g.alternatives = append(g.alternatives, a)
	}
	return g, nil
}

// expandBraces spells out the alternatives of a valid pattern: `a{b,c}` is ab and
// ac. It fails if there are too many.
func expandBraces(pattern string) (all []string, ok bool) {
	done, open := []string{}, []string{pattern}
	size := 0
	for len(open) > 0 {
		if len(done)+len(open) > maxAlternatives || size > maxSpelled {
			return nil, false
		}
		p := open[len(open)-1]
		open = open[:len(open)-1]
		start, ends := firstBraces(p)
		if ends == nil {
			done = append(done, p)
			size += len(p)
			continue
		}
		rest := p[ends[len(ends)-1]+1:]
		for i, from := len(ends)-1, 0; i >= 0; i-- { // the first is on top then
			from = start + 1
			if i > 0 {
				from = ends[i-1] + 1
			}
			open = append(open, p[:start]+p[from:ends[i]]+rest)
		}
	}
	return done, true
}

// firstBraces finds the first opening brace, and the commas and the closing brace
// that belong to it.
func firstBraces(p string) (start int, ends []int) {
	depth := 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(p, i)
		case '{':
			if depth++; depth == 1 {
				start = i
			}
		case ',':
			if depth == 1 {
				ends = append(ends, i)
			}
		case '}':
			if depth--; depth == 0 {
				return start, append(ends, i)
			}
		}
	}
	return 0, nil
}

// classEnd returns the index of the bracket that ends a class.
func classEnd(p string, start int) int {
	for i := start + 1; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case ']':
			return i
		}
	}
	return len(p)
}

// torn tells whether splitting at slashes has cut through brackets.
func torn(segment string) bool {
	return strings.Count(segment, "[") != strings.Count(segment, "]") || strings.HasSuffix(segment, `\`)
}

// match tells whether the whole path below the start matches.
func (g *glob) match(path string, dir bool) bool {
	if g.dirOnly && !dir {
		return false
	}
	return slices.ContainsFunc(g.alternatives, func(a alternative) bool { return matchOne(a.pattern, path) })
}

func matchOne(pattern, path string) bool {
	ok, err := doublestar.Match(pattern, path)
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
	return slices.ContainsFunc(g.alternatives, func(a alternative) bool { return a.beneath(dir) })
}

func (a *alternative) beneath(dir string) bool {
	if a.segments == nil {
		return true
	}
	for i, want := range a.segments {
		if want == "**" {
			return true
		}
		name, rest, more := strings.Cut(dir, "/")
		if !matchOne(want, name) {
			return false
		}
		if !more {
			return i < len(a.segments)-1
		}
		dir = rest
	}
	return false
}
