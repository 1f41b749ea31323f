package approval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/approval"
)

// acts are all that can be done to a request, each as an error.
var acts = map[string]func(s *approval.Store, id string) error{
	"submit": func(s *approval.Store, _ string) error {
		_, err := s.Submit(context.Background(), request("new"), ttl)
		return err
	},
	"approve": func(s *approval.Store, id string) error {
		_, err := s.Approve(context.Background(), id, approval.Once, "eve")
		return err
	},
	"deny": func(s *approval.Store, id string) error {
		_, err := s.Deny(context.Background(), id, "eve", "")
		return err
	},
	"cancel": func(s *approval.Store, id string) error { return s.Cancel(context.Background(), id) },
	"claim":  func(s *approval.Store, id string) error { return s.Claim(context.Background(), id, "d") },
}

// TestUnwritable: what can't be written has not happened.
func TestUnwritable(t *testing.T) {
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			state := approval.Pending
			if name == "claim" {
				state = approval.Approved
			}
			f := newFixture(t)
			e := f.bring(state)
			f.Exec(t, "PRAGMA query_only = 1")
			if err := act(f.Store, e.ID); !errors.Is(err, approval.ErrStore) {
				t.Errorf("while nothing can be written: %v", err)
			}
			if got := f.state(e.ID); got != state {
				t.Errorf("then it is %s", got)
			}
			f.Exec(t, "PRAGMA query_only = 0")
			if err := act(f.Store, e.ID); err != nil {
				t.Errorf("when it can again: %v", err)
			}
		})
	}
}

// TestFull: a request for which there is no room leaves nothing behind.
func TestFull(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	waits := f.submit(request("d"))
	f.Exec(t, "PRAGMA max_page_count = 40")
	large := request("large")
	large.Details = json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	if _, err := f.Submit(ctx, large, ttl); !errors.Is(err, approval.ErrStore) {
		t.Errorf("the error is %v", err)
	}
	if all, err := f.List(ctx, approval.Filter{}); err != nil || len(all) != 1 || all[0].ID != waits.ID {
		t.Errorf("there is %v, %v", all, err)
	}
	f.approve(waits.ID, approval.Once)
	f.claim(waits.ID, "d")
	f.Exec(t, "PRAGMA max_page_count = 4000")
	f.submit(large)
}

// TestDamaged: a file whose pages are wrong is an error, and stays as it is.
func TestDamaged(t *testing.T) {
	const page = 4096
	for name, damage := range map[string]func(file []byte) []byte{
		"no database": func(file []byte) []byte { return bytes.Repeat([]byte("no database "), len(file)/12) },
		"all but the first page": func(file []byte) []byte {
			for i := page; i < len(file); i++ {
				file[i] ^= 0xa5
			}
			return file
		},
		"cut": func(file []byte) []byte { return file[:2*page] },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			e := f.bring(approval.Approved)
			for i := range 50 {
				f.submit(request(fmt.Sprint(i)))
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(f.dir, "approvals.db")
			whole, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wrong := damage(bytes.Clone(whole))
			if err := os.WriteFile(file, wrong, 0o600); err != nil {
				t.Fatal(err)
			}
			for name, act := range acts {
				s, err := approval.Open(context.Background(), f.dir, approval.Options{Now: f.clock.Now})
				if err == nil {
					err = act(s, e.ID)
					_ = s.Close()
				}
				if !errors.Is(err, approval.ErrStore) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, wrong) {
				t.Errorf("the file was changed (%v)", err)
			}
			if err := os.WriteFile(file, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			again := open(t, f.dir, approval.Options{Now: f.clock.Now})
			if err := again.Claim(context.Background(), e.ID, "d"); err != nil {
				t.Errorf("control: %v", err)
			}
		})
	}
}

// TestNewer: an older program does not touch what a newer one has made.
func TestNewer(t *testing.T) {
	f := newFixture(t)
	f.Exec(t, "PRAGMA user_version = 99")
	_, err := approval.Open(context.Background(), f.dir, approval.Options{})
	if !errors.Is(err, approval.ErrStore) || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("the error is %v", err)
	}
}
