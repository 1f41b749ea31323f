package jail

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// An Object is what a path was resolved to: a file, a directory, a link, a
// special file, or (for Target) a name that is free. It holds the object, or the
// directory in which the name lies, open. An Object is for one goroutine.
type Object struct {
	j      *Jail
	given  string
	folder *folder
	rel    string // real path below the folder

	parent dir    // the directory that holds base, unless How was Existing
	base   string // the last name of the real path
	absent []string
	self   dir   // the directory itself, once it was opened
	file   *File // the file, opened with it (How Existing)

	info    Info
	exists  bool
	sealed  bool // it is there, but may not be opened
	dotted  bool // the path ended in "." or ".."
	viaLink bool // the path was a link with "/" behind it: this is where it leads
	wantDir bool // the path of an absent object ended in "/"

	confirm Confirm
	made    []madeName // directories that an act made above the object, to be undone
}

// Given is the path as the caller gave it.
func (o *Object) Given() string { return o.given }

// Real is the absolute real path: the one of the object that the acts use.
func (o *Object) Real() string { return o.folder.join(o.rel) }

// Exists tells whether the object was there when it was resolved.
func (o *Object) Exists() bool { return o.exists }

// Info is what the object was like when it was resolved; zero if it was absent.
func (o *Object) Info() Info { return o.info }

// Folder is the allowed folder that holds the object.
func (o *Object) Folder() Folder { return o.folder.Folder }

// IsRoot tells whether the object is an allowed folder itself.
func (o *Object) IsRoot() bool { return o.rel == "." || o.rel == "" }

// Absent lists the real paths of the directories above the object that are not
// there, outermost first.
func (o *Object) Absent() []string {
	if len(o.absent) == 0 {
		return nil
	}
	at := o.Real()
	dirs := make([]string, len(o.absent))
	for i := len(dirs) - 1; i >= 0; i-- {
		at = path.Dir(at)
		dirs[i] = at
	}
	return dirs
}

// Close lets go of the object. A file that Open returned stays open.
func (o *Object) Close() error {
	var errs []error
	if o.file != nil {
		errs = append(errs, o.file.Close())
		o.file = nil
	}
	for _, d := range []dir{o.self, o.parent} {
		if d != nil {
			errs = append(errs, d.close())
		}
	}
	for _, m := range o.made {
		errs = append(errs, m.in.close())
	}
	o.self, o.parent, o.made = nil, nil, nil
	return errors.Join(errs...)
}

func (o *Object) fail(op string, err error) error { return report(op, o.given, err) }

// Open opens a regular file for reading. The file is the caller's to close. What
// was resolved as Existing is open already and is handed over: a second Open
// fails.
func (o *Object) Open() (*File, error) {
	f, err := o.open()
	return f, o.fail("open", err)
}

func (o *Object) open() (*File, error) {
	kind := o.info.specialKind()
	switch {
	case !o.exists:
		return nil, fs.ErrNotExist
	case o.info.IsDir():
		return nil, errIsDirectory
	case kind != "" && !o.info.harmlessDevice():
		return nil, &SpecialError{Kind: kind}
	case o.j.denyHardLinks && o.info.nlink > 1:
		return nil, errHardLink
	case o.sealed:
		return nil, fs.ErrPermission
	case o.file != nil:
		f := o.file
		o.file = nil
		return f, nil
	case o.parent == nil:
		return nil, fs.ErrClosed // was handed over already
	}
	f, err := o.parent.openFile(o.base)
	if err != nil {
		if errors.Is(err, errIsLink) {
			err = ErrChanged
		}
		return nil, err
	}
	switch {
	case !f.info.same(o.info):
		err = ErrChanged
	case o.j.denyHardLinks && f.info.nlink > 1:
		err = errHardLink
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	f.folder, f.rel = o.folder, o.rel
	return f, nil
}

// Readlink tells where a symbolic link (resolved as Entry) points, as the link
// spells it.
func (o *Object) Readlink() (string, error) {
	if o.parent == nil || !o.info.IsLink() {
		return "", o.fail("readlink", fs.ErrInvalid)
	}
	target, err := o.parent.readlink(o.base)
	return target, o.fail("readlink", err)
}

// directory is the object itself as a directory, held until Close.
func (o *Object) directory() (dir, error) {
	switch {
	case o.self != nil:
		return o.self, nil
	case !o.exists:
		return nil, fs.ErrNotExist
	case !o.info.IsDir():
		return nil, errNotDirectory
	case o.parent == nil:
		return nil, ErrChanged
	}
	d, err := o.parent.openDir(o.base, o.j.mayCross(o.Real()))
	if err != nil {
		if errors.Is(err, errIsLink) || errors.Is(err, syscall.ENOTDIR) {
			err = ErrChanged
		}
		return nil, err
	}
	info, err := d.info()
	if err == nil && !info.same(o.info) {
		err = ErrChanged
	}
	if err == nil {
		_, err = refuseKernelIfCrossed(d, o)
	}
	if err != nil {
		_ = d.close()
		return nil, err
	}
	o.self = d
	return d, nil
}

// refuseKernelIfCrossed looks at the file system only where a mount was crossed.
func refuseKernelIfCrossed(d dir, o *Object) (dir, error) {
	if o.j.mayCross(o.Real()) && kernelDir(d) {
		return nil, &SpecialError{Kind: "kernel file system"}
	}
	return d, nil
}

// Verify makes sure, after a wait, that the real path still names this object
// (or still nothing), in the same directory. It fails with ErrChanged. Whether
// the content is the same is for the caller to compare.
func (o *Object) Verify(ctx context.Context) error {
	how := Entry
	if !o.exists {
		how = Target
	}
	if o.IsRoot() {
		return nil // held open for life
	}
	now, err := o.j.Resolve(ctx, o.Real(), how)
	switch {
	case ctx.Err() != nil:
		return o.fail("verify", ctx.Err())
	case err != nil:
		return o.fail("verify", ErrChanged) // it could be resolved before
	}
	defer func() { _ = now.Close() }()
	if now.exists != o.exists || now.Real() != o.Real() || len(now.absent) != len(o.absent) ||
		o.exists && !now.info.same(o.info) {
		return o.fail("verify", ErrChanged)
	}
	if o.parent != nil {
		return o.fail("verify", sameDir(o.parent, now.parent))
	}
	return nil
}

func sameDir(a, b dir) error {
	x, err := a.info()
	if err != nil {
		return err
	}
	y, err := b.info()
	if err != nil {
		return err
	}
	if !x.same(y) {
		return ErrChanged
	}
	return nil
}

// writable makes sure that the object may be changed, and that a name in a held
// directory stands for it.
func (o *Object) writable() error {
	switch {
	case o.folder.Mode != ReadWrite:
		return errReadOnly
	case o.IsRoot(), o.dotted, o.parent == nil:
		return errRoot
	default:
		return nil
	}
}

// here makes sure that the name still stands for the object, right before an act.
func (o *Object) here() error {
	now, err := o.parent.lstat(o.base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if o.exists {
			return ErrChanged
		}
		return nil
	case err != nil:
		return err
	case !o.exists || !now.same(o.info):
		return ErrChanged
	default:
		return nil
	}
}

// Mkdir makes the directory and those above it that are absent. A directory that
// is there already is a success. It returns the real paths that it made.
func (o *Object) Mkdir(ctx context.Context, perm fs.FileMode) (made []string, err error) {
	switch {
	case o.exists && o.info.IsDir():
		return nil, nil
	case o.exists:
		return nil, o.fail("mkdir", fs.ErrExist)
	}
	if err := o.writable(); err != nil {
		return nil, o.fail("mkdir", err)
	}
	made, err = o.makeParents(ctx, perm)
	if err != nil {
		return made, o.fail("mkdir", err)
	}
	d, isNew, err := makeDir(o.parent, o.base, perm)
	if err != nil {
		return made, o.fail("mkdir", err)
	}
	if isNew {
		made = append(made, o.Real())
	}
	info, err := d.info()
	if err == nil && isNew {
		if err = o.confirmMade(made); err != nil {
			o.unmake(o.parent, o.base, info)
			made = nil
		}
	}
	if err != nil {
		_ = d.close()
		return made, o.fail("mkdir", err)
	}
	o.self, o.info, o.exists = d, info, true
	o.info.name = o.base
	return made, o.fail("mkdir", o.flush(o.parent))
}

// flush makes the names of a directory durable, unless that is not wanted or the
// directory may not be read (write and search are enough to change it).
func (o *Object) flush(d dir) error {
	if o.j.noSync {
		return nil
	}
	err := d.sync()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// makeParents makes the absent directories one by one, each beneath the one that
// it just made or found, and moves the object's parent down.
func (o *Object) makeParents(ctx context.Context, perm fs.FileMode) (made []string, err error) {
	dirs := o.Absent()
	for i := 0; err == nil && len(o.absent) > 0; i++ {
		var isNew bool
		if isNew, err = o.makeParent(ctx, perm); isNew {
			made = append(made, dirs[i])
		}
	}
	// Also where something went wrong: what was made until then stays.
	if confirmed := o.confirmMade(made); confirmed != nil {
		o.unmakeParents()
		return nil, confirmed
	}
	return made, err
}

// makeParent makes the outermost absent directory and goes down into it.
func (o *Object) makeParent(ctx context.Context, perm fs.FileMode) (isNew bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	name := o.absent[0]
	d, isNew, err := makeDir(o.parent, name, perm)
	if err != nil {
		return isNew, err
	}
	err = o.flush(o.parent)
	if info, ierr := d.info(); isNew && ierr == nil && o.confirm != nil {
		o.made = append(o.made, madeName{o.parent, name, info})
	} else {
		_ = o.parent.close()
	}
	o.parent, o.absent = d, o.absent[1:]
	return isNew, err
}

// makeDir makes or finds a directory. What somebody else made there meanwhile is
// used if it is a directory, and never followed if it is a link.
func makeDir(in dir, name string, perm fs.FileMode) (d dir, isNew bool, err error) {
	err = in.mkdir(name, perm)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, false, err
	}
	isNew = err == nil
	d, err = in.openDir(name, false)
	switch {
	case errors.Is(err, errIsLink), errors.Is(err, syscall.ENOTDIR):
		return nil, isNew, ErrChanged
	case err != nil:
		return nil, isNew, err
	}
	return d, isNew, nil
}

// The short forms resolve and act in one call, for callers that judge nothing.

// Open opens a regular file for reading, following links that stay inside.
func (j *Jail) Open(name string) (*File, error) {
	f, ok, err := j.fastOpen(name)
	if !ok {
		var o *Object
		if o, err = j.walk(context.Background(), name, Existing); err == nil {
			o.given = name
			f, err = o.open()
			_ = o.Close()
		}
	} else if err == nil && j.denyHardLinks && f.info.nlink > 1 {
		_ = f.Close()
		err = errHardLink
	}
	if err != nil {
		return nil, report("open", name, err)
	}
	return f, nil
}

// Stat describes the object that a path leads to, following links.
func (j *Jail) Stat(name string) (Info, error) {
	info, ok, err := j.fastStat(name)
	if !ok {
		var o *Object
		if o, err = j.walk(context.Background(), name, Existing); err == nil {
			info = o.info
			_ = o.Close()
		}
	}
	return info, report("stat", name, err)
}

// ReadFile reads a whole regular file.
func (j *Jail) ReadFile(name string) ([]byte, error) {
	f, err := j.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.ReadAll()
}

func isTemp(name string) bool {
	return len(name) == len(tempPrefix)+tempRandom && strings.HasPrefix(name, tempPrefix)
}
