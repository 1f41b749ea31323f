package policy

import (
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is one path pattern without braces: the segments from the root on.
type pattern []segment

// segment matches one segment of a path, or with many any number of them.
type segment struct {
	many bool
	lit  string
	glob *glob
	// given marks segments that the user did not write: those of the workspace
	// before a relative pattern and those of ~. They match as any literal does,
	// but don't count as naming something.
	given bool
}

func (s *segment) match(name string) bool {
	if s.glob != nil {
		return s.glob.match(name)
	}
	return s.lit == name
}

// places says where patterns start that don't start at the root.
type places struct {
	workspace string
	home      string
}

// parse compiles a path pattern. Braces make several of one.
func (p places) parse(text string, foldCase bool) ([]pattern, error) {
	switch {
	case text == "":
		return nil, ErrEmpty
	case !utf8.ValidString(text):
		return nil, patternError("is not UTF-8")
	case strings.IndexByte(text, 0) >= 0:
		return nil, patternError("holds a NUL byte")
	case !doublestar.ValidatePattern(text):
		return nil, patternError("malformed: unbalanced braces or brackets, or a backslash at the end")
	}
	expanded, err := expandBraces(text)
	if err != nil {
		return nil, err
	}
	patterns := make([]pattern, len(expanded))
	for i, alternative := range expanded {
		if isAbsolute(alternative) != isAbsolute(expanded[0]) {
			return nil, patternError("its braces mix absolute and relative patterns")
		}
		if patterns[i], err = p.parseOne(alternative, foldCase); err != nil {
			return nil, err
		}
	}
	return patterns, nil
}

func isAbsolute(text string) bool {
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || strings.HasPrefix(text, "**")
}

func (p places) parseOne(text string, foldCase bool) (pattern, error) {
	if text == "" {
		return nil, patternError("one of its alternatives is empty, which is the workspace itself; write . where that is meant")
	}
	if err := misread(text); err != nil {
		return nil, err
	}
	start, rest, err := p.start(text)
	if err != nil {
		return nil, err
	}
	var out pattern
	for _, name := range splitPath(start) {
		if foldCase {
			name = fold(name)
		}
		out = append(out, segment{lit: name, given: true})
	}
	for _, part := range strings.Split(rest, "/") {
		seg, err := parseSegment(part, foldCase)
		switch {
		case err != nil:
			return nil, err
		case !seg.many && seg.glob == nil && (seg.lit == "" || seg.lit == "."):
			continue
		case seg.many && out.endsInMany():
			continue
		}
		out = append(out, seg)
	}
	if strings.HasSuffix(text, "/") {
		out = out.withDescendants()
	}
	return out, nil
}

// start returns the directory that a pattern begins at, and what is left of it.
func (p places) start(text string) (start, rest string, err error) {
	switch {
	case text == "~" || strings.HasPrefix(text, "~/"):
		if p.home == "" {
			return "", "", patternError("there is no home directory that ~ could stand for")
		}
		return p.home, text[1:], nil
	case text[:min(1, len(text))] == "~":
		return "", "", patternError("~ stands for the operator's home only as ~ or ~/…; for a name that starts with it write \\~")
	case isAbsolute(text):
		return "", text, nil
	case p.workspace == "":
		return "", "", patternError("is relative, and there is no workspace")
	}
	return p.workspace, text, nil
}

func parseSegment(text string, foldCase bool) (segment, error) {
	if text == "**" {
		return segment{many: true}, nil
	}
	if hasDoubleStar(text) {
		return segment{}, patternError("** must stand alone between slashes, as in **/*.txt")
	}
	lit, g, err := parseGlob(text, foldCase)
	if err != nil {
		return segment{}, err
	}
	if lit == ".." {
		return segment{}, patternError("holds .., which no real path does")
	}
	return segment{lit: lit, glob: g}, nil
}

func hasDoubleStar(text string) bool {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '[':
			i = classEnd(text, i)
		case strings.HasPrefix(text[i:], "**"):
			return true
		}
	}
	return false
}

func (p pattern) endsInMany() bool { return len(p) > 0 && p[len(p)-1].many }

// withDescendants returns the pattern that also matches all beneath what p matches.
func (p pattern) withDescendants() pattern {
	if p.endsInMany() {
		return p
	}
	return append(p[:len(p):len(p)], segment{many: true})
}
