package approval

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// columns are those of an Entry, in the order in which scan reads them.
const columns = `id, digest, cover, session, principal, grp, workspace, task, tool, op, rule, message, command,
	paths, details, state, scope, created, expires, decided, decider, reason, joined, delivered, ttl`

// row is an entry with what only the store needs.
type row struct {
	Entry
	delivered bool
	ttl       time.Duration // 0: never expires
}

func scan(from interface{ Scan(dest ...any) error }) (*row, error) {
	var (
		r                         row
		paths, details            []byte
		created, expires, decided int64
	)
	err := from.Scan(&r.ID, &r.Digest, &r.Grant, &r.Session, &r.Principal, &r.Group, &r.Workspace, &r.Task,
		&r.Tool, &r.Op, &r.Rule, &r.Message, &r.Command, &paths, &details, &r.State, &r.Scope,
		&created, &expires, &decided, &r.By, &r.Reason, &r.Joined, &r.delivered, &r.ttl)
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

// find reads one request. where has one parameter.
func find(ctx context.Context, q queryer, where string, arg any) (*row, error) {
	return scan(q.QueryRowContext(ctx, "SELECT "+columns+" FROM requests WHERE "+where, arg))
}

func byID(ctx context.Context, q queryer, id string) (*row, error) {
	r, err := find(ctx, q, "id = ?", id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	return r, err
}

func insert(ctx context.Context, tx *sql.Tx, r *row) error {
	expires := int64(0)
	if !r.Expires.IsZero() {
		expires = r.Expires.UnixNano()
	}
	decided := int64(0)
	if !r.Decided.IsZero() {
		decided = r.Decided.UnixNano()
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO requests (`+columns+`)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		r.ID, r.Digest, r.Grant, r.Session, r.Principal, r.Group, r.Workspace, r.Task,
		r.Tool, r.Op, r.Rule, r.Message, r.Command, []byte(strings.Join(r.Paths, "\x00")), notNil(r.Details),
		r.State, r.Scope, r.Created.UnixNano(), expires, decided, r.By, r.Reason, r.Joined, r.delivered, int64(r.ttl))
	return err
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
