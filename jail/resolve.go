package jail

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// How says what a path is resolved for.
type How uint8

const (
	// Existing follows every link; the object must exist.
	Existing How = iota
	// Entry does not follow a link in the last place: the name itself is meant,
	// as for a removal. It must exist.
	Entry
	// Target is for creating and replacing: every link is followed, also a
	// dangling one whose target is inside. The object and the directories above
	// it may be absent.
	Target
)

func (h How) String() string {
	switch h {
	case Entry:
		return "entry"
	case Target:
		return "target"
	default:
		return "existing"
	}
}

const (
	maxLinks = 40      // as the kernel's own limit, path_resolution(7)
	maxPath  = 1 << 20 // bytes; the kernel's PATH_MAX does not bind a walk by components
)

// Resolve finds the object that a path names. Nothing is created, changed or
// waited for. Close the object in the end.
func (j *Jail) Resolve(ctx context.Context, name string, how How) (*Object, error) {
	return j.resolve(ctx, name, how, false)
}

// resolve is told by lean that the directory that holds the object will be neither
// locked nor synced. It is then held without the right to read it, which is
// quicker; should it be read after all, it is opened again.
func (j *Jail) resolve(ctx context.Context, name string, how How, lean bool) (*Object, error) {
	o, ok, err := j.fastResolve(name, how, lean)
	if !ok {
		o, err = j.walk(ctx, name, how)
	}
	if err != nil {
		return nil, report("resolve", name, err)
	}
	o.given = name
	return o, nil
}

// A walker resolves a path component by component in userspace, holding each
// directory, because openat2 alone would refuse every absolute link and every
// ".." that comes back. It is always inside one folder (cur is open) or outside
// of all of them, on the canonical way to one (outside is its path).
type walker struct {
	j       *Jail
	how     How
	pending []string // components to go, the next one last
	links   int
	dotted  bool // the last component as given is "." or ".."
	viaLink bool // the last component is a link that a "/" behind it made follow

	folder  *folder
	cur     dir
	trail   []step // from the folder down to cur
	outside string
}

// A step is one directory of the trail.
type step struct {
	name  string
	above Info // the directory in which name was found
}

// walkTries bounds how often a walk starts again because something was swapped
// under it.
const walkTries = 128

func (j *Jail) walk(ctx context.Context, name string, how How) (*Object, error) {
	if name == "" || len(name) > maxPath || strings.IndexByte(name, 0) >= 0 {
		return nil, errInvalid
	}
	for tries := 1; ; tries++ {
		w := &walker{j: j, how: how}
		switch name[strings.LastIndexByte(name, '/')+1:] {
		case ".", "..":
			w.dotted = true
		}
		o, err := w.begin(ctx, name)
		if err == nil {
			return o, nil
		}
		w.leave()
		if !swapped(err) || tries == walkTries {
			return nil, err
		}
	}
}

// swapped tells whether an error can only mean that a name was another kind of
// object when it was looked at than when it was opened.
func swapped(err error) bool {
	return errors.Is(err, ErrChanged) || errors.Is(err, errIsLink) || errors.Is(err, syscall.EAGAIN)
}

// begin starts in the workspace, or at the top for an absolute path.
func (w *walker) begin(ctx context.Context, name string) (*Object, error) {
	w.push(name)
	var err error
	if path.IsAbs(name) {
		err = w.goOutside("/")
	} else {
		err = w.enter(w.j.folders[0])
	}
	if err != nil {
		return nil, err
	}
	return w.run(ctx)
}

// push puts the components of p before what is still to go. As for the kernel,
// "a/" means "a/.": a must be a directory, and a link in its place is followed.
func (w *walker) push(p string) {
	if strings.HasSuffix(p, "/") {
		w.pending = append(w.pending, ".")
	}
	parts := strings.Split(p, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] != "" {
			w.pending = append(w.pending, parts[i])
		}
	}
}

func (w *walker) enter(f *folder) error {
	w.leave()
	d, err := f.root.again()
	if err != nil {
		return err
	}
	w.folder, w.cur, w.outside = f, d, ""
	return nil
}

// leave closes the directory that the walk is in.
func (w *walker) leave() {
	if w.cur != nil {
		_ = w.cur.close()
	}
	w.cur, w.folder, w.trail = nil, nil, w.trail[:0]
}

// goOutside continues at a canonical path by name. If that lies in a folder
// after all (folders can be nested), the rest of the way is walked inside.
func (w *walker) goOutside(p string) error {
	if f, rel := w.j.folderOf(p); f != nil {
		for rel != "" && rel != "." {
			dirname, name := path.Split(rel)
			w.pending = append(w.pending, name)
			rel = strings.TrimSuffix(dirname, "/")
		}
		return w.enter(f)
	}
	if !w.j.leadsToFolder(p) {
		return errAbove
	}
	w.leave()
	w.outside = p
	return nil
}

func (w *walker) run(ctx context.Context) (*Object, error) {
	for len(w.pending) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name := w.pending[len(w.pending)-1]
		w.pending = w.pending[:len(w.pending)-1]
		var (
			o   *Object
			err error
		)
		switch {
		case name == ".":
		case name == "..":
			err = w.up()
		case w.folder == nil:
			err = w.approach(name)
		default:
			o, err = w.step(name)
		}
		if o != nil || err != nil {
			return o, err
		}
	}
	if w.folder == nil {
		return nil, errAbove
	}
	return w.arrived()
}

// up goes where the kernel would go. Above a folder there are only names, the
// canonical ones.
func (w *walker) up() error {
	switch {
	case w.folder == nil:
		return w.goOutside(path.Dir(w.outside))
	case len(w.trail) == 0:
		return w.goOutside(path.Dir(w.folder.Real))
	}
	last := w.trail[len(w.trail)-1]
	d, err := w.cur.parent(last.above)
	if err != nil {
		return err
	}
	_ = w.cur.close()
	w.cur, w.trail = d, w.trail[:len(w.trail)-1]
	return nil
}

// approach takes a component outside: it must be on the way to a folder.
func (w *walker) approach(name string) error {
	p := path.Join(w.outside, name)
	if f := w.j.folderNamed(p); f != nil {
		return w.enter(f)
	}
	return w.goOutside(p)
}

// step takes a component inside a folder. It returns an object if that was the
// last one.
func (w *walker) step(name string) (*Object, error) {
	if w.j.nested {
		if f := w.j.folderNamed(w.real(name)); f != nil && f.Real == w.real(name) {
			return nil, w.enter(f)
		}
	}
	last := len(w.pending) == 0
	info, err := w.cur.lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && w.how == Target:
		return w.absent(name)
	case err != nil:
		return nil, err
	case info.IsLink() && last && w.how == Entry:
		return w.object(name, info), nil
	case info.IsLink():
		w.viaLink = w.viaLink || w.nothingMore()
		return nil, w.follow(name)
	case last && w.how != Existing:
		return w.object(name, info), nil
	case info.IsDir():
		return nil, w.descend(name)
	case !last:
		return nil, errNotDirectory
	default:
		return w.existing(name, info)
	}
}

// nothingMore tells whether the path as given has no further name, so that a
// "link/" stands for where the link leads.
func (w *walker) nothingMore() bool {
	for _, name := range w.pending {
		if name != "." {
			return false
		}
	}
	return true
}

// real is the real path of a name in the current directory.
func (w *walker) real(name string) string { return w.folder.join(w.rel(name)) }

func (w *walker) rel(name string) string {
	var b strings.Builder
	for _, s := range w.trail {
		b.WriteString(s.name)
		b.WriteByte('/')
	}
	b.WriteString(name)
	return b.String()
}

func (w *walker) follow(name string) error {
	if w.links++; w.links > maxLinks {
		return errLoop
	}
	target, err := w.cur.readlink(name)
	if errors.Is(err, syscall.EINVAL) {
		return ErrChanged // no link any more
	}
	if err != nil {
		return err
	}
	if target == "" {
		return syscall.ENOENT
	}
	w.push(target)
	if path.IsAbs(target) {
		return w.goOutside("/")
	}
	return nil
}

// descend enters a directory. The trail remembers what it was found in, so that
// ".." needs no open descriptor for each level.
func (w *walker) descend(name string) error {
	above, err := w.cur.info()
	if err != nil {
		return err
	}
	d, err := w.cur.openDir(name, false)
	if errors.Is(err, errMount) && w.j.mayCross(w.real(name)) {
		d, err = w.cur.openDir(name, true)
		if err == nil {
			d, err = refuseKernel(d)
		}
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return ErrChanged // it was one a moment ago
	}
	if err != nil {
		return err
	}
	_ = w.cur.close()
	w.cur = d
	w.trail = append(w.trail, step{name: name, above: above})
	return nil
}

// object is the name in the current directory; it takes that directory over.
func (w *walker) object(name string, info Info) *Object {
	o := &Object{
		j: w.j, folder: w.folder, rel: w.rel(name), parent: w.cur, base: name,
		info: info, exists: true, dotted: w.dotted,
	}
	w.cur = nil
	return o
}

// existing opens a file that is there.
func (w *walker) existing(name string, info Info) (*Object, error) {
	o := &Object{j: w.j, folder: w.folder, rel: w.rel(name), info: info, exists: true}
	if info.IsSpecial() && !info.harmlessDevice() {
		w.leave()
		return o, nil
	}
	f, err := w.cur.openFile(name)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, ErrChanged
	case errors.Is(err, fs.ErrPermission) && !errors.Is(err, ErrSpecial):
		o.sealed = true
	case err != nil:
		return nil, err
	default:
		f.folder, f.rel = o.folder, o.rel
		o.file, o.info = f, f.info
	}
	w.leave()
	return o, nil
}

// absent is a name that is not there, with directories above it that are not
// there either.
func (w *walker) absent(name string) (*Object, error) {
	names := []string{name}
	wantDir := len(w.pending) > 0 && w.pending[0] == "."
	for i := len(w.pending) - 1; i >= 0; i-- {
		switch w.pending[i] {
		case ".":
		case "..":
			return nil, syscall.ENOENT // as the kernel: there is nothing to go up from
		default:
			names = append(names, w.pending[i])
		}
	}
	o := &Object{
		j: w.j, folder: w.folder, rel: w.rel(strings.Join(names, "/")), parent: w.cur,
		base: names[len(names)-1], absent: names[:len(names)-1], wantDir: wantDir,
	}
	w.cur = nil
	return o, nil
}

// arrived ends a walk whose last component led into a directory.
func (w *walker) arrived() (*Object, error) {
	info, err := w.cur.info()
	if err != nil {
		return nil, err
	}
	o := &Object{j: w.j, folder: w.folder, info: info, exists: true, dotted: w.dotted, viaLink: w.viaLink}
	if len(w.trail) == 0 {
		o.rel, o.self = ".", w.cur
		o.info.name = path.Base(w.folder.Real)
		w.cur = nil
		return o, nil
	}
	last := w.trail[len(w.trail)-1]
	o.base = last.name
	o.info.name = last.name
	o.rel = strings.TrimSuffix(w.rel(""), "/")
	o.self = w.cur
	if w.how != Existing {
		if o.parent, err = w.cur.parent(last.above); err != nil {
			return nil, err
		}
	}
	w.cur = nil
	return o, nil
}
