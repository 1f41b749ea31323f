package search

import (
	"context"
	"io/fs"

	"github.com/baileyhq/bailey/jail"
)

// Judge is the policy as a search asks it: about each entry, step by step on
// the way down. It is called on one goroutine.
type Judge interface {
	// Enter returns the judge of the directory's entries.
	Enter(name string) Judge
	// Allowed tells whether an entry of the judge's directory may be known.
	Allowed(name string, dir, link bool) bool
}

// FileError is a file or directory that could not be read.
type FileError struct {
	Path string // relative to the start
	Real string
	Err  error
}

// maxErrors is how many FileErrors are listed; all are counted.
const maxErrors = 10

// passage walks over what is not left out, and counts what is.
type passage struct {
	reader    ignoreReader
	gitignore bool
	judges    []Judge        // of the entries at each depth - 1
	levels    []*ignoreLevel // the same
	ignored   int
	hidden    int
}

func newPassage(j *jail.Jail, start *jail.Object, gitignore bool, judge Judge) *passage {
	p := &passage{reader: ignoreReader{j}, gitignore: gitignore, judges: []Judge{judge}, levels: []*ignoreLevel{nil}}
	if gitignore {
		p.levels[0] = p.reader.start(start.Folder().Real, start.Real())
	}
	return p
}

// walk calls visit for each entry in sorted order. wanted is asked first:
// whether the entry matters at all. Of those that matter, what .gitignore or
// the judge leaves out is counted and not visited. failed is told of
// directories that could not be read. visit and wanted may return fs.SkipDir
// and fs.SkipAll as an error.
func (p *passage) walk(ctx context.Context, start *jail.Object,
	wanted func(path, name string, mode fs.FileMode) bool,
	visit func(e *jail.WalkEntry, path string) error,
	failed func(path string, err error) error,
) error {
	return start.Walk(ctx, jail.WalkOptions{Sorted: true, Ahead: true}, func(e *jail.WalkEntry) error {
		if err := ctx.Err(); err != nil {
			return err // Walk looks less often, and a pattern can make an entry slow
		}
		name, dir := e.Name(), e.IsDir()
		if err := e.Err(); err != nil && dir {
			return failed(e.Path(), err) // the second call for it: it was let pass before
		}
		if p.gitignore && name == ".git" {
			return skip(dir)
		}
		path := e.Path()
		if !wanted(path, name, e.Type()) {
			return skip(dir)
		}
		depth := e.Depth()
		if p.levels[depth-1].leavesOut(path, name, dir) {
			p.ignored++
			return skip(dir)
		}
		if judge := p.judges[depth-1]; judge != nil && !judge.Allowed(name, dir, e.Type()&fs.ModeSymlink != 0) {
			p.hidden++
			return skip(dir)
		}
		if err := e.Err(); err != nil { // its type is not known
			return failed(path, err)
		}
		if dir {
			p.enter(e, name, path, depth)
		}
		return visit(e, path)
	})
}

func (p *passage) enter(e *jail.WalkEntry, name, path string, depth int) {
	level, judge := p.levels[depth-1], p.judges[depth-1]
	if p.gitignore {
		level = p.reader.enter(level, e.Real(), path)
	}
	if judge != nil {
		judge = judge.Enter(name)
	}
	p.levels = append(p.levels[:depth], level)
	p.judges = append(p.judges[:depth], judge)
}

func skip(dir bool) error {
	if dir {
		return fs.SkipDir
	}
	return nil
}
