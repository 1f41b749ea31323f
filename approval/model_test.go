package approval_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/baileyhq/bailey/approval"
)

// TestModel runs random sequences against a model of one kind of request.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		clock := newClock()
		dir := t.TempDir()
		s := open(t, dir, approval.Options{Now: clock.Now})
		defer s.Close()
		var id string
		state, ends, executed := approval.State(""), time.Time{}, 0
		lapse := func() {
			if (state == approval.Pending || state == approval.Approved) && !clock.Now().Before(ends) {
				state = approval.Expired
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"submit": func(rt *rapid.T) {
				lapse()
				e, err := s.Submit(ctx, request("d"), ttl)
				if err != nil {
					rt.Fatal(err)
				}
				if open := state == approval.Pending || state == approval.Approved; open != (e.ID == id) && e.State != approval.Denied && e.State != approval.Expired {
					rt.Fatalf("in state %q it is joined: %v", state, e.ID == id)
				}
				if e.ID != id {
					id, state, ends = e.ID, approval.Pending, clock.Now().Add(ttl)
				}
			},
			"decide": func(rt *rapid.T) {
				if id == "" {
					return
				}
				lapse()
				yes := rapid.Bool().Draw(rt, "yes")
				_, err := s.Decide(ctx, id, approval.Decision{Approve: yes, By: "bob"})
				if first := state == approval.Pending; first != (err == nil) {
					rt.Fatalf("a decision in state %q: %v", state, err)
				} else if !first {
					return
				}
				state = approval.Denied
				if yes {
					state, ends = approval.Approved, clock.Now().Add(ttl)
				}
			},
			"claim": func(rt *rapid.T) {
				if id == "" {
					return
				}
				lapse()
				digest := rapid.SampledFrom([]string{"d", "other"}).Draw(rt, "digest")
				err := s.Claim(ctx, id, digest)
				if may := state == approval.Approved && digest == "d"; may != (err == nil) {
					rt.Fatalf("a claim in state %q of %q: %v", state, digest, err)
				} else if may {
					state = approval.Executed
					executed++
				}
			},
			"cancel": func(rt *rapid.T) {
				if id == "" {
					return
				}
				lapse()
				err := s.Cancel(ctx, id)
				switch {
				case errors.Is(err, approval.ErrJoined):
				case (state == approval.Pending) != (err == nil):
					rt.Fatalf("cancelled in state %q: %v", state, err)
				case err == nil:
					state = approval.Cancelled
				}
			},
			"time": func(rt *rapid.T) {
				clock.pass(time.Duration(rapid.Int64Range(0, int64(ttl)).Draw(rt, "passes")))
			},
			"restart": func(rt *rapid.T) {
				if err := s.Close(); err != nil {
					rt.Fatal(err)
				}
				s = open(t, dir, approval.Options{Now: clock.Now})
			},
			"": func(rt *rapid.T) {
				if id == "" {
					return
				}
				lapse()
				e, err := s.Get(ctx, id)
				if err != nil || e.State != state {
					rt.Fatalf("it is %s, %v; the model says %s", e.State, err, state)
				}
			},
		})
	})
}
