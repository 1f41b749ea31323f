package approval

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// columns are those of a request, in the order in which scan reads them. The
// details follow.
const columns = `id, digest, cover, session, principal, grp, workspace, task, tool, op, rule, message, command,
	paths, state, scope, created, expires, decided, decider, reason, joined, ttl, delivered`

const (
	selectRows  = `SELECT ` + columns + `, (SELECT body FROM details WHERE details.seq = requests.seq) FROM requests WHERE `
	selectBrief = `SELECT ` + columns + `, NULL FROM requests WHERE `
)

// minBytes is what a request takes at least: a page of the database.
const minBytes = 4096

func (r *row) bytes() int {
	n := minBytes + len(r.Command) + len(r.Message) + len(r.Details)
	for _, p := range r.Paths {
		n += len(p) + 1
	}
	return n
}

// row is an entry with what only the store needs.
type row struct {
	Entry
	ttl       time.Duration // 0: never expires
	delivered bool          // a caller was given the outcome
}

func scan(from interface{ Scan(dest ...any) error }) (*row, error) {
	var (
		r                         row
		paths, details            []byte
		created, expires, decided int64
	)
	err := from.Scan(&r.ID, &r.Digest, &r.Grant, &r.Session, &r.Principal, &r.Group, &r.Workspace, &r.Task,
		&r.Tool, &r.Op, &r.Rule, &r.Message, &r.Command, &paths, &r.State, &r.Scope,
		&created, &expires, &decided, &r.By, &r.Reason, &r.Joined, &r.ttl, &r.delivered, &details)
	if err != nil {
		return nil, err
	}
	if len(paths) > 0 {
		r.Paths = strings.Split(string(paths), "\x00")
	}
	if len(details) > 0 {
		r.Details = details
	}
	r.Created, r.Expires, r.Decided = moment(created), moment(expires), moment(decided)
	return &r, nil
}

func moment(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// stamp is the opposite of moment.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func byID(ctx context.Context, q queryer, id string) (*row, error) {
	return one(ctx, q, selectRows, id)
}

// one reads a request, whole or in brief.
func one(ctx context.Context, q queryer, columns, id string) (*row, error) {
	r, err := scan(q.QueryRowContext(ctx, columns+"id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	return r, err
}

func insert(ctx context.Context, tx *sql.Tx, r *row) error {
	made, err := tx.ExecContext(ctx, `INSERT INTO requests (`+columns+`, bytes)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		r.ID, r.Digest, r.Grant, r.Session, r.Principal, r.Group, r.Workspace, r.Task,
		r.Tool, r.Op, r.Rule, r.Message, r.Command, []byte(strings.Join(r.Paths, "\x00")),
		r.State, r.Scope, stamp(r.Created), stamp(r.Expires), stamp(r.Decided), r.By, r.Reason, r.Joined, int64(r.ttl), r.delivered, r.bytes())
	if err != nil || len(r.Details) == 0 {
		return err
	}
	seq, err := made.LastInsertId()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO details (seq, body) VALUES (?, ?)`, seq, []byte(r.Details))
	return err
}
