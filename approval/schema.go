package approval

import (
	"context"
	"database/sql"
	"fmt"
)

// schemaVersion is the number of migrations.
const schemaVersion = 1

// migrations lead from version to version. Times are nanoseconds since 1970; an
// expires of 0 is never. paths are joined by NUL, because they need not be UTF-8.
// bytes is what a request takes. The details may be large and never change: apart, they are not written anew with
// every state, and not read for one.
var migrations = [schemaVersion]string{`
CREATE TABLE requests (
	seq       INTEGER PRIMARY KEY,
	id        TEXT NOT NULL UNIQUE,
	digest    TEXT NOT NULL,
	cover     TEXT NOT NULL,
	session   TEXT NOT NULL,
	principal TEXT NOT NULL,
	grp       TEXT NOT NULL,
	workspace TEXT NOT NULL,
	task      TEXT NOT NULL,
	tool      TEXT NOT NULL,
	op        TEXT NOT NULL,
	rule      TEXT NOT NULL,
	message   TEXT NOT NULL,
	command   TEXT NOT NULL,
	paths     BLOB NOT NULL,
	bytes     INTEGER NOT NULL DEFAULT 4096,
	state     TEXT NOT NULL CHECK (state IN ('pending','approved','executed','denied','expired','cancelled')),
	scope     TEXT NOT NULL DEFAULT '',
	ttl       INTEGER NOT NULL,
	created   INTEGER NOT NULL,
	expires   INTEGER NOT NULL,
	decided   INTEGER NOT NULL DEFAULT 0,
	decider   TEXT NOT NULL DEFAULT '',
	reason    TEXT NOT NULL DEFAULT '',
	joined    INTEGER NOT NULL DEFAULT 0,
	delivered INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX requests_by_digest ON requests (digest);
CREATE INDEX requests_by_expiry ON requests (state, expires);
CREATE INDEX requests_by_end ON requests (state, decided, bytes);
CREATE TABLE details (
	seq  INTEGER PRIMARY KEY,
	body BLOB NOT NULL
);
CREATE TRIGGER details_go_too AFTER DELETE ON requests BEGIN
	DELETE FROM details WHERE seq = OLD.seq;
END;
CREATE TABLE grants (
	session TEXT NOT NULL,
	cover   TEXT NOT NULL,
	request TEXT NOT NULL,
	decider TEXT NOT NULL,
	created INTEGER NOT NULL,
	PRIMARY KEY (session, cover)
) WITHOUT ROWID;
`}

func (s *Store) migrate(ctx context.Context) error {
	if version, err := userVersion(ctx, s.db); err == nil && version == schemaVersion {
		return nil
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		version, err := userVersion(ctx, tx) // another process may have been faster
		if err != nil {
			return err
		}
		if version > schemaVersion {
			return fmt.Errorf("%s is of a newer version of Bailey", fileName)
		}
		for _, m := range migrations[version:] {
			if _, err := tx.ExecContext(ctx, m); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
		return err
	})
}

func userVersion(ctx context.Context, q queryer) (version int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// queryer is a database or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}
