package jail

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"time"
)

// Temporary files have a random name that nobody can prepare (O_EXCL refuses one
// that is taken) and a prefix by which a later start finds what a crash left.
const (
	tempPrefix = ".bailey-tmp-"
	tempRandom = 16 // hexadecimal digits
)

// A temp is a new file beside the one that it is to replace. While its writer
// lives it holds the file's advisory lock: a sweep leaves it alone.
type temp struct {
	in   dir
	name string
	f    *os.File
	gone bool // renamed into place
}

func newTemp(in dir, perm fs.FileMode) (*temp, error) {
	for {
		var random [tempRandom / 2]byte
		_, _ = rand.Read(random[:]) // never fails
		t := &temp{in: in, name: tempPrefix + hex.EncodeToString(random[:])}
		f, err := in.create(t.name, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		t.f = f
		if _, err := tryFlock(int(f.Fd())); errors.Is(err, errLocked) {
			t.discard() // a sweep was quicker
			continue
		}
		return t, nil
	}
}

// discard removes the file unless it is in place.
func (t *temp) discard() {
	_ = t.f.Close()
	if !t.gone {
		_ = t.in.remove(t.name, false)
	}
}

func (t *temp) info() (Info, error) {
	fi, err := t.f.Stat()
	if err != nil {
		return Info{}, err
	}
	return fromFileInfo(fi), nil
}

// lockPatience is how long a writer waits for another one of the same directory.
// Somebody who never lets go must not hang a call.
const lockPatience = 5 * time.Second

// lockDir takes the lock that makes look-then-rename of Bailey's own writers one
// step, also between processes.
func lockDir(ctx context.Context, d dir) (unlock func(), err error) {
	deadline := time.Now().Add(lockPatience)
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		unlock, err = d.tryLock()
		switch {
		case errors.Is(err, fs.ErrPermission):
			return func() {}, nil // may be searched and written but not read: no lock to be had
		case !errors.Is(err, errLocked):
			return unlock, err
		case time.Now().After(deadline):
			return nil, &cause{errLocked, ErrChanged}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Sweep removes the temporary files that a crashed writer left in the writable
// folders, and tells how many. It leaves alone what a living writer holds.
func (j *Jail) Sweep(ctx context.Context) (removed int, err error) {
	var errs []error
	for _, f := range j.folders {
		if f.Mode != ReadWrite {
			continue
		}
		o, err := j.Resolve(ctx, f.Real, Existing)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, o.traverse(ctx, WalkOptions{}, true, func(e *WalkEntry) error {
			if e.Err() == nil && isTemp(e.Name()) && e.Type().IsRegular() && sweepOne(e.dir(), e.Name()) {
				removed++
			}
			return nil
		}), o.Close())
	}
	return removed, errors.Join(errs...)
}

// sweepOne removes one left-over, holding its lock meanwhile.
func sweepOne(in dir, name string) bool {
	f, err := in.openFile(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	if _, err := f.tryLock(); err != nil {
		return false
	}
	return in.remove(name, false) == nil
}
