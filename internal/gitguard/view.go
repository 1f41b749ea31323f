package gitguard

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/jail"
)

// view is what one look at the folders shows.
type view struct {
	run   *Run
	now   *covers.Scan
	fresh map[string]bool // repositories that were not there before
	undo  []string        // directories that are not to stay repositories
}

// judge decides about something that has appeared. It tells whether it changed
// anything.
func (v *view) judge(ctx context.Context, g covers.Guarded) (acted bool, err error) {
	repo, rel := v.repository(g.Real)
	switch {
	case g.Reason == covers.Hooks:
		return true, v.run.move(ctx, g.Real, "git would run hooks from it (core.hooksPath)")
	case g.Reason == covers.GitDir:
		if v.completed(ctx, g) {
			v.undo = append(v.undo, g.Real)
			return true, v.unmake(ctx, g.Real)
		}
		return v.alternates(ctx, g.Real)
	case slices.ContainsFunc(v.undo, func(dir string) bool { return strings.HasPrefix(g.Real, dir+"/") }):
		return true, nil // it means nothing any more
	case strings.EqualFold(path.Base(g.Real), ".git"):
		return v.pointer(ctx, g)
	case repo == "":
		return true, v.run.move(ctx, g.Real, "protected by "+g.Rule)
	}
	switch rel {
	case "config", "config.worktree":
		return v.config(ctx, repo, g.Real)
	case "hooks":
		return v.hooks(ctx, g)
	case "commondir", "gitdir":
		return v.worktree(ctx, repo, g.Real)
	default:
		return true, v.run.move(ctx, g.Real, "protected by "+g.Rule)
	}
}

// completed tells whether a directory that had been there before was made into a
// repository by what was added. Its other names are not the command's, and what they
// mean must not change.
func (v *view) completed(ctx context.Context, g covers.Guarded) bool {
	if strings.EqualFold(path.Base(g.Real), ".git") {
		return false
	}
	born := v.born(ctx, g.Real)
	if born.IsZero() {
		// Not told by this file system. Git itself makes those in .git.
		return !strings.Contains(strings.ToLower(g.Rel), ".git/")
	}
	return born.Before(v.run.start)
}

// born is when an object was made; zero if that can't be told.
func (v *view) born(ctx context.Context, real string) time.Time {
	o, err := v.run.guard.ws.Jail().Resolve(ctx, real, jail.Existing)
	if err != nil {
		return time.Time{}
	}
	defer o.Close()
	if o.Real() != real {
		return time.Time{}
	}
	return o.Times().Birth
}

// unmake takes away a part without which git takes the directory for none: one that
// is new, if that can be told.
func (v *view) unmake(ctx context.Context, dir string) error {
	const reason = "made its directory a repository for git"
	o, err := v.run.guard.ws.Jail().Resolve(ctx, dir, jail.Existing)
	if err != nil {
		return err
	}
	defer o.Close()
	parts := map[string]string{} // real paths by lower-case name
	err = o.Walk(ctx, jail.WalkOptions{Depth: 1}, func(e *jail.WalkEntry) error {
		if e.Err() == nil {
			if name := strings.ToLower(e.Name()); parts[name] == "" {
				parts[name] = e.Real()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"head", "commondir", "refs", "objects"} {
		if real := parts[name]; real != "" && v.born(ctx, real).After(v.run.start) {
			return v.run.move(ctx, real, reason)
		}
	}
	return v.run.move(ctx, parts["head"], reason)
}

// keep settles that something may stay.
func (v *view) keep(real string) (bool, error) {
	v.run.settled[real] = true
	return false, nil
}

// repository finds the innermost repository that holds a path, and the path below.
func (v *view) repository(real string) (repo, rel string) {
	for dir := path.Dir(real); dir != "/"; dir = path.Dir(dir) {
		if v.isRepository(dir) {
			return dir, real[len(dir)+1:]
		}
	}
	return "", ""
}

func (v *view) isRepository(real string) bool {
	return slices.ContainsFunc(v.now.Repositories, func(r covers.Repository) bool { return r.Real == real })
}

// config judges a configuration that was not there before: of a new repository the
// harmless keys stay, of another those that a merge would take over.
func (v *view) config(ctx context.Context, repo, real string) (bool, error) {
	r := v.run
	text, err := v.plain(ctx, real)
	if err != nil {
		return true, r.move(ctx, real, "is not a plain file of its own")
	}
	entries, err := parseConfig(text)
	if err != nil {
		return true, r.move(ctx, real, "is not a plain git configuration")
	}
	var (
		clean  []byte
		refuse []refusal
	)
	if v.fresh[repo] {
		var kept []entry
		kept, refuse = v.origin(ctx, repo).sanitize(entries)
		clean = renderConfig(kept)
	} else {
		var take []change
		take, refuse = permitted(nil, entries)
		if clean, err = apply(nil, take); err != nil {
			return true, r.move(ctx, real, "is not a plain git configuration")
		}
	}
	if len(refuse) > 0 {
		to, err := r.into.keep(real, text)
		if err != nil {
			return false, err
		}
		r.add(real, "taken out: "+list(refuse), to)
	}
	r.settled[real] = true
	if bytes.Equal(text, clean) {
		return false, nil
	}
	// Also where all is harmless: what stays is what was understood.
	return true, r.rewrite(ctx, real, func(old []byte) ([]byte, error) {
		if !bytes.Equal(old, text) {
			return nil, jail.ErrChanged
		}
		return clean, nil
	})
}

// plain reads a configuration that has no other name.
func (v *view) plain(ctx context.Context, real string) ([]byte, error) {
	o, err := v.run.guard.ws.Jail().Resolve(ctx, real, jail.Entry)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if o.Info().Nlink() > 1 {
		return nil, errNotPlain
	}
	text, id, err := v.run.guard.read(ctx, real, maxConfig)
	if err == nil && id != o.Info().ID() {
		err = jail.ErrChanged
	}
	return text, err
}

// origin is what the configuration of a new repository may speak of.
func (v *view) origin(ctx context.Context, repo string) *origin {
	return &origin{
		inside: func(p string) bool { return v.real(ctx, p) != "" },
		tree: func(worktree string) bool {
			if !path.IsAbs(worktree) {
				worktree = path.Join(repo, worktree)
			}
			tree := v.real(ctx, worktree)
			return tree != "" && v.target(ctx, path.Join(tree, ".git")) == repo
		},
	}
}

// real is the real path of something in an allowed folder, or "".
func (v *view) real(ctx context.Context, name string) string {
	o, err := v.run.guard.ws.Jail().Resolve(ctx, name, jail.Existing)
	if err != nil {
		return ""
	}
	defer o.Close()
	return o.Real()
}

// hooks lets the samples stay that git lays out. None of them is ever run.
func (v *view) hooks(ctx context.Context, g covers.Guarded) (acted bool, err error) {
	if !g.Dir {
		return true, v.run.move(ctx, g.Real, "is not a directory of sample hooks")
	}
	dir, err := v.run.guard.ws.Jail().Resolve(ctx, g.Real, jail.Entry)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	var planted []string
	err = dir.Walk(ctx, jail.WalkOptions{Depth: 1}, func(e *jail.WalkEntry) error {
		if e.Err() == nil && (e.Type() != 0 || !strings.HasSuffix(e.Name(), ".sample")) {
			planted = append(planted, e.Real())
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	var errs []error
	for _, real := range planted {
		errs = append(errs, v.run.move(ctx, real, "git would run it as a hook"))
	}
	v.run.settled[g.Real] = true
	return len(planted) > 0, errors.Join(errs...)
}

// alternates lets a new repository borrow objects only from inside the folders.
func (v *view) alternates(ctx context.Context, repo string) (bool, error) {
	objects := path.Join(repo, "objects")
	file := path.Join(objects, "info", "alternates")
	text, _, err := v.run.guard.read(ctx, file, maxPointer)
	if errors.Is(err, fs.ErrNotExist) {
		return v.keep(repo)
	}
	if err != nil {
		v.run.settled[repo] = true
		return true, v.run.move(ctx, file, "is not a plain file")
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if !path.IsAbs(line) {
			line = path.Join(objects, line)
		}
		if v.real(ctx, line) == "" {
			v.run.settled[repo] = true
			return true, v.run.move(ctx, file, "borrows objects from outside of the allowed folders")
		}
	}
	return v.keep(repo)
}

// replace puts a new text in the place of a file that still holds the old one.
func replace(ctx context.Context, o *jail.Object, old, text []byte) error {
	_, err := o.Replace(ctx, jail.ReplaceOptions{Verify: func(f *jail.File) error {
		if f == nil {
			return jail.ErrChanged
		}
		now, err := f.ReadAll()
		if err == nil && !bytes.Equal(now, old) {
			err = jail.ErrChanged
		}
		return err
	}}, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return err
}
