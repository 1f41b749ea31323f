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
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/baileyhq/bailey/approval"
)

// clock is a time that tests move by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func open(t testing.TB, dir string, o approval.Options) *approval.Store {
	t.Helper()
	if o.Poll == 0 {
		o.Poll = 2 * time.Millisecond
	}
	s, err := approval.Open(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// fixture is a store with a clock and requests that are short to write.
type fixture struct {
	*approval.Store
	t     testing.TB
	dir   string
	clock *clock
}

func newFixture(t testing.TB) *fixture {
	f := &fixture{t: t, dir: t.TempDir(), clock: newClock()}
	f.Store = open(t, f.dir, approval.Options{Now: f.clock.Now})
	return f
}

const ttl = 5 * time.Minute

func request(digest string) approval.Request {
	return approval.Request{
		Digest: digest, Grant: "grant-of-" + digest, Session: "s1", Principal: "alice", Workspace: "/ws", Task: "agent",
		Tool: "file_write", Op: "write", Rule: "ask", Paths: []string{"/ws/a", "/ws/\xff\nb"}, Details: json.RawMessage(`{"x":1}`),
	}
}

func (f *fixture) submit(r approval.Request) approval.Entry {
	f.t.Helper()
	e, err := f.Submit(context.Background(), r, ttl)
	if err != nil {
		f.t.Fatal(err)
	}
	return e
}

func (f *fixture) state(id string) approval.State {
	f.t.Helper()
	e, err := f.Get(context.Background(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return e.State
}

func (f *fixture) approve(id string, scope approval.Scope) {
	f.t.Helper()
	if _, err := f.Approve(context.Background(), id, scope, "bob"); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) claim(id, digest string) {
	f.t.Helper()
	if err := f.Claim(context.Background(), id, digest); err != nil {
		f.t.Fatal(err)
	}
}

// bring makes a request and brings it into a state.
func (f *fixture) bring(state approval.State) approval.Entry {
	f.t.Helper()
	ctx := context.Background()
	e := f.submit(request("d"))
	var err error
	switch state {
	case approval.Pending:
	case approval.Approved:
		f.approve(e.ID, approval.Once)
	case approval.Executed:
		f.approve(e.ID, approval.Once)
		f.claim(e.ID, "d")
	case approval.Denied:
		_, err = f.Deny(ctx, e.ID, "bob", "no")
	case approval.Expired:
		f.clock.pass(ttl)
	case approval.Cancelled:
		err = f.Cancel(ctx, e.ID)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	if got := f.state(e.ID); got != state {
		f.t.Fatalf("the request is %s, want %s", got, state)
	}
	return e
}

// TestStates tries every act in every state.
func TestStates(t *testing.T) {
	decided, used := approval.ErrDecided, approval.ErrUsed
	unapproved, expired := approval.ErrNotApproved, approval.ErrExpired
	tests := []struct {
		state approval.State
		act   string
		err   error
		after approval.State
	}{
		{approval.Pending, "approve", nil, approval.Approved},
		{approval.Pending, "deny", nil, approval.Denied},
		{approval.Pending, "cancel", nil, approval.Cancelled},
		{approval.Pending, "claim", unapproved, approval.Pending},
		{approval.Approved, "approve", decided, approval.Approved},
		{approval.Approved, "deny", decided, approval.Approved},
		{approval.Approved, "cancel", decided, approval.Approved},
		{approval.Approved, "claim", nil, approval.Executed},
		{approval.Executed, "approve", decided, approval.Executed},
		{approval.Executed, "deny", decided, approval.Executed},
		{approval.Executed, "cancel", decided, approval.Executed},
		{approval.Executed, "claim", used, approval.Executed},
		{approval.Denied, "approve", decided, approval.Denied},
		{approval.Denied, "deny", decided, approval.Denied},
		{approval.Denied, "cancel", decided, approval.Denied},
		{approval.Denied, "claim", unapproved, approval.Denied},
		{approval.Expired, "approve", expired, approval.Expired},
		{approval.Expired, "deny", expired, approval.Expired},
		{approval.Expired, "cancel", expired, approval.Expired},
		{approval.Expired, "claim", expired, approval.Expired},
		{approval.Cancelled, "approve", decided, approval.Cancelled},
		{approval.Cancelled, "deny", decided, approval.Cancelled},
		{approval.Cancelled, "cancel", decided, approval.Cancelled},
		{approval.Cancelled, "claim", unapproved, approval.Cancelled},
	}
	for _, tt := range tests {
		t.Run(string(tt.state)+"/"+tt.act, func(t *testing.T) {
			f := newFixture(t)
			e := f.bring(tt.state)
			if err := acts[tt.act](f.Store, e.ID); !errors.Is(err, tt.err) {
				t.Errorf("the error is %v, want %v", err, tt.err)
			}
			if got := f.state(e.ID); got != tt.after {
				t.Errorf("then it is %s, want %s", got, tt.after)
			}
		})
	}
}

// TestSecondDecisionIsToldOfTheFirst: who, what and when.
func TestSecondDecisionIsToldOfTheFirst(t *testing.T) {
	f := newFixture(t)
	e := f.submit(request("d"))
	f.approve(e.ID, approval.Once)
	_, err := f.Deny(context.Background(), e.ID, "eve", "no")
	var first *approval.DecidedError
	if !errors.As(err, &first) || first.Entry.By != "bob" || first.Entry.State != approval.Approved || first.Entry.Decided.IsZero() {
		t.Errorf("the error is %#v", err)
	}
}

// TestEntryComesBackWhole: also bytes that are not UTF-8, and after a restart.
func TestEntryComesBackWhole(t *testing.T) {
	f := newFixture(t)
	r := request("d")
	r.Message, r.Command, r.Group = "ask \xff", "echo '\x1b[31m'", "g"
	r.Details = json.RawMessage(`"` + strings.Repeat("x", 16<<20) + `"`)
	made := f.submit(r)
	if !made.Fresh || made.State != approval.Pending || !made.Created.Equal(f.clock.Now()) || !made.Expires.Equal(f.clock.Now().Add(ttl)) {
		t.Errorf("made %+v", made.State)
	}
	again := open(t, f.dir, approval.Options{Now: f.clock.Now})
	e, err := again.Get(context.Background(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made.Details, e.Details) {
		t.Error("the details are others")
	}
	made.Fresh, made.Details, e.Details = false, nil, nil
	if diff := cmp.Diff(made, e); diff != "" {
		t.Error(diff)
	}
}

// TestClaimIsBoundToTheDigest: an approval is for what was shown.
func TestClaimIsBoundToTheDigest(t *testing.T) {
	f := newFixture(t)
	e := f.submit(request("d"))
	f.approve(e.ID, approval.Once)
	if err := f.Claim(context.Background(), e.ID, "other"); !errors.Is(err, approval.ErrMismatch) {
		t.Errorf("another digest: %v", err)
	}
	f.claim(e.ID, "d")
}

// TestEqualRequestsAreOne until the approval is used.
func TestEqualRequestsAreOne(t *testing.T) {
	f := newFixture(t)
	first, other := f.submit(request("d")), request("d")
	other.Session = "s2" // a client that has started anew
	second := f.submit(other)
	if second.ID != first.ID || second.Fresh || second.Joined != 1 {
		t.Errorf("an equal request: %+v", second)
	}
	if different := f.submit(request("e")); different.ID == first.ID {
		t.Error("a different request was joined")
	}
	if err := f.Cancel(context.Background(), first.ID); !errors.Is(err, approval.ErrJoined) {
		t.Errorf("cancelling what another waits for: %v", err)
	}
	f.approve(first.ID, approval.Once)
	if third := f.submit(request("d")); third.ID != first.ID || third.State != approval.Approved {
		t.Errorf("after the approval: %+v", third)
	}
	f.claim(first.ID, "d")
	if fourth := f.submit(request("d")); fourth.ID == first.ID || fourth.State != approval.Pending || !fourth.Fresh {
		t.Errorf("after its use: %+v", fourth)
	}
}

// TestOutcomesReachOneCaller: whoever asks again gets the answer that nobody has
// heard yet, once.
func TestOutcomesReachOneCaller(t *testing.T) {
	for _, state := range []approval.State{approval.Denied, approval.Expired} {
		t.Run(string(state), func(t *testing.T) {
			f := newFixture(t)
			e := f.bring(state)
			if got := f.submit(request("d")); got.ID != e.ID || got.State != state {
				t.Errorf("asked again: %+v", got)
			}
			if got := f.submit(request("d")); got.ID == e.ID || got.State != approval.Pending {
				t.Errorf("asked a third time: %+v", got)
			}
		})
		t.Run(string(state)+" and waited for", func(t *testing.T) {
			f := newFixture(t)
			e := f.bring(state)
			if got, err := f.Wait(context.Background(), e.ID); err != nil || got.State != state {
				t.Fatalf("%+v, %v", got, err)
			}
			if got := f.submit(request("d")); got.State != approval.Pending {
				t.Errorf("asked again: %+v", got)
			}
		})
		t.Run(string(state)+" long ago", func(t *testing.T) {
			f := newFixture(t)
			f.bring(state)
			f.clock.pass(2 * ttl)
			if got := f.submit(request("d")); got.State != approval.Pending && state == approval.Denied {
				t.Errorf("asked again: %+v", got)
			}
		})
	}
}

// TestUnusedApprovalIsNoOutcome for the next call once a caller had it: that one asks
// anew, rather than hear that nobody answered.
func TestUnusedApprovalIsNoOutcome(t *testing.T) {
	f := newFixture(t)
	e := f.submit(request("d"))
	f.approve(e.ID, approval.Once)
	if got := f.submit(request("d")); got.ID != e.ID || got.State != approval.Approved {
		t.Fatalf("the approval is not given: %+v", got)
	}
	f.clock.pass(ttl)
	if got := f.submit(request("d")); got.State != approval.Pending {
		t.Errorf("after it has expired: %s", got.State)
	}
}

// TestWait ends with the decision, by another store too, and not with its context.
func TestWait(t *testing.T) {
	f := newFixture(t)
	e := f.submit(request("d"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Wait(ctx, e.ID); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if got := f.state(e.ID); got != approval.Pending {
		t.Errorf("then it is %s", got)
	}
	done := make(chan approval.Entry)
	go func() {
		got, _ := f.Wait(context.Background(), e.ID)
		done <- got
	}()
	elsewhere := open(t, f.dir, approval.Options{Now: f.clock.Now})
	if _, err := elsewhere.Deny(context.Background(), e.ID, "bob", "not today"); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.State != approval.Denied || got.Reason != "not today" || got.By != "bob" {
		t.Errorf("the outcome is %+v", got)
	}
}

// TestExpiry looks at the last moment and at the first one after it.
func TestExpiry(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	e := f.submit(request("d"))
	f.clock.pass(ttl - 1)
	f.approve(e.ID, approval.Once)
	f.clock.pass(ttl - 1) // an approval is good for a time of its own
	f.claim(e.ID, "d")

	e = f.submit(request("d"))
	f.approve(e.ID, approval.Once)
	f.clock.pass(ttl)
	if err := f.Claim(ctx, e.ID, "d"); !errors.Is(err, approval.ErrExpired) {
		t.Errorf("an approval whose time is over: %v", err)
	}
	if got := f.state(e.ID); got != approval.Expired {
		t.Errorf("then it is %s", got)
	}

	never, err := f.Submit(ctx, request("never"), 0)
	if err != nil || !never.Expires.IsZero() {
		t.Fatal(never.Expires, err)
	}
	f.clock.pass(365 * 24 * time.Hour)
	f.approve(never.ID, approval.Once)
	f.clock.pass(365 * 24 * time.Hour)
	f.claim(never.ID, "never")
}

// TestSessionGrant covers the same thing in the same session, and nothing else.
func TestSessionGrant(t *testing.T) {
	f := newFixture(t)
	first := request("d1")
	first.Grant = "g"
	e := f.submit(first)
	f.approve(e.ID, approval.Session)
	f.claim(e.ID, "d1")

	next := first
	next.Digest = "d2"
	got := f.submit(next)
	if got.State != approval.Approved || got.Scope != approval.Session || got.ID == e.ID || got.By != "bob" {
		t.Fatalf("the same again: %+v", got)
	}
	f.claim(got.ID, "d2")
	if err := f.Claim(context.Background(), got.ID, "d2"); !errors.Is(err, approval.ErrUsed) {
		t.Errorf("each use is one: %v", err)
	}
	for name, change := range map[string]func(*approval.Request){
		"another session": func(r *approval.Request) { r.Session = "s2" },
		"no session":      func(r *approval.Request) { r.Session = "" },
		"another thing":   func(r *approval.Request) { r.Grant = "other" },
		"no grant":        func(r *approval.Request) { r.Grant = "" },
	} {
		r := first
		r.Digest = name
		change(&r)
		if got := f.submit(r); got.State != approval.Pending {
			t.Errorf("%s: %s", name, got.State)
		}
	}
}

// TestSessionGrantIsNotInherited by an equal call of another session, and what was
// asked is what an equal call gets first.
func TestSessionGrantIsNotInherited(t *testing.T) {
	f := newFixture(t)
	of := func(session, digest string) approval.Request {
		r := request(digest)
		r.Session, r.Grant = session, "g"
		return r
	}
	asked := f.submit(of("s1", "d1"))
	f.submit(of("s2", "d1")) // joins
	f.approve(asked.ID, approval.Session)
	for _, session := range []string{"s1", "s2"} {
		if got := f.submit(of(session, "d1")); got.ID != asked.ID || got.State != approval.Approved {
			t.Errorf("%s comes back for what was approved: %+v", session, got)
		}
	}
	f.claim(asked.ID, "d1")
	if got := f.submit(of("s2", "d1")); got.State != approval.Pending {
		t.Errorf("again in the other session: %s", got.State)
	}

	first, second := f.submit(of("s1", "d2")), f.submit(of("s1", "d2"))
	if first.State != approval.Approved || second.State != approval.Approved || first.ID == second.ID {
		t.Errorf("two equal calls under the grant: %+v, %+v", first, second)
	}
	if got := f.submit(of("s2", "d2")); got.State != approval.Pending {
		t.Errorf("the same in the other session, while they are not used: %s", got.State)
	}
	f.claim(first.ID, "d2")
	f.claim(second.ID, "d2")
}

// TestDenialIsStrongerThanTheGrant: of two that wait, one is approved for the session
// and the other denied by name.
func TestDenialIsStrongerThanTheGrant(t *testing.T) {
	f := newFixture(t)
	a, b := request("a"), request("b")
	a.Grant, b.Grant = "g", "g"
	yes, no := f.submit(a), f.submit(b)
	f.approve(yes.ID, approval.Session)
	if got := f.submit(b); got.ID != no.ID || got.State != approval.Pending {
		t.Errorf("what a human looks at is %s", got.State)
	}
	if _, err := f.Deny(context.Background(), no.ID, "bob", "not this"); err != nil {
		t.Fatal(err)
	}
	if got := f.submit(b); got.ID != no.ID || got.State != approval.Denied {
		t.Errorf("what was denied is %s", got.State)
	}
}

// TestOnceIsNoGrant: an approval of one call says nothing of the next.
func TestOnceIsNoGrant(t *testing.T) {
	f := newFixture(t)
	r := request("d1")
	e := f.submit(r)
	f.approve(e.ID, approval.Once)
	f.claim(e.ID, "d1")
	r.Digest = "d2"
	if got := f.submit(r); got.State != approval.Pending {
		t.Errorf("the next call is %s", got.State)
	}
	r.Digest, r.Grant = "d3", ""
	e = f.submit(r)
	if _, err := f.Approve(context.Background(), e.ID, approval.Session, "bob"); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("for a session where that can't be: %v", err)
	}
	if got := f.state(e.ID); got != approval.Pending {
		t.Errorf("then it is %s", got)
	}
}

// TestCap bounds what waits, whoever asks.
func TestCap(t *testing.T) {
	dir := t.TempDir()
	var stores []*approval.Store
	for range 4 {
		stores = append(stores, open(t, dir, approval.Options{MaxPending: 5}))
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	made, full := 0, 0
	for i := range 40 {
		wg.Go(func() {
			_, err := stores[i%4].Submit(context.Background(), request(string(rune('a'+i))), ttl)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				made++
			case errors.Is(err, approval.ErrFull):
				full++
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made != 5 || full != 35 {
		t.Errorf("%d were made and %d refused", made, full)
	}
	waiting, err := stores[0].List(context.Background(), approval.Filter{States: []approval.State{approval.Pending}})
	if err != nil || len(waiting) != 5 {
		t.Fatal(len(waiting), err)
	}
	if e, err := stores[1].Submit(context.Background(), waiting[0].Request, ttl); err != nil || e.ID != waiting[0].ID {
		t.Errorf("an equal one may join: %+v, %v", e, err)
	}
	if _, err := stores[1].Deny(context.Background(), waiting[1].ID, "bob", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := stores[2].Submit(context.Background(), request("one more"), ttl); err != nil {
		t.Errorf("when one is decided: %v", err)
	}
}

// TestGet finds by the beginning of an ID.
func TestGet(t *testing.T) {
	f := newFixture(t)
	e := f.submit(request("d"))
	ctx := context.Background()
	for _, id := range []string{e.ID, e.ID[:4], strings.ToUpper(e.ID)} {
		if got, err := f.Get(ctx, id); err != nil || got.ID != e.ID {
			t.Errorf("%q: %v, %v", id, got.ID, err)
		}
	}
	for _, id := range []string{"", e.ID[:3], "%%%%", "____", "zzzzzzzz", e.ID + "x", "' OR 1=1 --"} {
		if _, err := f.Get(ctx, id); !errors.Is(err, approval.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	other := f.submit(request("other"))
	alike := e.ID[:5] + "x23"
	if e.ID[5] == 'x' {
		alike = e.ID[:5] + "y23"
	}
	f.Exec(t, "UPDATE requests SET id = ? WHERE id = ?", alike, other.ID)
	for id, want := range map[string]error{e.ID[:4]: approval.ErrAmbiguous, e.ID[:5]: approval.ErrAmbiguous, e.ID[:6]: nil, alike[:6]: nil} {
		if _, err := f.Get(ctx, id); !errors.Is(err, want) {
			t.Errorf("%q where two begin with %q: %v", id, e.ID[:5], err)
		}
	}
}

// TestList filters, and has the oldest first.
func TestList(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	a := f.submit(request("a"))
	r := request("b")
	r.Workspace = "/other"
	b := f.submit(r)
	c := f.submit(request("c"))
	if _, err := f.Deny(ctx, c.ID, "bob", ""); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		filter approval.Filter
		want   []string
	}{
		"all":       {approval.Filter{}, []string{a.ID, b.ID, c.ID}},
		"pending":   {approval.Filter{States: []approval.State{approval.Pending}}, []string{a.ID, b.ID}},
		"two":       {approval.Filter{States: []approval.State{approval.Pending, approval.Denied}}, []string{a.ID, b.ID, c.ID}},
		"none":      {approval.Filter{States: []approval.State{}}, nil},
		"workspace": {approval.Filter{Workspace: "/ws"}, []string{a.ID, c.ID}},
		"newest":    {approval.Filter{Limit: 2}, []string{b.ID, c.ID}},
	} {
		list, err := f.List(ctx, tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			got = append(got, e.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestPrune forgets what was finished a month ago, and nothing that waits.
func TestPrune(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	done := f.submit(request("done"))
	if _, err := f.Deny(ctx, done.ID, "bob", ""); err != nil {
		t.Fatal(err)
	}
	waits, err := f.Submit(ctx, request("waits"), 0)
	if err != nil {
		t.Fatal(err)
	}
	f.clock.pass(29 * 24 * time.Hour)
	f.submit(request("x"))
	if _, err := f.Get(ctx, done.ID); err != nil {
		t.Errorf("after 29 days: %v", err)
	}
	f.clock.pass(2 * 24 * time.Hour)
	f.submit(request("y"))
	if _, err := f.Get(ctx, done.ID); !errors.Is(err, approval.ErrNotFound) {
		t.Errorf("after 31 days: %v", err)
	}
	if got := f.state(waits.ID); got != approval.Pending {
		t.Errorf("what waits is %s", got)
	}
}

// TestPruneGrants: a session that lasts a month is asked again.
func TestPruneGrants(t *testing.T) {
	f := newFixture(t)
	r := request("d")
	e := f.submit(r)
	f.approve(e.ID, approval.Session)
	f.claim(e.ID, "d")
	for _, want := range []approval.State{approval.Approved, approval.Pending} {
		f.clock.pass(29 * 24 * time.Hour)
		if got := f.submit(r); got.State != want {
			t.Errorf("the call is %s, want %s", got.State, want)
		}
	}
}

// TestOpenRefuses what is no store of ours, and leaves it as it is.
func TestOpenRefuses(t *testing.T) {
	ctx := context.Background()
	t.Run("link", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), filepath.Join(dir, "approvals.db")); err != nil {
			t.Fatal(err)
		}
		if _, err := approval.Open(ctx, dir, approval.Options{}); !errors.Is(err, approval.ErrStore) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("open to others", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := approval.Open(ctx, dir, approval.Options{}); !errors.Is(err, approval.ErrStore) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("absent", func(t *testing.T) {
		if _, err := approval.Open(ctx, filepath.Join(t.TempDir(), "none"), approval.Options{}); !errors.Is(err, approval.ErrStore) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("control", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "odd ?#% name")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		open(t, dir, approval.Options{})
		info, err := os.Stat(filepath.Join(dir, "approvals.db"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	})
}

// TestFinishedIsBounded: what an agent has asked for and was denied does not fill
// the disk, and no outcome is lost before a caller could fetch it.
func TestFinishedIsBounded(t *testing.T) {
	f := newFixture(t)
	const room = 1 << 20
	f.Store = open(t, f.dir, approval.Options{Now: f.clock.Now, MaxFinished: room})
	ctx := context.Background()
	ask := func(digest string) approval.Entry {
		r := request(digest)
		r.Details = json.RawMessage(`"` + strings.Repeat("x", 100<<10) + `"`)
		f.clock.pass(time.Millisecond)
		return f.submit(r)
	}
	untold := ask("untold")
	if _, err := f.Deny(ctx, untold.ID, "bob", "no"); err != nil {
		t.Fatal(err)
	}
	waits := ask("waits")
	var last approval.Entry
	for i := range 40 {
		last = ask(fmt.Sprint(i))
		f.approve(last.ID, approval.Once)
		f.claim(last.ID, last.Digest)
	}
	ask("one more")
	entries, err := f.List(ctx, approval.Filter{States: []approval.State{approval.Executed}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(entries); n < 5 || n > 10 || entries[n-1].ID != last.ID {
		t.Errorf("%d requests that are over are kept", n)
	}
	if got := f.state(waits.ID); got != approval.Pending {
		t.Errorf("what waits is %s", got)
	}
	if e := ask("untold"); e.ID != untold.ID || e.Reason != "no" {
		t.Errorf("the denial is lost: %+v", e)
	}
	for i := range 20 { // now that a caller has it, it may go
		f.clock.pass(time.Minute)
		last = ask("again " + fmt.Sprint(i))
		f.approve(last.ID, approval.Once)
		f.claim(last.ID, last.Digest)
	}
	ask("one more still")
	if _, err := f.Get(ctx, untold.ID); !errors.Is(err, approval.ErrNotFound) {
		t.Errorf("the denial is kept: %v", err)
	}
}

// TestGrantedWithoutEnd: where requests never expire, an approval by a grant that
// its call did not use goes all the same.
func TestGrantedWithoutEnd(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	e, err := f.Submit(ctx, request("d"), 0)
	if err != nil {
		t.Fatal(err)
	}
	f.approve(e.ID, approval.Session)
	f.claim(e.ID, "d")
	granted, err := f.Submit(ctx, request("d"), 0)
	if err != nil || granted.State != approval.Approved {
		t.Fatalf("%+v, %v", granted, err)
	}
	f.clock.pass(time.Hour)
	if got := f.state(granted.ID); got != approval.Expired {
		t.Errorf("it is %s", got)
	}
}

// TestBrief lists all but the details.
func TestBrief(t *testing.T) {
	f := newFixture(t)
	f.submit(request("d"))
	for _, brief := range []bool{false, true} {
		entries, err := f.List(context.Background(), approval.Filter{Brief: brief})
		if err != nil || len(entries) != 1 || len(entries[0].Paths) != 2 || (entries[0].Details == nil) != brief {
			t.Errorf("brief %v: %+v, %v", brief, entries, err)
		}
	}
}
