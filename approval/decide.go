package approval

import (
	"context"
	"database/sql"
	"time"
)

// Approve says yes to a request that waits. An approval is good for as long as the
// request was, counted anew, so that a caller who comes back finds it. The errors
// are ErrNotFound, ErrDecided (a *DecidedError) and ErrNoGrant.
func (s *Store) Approve(ctx context.Context, id string, scope Scope, by string) (Entry, error) {
	return s.Decide(ctx, id, Decision{Approve: true, Scope: scope, By: by})
}

// Deny says no to a request that waits. The reason is told to the agent.
func (s *Store) Deny(ctx context.Context, id, by, reason string) (Entry, error) {
	return s.Decide(ctx, id, Decision{By: by, Reason: reason})
}

// Decide writes down what a human said, as Approve and Deny do.
func (s *Store) Decide(ctx context.Context, id string, d Decision) (Entry, error) {
	var e Entry
	err := s.write(ctx, func(tx *sql.Tx) error {
		now := s.Now()
		if err := lapse(ctx, tx, now); err != nil {
			return err
		}
		r, err := byID(ctx, tx, id)
		if err != nil {
			return err
		}
		if r.State != Pending {
			return &DecidedError{r.Entry}
		}
		if err := r.decide(d, now); err != nil {
			return err
		}
		e = r.Entry
		if err := s.settle(ctx, tx, r); err != nil {
			return err
		}
		return s.grant(ctx, tx, &e)
	})
	if err != nil {
		return Entry{}, err
	}
	return e, nil
}

func (r *row) decide(d Decision, now time.Time) error {
	r.Decided, r.By = now, d.By
	if !d.Approve {
		r.State, r.Reason = Denied, d.Reason
		return nil
	}
	r.State, r.Scope = Approved, Once
	if d.Scope == Session {
		if r.Grant == "" || r.Session == "" {
			return ErrNoGrant
		}
		r.Scope = Session
	}
	if r.ttl > 0 {
		r.Expires = now.Add(r.ttl)
	}
	return nil
}

// settle ends the wait of a request, once: whoever comes second changes nothing.
func (s *Store) settle(ctx context.Context, tx *sql.Tx, r *row) error {
	done, err := tx.ExecContext(ctx,
		`UPDATE requests SET state = ?, scope = ?, decided = ?, decider = ?, reason = ?, expires = ? WHERE id = ? AND state = 'pending'`,
		r.State, r.Scope, stamp(r.Decided), r.By, r.Reason, stamp(r.Expires), r.ID)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return &DecidedError{r.Entry}
	}
	return nil
}

// grant remembers an approval for the rest of the session.
func (s *Store) grant(ctx context.Context, tx *sql.Tx, e *Entry) error {
	if e.State != Approved || e.Scope != Session {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO grants (session, cover, request, decider, created) VALUES (?,?,?,?,?)`,
		e.Session, e.Grant, e.ID, e.By, e.Decided.UnixNano())
	return err
}

// Cancel takes back a request that waits, unless other calls have joined it
// (ErrJoined): whoever asked no longer wants to know.
func (s *Store) Cancel(ctx context.Context, id string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		now := s.Now()
		if err := lapse(ctx, tx, now); err != nil {
			return err
		}
		r, err := byID(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case r.State != Pending:
			return &DecidedError{r.Entry}
		case r.Joined > 0:
			return ErrJoined
		}
		r.State, r.Decided = Cancelled, now
		return s.settle(ctx, tx, r)
	})
}

// Claim uses up an approval: from then on it is executed, whatever becomes of the
// call. It succeeds once, for the digest that was approved and before the approval
// expires; else the error is ErrUsed, ErrMismatch, ErrExpired, ErrNotApproved or
// ErrNotFound.
func (s *Store) Claim(ctx context.Context, id, digest string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		if err := lapse(ctx, tx, s.Now()); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx,
			`UPDATE requests SET state = 'executed' WHERE id = ? AND state = 'approved' AND digest = ?`, id, digest)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 1 {
			return err
		}
		r, err := byID(ctx, tx, id)
		if err != nil {
			return err
		}
		return r.unclaimed(digest)
	})
}

// unclaimed says why a request can't be claimed.
func (r *row) unclaimed(digest string) error {
	switch {
	case r.Digest != digest:
		return ErrMismatch
	case r.State == Executed:
		return ErrUsed
	case r.State == Expired:
		return ErrExpired
	default:
		return ErrNotApproved
	}
}
