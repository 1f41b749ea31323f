package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/internal/compat"
	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/internal/mcpserver"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
)

// compatTask is the task type that grants what the reference server can do: read,
// list, write and mkdir.
const compatTask = "refactor"

func checkCompat(cmd *cobra.Command, compatible string, args []string) error {
	switch compatible {
	case "filesystem":
		return nil
	case "":
		return noArguments(cmd, args)
	default:
		return usage("--compat: want filesystem, got %q", compatible)
	}
}

// compatOptions are those of the flags with the directories of the command line:
// the first is the workspace, unless --workspace names it, the others are further
// folders. One that can't be reached is left out with a warning, as long as one
// is left.
func (a *app) compatOptions(dirs []string) bailey.Options {
	o := a.options()
	if o.Task == "" && a.env("BAILEY_TASK") == "" {
		o.Task = compatTask
	}
	for _, dir := range a.reachable(dirs) {
		if o.Workspace == "" {
			o.Workspace = dir
			continue
		}
		o.Folders = append(o.Folders, jail.Folder{Given: dir, Mode: jail.ReadWrite})
	}
	return o
}

func (a *app) reachable(dirs []string) []string {
	var there []string
	for i, dir := range dirs {
		dirs[i] = config.ExpandHome(dir, a.env("HOME"))
		info, err := os.Stat(dirs[i])
		switch {
		case err != nil:
			err = fmt.Errorf("%s can't be reached", dir)
		case !info.IsDir():
			err = fmt.Errorf("%s is not a directory", dir)
		default:
			there = append(there, dirs[i])
			continue
		}
		fmt.Fprintf(a.stderr, "bailey: warning: %s and is left out\n", text.VisibleControl(err.Error()))
	}
	if len(there) == 0 {
		return dirs // opening them says what is wrong
	}
	return there
}

// compatTools are the reference server's tools over an open workspace. Without
// one each call is answered with what is wrong.
func (a *app) compatTools(o mcpserver.Options, b *bailey.Bailey) []compat.Tool {
	c := compat.Options{Tools: o.Tools, Request: o.Request}
	if home := a.env("HOME"); filepath.IsAbs(home) {
		c.Home = filepath.Clean(home)
	}
	if b != nil {
		c.Folders = b.Workspace().Jail().Folders()
	}
	return compat.Tools(c)
}
