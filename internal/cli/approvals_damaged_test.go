package cli

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the approvals are one

	"github.com/baileyhq/bailey"
)

// TestDamagedApprovals: that requests can't be read is told as what it is, wherever
// it shows.
func TestDamagedApprovals(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	store, err := bailey.OpenApprovals(context.Background(), state)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) int {
		var out, errs bytes.Buffer
		a := &app{stdin: &bytes.Buffer{}, stdout: &out, stderr: &errs, env: func(string) string { return "" }}
		return a.run(t.Context(), append(args, "--state", state))
	}
	if code := run("approvals", "list"); code != 0 {
		t.Fatalf("before: exit code %d", code)
	}
	db, err := sql.Open("sqlite", filepath.Join(state, "approvals.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("DROP TABLE requests")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"watch", "--json"}, {"show", "abcd"}, {"approve", "abcd"}} {
		if code := run(append([]string{"approvals"}, args...)...); code != 74 {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
}
