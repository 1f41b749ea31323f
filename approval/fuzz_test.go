package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/baileyhq/bailey/approval"
)

// FuzzGet finds a request by what an operator typed only if that is how its ID begins.
func FuzzGet(f *testing.F) {
	s := open(f, f.TempDir(), approval.Options{})
	e, err := s.Submit(context.Background(), request("d"), 0)
	if err != nil {
		f.Fatal(err)
	}
	for _, id := range []string{e.ID, e.ID[:4], "", "____", "%", "\x00", "\xff\xff\xff\xff", "a' OR 1--", "ÄÄÄÄ", e.ID + "\x00", "\u212a\u212a\u212a\u212a"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		got, err := s.Get(context.Background(), id)
		switch {
		case err == nil:
			if got.ID != e.ID || !strings.HasPrefix(e.ID, strings.ToLower(id)) {
				t.Errorf("%q found %s", id, got.ID)
			}
		case !errors.Is(err, approval.ErrNotFound):
			t.Errorf("%q: %v", id, err)
		}
	})
}

// FuzzRequest brings back every byte, and lets it decide nothing else.
func FuzzRequest(f *testing.F) {
	f.Add("d", "/a", "message", "reason", []byte(`{}`))
	f.Add("\x00", "/\xff\n", "'); DROP TABLE requests; --", "\x1b[31m\x00", []byte("\x00\xff"))
	f.Add("", "", "", "", []byte(nil))
	s := open(f, f.TempDir(), approval.Options{})
	f.Fuzz(func(t *testing.T, digest, path, message, reason string, details []byte) {
		if strings.Contains(path, "\x00") {
			t.Skip("a path holds no NUL")
		}
		ctx := context.Background()
		r := approval.Request{
			Digest: digest, Grant: message, Session: reason, Message: message, Command: message, Tool: digest,
			Paths: []string{path, "/b"}, Details: json.RawMessage(details),
		}
		e, err := s.Submit(ctx, r, 0)
		if err != nil || !e.Fresh {
			t.Fatal(e, err)
		}
		if err := s.Claim(ctx, e.ID, digest); !errors.Is(err, approval.ErrNotApproved) {
			t.Fatalf("claimed before it was approved: %v", err)
		}
		if _, err := s.Deny(ctx, e.ID, message, reason); err != nil {
			t.Fatal(err)
		}
		got, err := s.Wait(ctx, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Details) == 0 {
			r.Details = nil
		}
		if diff := cmp.Diff(r, got.Request); diff != "" || got.By != message || got.Reason != reason {
			t.Errorf("%s, by %q, because %q", diff, got.By, got.Reason)
		}
	})
}
