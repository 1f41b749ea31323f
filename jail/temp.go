package jail

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"syscall"
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
	gone bool // renamed into place
	handle
}

func tempName() string {
	var random [tempRandom / 2]byte
	_, _ = rand.Read(random[:]) // never fails
	return tempPrefix + hex.EncodeToString(random[:])
}

// newTemp makes a temporary file. Without the lock a sweep may take it away:
// that is for who places it at once.
func newTemp(in dir, perm fs.FileMode, lock bool) (*temp, error) {
	for {
		t := &temp{in: in, name: tempName()}
		var err error
		t.handle, err = in.create(t.name, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !lock {
			return t, nil
		}
		if _, err := t.tryLock(); errors.Is(err, errLocked) {
			t.discard() // a sweep was quicker
			continue
		}
		return t, nil
	}
}

// Write makes a temp the io.Writer of Replace's caller.
func (t *temp) Write(p []byte) (done int, err error) {
	for done < len(p) {
		n, err := t.write(p[done:])
		if err != nil {
			return done, &tempError{bare(err)}
		}
		done += n
	}
	return done, nil
}

// A tempError is a failure to write the temporary file, as opposed to one of
// the caller's own.
type tempError struct{ err error }

func (e *tempError) Error() string { return e.err.Error() }
func (e *tempError) Unwrap() error { return e.err }

// blame tells the caller's own failures from those of the file.
func blame(err error) error {
	var failed *tempError
	if errors.As(err, &failed) {
		return failed.err
	}
	return &callersError{err}
}

// discard removes the file unless it is in place.
func (t *temp) discard() {
	_ = t.shut()
	if !t.gone {
		_ = t.in.remove(t.name, false)
	}
}

// lockPatience is how long a writer waits for another one of the same directory.
// Somebody who never lets go must not hang a call.
var lockPatience = 5 * time.Second

// lockDir takes the lock that makes look-then-rename of Bailey's own writers one
// step, also between processes.
func lockDir(ctx context.Context, d dir) (unlock func(), err error) {
	deadline := time.Now().Add(lockPatience)
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		unlock, err = d.tryLock()
		switch {
		case noLocks(err):
			return func() {}, nil
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

// lockBoth locks two directories, always in the same order, so that two movers
// never wait for each other. Both may be one and the same.
func lockBoth(ctx context.Context, a, b dir) (unlock func(), err error) {
	x, err := a.info()
	if err != nil {
		return nil, err
	}
	y, err := b.info()
	switch {
	case err != nil:
		return nil, err
	case x.same(y), x.id == FileID{}: // without inode numbers one lock serves all
		return lockDir(ctx, a)
	case y.id.Dev < x.id.Dev || y.id.Dev == x.id.Dev && y.id.Ino < x.id.Ino:
		a, b = b, a
	}
	first, err := lockDir(ctx, a)
	if err != nil {
		return nil, err
	}
	second, err := lockDir(ctx, b)
	if err != nil {
		first()
		return nil, err
	}
	return func() { second(); first() }, nil
}

// noLocks tells that there is no lock to be had: the directory may be written but
// not read, or its file system (NFS) locks no directories.
func noLocks(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBADF) || errors.Is(err, syscall.ENOLCK) ||
		errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
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
			switch {
			case e.Err() != nil:
			case e.IsDir() && j.nested && j.folderNamed(e.Real()) != nil:
				return fs.SkipDir // swept, or left alone, as a folder of its own
			case isTemp(e.Name()) && e.Type().IsRegular() && sweepOne(e.dir(), e.Name()):
				removed++
			}
			return nil //nolint:nilerr // what can't be read is not swept
		}), o.Close())
	}
	return removed, errors.Join(errs...)
}

// sweepOne removes one left-over, holding its lock meanwhile, and that of the
// directory: between a writer's exchange and its verdict the temporary name is
// that of the old file.
func sweepOne(in dir, name string) bool {
	unlock, err := in.tryLock()
	if err != nil && !noLocks(err) {
		return false
	}
	if err == nil {
		defer unlock()
	}
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
