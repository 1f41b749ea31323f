//go:build !linux && !darwin

package jail

import (
	"errors"
	"sync"
)

// errLocked: another of Bailey's writers has the directory.
var errLocked = errors.New("is locked by another writer")

// writers stands in for a lock of the file system: it serialises the writers of
// this process only.
var writers sync.Mutex

func tryFlock(int) (unlock func(), err error) {
	if !writers.TryLock() {
		return nil, errLocked
	}
	return writers.Unlock, nil
}
