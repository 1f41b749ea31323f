package approval

import (
	"context"
	"testing"
)

// Exec runs SQL on the one connection that the store keeps from then on, so that
// what a pragma sets stays.
func (s *Store) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	s.db.SetMaxOpenConns(1)
	if _, err := s.db.ExecContext(context.Background(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Journal has the database write down every state that a request gets, whichever
// process gives it.
func (s *Store) Journal(t testing.TB) {
	t.Helper()
	s.Exec(t, `CREATE TABLE journal (id TEXT, was TEXT, became TEXT);
		CREATE TRIGGER journal_begins AFTER INSERT ON requests BEGIN
			INSERT INTO journal VALUES (NEW.id, '', NEW.state);
		END;
		CREATE TRIGGER journal_goes_on AFTER UPDATE OF state ON requests BEGIN
			INSERT INTO journal VALUES (NEW.id, OLD.state, NEW.state);
		END`)
}

// Journaled returns the states of each request, in their order.
func (s *Store) Journaled(t testing.TB) map[string][]State {
	t.Helper()
	rows, err := s.db.QueryContext(context.Background(), `SELECT id, was, became FROM journal ORDER BY rowid`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	states := map[string][]State{}
	for rows.Next() {
		var id string
		var was, became State
		if err := rows.Scan(&id, &was, &became); err != nil {
			t.Fatal(err)
		}
		if seen := states[id]; len(seen) > 0 && seen[len(seen)-1] != was {
			t.Errorf("%s was %s, and then %s", id, seen[len(seen)-1], was)
		}
		states[id] = append(states[id], became)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return states
}
