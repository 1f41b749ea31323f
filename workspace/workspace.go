// Package workspace is a folder with its grants: the workspace itself, further
// allowed folders with a mode, and the task type that fixes the operations.
//
// # What it guarantees
//
//   - Every path of an agent goes through one [jail.Jail] over the allowed
//     folders; this package opens nothing that an agent can see by any other way.
//   - A folder that must not be handed to an agent (the file system's root, a
//     home directory, a directory of keys) is refused unless the operator insists,
//     and then each opening carries a warning.
//
// # What it does not
//
//   - It judges nothing: package policy does. It only supplies facts that the
//     policy cannot see in a path, such as which directories git would take for a
//     repository, and which ones the operator's git runs hooks from.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/baileyhq/bailey/jail"
)

// Options configures [Open].
type Options struct {
	Dir           string              // the workspace; relative paths of an agent start here
	Folders       []jail.Folder       // further allowed folders: Given (else Real) and Mode
	Task          TaskType            // what the task may do
	TaskTypes     map[string]TaskType // every known type, for messages; nil means the built-in ones
	ForceRoot     bool                // permit /, a home directory and directories of keys, with a warning
	CrossMounts   []string            // mount points below a folder that may be entered
	DenyHardLinks bool                // refuse to read a file that has more than one link
	Engine        jail.Engine         // EngineAuto for the best that this host has
	NoSync        bool                // no fsync: for tests and scratch folders
	GitConfigs    []string            // the operator's own git configuration files; see gitconfig.OperatorFiles
	Home          string              // what ~ stands for in git configuration
}

// Workspace is an open workspace. Its methods are safe for concurrent use.
type Workspace struct {
	jail     *jail.Jail
	task     TaskType
	types    map[string]TaskType
	warnings []string
	hooks    []string

	home          string
	operatorHooks []string // as the operator's own files spell them
}

// Open opens the folders and checks them. Close the workspace after use.
func Open(ctx context.Context, o Options) (*Workspace, error) {
	j, warnings, err := openFolders(o)
	if err != nil {
		return nil, err
	}
	w := &Workspace{jail: j, task: o.Task, types: maps.Clone(o.TaskTypes), warnings: warnings, home: o.Home}
	if w.types == nil {
		w.types = TaskTypes(nil)
	}
	w.hooks = w.findHooks(ctx, o.GitConfigs, o.Home)
	return w, nil
}

// openFolders opens the jail. Where the operator insists on a folder that is
// refused otherwise, it returns a warning: the refusal is tried first, so that
// the flag alone warns nobody.
func openFolders(o Options) (*jail.Jail, []string, error) {
	j, err := jail.New(o.Dir, o.jailOptions()...)
	if err == nil || !o.ForceRoot || !errors.Is(err, jail.ErrRefusedFolder) {
		return j, nil, err
	}
	forced, ferr := jail.New(o.Dir, append(o.jailOptions(), jail.WithForceRoot())...)
	if ferr != nil {
		return nil, nil, ferr
	}
	return forced, []string{fmt.Sprintf("%v; opened all the same because the operator insists", err)}, nil
}

func (o Options) jailOptions() []jail.Option {
	opts := []jail.Option{jail.WithEngine(o.Engine)}
	for _, f := range o.Folders {
		path := f.Given
		if path == "" {
			path = f.Real
		}
		opts = append(opts, jail.WithFolder(path, f.Mode))
	}
	if len(o.CrossMounts) > 0 {
		opts = append(opts, jail.WithCrossMounts(o.CrossMounts...))
	}
	if o.DenyHardLinks {
		opts = append(opts, jail.WithDenyHardLinks())
	}
	if o.NoSync {
		opts = append(opts, jail.WithoutSync())
	}
	return opts
}

// Close releases the folders.
func (w *Workspace) Close() error { return w.jail.Close() }

// Jail returns the jail over the allowed folders.
func (w *Workspace) Jail() *jail.Jail { return w.jail }

// Root is the real path of the workspace.
func (w *Workspace) Root() string { return w.jail.Root() }

// Task returns the task type that the workspace was opened with.
func (w *Workspace) Task() TaskType { return w.task }

// TaskTypes returns every known task type.
func (w *Workspace) TaskTypes() map[string]TaskType { return maps.Clone(w.types) }

// Warnings returns what the operator should be told at each start.
func (w *Workspace) Warnings() []string { return w.warnings }

// HooksPaths returns the real paths, inside the allowed folders, of directories
// that git would run hooks from because core.hooksPath names them. They were
// looked up when the workspace was opened: the files that name them can't be
// changed by an agent.
func (w *Workspace) HooksPaths() []string { return w.hooks }
