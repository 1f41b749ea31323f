package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

func (a *app) toolsCommand() *cobra.Command {
	prompt := false
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that this configuration and task offer",
		Long: `List all tools, and which of them this configuration and task type grant.
With --json their schemas are printed too, with --prompt what an agent is told.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer func() { _ = b.Close() }()
			switch {
			case prompt && a.flags.json:
				return a.printJSON(map[string]string{"prompt": b.Prompt()})
			case prompt:
				_, err = fmt.Fprint(a.stdout, b.Prompt())
				return err
			case a.flags.json:
				return a.printJSON(b.Tools())
			default:
				return a.printTools(b.Tools())
			}
		},
	}
	cmd.Flags().BoolVar(&prompt, "prompt", false, "print what an agent is told at the start")
	return cmd
}

func (a *app) printTools(tools []tool.Description) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOOL\tNEEDS\tHERE\tWHAT IT DOES")
	for _, t := range tools {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.Name, t.Op, standing(t), t.Title)
	}
	return w.Flush()
}

// standing says in a word what becomes of a call.
func standing(t tool.Description) string {
	switch {
	case t.Policy == policy.Deny.String():
		return "denied"
	case !t.Granted:
		return "not granted"
	case t.Policy == policy.Supervised.String():
		return "asks"
	default:
		return "yes"
	}
}
