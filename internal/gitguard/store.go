package gitguard

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// store is the part of the operator's state that the guard uses. No agent can name
// what lies in it, but for the copies, which a command writes.
type store struct{ dir string }

const (
	copiesKind     = "copies"
	quarantineKind = "quarantine"
	runsKind       = "runs"
)

// journal makes a file that is locked until it is closed.
func (s store) journal(prefix string, text []byte) (*os.File, error) {
	dir := filepath.Join(s.dir, runsKind)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, prefix)
	if err != nil {
		return nil, err
	}
	if _, err = tryLock(f); err == nil {
		_, err = f.Write(text)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// leftJournals opens and locks the journals that nobody holds.
func (s store) leftJournals(prefix string) (left []*os.File, err error) {
	dir := filepath.Join(s.dir, runsKind)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0)
		if err != nil {
			continue // its run has just ended
		}
		if locked, err := tryLock(f); err != nil || !locked {
			_ = f.Close()
			continue
		}
		left = append(left, f)
	}
	return left, err
}

func removeFile(name string) error { return os.Remove(name) }

func readAll(f *os.File) ([]byte, error) { return io.ReadAll(f) }

// fresh makes a new directory of a kind.
func (s store) fresh(kind string) (string, error) {
	parent := filepath.Join(s.dir, kind)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	id := make([]byte, 6)
	_, _ = rand.Read(id) // never fails
	dir := filepath.Join(parent, time.Now().UTC().Format("20060102T150405Z-")+hex.EncodeToString(id))
	return dir, os.Mkdir(dir, 0o700)
}

func openDir(dir string) (*os.File, error) { return os.Open(dir) }

// writeCopy writes a new file into a directory that no command has seen yet.
func writeCopy(dir, name string, text []byte) error {
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// removeCopies removes what a command has had, and may have shut.
func removeCopies(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	openAll(dir)
	return os.RemoveAll(dir)
}

// openAll gives this user all rights to the directories below dir. Links are not
// followed.
func openAll(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close() //nolint:errcheck // only read
	_ = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
}

// lockPause is how long to wait for another run's cleaning before the next look.
const lockPause = 2 * time.Millisecond

// lock keeps the set-up and the cleaning of runs apart, also those of other
// processes.
func (s store) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		locked, err := tryLock(f)
		switch {
		case err != nil:
			_ = f.Close()
			return nil, err
		case locked:
			return func() { _ = f.Close() }, nil
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// readFull reads until the buffer is full or the file ends.
func readFull(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}
