package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/review"
	"github.com/baileyhq/bailey/internal/text"
)

// attend has the call of a command ask on the terminal if there is one, or else say
// on stderr what it waits for. A command that is interrupted takes its request back.
func (a *app) attend(o *bailey.Options) {
	p := a.prompt("terminal")
	o.Withdraw = true
	o.OnWait = func(e approval.Entry) {
		if !p.can(context.Background()) {
			a.sayWaiting(e)
		}
	}
	o.Approver = &bailey.Approver{
		Can: p.can,
		Ask: func(ctx context.Context, e approval.Entry) (approval.Decision, error) {
			d, err := p.ask(ctx, e)
			if errors.Is(err, errNoAnswer) {
				a.sayWaiting(e)
			}
			return d, err
		},
	}
}

// sayWaiting tells where a call that waits can be decided.
func (a *app) sayWaiting(e approval.Entry) {
	at := ""
	if a.flags.state != "" {
		at = " --state " + text.VisibleControl(a.flags.state)
	}
	fmt.Fprintf(a.stderr, "bailey: waiting for approval %s (%s %s, rule %q); decide with: bailey approvals show %s%s\n",
		e.ID, e.Tool, review.Subject(e), e.Rule, e.ID, at)
}
