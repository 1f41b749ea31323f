package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/review"
)

func (a *app) approvalsApprove() *cobra.Command {
	session := false
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "Approve a request, once or for its session",
		Long: `Approve a request: exactly this call, once, as long as nothing that it names has
changed. With --session its session may do the same again without asking; show
says in words what that covers.`,
		Args: oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			d := approval.Decision{Approve: true, Scope: approval.Once, By: approver("approvals")}
			if session {
				d.Scope = approval.Session
			}
			return a.decide(cmd.Context(), args[0], d)
		},
		ValidArgsFunction: a.completeIDs,
	}
	cmd.Flags().BoolVar(&session, "session", false, "for the rest of the session")
	return cmd
}

func (a *app) approvalsDeny() *cobra.Command {
	reason := ""
	cmd := &cobra.Command{
		Use:   "deny ID",
		Short: "Deny a request; the agent is told the reason",
		Args:  oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(reason) > maxReason {
				return usage("--reason: %d bytes at most", maxReason)
			}
			return a.decide(cmd.Context(), args[0], approval.Decision{By: approver("approvals"), Reason: tidyReason(reason)})
		},
		ValidArgsFunction: a.completeIDs,
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the agent")
	return cmd
}

// approver names the user of the process and the face that was used.
func approver(face string) string { return fmt.Sprintf("%s (%s)", bailey.CurrentUser(), face) }

func (a *app) decide(ctx context.Context, id string, decision approval.Decision) error {
	return a.atDesk(ctx, func(d *bailey.Desk) error {
		e, err := d.Decide(ctx, id, decision)
		if err != nil {
			return err
		}
		if a.flags.json {
			return a.printJSON(viewOf(e))
		}
		_, err = fmt.Fprintln(a.stdout, decided(e))
		return err
	})
}

// decided confirms a decision on one line.
func decided(e approval.Entry) string {
	what := string(e.State)
	if e.State == approval.Approved {
		what += " " + string(e.Scope)
	}
	return fmt.Sprintf("%s %s: %s", what, e.ID, review.Summary(e))
}
