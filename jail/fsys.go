package jail

import (
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// FS is the workspace as an [fs.FS], so that any Go code can be confined to it.
// Links are followed while they stay inside. It also has ReadDir, Stat, ReadFile,
// Glob, Sub, Lstat and ReadLink.
func (j *Jail) FS() fs.FS { return &fsys{j: j, dir: "."} }

type fsys struct {
	j   *Jail
	dir string // below the workspace
}

var (
	_ fs.ReadDirFS  = (*fsys)(nil)
	_ fs.StatFS     = (*fsys)(nil)
	_ fs.ReadFileFS = (*fsys)(nil)
	_ fs.GlobFS     = (*fsys)(nil)
	_ fs.SubFS      = (*fsys)(nil)
	_ fs.ReadLinkFS = (*fsys)(nil)
)

func (f *fsys) resolve(op, name string, how How) (*Object, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	o, err := f.j.Resolve(context.Background(), path.Join(f.dir, name), how)
	if err != nil {
		return nil, report(op, name, err)
	}
	o.given = name
	return o, nil
}

// Open opens a file, or a directory that can be listed.
func (f *fsys) Open(name string) (fs.File, error) {
	o, err := f.resolve("open", name, Existing)
	if err != nil {
		return nil, err
	}
	if o.info.IsDir() {
		return &fsDir{o: o, name: path.Base(name)}, nil
	}
	defer func() { _ = o.Close() }()
	file, err := o.Open()
	if err != nil {
		return nil, err
	}
	file.info.name = path.Base(name)
	return file, nil
}

// Stat follows links.
func (f *fsys) Stat(name string) (fs.FileInfo, error) { return f.stat(name, Existing) }

// Lstat does not follow a link in the last place.
func (f *fsys) Lstat(name string) (fs.FileInfo, error) {
	if name == "." {
		return f.stat(name, Existing)
	}
	return f.stat(name, Entry)
}

func (f *fsys) stat(name string, how How) (fs.FileInfo, error) {
	o, err := f.resolve("stat", name, how)
	if err != nil {
		return nil, err
	}
	defer func() { _ = o.Close() }()
	o.info.name = path.Base(name)
	return o.info, nil
}

// ReadLink tells where a link points.
func (f *fsys) ReadLink(name string) (string, error) {
	o, err := f.resolve("readlink", name, Entry)
	if err != nil {
		return "", err
	}
	defer func() { _ = o.Close() }()
	return o.Readlink()
}

// ReadFile reads a whole file.
func (f *fsys) ReadFile(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	regular, ok := file.(*File)
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errIsDirectory}
	}
	return regular.ReadAll()
}

// ReadDir lists a directory by name.
func (f *fsys) ReadDir(name string) ([]fs.DirEntry, error) {
	o, err := f.resolve("readdir", name, Existing)
	if err != nil {
		return nil, err
	}
	defer func() { _ = o.Close() }()
	entries, err := listAll(o)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Sub is the same file system from a directory on. The directory is looked up
// again by each call.
func (f *fsys) Sub(name string) (fs.FS, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "sub", Path: name, Err: fs.ErrInvalid}
	}
	return &fsys{j: f.j, dir: path.Join(f.dir, name)}, nil
}

// Glob lists the names that match, as [fs.Glob].
func (f *fsys) Glob(pattern string) ([]string, error) {
	return fs.Glob(noGlob{f}, pattern)
}

// noGlob hides Glob, so that fs.Glob does the work.
type noGlob struct{ f *fsys }

func (n noGlob) Open(name string) (fs.File, error)          { return n.f.Open(name) }
func (n noGlob) Stat(name string) (fs.FileInfo, error)      { return n.f.Stat(name) }
func (n noGlob) ReadDir(name string) ([]fs.DirEntry, error) { return n.f.ReadDir(name) }

func listAll(o *Object) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	err := o.Walk(context.Background(), WalkOptions{Depth: 1, Stat: true}, func(e *WalkEntry) error {
		if info, err := e.Info(); err == nil {
			entries = append(entries, fs.FileInfoToDirEntry(info))
		}
		return nil
	})
	return entries, err
}

// fsDir is an open directory.
type fsDir struct {
	o       *Object
	name    string
	entries []fs.DirEntry
	listed  bool
}

func (d *fsDir) Stat() (fs.FileInfo, error) {
	info := d.o.info
	info.name = d.name
	return info, nil
}

func (d *fsDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errIsDirectory}
}

func (d *fsDir) Close() error { return d.o.Close() }

func (d *fsDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if !d.listed {
		var err error
		if d.entries, err = listAll(d.o); err != nil {
			return nil, err
		}
		d.listed = true
	}
	if n <= 0 {
		rest := d.entries
		d.entries = nil
		return rest, nil
	}
	if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	some := d.entries[:n:n]
	d.entries = d.entries[n:]
	return some, nil
}
