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
	reader := gitconfig.Reader{Home: home, Read: w.readGitConfig}
	for _, f := range w.jail.Folders() {
		tree, files := reader.Repository(f.Real)
		var values []string
		for _, file := range files {
			values = append(values, reader.HooksPaths(file)...)
		}
		for _, file := range operatorFiles {
			values = append(values, gitconfig.Operator(home).HooksPaths(file)...)
		}
		for _, v := range values {
			if real := w.insideReal(ctx, tree, v); real != "" {
				found = append(found, real)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
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
