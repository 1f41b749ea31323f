package compat

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is a glob of the reference server, which speaks the dialect of
// minimatch, in the dialect of doublestar.
type pattern struct {
	glob   string
	negate bool // ! before it: what does not match
	never  bool // it can match no path
}

type patterns []pattern

// unspeakable are the parts of minimatch's dialect that doublestar does not have.
var unspeakable = regexp.MustCompile(`[?*+@!]\(|\{[^{},]*\.\.[^{},]*\}|\[\[:`)

func parsePattern(given string) (pattern, error) {
	p := pattern{glob: given}
	if strings.HasPrefix(p.glob, "#") || p.glob == "" {
		p.never = true // a comment
		return p, nil
	}
	for strings.HasPrefix(p.glob, "!") && !strings.HasPrefix(p.glob, "!(") {
		p.glob, p.negate = p.glob[1:], !p.negate
	}
	if unspeakable.MatchString(p.glob) {
		return p, fmt.Errorf("%q: extended globs, ranges in braces and classes by name are not supported; write the alternatives as {a,b}", given)
	}
	if !doublestar.ValidatePattern(p.glob) {
		return p, fmt.Errorf("%q has an unclosed bracket or brace; a backslash before it takes it as it is", given)
	}
	// Here a/** is also a itself; there it is only what lies below.
	if dir, below := strings.CutSuffix(p.glob, "/**"); below {
		p.glob = dir + "/**/*"
	}
	p.never = strings.HasSuffix(p.glob, "/")
	return p, nil
}

func (p pattern) match(rel string) bool {
	if p.never {
		return p.negate
	}
	return doublestar.MatchUnvalidated(p.glob, rel) != p.negate
}

func (ps patterns) match(rel string) bool {
	for _, p := range ps {
		if p.match(rel) {
			return true
		}
	}
	return false
}

// matchAbove reports whether a path or a directory above it matches.
func (ps patterns) matchAbove(rel string) bool {
	for i, c := range rel {
		if c == '/' && ps.match(rel[:i]) {
			return true
		}
	}
	return ps.match(rel)
}

// early are the patterns that Bailey's tools can leave out themselves, before
// they go into a directory. It is a gain in speed alone: each is matched again
// on the answer.
func (ps patterns) early() []string {
	globs := []string{}
	for _, p := range ps {
		switch {
		case p.negate || p.never || !relative(p.glob):
		case strings.Contains(p.glob, "/"):
			globs = append(globs, p.glob)
		case !strings.ContainsAny(p.glob, `{},\`):
			// Without a slash it would be a name at any depth. The second
			// alternative, which is no path, makes it one directly below the start.
			globs = append(globs, "{"+p.glob+",/}")
		}
	}
	return globs
}

// relative reports whether Bailey's tools take a glob: they refuse those that
// could match nothing below the start.
func relative(glob string) bool {
	for segment := range strings.SplitSeq(glob, "/") {
		if segment == ".." || segment == "." {
			return false
		}
	}
	return !strings.HasPrefix(glob, "/")
}

// searchExcludes are the exclusions of search_files: each is matched against the
// path below the start.
func searchExcludes(given []string) (patterns, error) {
	var ps patterns
	for _, g := range given {
		p, err := parsePattern(g)
		if err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return ps, nil
}

// treeExcludes are those of directory_tree: one without a star is a name or a
// path at any depth, and all that lies below it.
func treeExcludes(given []string) (patterns, error) {
	var spelled []string
	for _, g := range given {
		spelled = append(spelled, g)
		if !strings.Contains(g, "*") {
			spelled = append(spelled, "**/"+g, "**/"+strings.TrimRight(g, "/")+"/**")
		}
	}
	return searchExcludes(spelled)
}
