package cli

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/internal/doctor"
	"github.com/baileyhq/bailey/internal/mcpserver"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Tell what this host offers",
		Long: `Tell what this host offers: isolation programs, kernel features, protocol
versions, and switches that take protection away. The exit code is 0 only if a
command could run isolated here.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context()) },
	}
}

func (a *app) doctor(ctx context.Context) error {
	r := doctor.Examine(ctx, a.env)
	r.Checks = append(r.Checks, a.configHealth(), a.stateHealth(), doctor.Check{
		Name: "MCP", Status: doctor.Info, Detail: "protocol versions " + mcpserver.ProtocolVersions(),
	})
	if err := a.printReport(r); err != nil {
		return err
	}
	if !r.Isolation {
		return &exitError{tool.NoSandboxAvailable.ExitCode()}
	}
	return nil
}

func (a *app) configHealth() doctor.Check {
	c, err := a.loadConfig()
	switch {
	case err != nil:
		return doctor.Check{Name: "configuration", Status: doctor.Fail, Detail: err.Error(), Remedy: "see bailey config check"}
	case c.File() == "":
		return doctor.Check{Name: "configuration", Status: doctor.Info, Detail: "no file: the defaults hold"}
	default:
		return doctor.Check{Name: "configuration", Status: doctor.OK, Detail: c.File()}
	}
}

func (a *app) stateHealth() doctor.Check {
	dir, err := bailey.StateDir(a.flags.state, a.env)
	if err != nil {
		return doctor.Check{Name: "state", Status: doctor.Fail, Detail: err.Error()}
	}
	return doctor.Check{Name: "state", Status: doctor.Info, Detail: dir}
}

func (a *app) printReport(r doctor.Report) error {
	if a.flags.json {
		return a.printJSON(r)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, c := range r.Checks {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Status, c.Name, text.VisibleControl(c.Detail))
		if c.Remedy != "" {
			fmt.Fprintf(w, "\t\t-> %s\n", c.Remedy)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	verdict := "A command could run isolated here."
	if !r.Isolation {
		verdict = "No command could run isolated here."
	}
	_, err := fmt.Fprintf(a.stdout, "\n%s\n", verdict)
	return err
}
