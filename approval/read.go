package approval

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// minPrefix is how much of an ID is enough, in characters.
const minPrefix = 4

// Get returns a request by its ID, or by a beginning of it of at least four
// characters that no other request has. The errors are ErrNotFound and ErrAmbiguous.
func (s *Store) Get(ctx context.Context, id string) (Entry, error) {
	id = strings.ToLower(id)
	if len(id) < minPrefix || strings.ContainsAny(id, "%_\\") {
		return Entry{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	var found []*row
	err := patiently(ctx, func() (err error) {
		found, err = s.query(ctx, s.db, selectRows+`id >= ? AND id < ? ORDER BY seq LIMIT 2`, id, id+"\x7f")
		return err
	})
	switch {
	case err != nil:
		return Entry{}, err
	case len(found) == 0:
		return Entry{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	case len(found) > 1:
		return Entry{}, fmt.Errorf("%w: %q", ErrAmbiguous, id)
	}
	return s.seen(found[0]), nil
}

// List returns the requests that the filter takes, the oldest first.
func (s *Store) List(ctx context.Context, f Filter) ([]Entry, error) {
	where, args := f.where()
	var list []Entry
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := lapse(ctx, tx, s.Now()); err != nil {
			return err
		}
		found, err := s.query(ctx, tx, f.columns()+where, args...)
		list = make([]Entry, 0, len(found)) // anew in every try
		for _, r := range slices.Backward(found) {
			list = append(list, r.Entry)
		}
		return err
	})
	return list, err
}

func (f *Filter) columns() string {
	if f.Brief {
		return selectBrief
	}
	return selectRows
}

func (f *Filter) where() (where string, args []any) {
	where = "1"
	if f.Workspace != "" {
		where, args = "workspace = ?", append(args, f.Workspace)
	}
	if f.States != nil {
		where += " AND state IN (?" + strings.Repeat(",?", max(len(f.States)-1, 0)) + ")"
		for _, state := range f.States {
			args = append(args, string(state))
		}
		if len(f.States) == 0 {
			args = append(args, "")
		}
	}
	where += " ORDER BY seq DESC"
	if f.Limit > 0 {
		where, args = where+" LIMIT ?", append(args, f.Limit)
	}
	return where, args
}

// seen is a request as it is now: one whose time is over has expired, though
// nobody has written that down yet.
func (s *Store) seen(r *row) Entry {
	e := r.Entry
	if (e.State == Pending || e.State == Approved) && !e.Expires.IsZero() && !s.Now().Before(e.Expires) {
		e.State, e.Decided = Expired, e.Expires
	}
	return e
}

func (s *Store) query(ctx context.Context, q queryer, statement string, args ...any) (found []*row, err error) {
	rows, err := q.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, rows.Err()
}

// Wait returns the request when it no longer waits for a human. When ctx ends
// first, its error is returned and the request goes on waiting.
func (s *Store) Wait(ctx context.Context, id string) (Entry, error) {
	tick := time.NewTicker(s.Poll)
	defer tick.Stop()
	for {
		var r *row
		err := patiently(ctx, func() (err error) {
			r, err = one(ctx, s.db, selectBrief, id)
			return err
		})
		if err != nil {
			return Entry{}, err
		}
		if s.seen(r).State != Pending {
			return s.fetch(ctx, id)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return Entry{}, ctx.Err()
		}
	}
}

// fetch takes an outcome to a caller.
func (s *Store) fetch(ctx context.Context, id string) (Entry, error) {
	var e Entry
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := lapse(ctx, tx, s.Now()); err != nil {
			return err
		}
		r, err := byID(ctx, tx, id)
		if err != nil {
			return err
		}
		e = r.Entry
		return deliver(ctx, tx, id)
	})
	return e, err
}
