package search

import (
	"io"
	"path"
	"strings"

	"github.com/baileyhq/bailey/jail"
)

// maxIgnoreFile is how much of a .gitignore file is read, in bytes; what
// follows does not count.
const maxIgnoreFile = 1 << 20

// ignoreLevel is a directory with patterns of its own, and through parent the
// directories above that still count. nil: nothing is left out.
type ignoreLevel struct {
	parent *ignoreLevel
	rules  *ignoreRules
	// How to turn a path below the start into one below this directory: take
	// cut bytes off, or put above in front.
	cut   int
	above string
}

// leavesOut tells whether the patterns leave an entry out. The deepest
// directory with a matching pattern decides.
func (l *ignoreLevel) leavesOut(rel, name string, dir bool) bool {
	for ; l != nil; l = l.parent {
		below := name
		if l.rules.paths {
			below = l.above + rel[l.cut:]
		}
		if out, decided := l.rules.decide(below, name, dir); decided {
			return out
		}
	}
	return false
}

// ignoreReader reads the patterns that apply, through the jail only.
type ignoreReader struct{ jail *jail.Jail }

// enter returns the level for the entries of a directory: real is its absolute
// path, rel that below the start ("" for the start itself).
func (r ignoreReader) enter(parent *ignoreLevel, real, rel string) *ignoreLevel {
	cut := 0
	if rel != "" {
		cut = len(rel) + 1
	}
	return r.level(parent, real, ignoreLevel{cut: cut})
}

// level puts the patterns of the directory real on top of parent. A
// repository's root starts anew: nothing above it counts.
func (r ignoreReader) level(parent *ignoreLevel, real string, place ignoreLevel) *ignoreLevel {
	if info, err := r.jail.Stat(path.Join(real, ".git")); err == nil {
		parent = nil
		if info.IsDir() {
			parent = place.with(nil, r.read(path.Join(real, ".git/info/exclude")))
		}
	}
	return place.with(parent, r.read(path.Join(real, ".gitignore")))
}

func (l ignoreLevel) with(parent *ignoreLevel, rules *ignoreRules) *ignoreLevel {
	if rules == nil {
		return parent
	}
	l.parent, l.rules = parent, rules
	return &l
}

// read returns the patterns of a file, nil if there are none. A symbolic link
// is not followed, as in git.
func (r ignoreReader) read(real string) *ignoreRules {
	f, err := r.jail.Open(real)
	if err != nil {
		return nil
	}
	defer f.Close()
	if f.Real() != real {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return parseIgnore(text)
}

// start returns the level of the start directory's entries, with what the
// directories above it say, up to the repository's root or the allowed folder.
// If those leave the start itself out, the caller wants it all the same, and
// they don't count beneath.
func (r ignoreReader) start(folder, real string) *ignoreLevel {
	rel := strings.TrimPrefix(strings.TrimPrefix(real, folder), "/")
	if rel == "" {
		return r.enter(nil, real, "")
	}
	var above *ignoreLevel
	segments := strings.Split(rel, "/")
	dir := folder
	for i, name := range segments {
		rest := strings.Join(segments[i:], "/")
		above = r.level(above, dir, ignoreLevel{above: rest + "/"})
		if above.leavesOutAbove(rest, name) {
			return r.enter(nil, real, "")
		}
		dir = path.Join(dir, name)
	}
	return r.enter(above, real, "")
}

// leavesOutAbove is leavesOut for a directory above the start, the first one
// of rest: the part of the start's path that lies below the deepest level.
func (l *ignoreLevel) leavesOutAbove(rest, name string) bool {
	for ; l != nil; l = l.parent {
		below := strings.TrimSuffix(l.above, rest+"/") + name
		if out, decided := l.rules.decide(below, name, true); decided {
			return out
		}
	}
	return false
}
