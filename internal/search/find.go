package search

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/baileyhq/bailey/jail"
)

// FindOptions say what to find.
type FindOptions struct {
	Jail      *jail.Jail // reads .gitignore files
	Pattern   string     // doublestar glob relative to the start; with a trailing slash for directories only
	Exclude   []string   // without a slash: base names at any depth; else paths relative to the start. A matching directory is left out whole.
	Gitignore bool       // leave out what .gitignore files name, and .git
	Limit     int        // entries; 0 = no limit
	Judge     Judge      // of the start's entries; nil = all are allowed
}

// Found is an entry whose path matches.
type Found struct {
	Path string      // relative to the start, slash separated
	Real string      // absolute real path; of the link itself, for a link
	Type fs.FileMode // type bits
}

// FindStats counts what a Find met, in full or up to its limit.
type FindStats struct {
	Found     int
	Ignored   int  // left out by .gitignore, a directory counts one
	Hidden    int  // left out by the judge, a directory counts one
	Truncated bool // there is at least one more than Limit
	Failed    int  // directories that could not be read
	Errors    []FileError
}

// Find calls emit, in sorted walk order, for each entry beneath the directory
// start that matches. Links are entries and not followed. An error of emit
// ends the search and is returned; bad patterns are a *PatternError.
func Find(ctx context.Context, start *jail.Object, opts FindOptions, emit func(Found) error) (FindStats, error) {
	var stats FindStats
	want, err := parseGlob(opts.Pattern)
	if err != nil {
		return stats, err
	}
	exclude := make([]glob, len(opts.Exclude))
	for i, pattern := range opts.Exclude {
		if exclude[i], err = parseGlob(pattern); err != nil {
			return stats, err
		}
	}
	excluded := func(path, name string, dir bool) bool {
		for i := range exclude {
			if exclude[i].matchLoose(path, name, dir) {
				return true
			}
		}
		return false
	}
	p := newPassage(opts.Jail, start, opts.Gitignore, opts.Judge)
	err = p.walk(ctx, start,
		func(path, name string, mode fs.FileMode) bool {
			dir := mode.IsDir()
			return (dir && want.beneath(path) || want.match(path, dir)) && !excluded(path, name, dir)
		},
		func(e *jail.WalkEntry, rel string) error {
			dir := e.IsDir()
			if want.match(rel, dir) {
				if opts.Limit > 0 && stats.Found == opts.Limit {
					stats.Truncated = true
					return fs.SkipAll
				}
				stats.Found++
				if err := emit(Found{Path: rel, Real: path.Join(start.Real(), rel), Type: e.Type()}); err != nil {
					return emitError{err}
				}
			}
			if dir && !want.beneath(rel) {
				return fs.SkipDir
			}
			return nil
		},
		func(rel string, err error) error {
			stats.Failed++
			if len(stats.Errors) < maxErrors {
				stats.Errors = append(stats.Errors, FileError{Path: rel, Real: path.Join(start.Real(), rel), Err: err})
			}
			return nil
		})
	stats.Ignored, stats.Hidden = p.ignored, p.hidden
	return stats, unwrapEmit(err)
}

// emitError carries an error of the caller's through Walk, which would take
// fs.SkipDir and fs.SkipAll as its own: so it must not unwrap.
type emitError struct{ err error }

func (e emitError) Error() string { return e.err.Error() }

func unwrapEmit(err error) error {
	var e emitError
	if errors.As(err, &e) {
		return e.err
	}
	return err
}
