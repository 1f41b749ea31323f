package tour

import (
	"context"
	"io/fs"
	"path/filepath"

	"github.com/baileyhq/bailey/jail"
)

// What is copied is enough to be real and little enough to be quick.
const (
	maxFiles = 2000
	maxBytes = 32 << 20
)

// skipped directories are large and teach nothing.
var skipped = map[string]bool{".git": true, "node_modules": true, ".venv": true, "target": true}

// copyFolder copies the regular files of a folder, through a jail on either side.
func copyFolder(ctx context.Context, source, dest string) (files int, more bool, err error) {
	from, err := jail.New(source, jail.WithWorkspaceMode(jail.ReadOnly), jail.WithForceRoot())
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = from.Close() }()
	to, err := jail.New(dest, jail.WithoutSync(), jail.WithForceRoot())
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = to.Close() }()
	top, err := from.Resolve(ctx, ".", jail.Existing)
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = top.Close() }()
	bytes := int64(0)
	err = top.Walk(ctx, jail.WalkOptions{Sorted: true, Stat: true}, func(e *jail.WalkEntry) error {
		switch {
		case e.Err() != nil:
			return nil //nolint:nilerr // what can't be read is not copied
		case e.IsDir() && skipped[e.Name()]:
			return fs.SkipDir
		case e.IsDir():
			return makeDir(ctx, to, e.Path())
		case !e.Type().IsRegular():
			return nil
		}
		info, err := e.Info()
		if err != nil || info.Size() > maxBytes/4 {
			return nil //nolint:nilerr // vanished, or too large to be of use
		}
		if files == maxFiles || bytes+info.Size() > maxBytes {
			more = true
			return fs.SkipAll
		}
		files, bytes = files+1, bytes+info.Size()
		return copyFile(e, to)
	})
	return files, more, err
}

func makeDir(ctx context.Context, to *jail.Jail, path string) error {
	o, err := to.Resolve(ctx, path, jail.Target)
	if err != nil {
		return err
	}
	defer func() { _ = o.Close() }()
	_, err = o.Mkdir(ctx, 0o700)
	return err
}

func copyFile(e *jail.WalkEntry, to *jail.Jail) error {
	f, err := e.Open()
	if err != nil {
		return nil // what can't be read is not copied
	}
	defer func() { _ = f.Close() }()
	content, err := f.ReadAll()
	if err != nil {
		return err
	}
	return to.WriteFile(filepath.ToSlash(e.Path()), content, 0o600)
}
