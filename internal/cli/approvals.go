package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/review"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

func (a *app) approvalsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "See and decide the calls that wait for you",
		Long: `See and decide the calls that wait for an approval, in every workspace that
shares the state directory. Each decision is in the audit log before it counts.

An ID may be shortened to its first characters, at least four.`,
		Example: `  bailey approvals list
  bailey approvals show k7pq2mxa
  bailey approvals approve k7pq2mxa
  bailey approvals deny k7pq2mxa --reason "use the staging database"
  bailey approvals watch`,
		SuggestionsMinimumDistance: 2,
		Args:                       noArguments,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.approvalsList(), a.approvalsShow(), a.approvalsApprove(), a.approvalsDeny(), a.approvalsWatch())
	return cmd
}

// atDesk opens the operator's desk for f.
func (a *app) atDesk(ctx context.Context, f func(*bailey.Desk) error) error {
	d, err := bailey.OpenDesk(ctx, a.options())
	if err != nil {
		return err
	}
	err = errors.Join(f(d), d.Close())
	if own := (*tool.Error)(nil); errors.Is(err, approval.ErrStore) && !errors.As(err, &own) {
		err = &tool.Error{Kind: tool.IO, Message: err.Error(), Err: err}
	}
	return err
}

func (a *app) approvalsList() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the requests that wait, oldest first",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.atDesk(cmd.Context(), func(d *bailey.Desk) error {
				filter := approval.Filter{States: []approval.State{approval.Pending}, Brief: true}
				if all {
					filter.States = nil
				}
				entries, err := d.Store().List(cmd.Context(), filter)
				if err != nil {
					return err
				}
				return a.printEntries(entries)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list those that are decided or over, too")
	return cmd
}

// entryRow is a request as a list has it.
type entryRow struct {
	ID      string         `json:"id"`
	State   approval.State `json:"state"`
	Tool    string         `json:"tool"`
	Op      string         `json:"op"`
	Paths   []string       `json:"paths"`
	Command string         `json:"command"`
	Rule    string         `json:"rule"`
	Created time.Time      `json:"created"`
	Expires *time.Time     `json:"expires"` // null: never
}

func rowOf(e approval.Entry) entryRow {
	return entryRow{
		ID: e.ID, State: e.State, Tool: e.Tool, Op: e.Op, Paths: append([]string{}, e.Paths...), Command: e.Command,
		Rule: e.Rule, Created: e.Created.UTC(), Expires: moment(e.Expires),
	}
}

// moment is a time as JSON has it, null for none.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// entryView is a request as show has it.
type entryView struct {
	entryRow
	Message   string          `json:"message"`
	Workspace string          `json:"workspace"`
	Task      string          `json:"task"`
	Session   string          `json:"session"`
	Principal string          `json:"principal"`
	Group     string          `json:"group"`
	Once      string          `json:"digest"`
	Covers    string          `json:"session_covers"` // in words; "" where a session can't be granted
	Scope     approval.Scope  `json:"scope"`
	Decided   *time.Time      `json:"decided"`
	By        string          `json:"by"`
	Reason    string          `json:"reason"`
	Joined    int             `json:"joined"`
	Request   json.RawMessage `json:"request"` // all that is shown
}

func viewOf(e approval.Entry) entryView {
	v := entryView{
		entryRow: rowOf(e), Message: e.Message, Workspace: e.Workspace, Task: e.Task, Session: e.Session,
		Principal: e.Principal, Group: e.Group, Once: e.Digest, Scope: e.Scope, Decided: moment(e.Decided),
		By: e.By, Reason: e.Reason, Joined: e.Joined, Request: e.Details,
	}
	if e.Grant != "" {
		v.Covers = review.Covers(e)
	}
	if !json.Valid(e.Details) {
		v.Request = json.RawMessage("null")
	}
	return v
}

func (a *app) printEntries(entries []approval.Entry) error {
	if a.flags.json {
		rows := make([]entryRow, len(entries))
		for i, e := range entries {
			rows[i] = rowOf(e)
		}
		return a.printJSON(rows)
	}
	if len(entries) == 0 {
		fmt.Fprintln(a.stderr, "bailey: no requests")
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSTATE\tSINCE\tUNTIL\tWORKSPACE\tWHAT")
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", e.ID, e.State, clock(e.Created), clock(e.Expires), text.VisibleControl(e.Workspace), review.Summary(e))
	}
	return w.Flush()
}

// clock is a time of day, with the date where that is not today's.
func clock(t time.Time) string {
	switch now, t := time.Now(), t.Local(); {
	case t.IsZero():
		return "-"
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Format(time.TimeOnly)
	default:
		return t.Format(time.DateTime)
	}
}

func (a *app) approvalsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a request whole: what, why, the diff, the command and what it was read as",
		Args:  oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atDesk(cmd.Context(), func(d *bailey.Desk) error {
				e, err := d.Get(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if a.flags.json {
					return a.printJSON(viewOf(e))
				}
				_, err = review.Write(a.stdout, e, a.reviewOptions())
				return err
			})
		},
		ValidArgsFunction: a.completeIDs,
	}
}

// oneID checks that a command got one ID.
func oneID(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s takes the ID of one request; see bailey approvals list", cmd.CommandPath())
	}
	return nil
}

// completeIDs offers the IDs of the requests that wait.
func (a *app) completeIDs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	if len(args) == 0 {
		_ = a.atDesk(cmd.Context(), func(d *bailey.Desk) error {
			entries, err := d.Store().List(cmd.Context(), approval.Filter{States: []approval.State{approval.Pending}, Brief: true})
			for _, e := range entries {
				ids = append(ids, cobra.CompletionWithDesc(e.ID, review.Summary(e)))
			}
			return err
		})
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
