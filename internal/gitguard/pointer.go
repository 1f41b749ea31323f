package gitguard

import (
	"context"
	"path"
	"strings"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/jail"
)

// maxPointer is the size of a file that says where a repository is, in bytes.
const maxPointer = 8 << 10

// pointer judges a .git that is no directory. It may stay where it leads to a
// repository of these folders that was made with it, or that points back.
func (v *view) pointer(ctx context.Context, g covers.Guarded) (bool, error) {
	repo := v.target(ctx, g.Real)
	switch {
	case repo == "":
		return true, v.run.move(ctx, g.Real, "does not lead to a repository in the allowed folders")
	case v.fresh[repo], v.pointsBack(ctx, repo, g.Real):
		return v.keep(g.Real)
	default:
		return true, v.run.move(ctx, g.Real, "leads to a repository that knows nothing of it")
	}
}

// target is the repository that a .git file leads to, or "".
func (v *view) target(ctx context.Context, file string) string {
	text, ok := v.line(ctx, file)
	if !ok {
		return ""
	}
	name, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok || name == "" {
		return ""
	}
	return v.known(ctx, path.Dir(file), name)
}

// known is the repository of these folders that a path leads to from dir, or "".
// Links on the way are none of git's making.
func (v *view) known(ctx context.Context, dir, name string) string {
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	real := v.real(ctx, name)
	if real == "" || real != path.Clean(name) || !v.isRepository(real) {
		return ""
	}
	return real
}

// line reads a file of one line.
func (v *view) line(ctx context.Context, file string) (string, bool) {
	text, _, err := v.run.guard.read(ctx, file, maxPointer)
	if err != nil {
		return "", false
	}
	line := strings.TrimSuffix(string(text), "\n")
	return line, line != "" && !strings.ContainsAny(line, "\n\r\x00")
}

// pointsBack tells whether a repository names the work tree that a .git file lies
// in as its own.
func (v *view) pointsBack(ctx context.Context, repo, file string) bool {
	if back, ok := v.line(ctx, path.Join(repo, "gitdir")); ok {
		return v.join(repo, back) == file
	}
	text, _, err := v.run.guard.read(ctx, path.Join(repo, "config"), maxConfig)
	if err != nil {
		return false
	}
	entries, err := parseConfig(text)
	if err != nil {
		return false
	}
	values := valuesOf(entries)[name{section: "core", key: "worktree"}]
	return len(values) == 1 && v.join(repo, values[0]) == path.Dir(file)
}

func (v *view) join(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// worktree judges the files by which a linked work tree's directory, in
// .git/worktrees, is tied to its repository and to its work tree.
func (v *view) worktree(ctx context.Context, repo, real string) (bool, error) {
	const reason = "does not tie a work tree in the allowed folders to its repository"
	common := path.Dir(path.Dir(repo))
	linked := path.Base(path.Dir(repo)) == "worktrees" && v.isRepository(common)
	text, ok := v.line(ctx, real)
	switch {
	case linked && ok && path.Base(real) == "commondir" && v.join(repo, text) == common:
		return v.keep(real)
	case linked && ok && path.Base(real) == "gitdir" && v.isTree(ctx, repo, v.join(repo, text)):
		return v.keep(real)
	case linked && v.fresh[repo]:
		return true, v.run.move(ctx, repo, reason)
	default:
		return true, v.run.move(ctx, real, reason)
	}
}

// isTree tells whether a .git file lies in an allowed folder and leads to the
// repository. It may be gone already, with its work tree.
func (v *view) isTree(ctx context.Context, repo, file string) bool {
	o, err := v.run.guard.ws.Jail().Resolve(ctx, file, jail.Target)
	if err != nil {
		return false
	}
	defer o.Close()
	if path.Base(file) != ".git" || o.Real() != file {
		return false
	}
	return !o.Exists() || v.target(ctx, file) == repo
}
