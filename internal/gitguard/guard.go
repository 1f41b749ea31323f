package gitguard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/sandbox"
	"github.com/baileyhq/bailey/workspace"
)

// Inside is where a command finds the copies of git configurations.
const Inside = "/run/bailey-git"

// A Guard watches over the repositories of one workspace. Its methods may be called
// from several goroutines at once.
type Guard struct {
	ws      *workspace.Workspace
	scanner *covers.Scanner
	store   store
}

// New makes a Guard. The copies, the quarantine and a lock lie below dir, an
// absolute path out of the agent's reach, which is made when it is needed.
func New(ws *workspace.Workspace, scanner *covers.Scanner, dir string) *Guard {
	return &Guard{ws: ws, scanner: scanner, store: store{dir: dir}}
}

// A Run is one command, from before its start until it is cleaned up after. It is
// for one goroutine.
type Run struct {
	// Covers are those of the scan, with a link in the place of each configuration
	// that has a copy. Their Folder counts as jail.Folders does.
	Covers []sandbox.Cover
	// Copies is the directory of the copies, for a writable folder at Inside, held
	// open until Finish; nil if there are none.
	Copies *os.File

	guard   *Guard
	policy  *policy.Policy
	before  *covers.Scan
	start   time.Time
	dir     string // of the copies
	shadows []shadow
	moved   []string // real paths that were moved away, or are settled
	settled map[string]bool
	report  Report
	into    quarantine
	journal journal
}

// A shadow is a configuration with its copy.
type shadow struct {
	real string
	name string // of the copy, below the directory of the copies
	base []byte
}

// clockTick is how far the times of files may lag behind the clock.
const clockTick = 20 * time.Millisecond

// Begin scans the folders and makes the copies. Finish must be called in the end,
// whatever became of the command. It fails as covers.Scanner.Scan does.
//
// It first cleans up after runs that never came to Finish because Bailey was
// killed; what it finds is in the report of this run.
func (g *Guard) Begin(ctx context.Context, p *policy.Policy) (*Run, error) {
	start := time.Now().Add(-clockTick)
	unlock, err := g.store.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	left, err := g.recover(ctx, p)
	if err != nil {
		return nil, err
	}
	scan, err := g.scanner.Scan(ctx, p)
	if err != nil {
		return nil, err
	}
	r := &Run{guard: g, policy: p, before: scan, start: start, Covers: slices.Clone(scan.Covers), settled: map[string]bool{}, report: left}
	if err := errors.Join(r.copyConfigs(ctx), r.begin()); err != nil {
		return nil, errors.Join(err, r.removeCopies(), r.end(true))
	}
	return r, nil
}

// copyConfigs makes a copy of each configuration that is covered, and has a link
// cover it instead.
func (r *Run) copyConfigs(ctx context.Context) error {
	type spot struct {
		folder int
		rel    string
	}
	at := map[spot]int{}
	for i, c := range r.Covers {
		if c.Kind == sandbox.ReadOnly {
			at[spot{c.Folder, c.Rel}] = i
		}
	}
	for _, repo := range r.before.Repositories {
		for _, file := range configFiles {
			rel := file
			if repo.Rel != "." {
				rel = repo.Rel + "/" + file
			}
			i, ok := at[spot{repo.Folder, rel}]
			if !ok || repo.Held {
				continue
			}
			if err := r.copyConfig(ctx, &r.Covers[i], repo.Real+"/"+file); err != nil {
				return err
			}
		}
	}
	return nil
}

// configFiles are the names of a repository's configuration.
var configFiles = []string{"config", "config.worktree"}

// copyConfig leaves a configuration that is not understood read-only.
func (r *Run) copyConfig(ctx context.Context, c *sandbox.Cover, real string) error {
	text, id, err := r.guard.read(ctx, real, maxConfig)
	if err != nil || id != (jail.FileID{Dev: c.Dev, Ino: c.Ino}) {
		return ctx.Err()
	}
	if _, err := parseConfig(text); err != nil {
		return nil //nolint:nilerr // that is what being read-only is for
	}
	if r.dir == "" {
		if err := r.makeCopies(); err != nil {
			return err
		}
	}
	// Each in a directory of its own: git makes a lock file beside it.
	name := filepath.Join(strconv.Itoa(len(r.shadows)), filepath.Base(real))
	if err := writeCopy(r.dir, name, text); err != nil {
		return err
	}
	c.Kind, c.Target = sandbox.Link, Inside+"/"+filepath.ToSlash(name)
	r.shadows = append(r.shadows, shadow{real: real, name: name, base: text})
	return nil
}

func (r *Run) makeCopies() (err error) {
	if r.dir, err = r.guard.store.fresh(copiesKind); err == nil {
		r.Copies, err = openDir(r.dir)
	}
	return err
}

func (r *Run) removeCopies() error {
	if r.Copies != nil {
		_ = r.Copies.Close()
		r.Copies = nil
	}
	if r.dir == "" {
		return nil
	}
	return removeCopies(r.dir)
}

// read reads a small regular file that has exactly this real path.
func (g *Guard) read(ctx context.Context, real string, limit int64) ([]byte, jail.FileID, error) {
	return readFile(ctx, g.ws.Jail(), real, limit)
}

var errNotPlain = errors.New("not a small regular file")

func readFile(ctx context.Context, j *jail.Jail, real string, limit int64) ([]byte, jail.FileID, error) {
	o, err := j.Resolve(ctx, real, jail.Entry)
	if err != nil {
		return nil, jail.FileID{}, err
	}
	defer o.Close()
	info := o.Info()
	if !info.Mode().IsRegular() || info.Size() > limit || o.Real() != real {
		return nil, info.ID(), errNotPlain
	}
	f, err := o.Open()
	if err != nil {
		return nil, info.ID(), err
	}
	defer f.Close()
	text := make([]byte, limit+1)
	n, err := readFull(f, text)
	if err == nil && int64(n) > limit {
		err = errNotPlain
	}
	return text[:n], info.ID(), err
}
