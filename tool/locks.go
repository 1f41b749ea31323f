package tool

import (
	"context"
	"slices"
	"sync"
)

// pathLocks lets calls of this process that change one real path take turns.
// The zero value is ready for use.
type pathLocks struct {
	mu    sync.Mutex
	paths map[string]*pathLock
}

type pathLock struct {
	turn  chan struct{} // holds a token while someone has the lock
	users int           // who has it or waits for it
}

// lock takes the locks of all paths, in one order so that no two calls wait for
// each other, and returns the function that gives them back.
func (l *pathLocks) lock(ctx context.Context, paths []string) (unlock func(), err error) {
	paths = slices.Clone(paths)
	slices.Sort(paths)
	paths = slices.Compact(paths)
	for i, p := range paths {
		select {
		case l.enter(p).turn <- struct{}{}:
		case <-ctx.Done():
			l.leave(p)
			l.unlock(paths[:i])
			return nil, ctx.Err()
		}
	}
	return func() { l.unlock(paths) }, nil
}

func (l *pathLocks) unlock(paths []string) {
	for _, p := range paths {
		l.mu.Lock()
		<-l.paths[p].turn
		l.mu.Unlock()
		l.leave(p)
	}
}

func (l *pathLocks) enter(p string) *pathLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paths == nil {
		l.paths = map[string]*pathLock{}
	}
	lock := l.paths[p]
	if lock == nil {
		lock = &pathLock{turn: make(chan struct{}, 1)}
		l.paths[p] = lock
	}
	lock.users++
	return lock
}

func (l *pathLocks) leave(p string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paths[p].users--; l.paths[p].users == 0 {
		delete(l.paths, p)
	}
}
