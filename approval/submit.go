package approval

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"errors"
	"strings"
	"time"
)

// Submit asks for a decision, which is then to be waited for ([Store.Wait]) or is
// there already: a grant for the session, an approval of an equal call that was not
// used, an outcome that no caller was given yet. An equal request that waits is
// joined. ttl is how long the request and an approval are good; 0 is for ever.
// The error is ErrFull where too many requests wait.
func (s *Store) Submit(ctx context.Context, r Request, ttl time.Duration) (Entry, error) {
	var e Entry
	err := s.write(ctx, func(tx *sql.Tx) error {
		now := s.Now()
		if err := s.tidy(ctx, tx, now); err != nil {
			return err
		}
		known, err := s.attach(ctx, tx, &r, now)
		if err != nil || known != nil {
			if known != nil {
				e = *known
			}
			return err
		}
		made, err := s.create(ctx, tx, r, ttl, now)
		if err == nil {
			e = made.Entry
		}
		return err
	})
	return e, err
}

// tidy ends what is over and forgets what is long finished.
func (s *Store) tidy(ctx context.Context, tx *sql.Tx, now time.Time) error {
	if err := lapse(ctx, tx, now); err != nil {
		return err
	}
	old := now.Add(-keepFinished).UnixNano()
	if _, err := tx.ExecContext(ctx,
		`DELETE FROM requests WHERE state IN ('executed','denied','expired','cancelled') AND decided < ?`, old); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM grants WHERE created < ?`, old); err != nil {
		return err
	}
	return s.makeRoom(ctx, tx, now)
}

// makeRoom forgets the oldest of what is over where there is too much of it: an
// agent can ask for as much as it likes, and is denied, and asks again.
func (s *Store) makeRoom(ctx context.Context, tx *sql.Tx, now time.Time) error {
	const over = `state IN ('executed','denied','expired','cancelled')`
	var held int64
	if err := tx.QueryRowContext(ctx, `SELECT COALESCE(SUM(bytes), 0) FROM requests WHERE `+over).Scan(&held); err != nil || held <= s.MaxFinished {
		return err
	}
	// Some more than needed, so that it is not needed again at once.
	_, err := tx.ExecContext(ctx, `DELETE FROM requests WHERE seq IN (
		SELECT seq FROM (SELECT *, SUM(bytes) OVER (ORDER BY decided DESC, seq DESC) AS younger FROM requests WHERE `+over+`)
		WHERE younger > ? AND NOT (state IN ('denied','expired') AND delivered = 0 AND decided + IIF(ttl = 0, ?, ttl) > ?))`,
		s.MaxFinished/4*3, int64(keepOutcome), now.UnixNano())
	return err
}

// lapse ends what nobody decided or used in time.
func lapse(ctx context.Context, tx *sql.Tx, now time.Time) error {
	_, err := tx.ExecContext(ctx,
		`UPDATE requests SET state = 'expired', decided = ? WHERE state IN ('pending','approved') AND expires > 0 AND expires <= ?`,
		now.UnixNano(), now.UnixNano())
	return err
}

// attach finds the request that an equal call has left, if it still has something
// to say.
func (s *Store) attach(ctx context.Context, tx *sql.Tx, r *Request, now time.Time) (*Entry, error) {
	rows, err := s.query(ctx, tx, selectRows+`digest = ? AND (state IN ('pending','approved') OR state IN ('denied','expired') AND delivered = 0)
		ORDER BY seq DESC`, r.Digest)
	if err != nil {
		return nil, err
	}
	for _, known := range rows {
		switch known.State {
		case Pending:
			known.Joined++
			_, err := tx.ExecContext(ctx, `UPDATE requests SET joined = joined + 1 WHERE id = ?`, known.ID)
			return &known.Entry, err
		case Approved:
			asked, err := s.wasAsked(ctx, tx, known)
			if err != nil {
				return nil, err
			}
			if asked {
				return &known.Entry, deliver(ctx, tx, known.ID)
			}
		case Denied, Expired:
			if now.Sub(known.Decided) < known.kept() {
				return &known.Entry, deliver(ctx, tx, known.ID)
			}
		case Executed, Cancelled:
		}
	}
	return nil, nil
}

// wasAsked tells an approval that a human gave from one that a grant of the session
// did: that is for the call which it was made for, and each call gets its own.
func (s *Store) wasAsked(ctx context.Context, tx *sql.Tx, r *row) (asked bool, err error) {
	if r.Scope == Once {
		return true, nil
	}
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM grants WHERE request = ?)`, r.ID).Scan(&asked)
	return asked, err
}

// kept is how long an outcome waits for a caller to fetch it.
func (r *row) kept() time.Duration {
	if r.ttl == 0 {
		return keepOutcome
	}
	return r.ttl
}

func deliver(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `UPDATE requests SET delivered = 1 WHERE id = ?`, id)
	return err
}

// create makes a request: approved where the session has a grant for it, else one
// that waits.
func (s *Store) create(ctx context.Context, tx *sql.Tx, q Request, ttl time.Duration, now time.Time) (*row, error) {
	r := &row{ttl: ttl, Entry: Entry{Request: q, State: Pending, Created: now, ID: newID(), Fresh: true}}
	if ttl > 0 {
		r.Expires = now.Add(ttl)
	}
	by, granted, err := s.grantOf(ctx, tx, &q)
	switch {
	case err != nil:
		return nil, err
	case granted:
		r.State, r.Scope, r.By, r.Decided, r.Fresh, r.delivered = Approved, Session, by, now, false, true
		if ttl == 0 {
			r.Expires = now.Add(keepOutcome) // it is for a call that is here
		}
	default:
		var waiting int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM requests WHERE state = 'pending'`).Scan(&waiting); err != nil {
			return nil, err
		}
		if waiting >= s.MaxPending {
			return nil, ErrFull
		}
	}
	return r, insert(ctx, tx, r)
}

// grantOf looks for a decision that covers the request for its session.
func (s *Store) grantOf(ctx context.Context, tx *sql.Tx, q *Request) (by string, granted bool, err error) {
	if q.Grant == "" || q.Session == "" {
		return "", false, nil
	}
	err = tx.QueryRowContext(ctx, `SELECT decider FROM grants WHERE session = ? AND cover = ?`, q.Session, q.Grant).Scan(&by)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return by, err == nil, err
}

// newID is short enough to be typed. The table's UNIQUE settles the rest.
func newID() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}
