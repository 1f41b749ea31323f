package workspace

import (
	"cmp"
	"context"
	"iter"
	"path"
	"strings"

	"github.com/baileyhq/bailey/jail"
)

// GitShaped returns the directories above real (or real itself), inside its
// allowed folder, that git would take for a repository whatever their name,
// because they hold HEAD, objects and refs, or HEAD and commondir: git then
// reads their configuration, which runs programs. It looks only where the rest of the path
// names something that git acts on; for any other path it costs no look-up.
//
// Of a path that is TooGitLike nothing is returned.
func (w *Workspace) GitShaped(ctx context.Context, real string) []string {
	folder, ok := w.folderOf(real)
	if !ok || w.TooGitLike(real) {
		return nil
	}
	var shaped []string
	for _, dir := range suspects(folder, real) {
		if w.shape(ctx, dir).complete() {
			shaped = append(shaped, dir)
		}
	}
	return shaped
}

// CompletesGit returns the directory that creating real would turn into
// something that git takes for a repository, or "". A directory named .git is
// left to the rules for .git. Of a path that is TooGitLike nothing is returned.
func (w *Workspace) CompletesGit(ctx context.Context, real string) string {
	folder, ok := w.folderOf(real)
	if !ok || w.TooGitLike(real) {
		return ""
	}
	// The object may be a part of the shape itself, or lie below one that
	// does not exist yet and would be made with it (docs/objects/x).
	for dir, rest := range components(folder, real) {
		if !partOfShape(rest[0]) || namedGit(dir) {
			continue
		}
		before := w.shape(ctx, dir)
		if !before.complete() && before.with(rest[0]).complete() {
			return dir
		}
	}
	return ""
}

// MadeGit returns the directory that git takes for a repository now that real,
// which was not there before, has been made; or "". It is CompletesGit for
// afterwards: of two acts that complete a repository together, neither of which
// would alone, the later one is noticed.
func (w *Workspace) MadeGit(ctx context.Context, real string) string {
	dir, name := path.Split(real)
	dir = strings.TrimSuffix(dir, "/")
	if _, ok := w.folderOf(dir); ok && partOfShape(name) && !namedGit(dir) && w.shape(ctx, dir).complete() {
		return dir
	}
	return ""
}

// maxGitLike is the most names of git's on one path for which directories are
// looked at: an agent chooses how long a path is.
const maxGitLike = 64

// TooGitLike reports whether so many names on a path are those that git acts on,
// or knows a repository by, that they are not looked into. Nothing should be
// changed there.
func (w *Workspace) TooGitLike(real string) bool {
	folder, ok := w.folderOf(real)
	if !ok {
		return false
	}
	n := 0
	for _, rest := range components(folder, real) {
		if partOfShape(rest[0]) || actedOn(rest) {
			n++
		}
	}
	return n > maxGitLike
}

func namedGit(dir string) bool { return strings.EqualFold(path.Base(dir), ".git") }

// shape is the set of entries of a directory by which git knows a repository.
type shape struct{ head, objects, refs, commondir bool }

func (s shape) complete() bool { return s.head && (s.commondir || s.objects && s.refs) }

func (s shape) with(name string) shape {
	switch strings.ToLower(name) {
	case "head":
		s.head = true
	case "objects":
		s.objects = true
	case "refs":
		s.refs = true
	case "commondir":
		s.commondir = true
	}
	return s
}

func partOfShape(name string) bool { return shape{}.with(name) != shape{} }

// shape looks at the names only, without following links: git accepts links there.
func (w *Workspace) shape(ctx context.Context, dir string) shape {
	var s shape
	for _, name := range []string{"HEAD", "objects", "refs", "commondir"} {
		o, err := w.jail.Resolve(ctx, path.Join(dir, name), jail.Entry)
		if err != nil {
			continue
		}
		s = s.with(name)
		o.Close()
	}
	return s
}

// suspects returns the directories of which real would be a part that git acts
// on, if they were repositories, outermost first.
func suspects(folder, real string) []string {
	var dirs []string
	for dir, rest := range components(folder, real) {
		if actedOn(rest) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// components goes down a path: each directory from the folder on, with the names
// that lead from there to real.
func components(folder, real string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		at := len(strings.TrimSuffix(folder, "/"))
		names := strings.Split(strings.TrimPrefix(real[at:], "/"), "/")
		for i, name := range names {
			if name == "" || !yield(cmp.Or(real[:at], "/"), names[i:]) {
				return
			}
			at += 1 + len(name)
		}
	}
}

// actedOn reports whether git acts on what lies at this path in a repository.
func actedOn(rest []string) bool {
	switch first := strings.ToLower(rest[0]); first {
	case "hooks", "commondir", "gitdir", "modules", "worktrees":
		return true
	case "info":
		return len(rest) > 1 && strings.EqualFold(rest[1], "attributes")
	default:
		return strings.HasPrefix(first, "config")
	}
}

// folderOf returns the innermost allowed folder that holds real.
func (w *Workspace) folderOf(real string) (string, bool) {
	best := ""
	for _, f := range w.jail.Folders() {
		if within(f.Real, real) && len(f.Real) > len(best) {
			best = f.Real
		}
	}
	return best, best != ""
}

// within reports whether p is dir or lies below it; both are clean and absolute.
func within(dir, p string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}
