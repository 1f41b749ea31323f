package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/tool"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and check the configuration",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "show", Short: "Print what holds, and where it comes from", Args: noArguments,
			RunE: func(*cobra.Command, []string) error { return a.configShow() },
		},
		&cobra.Command{
			Use: "check", Short: "Check the file: every error with line and column", Args: noArguments,
			RunE: func(*cobra.Command, []string) error { return a.configCheck() },
		},
		&cobra.Command{
			Use: "path", Short: "Print the path of the file that holds", Args: noArguments,
			RunE: func(*cobra.Command, []string) error { return a.configPath() },
		},
		&cobra.Command{
			Use: "schema", Short: "Print the JSON schema, for editors", Args: noArguments,
			RunE: func(*cobra.Command, []string) error {
				_, err := a.stdout.Write(config.JSONSchema())
				return err
			},
		},
	)
	return cmd
}

// loadConfig reads the configuration that the flags name.
func (a *app) loadConfig() (*config.Config, error) {
	path, _, err := config.Locate(a.flags.config, a.env)
	if err != nil {
		return nil, configError(err)
	}
	c, err := config.Load(path)
	return c, configError(err)
}

func configError(err error) error {
	if err == nil {
		return nil
	}
	return &tool.Error{Kind: tool.Config, Message: err.Error(), Err: err}
}

func (a *app) configShow() error {
	c, err := a.loadConfig()
	if err != nil {
		return err
	}
	if !a.flags.json {
		_, err = a.stdout.Write(c.Show())
		return err
	}
	raw, err := c.ShowJSON()
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(append(raw, '\n'))
	return err
}

// configCheck compiles the policy too: a rule is checked as it will be used.
func (a *app) configCheck() error {
	c, err := a.loadConfig()
	if err == nil {
		_, err = c.Policy([]string{"/workspace"}, a.env("HOME"), bailey.KnownTools(), nil)
		err = configError(err)
	}
	if err != nil {
		return err
	}
	if a.flags.json {
		return a.printJSON(map[string]any{"ok": true, "file": c.File()})
	}
	if c.File() == "" {
		fmt.Fprintln(a.stdout, "no configuration file: the defaults hold")
		return nil
	}
	fmt.Fprintf(a.stdout, "%s: in order\n", c.File())
	return nil
}

func (a *app) configPath() error {
	path, _, err := config.Locate(a.flags.config, a.env)
	if err != nil {
		return configError(err)
	}
	if a.flags.json {
		return a.printJSON(map[string]any{"file": path})
	}
	if path == "" {
		fmt.Fprintln(a.stderr, "bailey: no configuration file: the defaults hold")
		return nil
	}
	_, err = fmt.Fprintln(a.stdout, path)
	return err
}
