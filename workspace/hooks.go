package workspace

import (
	"context"
	"path"
	"slices"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/workspace/gitconfig"
)

// findHooks collects the targets of core.hooksPath: from the repository that each
// allowed folder belongs to, and from the operator's own files.
func (w *Workspace) findHooks(ctx context.Context, operatorFiles []string, home string) []string {
	var found []string
	reader := w.gitReader(home)
	for _, file := range operatorFiles {
		w.operatorHooks = append(w.operatorHooks, gitconfig.Operator(home).HooksPaths(file)...)
	}
	for _, f := range w.jail.Folders() {
		tree, files := reader.Repository(f.Real)
		var values []string
		for _, file := range files {
			values = append(values, reader.HooksPaths(file)...)
		}
		for _, v := range append(values, w.operatorHooks...) {
			if real := w.insideReal(ctx, tree, v); real != "" {
				found = append(found, real)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// maxNested is how many levels down a nested repository is looked for: an agent
// chooses how long a path is, but can't make a repository with a configuration.
const maxNested = 128

// NestedHooks returns the directory that real is or lies in, and from which a
// repository somewhere inside the allowed folder runs hooks because core.hooksPath
// names it; or "". It is looked up anew each time, since a repository can be cloned
// at any moment; the repositories of the folders themselves are those of
// HooksPaths.
func (w *Workspace) NestedHooks(ctx context.Context, real string) string {
	folder, ok := w.folderOf(real)
	if !ok {
		return ""
	}
	level := 0
	for dir := range components(folder, real) {
		if level++; level > maxNested {
			return ""
		}
		if dir == folder {
			continue
		}
		if _, err := w.jail.Stat(path.Join(dir, ".git")); err != nil {
			continue
		}
		if hooks := w.hooksOf(ctx, dir, real); hooks != "" {
			return hooks
		}
	}
	return ""
}

// hooksOf looks for real among the hooks of the repository whose work tree is dir.
func (w *Workspace) hooksOf(ctx context.Context, dir, real string) string {
	for _, hooks := range w.HooksOf(ctx, dir) {
		if within(hooks, real) {
			return hooks
		}
	}
	return ""
}

// HooksOf returns the real paths, inside the allowed folders, of the directories
// from which git runs hooks in the work tree dir because core.hooksPath names
// them. There is none if dir is no work tree. They need not exist.
func (w *Workspace) HooksOf(ctx context.Context, dir string) []string {
	reader := w.gitReader(w.home)
	tree, files := reader.Repository(dir)
	if tree != dir {
		return nil // what is named .git there is no repository
	}
	values := slices.Clone(w.operatorHooks)
	for _, file := range files {
		values = append(values, reader.HooksPaths(file)...)
	}
	var found []string
	for _, v := range values {
		if hooks := w.insideReal(ctx, dir, v); hooks != "" {
			found = append(found, hooks)
		}
	}
	return found
}

func (w *Workspace) gitReader(home string) gitconfig.Reader {
	return gitconfig.Reader{Home: home, Read: w.readGitConfig}
}

func (w *Workspace) readGitConfig(name string) ([]byte, error) {
	if _, inside := w.folderOf(path.Clean(name)); inside {
		return w.jail.ReadFile(name)
	}
	// A repository's own configuration, which no agent can write, may include a
	// file of the operator's, and a work tree's repository may lie elsewhere.
	return gitconfig.ReadOperatorFile(name)
}

// insideReal resolves a hooks directory, relative to the work tree, to its real
// path if that lies inside an allowed folder. A target that does not exist yet
// counts: an agent could make it.
func (w *Workspace) insideReal(ctx context.Context, base, value string) string {
	if !path.IsAbs(value) {
		value = path.Join(base, value)
	}
	o, err := w.jail.Resolve(ctx, value, jail.Target)
	if err != nil {
		return ""
	}
	defer o.Close()
	if o.IsRoot() {
		return ""
	}
	return o.Real()
}
