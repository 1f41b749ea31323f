package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"sync"

	"github.com/baileyhq/bailey/jail"
)

// GrepOptions say what to search for, and where.
type GrepOptions struct {
	Jail      *jail.Jail // reads .gitignore files
	Matcher   *Matcher
	Glob      string // files to search, "" = all; without a slash for base names, else for paths relative to the start
	Context   int    // lines to show before and after each match, up to MaxContext
	Gitignore bool   // leave out what .gitignore files name, and .git
	Limit     int    // matching lines (a binary file counts one); 0 = no limit
	Judge     Judge  // of the start's entries; nil = all are allowed
	Workers   int    // 0 = GOMAXPROCS
}

// GrepStats counts what a Grep met, in full or up to its limit.
type GrepStats struct {
	Files        int   // searched
	MatchedFiles int   // with a match
	Matches      int64 // matching lines; a binary file counts one
	BinaryFiles  int   // binary files with a match
	Ignored      int   // left out by .gitignore, a directory counts one
	Hidden       int   // left out by the judge, a directory counts one
	Truncated    bool  // there is at least one more match than Limit
	Failed       int   // files and directories that could not be read
	Errors       []FileError
}

// maxWorkers bounds the directories that are held open at once.
const maxWorkers = 16

// Grep searches start, a regular file or all regular files beneath a
// directory, and calls emit for files that match: on the caller's goroutine
// and in sorted walk order, however many workers search. A file with very many
// matches comes in several calls. An error of emit ends the search and is
// returned. Links are not followed; special files are not opened. A file that
// can't be read is counted and does not end the search.
func Grep(ctx context.Context, start *jail.Object, opts GrepOptions, emit func(*FileMatches) error) (GrepStats, error) {
	if opts.Context < 0 || opts.Context > MaxContext {
		return GrepStats{}, fmt.Errorf("%d lines of context: %w (0 to %d)", opts.Context, fs.ErrInvalid, MaxContext)
	}
	c := &collector{limit: opts.Limit, context: opts.Context, real: start.Real(), emit: emit}
	if !start.Info().IsDir() {
		err := grepFile(ctx, start, opts, c)
		return c.stats, c.end(err)
	}
	g := &grep{opts: opts, start: start}
	if opts.Glob != "" {
		var err error
		if g.glob, err = parseGlob(opts.Glob); err != nil {
			return GrepStats{}, err
		}
	}
	err := g.run(ctx, c)
	return c.stats, c.end(err)
}

// grepFile searches the one file that is the start.
func grepFile(ctx context.Context, start *jail.Object, opts GrepOptions, c *collector) error {
	f, err := start.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	name := path.Base(start.Real())
	c.real = path.Dir(start.Real())
	c.stats.Files = 1
	s := newScanner(opts.Matcher, opts.Context, opts.Limit, func(m FileMatches) error {
		m.Path = name
		return c.matches(m)
	})
	return s.scan(ctx, f, f.Info().Size())
}

// grep is one search of a tree: a walker finds files and puts them into
// batches, workers search those, and the caller's goroutine collects the
// results in the order of the walk. Every queue is bounded.
type grep struct {
	opts  GrepOptions
	start *jail.Object
	glob  glob

	work  chan *batch // for workers, in walk order
	order chan *batch // the same batches, for the collector
	final tally       // of the whole walk, once order is closed
}

// tally is what was met before some point of the walk.
type tally struct{ files, ignored, hidden int }

// item is a file to search, or the error of a directory.
type item struct {
	path  string
	file  *jail.DeferredFile
	err   error
	tally tally
}

// A batch of files spares a hand-over for each. The first batches are small,
// so that work spreads and first results come at once.
const (
	maxBatch     = 64
	maxBatchDirs = 8 // their descriptors are held open
	maxReport    = 256
)

type batch struct {
	items   []item
	reports chan []report // closed when the batch is done
}

// report is a result for items[index].
type report struct {
	index   int
	matches FileMatches
	err     error
}

func (g *grep) run(ctx context.Context, c *collector) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := g.opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, maxWorkers)
	g.order = make(chan *batch, 2*workers)
	g.work = make(chan *batch, cap(g.order)+2) // one more is being collected, one being sent

	var wg sync.WaitGroup
	var walkErr error
	wg.Go(func() {
		defer close(g.order)
		defer close(g.work)
		walkErr = g.walk(ctx)
	})
	for range workers {
		wg.Go(func() { g.worker(ctx) })
	}
	err := g.collect(ctx, c)
	cancel()
	wg.Wait()
	if err == nil {
		err = walkErr
	}
	return err
}

// walk feeds the queues.
func (g *grep) walk(ctx context.Context) error {
	p := newPassage(g.opts.Jail, g.start, g.opts.Gitignore, g.opts.Judge)
	f := &feeder{grep: g, size: 1}
	files := 0
	add := func(it item) error {
		it.tally = tally{files, p.ignored, p.hidden}
		return f.add(ctx, it)
	}
	wanted := func(path, name string, mode fs.FileMode) bool {
		switch {
		case g.opts.Glob == "":
			return mode.IsDir() || mode.IsRegular()
		case mode.IsDir():
			return g.glob.base || g.glob.beneath(path)
		}
		return mode.IsRegular() && g.glob.matchLoose(path, name, false)
	}
	err := p.walk(ctx, g.start, wanted,
		func(e *jail.WalkEntry, path string) error {
			if e.IsDir() {
				return f.enter(ctx)
			}
			files++
			return add(item{path: path, file: e.Defer()})
		},
		func(path string, err error) error { return add(item{path: path, err: err}) })
	if err == nil {
		err = f.flush(ctx)
	}
	f.drop()
	g.final = tally{files, p.ignored, p.hidden}
	return err
}

// feeder fills batches.
type feeder struct {
	grep *grep
	b    *batch
	size int // of the next batch
	dirs int
}

func (f *feeder) add(ctx context.Context, it item) error {
	if f.b == nil {
		f.b = &batch{items: make([]item, 0, f.size), reports: make(chan []report, 1)}
	}
	f.b.items = append(f.b.items, it)
	if len(f.b.items) < f.size {
		return nil
	}
	f.size = min(2*f.size, maxBatch)
	return f.flush(ctx)
}

// enter notes that what follows lies in another directory.
func (f *feeder) enter(ctx context.Context) error {
	if f.dirs++; f.dirs >= maxBatchDirs {
		return f.flush(ctx)
	}
	return nil
}

func (f *feeder) flush(ctx context.Context) error {
	f.dirs = 0
	if f.b == nil {
		return nil
	}
	// First in line for collecting, then for work: a worker that waits for its
	// reports to be taken then always waits for batches ahead of it, never behind.
	select {
	case f.grep.order <- f.b:
		f.grep.work <- f.b // has room for all that order holds
		f.b = nil
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drop closes the files of a batch that nobody took.
func (f *feeder) drop() {
	if f.b != nil {
		f.b.close()
		f.b = nil
	}
}

func (b *batch) close() {
	for i := range b.items {
		if b.items[i].file != nil {
			b.items[i].file.Close()
		}
	}
}

// worker searches batches until there are none; after a cancel it only closes them.
func (g *grep) worker(ctx context.Context) {
	var out reporter
	s := newScanner(g.opts.Matcher, g.opts.Context, g.opts.Limit, func(m FileMatches) error {
		return out.add(ctx, report{index: out.index, matches: m})
	})
	for b := range g.work {
		out.begin(b)
		for i := range b.items {
			if ctx.Err() != nil {
				break
			}
			out.index = i
			if err := searchItem(ctx, s, &b.items[i]); err != nil && ctx.Err() == nil {
				_ = out.add(ctx, report{index: i, err: err}) // fails only after a cancel
			}
		}
		_ = out.flush(ctx)
		b.close()
		close(b.reports)
	}
}

func searchItem(ctx context.Context, s *scanner, it *item) error {
	if it.err != nil {
		return it.err
	}
	f, err := it.file.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	return s.scan(ctx, f, f.Info().Size())
}

// reporter collects the reports on a batch, so that they are handed over by
// the dozen.
type reporter struct {
	batch *batch
	index int // of the item in work
	held  []report
	bytes int
}

func (r *reporter) begin(b *batch) { r.batch = b }

func (r *reporter) add(ctx context.Context, rep report) error {
	r.held = append(r.held, rep)
	for _, l := range rep.matches.Lines {
		r.bytes += len(l.Text)
	}
	if r.bytes >= flushBytes || len(r.held) >= maxReport {
		return r.flush(ctx)
	}
	return nil
}

func (r *reporter) flush(ctx context.Context) error {
	if len(r.held) == 0 {
		return nil
	}
	held := r.held
	r.held, r.bytes = nil, 0
	select {
	case r.batch.reports <- held:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errEnough ends a search whose limit is reached.
var errEnough = errors.New("limit reached")

// collect takes the reports in order.
func (g *grep) collect(ctx context.Context, c *collector) error {
	for b := range g.order {
		for reports := range b.reports {
			for i := range reports {
				if err := c.report(b, &reports[i]); err != nil {
					return err
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	c.tally(g.final)
	return nil
}

// collector counts, cuts at the limit, and hands results to the caller.
type collector struct {
	limit   int
	context int
	real    string // of the directory that paths are relative to
	emit    func(*FileMatches) error
	stats   GrepStats

	file string // the last with a match
	last int64  // number of its last matching line that was handed on
}

func (c *collector) report(b *batch, r *report) error {
	it := &b.items[r.index]
	c.tally(it.tally)
	if r.err != nil {
		c.fail(it.path, r.err)
		return nil //nolint:nilerr // one file that can't be read does not end a search
	}
	r.matches.Path = it.path
	return c.matches(r.matches)
}

func (c *collector) tally(t tally) {
	c.stats.Files, c.stats.Ignored, c.stats.Hidden = t.files, t.ignored, t.hidden
}

func (c *collector) fail(rel string, err error) {
	c.stats.Failed++
	if len(c.stats.Errors) < maxErrors {
		c.stats.Errors = append(c.stats.Errors, FileError{Path: rel, Real: path.Join(c.real, rel), Err: err})
	}
}

func (c *collector) matches(m FileMatches) error {
	m.Real = path.Join(c.real, m.Path)
	if m.Path != c.file {
		c.file, c.last = m.Path, 0
	}
	if !c.count(&m) {
		m.Lines = c.trim(m.Lines)
	}
	if len(m.Lines) > 0 || m.Binary && !c.stats.Truncated {
		if err := c.emit(&m); err != nil {
			return emitError{err}
		}
	}
	if c.stats.Truncated {
		return errEnough
	}
	return nil
}

// count takes the matches in up to the limit; false if there was one too many,
// and m is cut before it.
func (c *collector) count(m *FileMatches) bool {
	if m.Binary {
		if !c.one() {
			return false
		}
		c.stats.MatchedFiles++
		c.stats.BinaryFiles++
		return true
	}
	for i := range m.Lines {
		if !m.Lines[i].IsMatch() {
			continue
		}
		if !c.one() {
			m.Lines = m.Lines[:i]
			return false
		}
		if c.last == 0 {
			c.stats.MatchedFiles++
		}
		c.last = m.Lines[i].Number
	}
	return true
}

// one counts a match if the limit permits it.
func (c *collector) one() bool {
	if c.limit > 0 && c.stats.Matches == int64(c.limit) {
		c.stats.Truncated = true
		return false
	}
	c.stats.Matches++
	return true
}

// trim takes off the context that only led to the match that was cut.
func (c *collector) trim(lines []Line) []Line {
	for len(lines) > 0 {
		l := lines[len(lines)-1]
		if c.last > 0 && l.Number <= c.last+int64(c.context) {
			break
		}
		lines = lines[:len(lines)-1]
	}
	return lines
}

// end turns what ended the search into what the caller sees.
func (c *collector) end(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return unwrapEmit(err)
}
