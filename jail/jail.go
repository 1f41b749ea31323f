package jail

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Jail is one or more allowed folders. Its methods may be called from several
// goroutines at once. Close it when no call is in progress any more.
type Jail struct {
	folders       []*folder // the first is the workspace
	engine        Engine
	nested        bool // a folder lies inside another one
	crossMounts   []string
	denyHardLinks bool
	noSync        bool
}

// An Engine is a way to reach the file system.
type Engine uint8

const (
	// EngineAuto takes openat2 where it works, else os.Root.
	EngineAuto Engine = iota
	// EngineOpenat2 needs Linux 5.6; New fails where it does not work.
	EngineOpenat2
	// EngineOSRoot is the weaker portable one.
	EngineOSRoot
)

func (e Engine) String() string {
	switch e {
	case EngineOpenat2:
		return "openat2"
	case EngineOSRoot:
		return "os.Root"
	default:
		return "auto"
	}
}

// An Option changes how New makes a Jail.
type Option func(*settings)

type settings struct {
	folders       []Folder // further ones, not yet canonical
	engine        Engine
	force         bool
	crossMounts   []string
	denyHardLinks bool
	noSync        bool
	mode          Mode
}

// WithFolder allows a further folder.
func WithFolder(dir string, mode Mode) Option {
	return func(s *settings) { s.folders = append(s.folders, Folder{Given: dir, Mode: mode}) }
}

// WithWorkspaceMode sets the mode of the workspace itself; the default is
// ReadWrite.
func WithWorkspaceMode(mode Mode) Option { return func(s *settings) { s.mode = mode } }

// WithForceRoot permits folders that New refuses: the root directory, home
// directories and what holds one, directories of keys.
func WithForceRoot() Option { return func(s *settings) { s.force = true } }

// WithEngine asks for one engine.
func WithEngine(e Engine) Option { return func(s *settings) { s.engine = e } }

// WithCrossMounts names mount points below a folder that may be entered. Kernel
// file systems (procfs, sysfs …) are never entered.
func WithCrossMounts(paths ...string) Option {
	return func(s *settings) { s.crossMounts = append(s.crossMounts, paths...) }
}

// WithDenyHardLinks refuses to read a file that has more than one link.
func WithDenyHardLinks() Option { return func(s *settings) { s.denyHardLinks = true } }

// WithoutSync leaves out fsync: a write is atomic still, but a power cut may
// undo it.
func WithoutSync() Option { return func(s *settings) { s.noSync = true } }

// New opens the workspace dir and the further folders. All must exist and be
// directories; each is canonicalised once, here.
func New(dir string, opts ...Option) (*Jail, error) {
	s := settings{mode: ReadWrite}
	for _, opt := range opts {
		opt(&s)
	}
	j := &Jail{engine: s.engine, denyHardLinks: s.denyHardLinks, noSync: s.noSync}
	for _, want := range append([]Folder{{Given: dir, Mode: s.mode}}, s.folders...) {
		if err := j.addFolder(want, s.force); err != nil {
			_ = j.Close()
			return nil, err
		}
	}
	if err := j.addCrossMounts(s.crossMounts); err != nil {
		_ = j.Close()
		return nil, err
	}
	return j, nil
}

func (j *Jail) addFolder(want Folder, force bool) error {
	canonical, err := canonicalise(want)
	if err != nil {
		return err
	}
	if !force {
		if err := checkFolder(canonical.Real); err != nil {
			return &fs.PathError{Op: "open", Path: want.Given, Err: err}
		}
	}
	root, err := j.openRoot(canonical.Real)
	if err != nil {
		return report("open", want.Given, err)
	}
	for _, f := range j.folders {
		if f.Real == canonical.Real {
			// Named twice: the wider mode was asked for explicitly.
			f.Mode = max(f.Mode, canonical.Mode)
			return root.close()
		}
		_, inside := f.below(canonical.Real)
		_, around := cutFolder(f.Real, canonical.Real)
		j.nested = j.nested || inside || around
	}
	j.folders = append(j.folders, &folder{Folder: canonical, root: root})
	return nil
}

// canonicalise finds the real path, strictly: every component must exist.
func canonicalise(want Folder) (Folder, error) {
	if want.Given == "" || strings.ContainsRune(want.Given, 0) {
		return want, &fs.PathError{Op: "open", Path: want.Given, Err: errInvalid}
	}
	given, err := filepath.Abs(want.Given)
	if err != nil {
		return want, &fs.PathError{Op: "open", Path: want.Given, Err: err}
	}
	// Not of the cleaned form: "link/.." is not where link is.
	real, err := filepath.EvalSymlinks(want.Given)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return want, &fs.PathError{Op: "open", Path: want.Given, Err: bare(err)}
	}
	fi, err := os.Stat(real)
	switch {
	case err != nil:
		return want, &fs.PathError{Op: "open", Path: want.Given, Err: bare(err)}
	case !fi.IsDir():
		return want, &fs.PathError{Op: "open", Path: want.Given, Err: errNotDirectory}
	case !sameFile(given, fi):
		given = real
	}
	want.Given, want.Real = filepath.ToSlash(given), filepath.ToSlash(real)
	return want, nil
}

func sameFile(name string, fi os.FileInfo) bool {
	named, err := os.Stat(name)
	return err == nil && os.SameFile(named, fi)
}

// openRoot opens a folder with the engine, choosing it at the first folder.
func (j *Jail) openRoot(real string) (dir, error) {
	if j.engine != EngineOSRoot {
		d, err := openRootDir(real)
		switch {
		case err == nil:
			j.engine = EngineOpenat2
			return refuseKernel(d)
		case j.engine == EngineOpenat2, !openat2Missing(err):
			return nil, err
		}
	}
	j.engine = EngineOSRoot
	d, err := openTopRoot(real)
	if err != nil {
		return nil, err
	}
	return refuseKernel(d)
}

// refuseKernel closes and refuses a directory of a kernel file system.
func refuseKernel(d dir) (dir, error) {
	if !kernelDir(d) {
		return d, nil
	}
	_ = d.close()
	return nil, &SpecialError{Kind: "kernel file system"}
}

func (j *Jail) addCrossMounts(paths []string) error {
	for _, p := range paths {
		if !path.IsAbs(p) {
			p = path.Join(j.Root(), p)
		}
		real, err := filepath.EvalSymlinks(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a mount that is not there now
		}
		if err != nil {
			return &fs.PathError{Op: "open", Path: p, Err: bare(err)}
		}
		if f, _ := j.folderOf(real); f == nil {
			return &EscapeError{Op: "open", Path: p}
		}
		j.crossMounts = append(j.crossMounts, real)
	}
	return nil
}

// mayCross tells whether the mount point at a real path may be entered.
func (j *Jail) mayCross(real string) bool { return slices.Contains(j.crossMounts, real) }

// Close closes the folders. Objects and files that are still open stay usable.
func (j *Jail) Close() error {
	var errs []error
	for _, f := range j.folders {
		errs = append(errs, f.root.close())
	}
	return errors.Join(errs...)
}

// Engine tells which engine serves.
func (j *Jail) Engine() Engine { return j.engine }

// Root is the real path of the workspace.
func (j *Jail) Root() string { return j.folders[0].Real }

// Folders lists the allowed folders, the workspace first.
func (j *Jail) Folders() []Folder {
	all := make([]Folder, len(j.folders))
	for i, f := range j.folders {
		all[i] = f.Folder
	}
	return all
}
