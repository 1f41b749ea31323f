package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/tool"
)

// watchPoll is how often a watcher looks for requests.
const watchPoll = 250 * time.Millisecond

func (a *app) approvalsWatch() *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Ask for each request as it comes, or print each as JSON",
		Long: `Watch for requests. On a terminal each is shown and asked for, one after the
other; Ctrl-C ends it, and so does Ctrl-D at a question. Without a terminal, or with --json, one line of JSON
is printed for each request that waits and for each change of its state.

While somebody watches, [approval] unattended = "deny" lets calls wait.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.atDesk(cmd.Context(), func(d *bailey.Desk) error { return a.watch(cmd.Context(), d) })
		},
	}
}

func (a *app) watch(ctx context.Context, d *bailey.Desk) error {
	p := a.prompt("watch")
	p.later = true
	var err error
	if a.flags.json || !isTerminal(a.stdout) || !p.can(ctx) {
		err = a.watchJSON(ctx, d.Store())
	} else {
		err = a.watchTerminal(ctx, d, p)
	}
	if ctx.Err() != nil {
		return &exitError{tool.Cancelled.ExitCode()}
	}
	return err
}

// watchTerminal asks for each request that waits and was not put aside.
func (a *app) watchTerminal(ctx context.Context, d *bailey.Desk, p *prompt) error {
	leave, err := d.Store().Attend()
	if err != nil {
		return err
	}
	defer func() { _ = leave() }()
	fmt.Fprintln(a.stdout, "Watching for requests; at a question, Ctrl-D ends this.")
	aside := map[string]bool{}
	for {
		e, err := nextPending(ctx, d.Store(), aside)
		if err != nil {
			return err
		}
		switch err := a.askOne(ctx, d, p, e); {
		case errors.Is(err, errNoAnswer):
			return nil
		case errors.Is(err, errLater):
			aside[e.ID] = true
		case err != nil:
			return err
		}
	}
}

// nextPending waits for a request that is not put aside.
func nextPending(ctx context.Context, store *approval.Store, aside map[string]bool) (approval.Entry, error) {
	for {
		entries, err := store.List(ctx, approval.Filter{States: []approval.State{approval.Pending}, Brief: true})
		if err != nil {
			return approval.Entry{}, err
		}
		for _, e := range entries {
			if aside[e.ID] {
				continue
			}
			switch e, err := store.Get(ctx, e.ID); {
			case err != nil && !errors.Is(err, approval.ErrNotFound):
				return e, err
			case err == nil && e.State == approval.Pending:
				return e, nil
			}
		}
		if err := pause(ctx); err != nil {
			return approval.Entry{}, err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-time.After(watchPoll):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// askOne asks for one request, and makes the answer the decision.
func (a *app) askOne(ctx context.Context, d *bailey.Desk, p *prompt, e approval.Entry) error {
	asking, end := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		end(awaitSettled(asking, d.Store(), e.ID))
	}()
	decision, err := p.ask(asking, e)
	end(nil)
	<-ended
	var settled *bailey.SettledError
	if errors.As(err, &settled) {
		return nil
	}
	if err != nil {
		return err
	}
	e, err = d.Decide(ctx, e.ID, decision)
	if err != nil && !errors.Is(err, approval.ErrDecided) && !errors.Is(err, approval.ErrExpired) {
		return err
	}
	if err != nil {
		a.complain(err) // the next request is asked for all the same
		return nil
	}
	_, err = fmt.Fprintln(a.stdout, decided(e))
	return err
}

// awaitSettled waits until a request is no longer pending. It leaves the outcome
// to the call that waits for it, which [approval.Store.Wait] would not.
func awaitSettled(ctx context.Context, store *approval.Store, id string) error {
	for {
		if err := pause(ctx); err != nil {
			return err
		}
		e, err := store.Get(ctx, id)
		switch {
		case err != nil:
			return err
		case e.State != approval.Pending:
			return &bailey.SettledError{Entry: e}
		}
	}
}

// watchWindow is how many requests, the newest ones, are looked at for changes.
const watchWindow = 200

// watchJSON prints each request that waits or appears, and what becomes of it.
func (a *app) watchJSON(ctx context.Context, store *approval.Store) error {
	known, err := settledBefore(ctx, store)
	if err != nil {
		return err
	}
	// What comes from here on is seen, so that calls may wait for it.
	leave, err := store.Attend()
	if err != nil {
		return err
	}
	defer func() { _ = leave() }()
	for last := false; !last; {
		last = ctx.Err() != nil // what came until then is told
		entries, err := changes(context.WithoutCancel(ctx), store, known)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := a.printJSON(rowOf(e)); err != nil {
				return err
			}
		}
		if !last {
			_ = pause(ctx)
		}
	}
	return nil
}

// settledBefore are the states of the requests that nobody waits for.
func settledBefore(ctx context.Context, store *approval.Store) (map[string]approval.State, error) {
	entries, err := store.List(ctx, approval.Filter{Limit: watchWindow, Brief: true})
	known := map[string]approval.State{}
	for _, e := range entries {
		if e.State != approval.Pending {
			known[e.ID] = e.State
		}
	}
	return known, err
}

// changes lists the requests that are not in known with their state, the oldest
// first, and notes them. One that has left the window is looked at by itself until
// it is over.
func changes(ctx context.Context, store *approval.Store, known map[string]approval.State) ([]approval.Entry, error) {
	recent, err := store.List(ctx, approval.Filter{Limit: watchWindow, Brief: true})
	if err != nil {
		return nil, err
	}
	inWindow := map[string]bool{}
	for _, e := range recent {
		inWindow[e.ID] = true
	}
	var changed []approval.Entry
	for id, state := range known {
		if inWindow[id] {
			continue
		}
		e, err := store.Get(ctx, id)
		if err != nil && !errors.Is(err, approval.ErrNotFound) {
			return nil, err
		}
		if err == nil && e.State != state {
			changed = append(changed, e)
		}
		if err != nil || over(e.State) {
			delete(known, id)
		} else {
			known[id] = e.State
		}
	}
	for _, e := range recent {
		if known[e.ID] != e.State {
			known[e.ID] = e.State
			changed = append(changed, e)
		}
	}
	return changed, nil
}

// over tells whether nothing becomes of a request any more.
func over(s approval.State) bool { return s != approval.Pending && s != approval.Approved }
