package covers

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// A Scanner scans the allowed folders of one workspace. Its methods may be called
// from several goroutines at once: calls that wait for one another share a scan
// that began after they came.
type Scanner struct {
	ws      *workspace.Workspace
	limit   int
	started atomic.Int64 // scans that have begun
	listed  atomic.Int64 // directories that were listed

	keepDir string // where what is known is kept for the next process, "" if nowhere

	mu      sync.Mutex
	loaded  bool
	saved   int64 // the count of listed directories when it was kept last
	grounds []*ground
	last    *Scan
	lastNo  int64
	version string
}

// New makes a Scanner that knows nothing yet: its first Scan lists every
// directory.
func New(ws *workspace.Workspace) *Scanner {
	s := &Scanner{ws: ws, limit: MaxCovers}
	for i := range ws.Jail().Folders() {
		s.grounds = append(s.grounds, newGround(ws.Jail(), i, &s.listed))
	}
	return s
}

// Scan finds what the folders hold now that the policy wants covered. It fails
// with ErrTooMany, and then returns all but the covers, with the context's error,
// or where a folder can't be read.
func (s *Scanner) Scan(ctx context.Context, p *policy.Policy) (*Scan, error) {
	came := s.started.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.lastNo > came && s.version == p.Version() {
		return s.last, nil
	}
	no := s.started.Add(1)
	if !s.loaded && s.keepDir != "" {
		s.load(p)
	}
	s.loaded = true
	a := newAssembly(s)
	for _, g := range s.grounds {
		if err := g.refresh(ctx, p); err != nil {
			s.last, g.root = nil, nil // half of an update is no base for the next
			return nil, err
		}
		if err := a.ground(g); err != nil {
			return nil, err
		}
	}
	s.save(p)
	scan, err := a.finish(ctx)
	if err != nil {
		return scan, err
	}
	s.last, s.lastNo, s.version = scan, no, p.Version()
	return scan, nil
}

// Directories counts those that are known.
func (s *Scanner) Directories() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, g := range s.grounds {
		if g.root != nil {
			n += len(g.root.all(nil))
		}
	}
	return n
}

// hooks returns the directories that git runs hooks from, for the repositories
// that belong to the given work trees.
func (s *Scanner) hooks(ctx context.Context, trees []string) []string {
	found := slices.Clone(s.ws.HooksPaths())
	for _, tree := range trees {
		found = append(found, s.ws.HooksOf(ctx, tree)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}
