package bailey

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/baileyhq/bailey/jail"
)

// A writer is the mark, in the state directory, of a process that may write in a
// workspace. It is a file that the process keeps locked. A mark that nobody holds
// is left from a crash: only then is the workspace searched for temporary files,
// because that costs a walk of the whole tree.
type writer struct{ lock *flock.Flock }

// enlist leaves this process's mark and cleans up after those that crashed.
func enlist(ctx context.Context, state string, j *jail.Jail) (*writer, error) {
	dir := filepath.Join(state, "writers", workspaceID(j))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	// First the own mark: if this process crashes while it cleans up, the next
	// one does it again.
	w, err := leaveMark(dir)
	if err != nil {
		return nil, err
	}
	if err := cleanUp(ctx, dir, w.lock.Path(), j); err != nil {
		return nil, errors.Join(err, w.leave())
	}
	return w, nil
}

// workspaceID names the set of folders that a jail may write in.
func workspaceID(j *jail.Jail) string {
	h := sha256.New()
	for _, f := range j.Folders() {
		if f.Mode == jail.ReadWrite {
			fmt.Fprintf(h, "%q\n", f.Real)
		}
	}
	const digits = 16
	return hex.EncodeToString(h.Sum(nil))[:digits]
}

func leaveMark(dir string) (*writer, error) {
	for {
		w := &writer{flock.New(filepath.Join(dir, newSession()))}
		locked, err := w.lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("state directory: %w", err)
		}
		if !locked {
			continue
		}
		// Somebody who cleaned up may have taken the file for a left-over in the
		// moment before it was locked.
		if _, err := os.Stat(w.lock.Path()); err == nil {
			return w, nil
		}
		_ = w.lock.Close()
	}
}

// cleanUp sweeps the workspace once if a mark is left over, then removes such
// marks.
func cleanUp(ctx context.Context, dir, own string, j *jail.Jail) error {
	marks, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	swept := false
	for _, m := range marks {
		path := filepath.Join(dir, m.Name())
		if path == own {
			continue
		}
		mark := flock.New(path, flock.SetFlag(os.O_RDWR))
		locked, err := mark.TryLock()
		if errors.Is(err, fs.ErrNotExist) || err == nil && !locked {
			continue // gone meanwhile, or alive
		}
		if err != nil {
			return fmt.Errorf("state directory: %w", err)
		}
		if !swept {
			_, err = j.Sweep(ctx)
			swept = err == nil
		}
		if err == nil {
			err = os.Remove(path)
		}
		if err = errors.Join(err, mark.Close()); err != nil {
			return err
		}
	}
	return nil
}

// leave takes the mark away: this process has nothing half done.
func (w *writer) leave() error {
	return errors.Join(os.Remove(w.lock.Path()), w.lock.Close())
}
