package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

// casesName is the file of cases that stands beside a configuration.
const casesName = "policy-test.toml"

// exitCasesFailed tells a policy that fails its cases from one that passes, and
// from a file that can't be read.
const exitCasesFailed = 65

func (a *app) policyTestCommand() *cobra.Command {
	verbose := false
	cmd := &cobra.Command{
		Use:   "test [FILE... | -]",
		Short: "Check that calls get the verdicts that a file of cases wants",
		Long: `Judge the calls of a file and compare the verdicts with those that it wants. No
call is carried out and nothing is written. Without FILE, ` + casesName + ` beside the
configuration is taken; - stands for standard input.

  [[case]]
  name = "secrets stay closed"   # each case has a name of its own
  tool = "file_read"
  path = "secrets/key"           # short for args = { path = "secrets/key" }
  expect = "deny"                # allow, deny or supervised
  rule = "block-secrets"         # if given: the rule that must be responsible
  kind = "policy_denied"         # if given: the kind of the denial
  task = "agent"                 # if given: the task type of the call

  [[case]]
  name = "pushing asks"
  command = "git push origin"    # short for tool = "shell", args = { command = … }
  task = "agent"
  expect = "supervised"

A case that wants a denial fails where the call is refused for what no policy is
about: a mistake in its arguments, or a task type that lacks the operation; unless
it names that kind.

The workspace may be any folder, such as one with the files that the cases are about;
what a case names need not exist. As always, it can't hold the configuration.

The exit code is 0 if all cases pass, 65 if one fails, 78 if a file has mistakes.`,
		Example: `  bailey policy test
  bailey --config agents/config.toml --workspace agents/example policy test   # in CI`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.policyTest(cmd.Context(), args, verbose) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print the cases that pass too")
	return cmd
}

// caseOutcome is what became of one case.
type caseOutcome struct {
	Name   string          `json:"name"`
	File   string          `json:"file"`
	Line   int             `json:"line"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Passed bool            `json:"passed"`
	Why    string          `json:"why,omitempty"` // it failed
	Expect caseExpect      `json:"expect"`
	Got    checkAnswer     `json:"got"`

	verdict *tool.Verdict
}

type caseExpect struct {
	Verdict string    `json:"verdict"`
	Rule    string    `json:"rule,omitempty"` // "": any
	Kind    tool.Kind `json:"kind,omitempty"` // "": any
}

func (a *app) policyTest(ctx context.Context, files []string, verbose bool) error {
	own, err := a.inspect(ctx, a.options())
	if err != nil {
		return err
	}
	defer func() { _ = own.Close() }()
	if len(files) == 0 {
		if own.config.File() == "" {
			return usage("policy test needs a FILE: there is no configuration that %s could stand beside", casesName)
		}
		files = []string{filepath.Join(filepath.Dir(own.config.File()), casesName)}
	}
	var cases []config.Case
	for _, file := range files {
		more, err := a.readCases(file)
		if err != nil {
			return err
		}
		cases = append(cases, more...)
	}
	tasks := taskInspectors{app: a, own: own, others: map[string]*inspector{}}
	defer tasks.close()
	results := make([]caseOutcome, 0, len(cases))
	failed := 0
	for i := range cases {
		r, err := tasks.try(ctx, &cases[i])
		if err != nil {
			return err
		}
		if results = append(results, r); !r.Passed {
			failed++
		}
	}
	if err := a.printOutcomes(results, failed, verbose, own.origins()); err != nil {
		return err
	}
	if failed > 0 {
		return &exitError{exitCasesFailed}
	}
	return nil
}

// readCases reads a file of cases, "-" for standard input.
func (a *app) readCases(file string) ([]config.Case, error) {
	data, err := a.readOperatorFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &tool.Error{Kind: tool.NotFound, Message: fmt.Sprintf("%s does not exist", file), Err: err}
	case err != nil:
		return nil, &tool.Error{Kind: tool.IO, Message: err.Error(), Err: err}
	}
	cases, err := config.ParseCases(file, data)
	return cases, configError(err)
}

// readOperatorFile reads a file that the operator names, of at most the size of a
// configuration. A FIFO or a device is none.
func (a *app) readOperatorFile(name string) ([]byte, error) {
	from := a.stdin
	if name != "-" {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() { // nothing that opening could wait for
			return nil, fmt.Errorf("%s is not a regular file", name)
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, config.MaxFileSize+1))
	if err == nil && len(data) > config.MaxFileSize {
		err = fmt.Errorf("%s is larger than 1 MiB", name)
	}
	return data, err
}

// try judges the call of a case.
func (t *taskInspectors) try(ctx context.Context, c *config.Case) (caseOutcome, error) {
	r := caseOutcome{
		Name: c.Name, File: c.File, Line: c.Line, Tool: c.Tool,
		Expect: caseExpect{string(c.Expect), c.Rule, tool.Kind(c.Kind)},
	}
	i, err := t.named(ctx, c.Task)
	if err != nil {
		return r, placeError(c, err)
	}
	if r.Args, err = c.JSON(); err != nil {
		return r, err
	}
	r.verdict = i.Check(ctx, c.Tool, r.Args)
	if err := ctx.Err(); err != nil {
		return r, &tool.Error{Kind: tool.Cancelled, Message: "cancelled", Err: err}
	}
	r.Got = checkAnswerOf(r.verdict)
	r.Why = r.compare()
	r.Passed = r.Why == ""
	return r, nil
}

// placeError says which case an error is about.
func placeError(c *config.Case, err error) error {
	placed := &tool.Error{Kind: tool.Internal, Message: err.Error(), Err: err}
	if own := (*tool.Error)(nil); errors.As(err, &own) {
		*placed = *own
	}
	placed.Message = fmt.Sprintf("%s:%d: case %q: %s", c.File, c.Line, c.Name, placed.Message)
	return placed
}

// policyKinds are the denials that a case may mean without naming them.
var policyKinds = []tool.Kind{
	"", tool.PolicyDenied, tool.ProtectedPath, tool.SpecialPath, tool.PathEscape, tool.MemoryACL, tool.PackageDenied, tool.NetworkDenied,
}

// compare says why a case fails, "" if it does not.
func (r *caseOutcome) compare() string {
	e, got := r.Expect, r.Got
	var wrong []string
	for _, part := range []struct{ what, want, got string }{
		{"verdict", e.Verdict, got.Verdict},
		{"rule", e.Rule, got.Rule},
		{"kind", string(e.Kind), string(got.Kind)},
	} {
		if part.want != "" && part.want != part.got {
			wrong = append(wrong, part.what)
		}
	}
	switch {
	case got.Kind == tool.OpDenied && e.Kind == "" && e.Rule == "":
		return "only the task type denies it: give the case a task that grants the operation, or kind = \"op_denied\""
	case !slices.Contains(policyKinds, got.Kind) && e.Kind == "" && got.Kind != tool.OpDenied:
		return "the call itself is refused, whatever the policy: " + r.verdict.Message
	case len(wrong) > 0:
		return "another " + strings.Join(wrong, " and ")
	}
	return ""
}

func (a *app) printOutcomes(results []caseOutcome, failed int, verbose bool, origin func(string) string) error {
	if a.flags.json {
		return a.printJSON(map[string]any{"passed": len(results) - failed, "failed": failed, "cases": results})
	}
	for i := range results {
		switch r := &results[i]; {
		case !r.Passed:
			if err := a.printFailure(r, origin); err != nil {
				return err
			}
		case verbose:
			fmt.Fprintf(a.stdout, "ok    %s\n", text.VisibleControl(r.Name))
		}
	}
	_, err := fmt.Fprintf(a.stdout, "%d cases: %d passed, %d failed\n", len(results), len(results)-failed, failed)
	return err
}

// printFailure prints a case that failed: what was wanted, what came, and the way.
func (a *app) printFailure(r *caseOutcome, origin func(string) string) error {
	want := tool.Verdict{Verdict: r.Expect.Verdict, Rule: r.Expect.Rule, Kind: r.Expect.Kind}
	for _, line := range []string{
		fmt.Sprintf("FAIL  %s (%s:%d): %s", r.Name, r.File, r.Line, r.Why),
		fmt.Sprintf("  call  %s %s", r.Tool, r.Args),
		"  want  " + verdictLine(&want, origin),
		"  got   " + verdictLine(r.verdict, origin),
		"  the way",
	} {
		fmt.Fprintln(a.stdout, text.VisibleControl(line))
	}
	return a.printWay(r.verdict, origin)
}
