package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

func (a *app) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Show, ask, explain and test the policy",
		Long: `What the policy says of calls. None of these commands carries a call out, asks
anybody, or writes anything, so that they can run anywhere.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.policyShowCommand(), a.policyCheckCommand(), a.policyExplainCommand(), a.policyTestCommand())
	return cmd
}

func (a *app) policyCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check TOOL [key=value... | JSON | -]",
		Short: "Tell what would become of a call, and by which rule",
		Long: `Judge a call as if an agent made it, and do nothing. The arguments are those of
bailey call. The exit code is 0 whatever the verdict.`,
		Example: `  bailey policy check file_read path=src/.env
  bailey policy check --task agent shell command='git push origin main'
  bailey policy check --json file_move source=a destination=b`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("policy check needs the name of a tool; see bailey tools")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := a.arguments(args[1:])
			if err != nil {
				return err
			}
			i, err := a.inspect(cmd.Context(), a.options())
			if err != nil {
				return err
			}
			defer func() { _ = i.Close() }()
			v := i.Check(cmd.Context(), args[0], raw)
			if a.flags.json {
				return a.printJSON(checkAnswerOf(v))
			}
			return errors.Join(a.printWay(v, i.origins()), a.printVerdict(v, i.origins()))
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return tool.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// inspector is a workspace that is open for questions, and the configuration
// behind it.
type inspector struct {
	*bailey.Inspector
	config *config.Config
}

func (a *app) inspect(ctx context.Context, o bailey.Options) (*inspector, error) {
	c, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	i, err := bailey.Inspect(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, w := range i.Warnings() {
		fmt.Fprintf(a.stderr, "bailey: warning: %s\n", text.VisibleControl(w))
	}
	return &inspector{i, c}, nil
}

// origins tells where rules come from: "" where that is not known.
func (i *inspector) origins() func(rule string) string { return i.config.RuleOrigin }

// checkAnswer is what the JSON of a verdict holds.
type checkAnswer struct {
	Verdict string             `json:"verdict"`
	Rule    string             `json:"rule"`
	Kind    tool.Kind          `json:"kind"`
	Steps   []tool.VerdictStep `json:"steps"`
}

func checkAnswerOf(v *tool.Verdict) checkAnswer {
	return checkAnswer{v.Verdict, v.Rule, v.Kind, v.Steps}
}

// printWay prints what each stage had to say.
func (a *app) printWay(v *tool.Verdict, origin func(string) string) error {
	t := newTable()
	for _, s := range v.Steps {
		t.row("  "+s.Stage, stageSays(s), placed(s.Rule, origin))
	}
	return t.print(a.stdout)
}

// stageSays is a stage's verdict, "-" where nothing of the stage is about the call.
func stageSays(s tool.VerdictStep) string {
	switch {
	case s.Rule != "" || s.Verdict != policy.Allow.String():
		return s.Verdict
	case s.Stage == "decode", s.Stage == "operation", s.Stage == "resolve":
		return "ok"
	default:
		return "-"
	}
}

// printVerdict prints the end of the way.
func (a *app) printVerdict(v *tool.Verdict, origin func(string) string) error {
	out := text.VisibleControl(verdictLine(v, origin)) + "\n"
	if v.Message != "" {
		out += "  " + text.VisibleControl(v.Message) + "\n"
	}
	_, err := io.WriteString(a.stdout, out)
	return err
}

func verdictLine(v *tool.Verdict, origin func(string) string) string {
	line := v.Verdict
	if v.Kind != "" {
		line += fmt.Sprintf(" (%s)", v.Kind)
	}
	if v.Rule != "" {
		line += " by " + placed(v.Rule, origin)
	}
	return line
}
