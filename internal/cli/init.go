package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey/internal/clients"
	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

func (a *app) initCommand() *cobra.Command {
	var yes, force bool
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a commented configuration for a folder",
		Long: `Write a commented configuration for a folder. It asks what it needs to know;
with --yes the defaults are taken. The file goes to --config, else to the user's
own place, never into the folder: an agent must not write its own policy.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("init takes one folder, got %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			} else if a.flags.workspace != "" {
				dir = a.flags.workspace
			}
			return a.init(dir, yes, force)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "ask nothing, take the defaults")
	cmd.Flags().BoolVar(&force, "force", false, "replace a configuration that is there")
	return cmd
}

func (a *app) init(dir string, yes, force bool) error {
	real, err := a.checkWorkspace(dir)
	if err != nil {
		return err
	}
	path, err := a.initPath(real)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil && !force {
		return &tool.Error{Kind: tool.Exists, Message: fmt.Sprintf("%s is there already; --force replaces it, --config names another", path)}
	}
	chosen := config.Default()
	if chosen.Workspace.Task, err = a.chooseTask(yes); err != nil {
		return err
	}
	if err := writeConfig(path, config.Template(chosen), force); err != nil {
		return &tool.Error{Kind: tool.IO, Message: err.Error(), Err: err}
	}
	return a.initReport(path, real, chosen.Workspace.Task)
}

// checkWorkspace opens the folder as a workspace would be opened.
func (a *app) checkWorkspace(dir string) (real string, err error) {
	var opts []jail.Option
	if a.flags.forceRoot {
		opts = append(opts, jail.WithForceRoot())
	}
	j, err := jail.New(dir, opts...)
	if err != nil {
		return "", configError(err)
	}
	defer func() { _ = j.Close() }()
	return j.Root(), nil
}

// initPath is where the file goes: never where the agent could write it.
func (a *app) initPath(real string) (string, error) {
	path := a.flags.config
	if path == "" {
		path = a.env("BAILEY_CONFIG")
	}
	if path == "" {
		path = config.UserFile(a.env)
	}
	if path == "" {
		return "", usage("there is no place for the configuration: set --config, XDG_CONFIG_HOME or HOME")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", configError(err)
	}
	return path, configError(config.CheckOutside(path, []string{real}))
}

// chooseTask asks for the task type.
func (a *app) chooseTask(yes bool) (string, error) {
	if a.flags.task != "" || yes {
		t, err := workspace.FindTask(workspace.TaskTypes(nil), a.flags.task)
		if err != nil {
			return "", usage("%v", err)
		}
		return t.Name, nil
	}
	if !isTerminal(a.stdin) {
		return "", usage("init asks on a terminal; without one, give --yes")
	}
	fmt.Fprint(a.stderr, `What may the agent do in this folder?
  1  code_review  read and list
  2  refactor     read, list, write, make directories
  3  cleanup      read, list, delete
  4  agent        everything
Choose [1]: `)
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", &tool.Error{Kind: tool.IO, Message: err.Error(), Err: err}
	}
	names := map[string]string{"": "code_review", "1": "code_review", "2": "refactor", "3": "cleanup", "4": "agent"}
	answer = strings.TrimSpace(answer)
	if name, ok := names[answer]; ok {
		answer = name
	}
	t, err := workspace.FindTask(workspace.TaskTypes(nil), answer)
	if err != nil {
		return "", usage("%v", err)
	}
	return t.Name, nil
}

// writeConfig makes the file for its owner alone.
func writeConfig(path string, content []byte, force bool) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		// A link in its place is taken away, not followed.
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(content)
	return err
}

func (a *app) initReport(path, real, task string) error {
	launch := clients.Launch{Command: executable(), Workspace: real}
	if path != config.UserFile(a.env) {
		launch.Config = path
	}
	if a.flags.json {
		return a.printJSON(map[string]any{"file": path, "workspace": real, "task": task, "clients": clients.Snippets(launch)})
	}
	fmt.Fprintf(a.stdout, "Wrote %s (task type %s).\n\nPlug it into a client:\n", text.VisibleControl(path), task)
	for _, s := range clients.Snippets(launch) {
		fmt.Fprintf(a.stdout, "\n%s (%s)\n%s\n", s.Client, s.Where, text.VisibleText(s.Text))
	}
	return nil
}

// executable is how a client starts this very program.
func executable() string {
	path, err := os.Executable()
	if err != nil {
		return "bailey"
	}
	return path
}
