package approval

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	fileName = "approvals.db"

	defaultPending  = 100
	defaultFinished = 128 << 20
	defaultPoll     = 100 * time.Millisecond
	busyWait        = 15 * time.Second    // for other processes to end what they write
	keepFinished    = 30 * 24 * time.Hour // the audit log is what lasts
	keepOutcome     = 5 * time.Minute     // for a caller to fetch, where a request never expires
)

// Options configures [Open]. The zero value is good for use.
type Options struct {
	MaxPending int // requests that may wait at once; 0 is 100
	// MaxFinished bounds the bytes of what is kept of requests that are over; 0 is
	// 128 MiB. The oldest go first, none before a caller could fetch the outcome.
	MaxFinished int64
	Now         func() time.Time // nil is time.Now
	Poll        time.Duration    // how often a waiting call looks; 0 is 100 ms
}

// Store holds the requests of a state directory.
type Store struct {
	Options
	db  *sql.DB
	dir string
}

// Open opens the store of a directory, which must belong to the user and be closed
// to others, and makes the file if there is none. An error is ErrStore: a file that
// is damaged is left as it is.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if o.MaxPending == 0 {
		o.MaxPending = defaultPending
	}
	if o.MaxFinished == 0 {
		o.MaxFinished = defaultFinished
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Poll == 0 {
		o.Poll = defaultPoll
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, broken(err)
	}
	file := filepath.Join(dir, fileName)
	if err := prepareFile(dir, file); err != nil {
		return nil, broken(err)
	}
	s := &Store{Options: o, dir: dir}
	if s.db, err = sql.Open("sqlite", dsn(file)); err != nil {
		return nil, broken(err)
	}
	s.db.SetMaxOpenConns(4)
	if err := s.migrate(ctx); err != nil {
		_ = s.db.Close()
		return nil, failure(ctx, err)
	}
	return s, nil
}

// dsn says how SQLite is used. Every transaction begins as a writer: one that
// turns into a writer later fails at once where another was faster, whatever the
// time-out. A decision must outlast a power cut, hence FULL.
func dsn(file string) string {
	u := url.URL{Scheme: "file", Path: file, RawQuery: url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(20)", "journal_mode(WAL)", "synchronous(FULL)"},
	}.Encode()}
	return u.String()
}

// prepareFile makes the file with its mode, and takes no other file for it.
func prepareFile(dir, file string) error {
	if err := checkPrivate(dir); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(file)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", file)
	}
	return checkClosed(file, info, 0o077) // requests show what files hold
}

// checkPrivate refuses a directory in which others could put files.
func checkPrivate(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	}
	return checkClosed(dir, info, 0o022)
}

// Close closes the store. Requests stay.
func (s *Store) Close() error { return s.db.Close() }

// write runs fn in a transaction that alone may write, in its turn.
func (s *Store) write(ctx context.Context, fn func(*sql.Tx) error) error {
	return patiently(ctx, func() error { return s.transact(ctx, fn) })
}

// patiently tries again while other processes write, or recover what one that was
// killed has left.
func patiently(ctx context.Context, try func() error) error {
	for deadline := time.Now().Add(busyWait); ; {
		err := try()
		if !isBusy(err) || time.Now().After(deadline) {
			return failure(ctx, err)
		}
		// SQLite's own wait grows to 100 ms, which starves whoever waits while others
		// come and go.
		select {
		case <-time.After(time.Duration(1+rand.IntN(4)) * time.Millisecond): //nolint:gosec // no secret
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Store) transact(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing to undo after a commit
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// failure keeps errors of this package and of ctx apart from those of the database.
func failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	for _, own := range []error{ErrNotFound, ErrAmbiguous, ErrDecided, ErrExpired, ErrUsed, ErrMismatch, ErrNotApproved, ErrNoGrant, ErrFull, ErrJoined, ErrStore} {
		if errors.Is(err, own) {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return broken(err)
}
