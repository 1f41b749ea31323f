package workspace

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/baileyhq/bailey/jail"
)

// InsideError says that a directory that must stay out of an agent's reach lies
// inside an allowed folder.
type InsideError struct {
	Dir    string // the directory, as named in the options
	Folder string // the allowed folder that holds it
}

func (e *InsideError) Error() string {
	return fmt.Sprintf("%s lies inside the allowed folder %s, where an agent could change it; name another directory", e.Dir, e.Folder)
}

// checkOutside refuses directories that lie inside an allowed folder.
func (w *Workspace) checkOutside(ctx context.Context, dirs []string) error {
	folders := map[jail.FileID]string{}
	for _, f := range w.jail.Folders() {
		id, err := folderID(ctx, w.jail, f.Real)
		if err != nil {
			return err
		}
		folders[id] = f.Real
	}
	for _, dir := range dirs {
		folder, err := holder(ctx, dir, folders)
		if err != nil {
			return err
		}
		if folder != "" {
			return &InsideError{Dir: dir, Folder: folder}
		}
	}
	return nil
}

// holder returns the allowed folder that dir is or lies in, or "". It looks at
// each directory above dir as it is spelled, and above the real directory that
// the spelling leads to. Directories that do not exist yet are passed over: what
// counts is where they would be made.
func holder(ctx context.Context, dir string, folders map[jail.FileID]string) (string, error) {
	spelled, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("state directory %s: %w", dir, err)
	}
	folder, real := firstAbove(ctx, spelled, folders)
	if folder == "" && real != "" {
		folder, _ = firstAbove(ctx, real, folders)
	}
	return folder, nil
}

// firstAbove goes from path to the file system's root and returns the first
// allowed folder that it meets, and the real path of the first directory that
// exists.
func firstAbove(ctx context.Context, path string, folders map[jail.FileID]string) (folder, real string) {
	for {
		found, id, ok := identify(ctx, path)
		if ok && real == "" {
			real = found
		}
		if in, inside := folders[id]; ok && inside {
			return in, real
		}
		parent := filepath.Dir(path)
		if parent == path {
			return "", real
		}
		path = parent
	}
}

// identify returns the real path and the identity of a directory, wherever it is.
func identify(ctx context.Context, path string) (real string, id jail.FileID, ok bool) {
	j, err := jail.New(path, jail.WithForceRoot())
	if err != nil {
		return "", jail.FileID{}, false
	}
	defer j.Close()
	id, err = folderID(ctx, j, j.Root())
	return j.Root(), id, err == nil
}

func folderID(ctx context.Context, j *jail.Jail, real string) (jail.FileID, error) {
	o, err := j.Resolve(ctx, real, jail.Existing)
	if err != nil {
		return jail.FileID{}, fmt.Errorf("allowed folder %s: %w", real, err)
	}
	defer o.Close()
	return o.Info().ID(), nil
}
