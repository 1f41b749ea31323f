//go:build !linux

package approval

import (
	"path/filepath"

	"github.com/gofrs/flock"
)

const attendName = "approvals.watch"

// Attend says that somebody is there who answers requests, until leave is called
// or the process ends.
func (s *Store) Attend() (leave func() error, err error) {
	lock := flock.New(filepath.Join(s.dir, attendName))
	if err := lock.RLock(); err != nil {
		return nil, broken(err)
	}
	return lock.Close, nil
}

// Attended reports whether somebody watches, in any process. Where two processes
// ask at the same moment, one may take the other for a watcher.
func (s *Store) Attended() (bool, error) {
	lock := flock.New(filepath.Join(s.dir, attendName))
	free, err := lock.TryLock()
	if err != nil {
		return false, broken(err)
	}
	return !free, lock.Close()
}
