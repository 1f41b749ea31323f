package approval_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/baileyhq/bailey/approval"
)

// shortTTL lets some requests and approvals expire on their way; with longTTL others
// get through on the slowest machine.
const shortTTL, longTTL = 30 * time.Millisecond, time.Hour

// starved says that a process did not get its turn: on a machine that is busy with
// more than this that is an answer, and not what is tested here.
func starved(err error) bool { return err != nil && strings.Contains(err.Error(), "SQLITE_BUSY") }

// play is what a process that a test started does until it is killed.
func play(role string) int {
	dir := os.Getenv("BAILEY_TEST_DIR")
	s, err := approval.Open(context.Background(), dir, approval.Options{Poll: 2 * time.Millisecond, MaxPending: 1000})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("here")
	go endWithParent()
	switch role {
	case "caller":
		err = callers(s, dir)
	case "approver":
		err = approvers(s)
	case "filler":
		return fill(s)
	case "no room":
		err = claimWithoutRoom(s)
	case "watcher":
		if _, err = s.Attend(); err == nil {
			fmt.Println("attends")
			select {}
		}
	}
	fmt.Fprintln(os.Stderr, role, err)
	return 1
}

// endWithParent ends the process when the test's is gone, which holds the other end.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(2)
}

// callers make calls, several of which are equal, and have an effect for each
// approval that they could claim: a line with the request's ID.
func callers(s *approval.Store, dir string) error {
	ctx := context.Background()
	effects, err := os.OpenFile(filepath.Join(dir, "effects"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for range 4 {
		go func() {
			for {
				digest, ttl := fmt.Sprint(rand.IntN(12)), longTTL
				if rand.IntN(3) == 0 {
					ttl = shortTTL
				}
				e, err := s.Submit(ctx, approval.Request{Digest: digest, Grant: digest, Session: fmt.Sprint(rand.IntN(200))}, ttl)
				if err == nil {
					e, err = s.Wait(ctx, e.ID)
				}
				if err == nil && e.State == approval.Approved {
					if err = s.Claim(ctx, e.ID, digest); err == nil {
						_, err = effects.WriteString(e.ID + "\n")
					} else if errors.Is(err, approval.ErrUsed) || errors.Is(err, approval.ErrExpired) {
						err = nil
					}
				}
				if err != nil && !errors.Is(err, approval.ErrFull) && !starved(err) {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

// approvers decide everything that waits, often twice and against each other.
func approvers(s *approval.Store) error {
	ctx := context.Background()
	for {
		waiting, err := s.List(ctx, approval.Filter{States: []approval.State{approval.Pending}})
		if err != nil && !starved(err) {
			return err
		}
		for _, e := range waiting {
			for range 2 {
				d := approval.Decision{Approve: rand.IntN(4) > 0, By: fmt.Sprint(os.Getpid())}
				if rand.IntN(20) == 0 {
					d.Scope = approval.Session
				}
				if rand.IntN(8) == 0 {
					time.Sleep(shortTTL) // too late, perhaps
				}
				if _, err := s.Decide(ctx, e.ID, d); err != nil && !errors.Is(err, approval.ErrDecided) && !starved(err) {
					return err
				}
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// start starts a process, and returns when it has said so much.
func start(t *testing.T, dir, role, until string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BAILEY_TEST_ROLE="+role, "BAILEY_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == until {
			return cmd
		}
	}
	t.Fatalf("a %s ended before it began", role)
	return nil
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestRace has processes call, approve and deny against each other, with requests
// that expire, and kills them at any moment: no approval has more than one effect,
// and nothing has one that was not approved.
func TestRace(t *testing.T) {
	goal := 60
	switch {
	case os.Getenv("BAILEY_LONG") != "":
		goal = 1000
	case raced:
		goal = 16
	}
	dir := t.TempDir()
	s := open(t, dir, approval.Options{MaxPending: 1000})
	s.Journal(t)
	roles := []string{"caller", "caller", "approver", "approver"}
	running := make([]*exec.Cmd, len(roles))
	for i, role := range roles {
		running[i] = start(t, dir, role, "here")
	}
	kills := 0
	count := tally(t, s)
	for count[approval.Executed] < goal || count[approval.Denied] < goal/8 || count[approval.Expired] < goal/16 {
		// Not before something has happened since the last kill: a slow machine would
		// do nothing but start processes.
		for before := count[approval.Executed]; count[approval.Executed] == before; count = tally(t, s) {
			time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
		}
		i := rand.IntN(len(roles))
		kill(running[i])
		if code := running[i].ProcessState.ExitCode(); code != -1 {
			t.Fatalf("a %s ended by itself: %d", roles[i], code)
		}
		kills++
		running[i] = start(t, dir, roles[i], "here")
	}
	for _, cmd := range running {
		kill(cmd)
	}
	checkEffects(t, s, dir)
	t.Logf("%d kills, %v", kills, checkWays(t, s))
}

func tally(t *testing.T, s *approval.Store) map[approval.State]int {
	t.Helper()
	all, err := s.List(context.Background(), approval.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	count := map[approval.State]int{}
	for _, e := range all {
		count[e.State]++
	}
	return count
}

// ways are the states that a request may go through. One that a grant covers begins
// approved.
var ways = map[string]bool{
	"pending": true, "pending denied": true, "pending expired": true, "pending cancelled": true,
	"pending approved": true, "pending approved executed": true, "pending approved expired": true,
	"approved": true, "approved executed": true, "approved expired": true,
}

// checkWays looks at every state that every request had.
func checkWays(t *testing.T, s *approval.Store) map[string]int {
	t.Helper()
	count := map[string]int{}
	for id, states := range s.Journaled(t) {
		way := strings.Trim(fmt.Sprint(states), "[]")
		count[way]++
		if !ways[way] {
			t.Errorf("%s was %s", id, way)
		}
	}
	return count
}

func checkEffects(t *testing.T, s *approval.Store, dir string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "effects"))
	if err != nil {
		t.Fatal(err)
	}
	effects := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		effects[strings.TrimSpace(line)]++
	}
	if len(effects) == 0 {
		t.Error("nothing had an effect")
	}
	states := s.Journaled(t)
	for id, n := range effects {
		way := strings.Trim(fmt.Sprint(states[id]), "[]")
		if n != 1 || !strings.HasSuffix(way, "approved executed") {
			t.Errorf("%d effects of %s, which was %s", n, id, way)
		}
	}
}

// TestOneOfManyDecides has approvers, a caller that gives up and callers that claim
// meet on one request, over two stores.
func TestOneOfManyDecides(t *testing.T) {
	requests := 200
	switch {
	case os.Getenv("BAILEY_LONG") != "":
		requests = 1000
	case raced:
		requests = 40
	}
	dir := t.TempDir()
	stores := []*approval.Store{open(t, dir, approval.Options{}), open(t, dir, approval.Options{})}
	stores[0].Journal(t)
	outcomes := map[approval.State]int{}
	for i := range requests {
		e, err := stores[0].Submit(context.Background(), request(fmt.Sprint(i)), ttl)
		if err != nil {
			t.Fatal(err)
		}
		outcomes[meet(t, stores, e, i)]++
	}
	t.Log(outcomes, checkWays(t, stores[0]))
	for _, state := range []approval.State{approval.Executed, approval.Denied, approval.Cancelled} {
		if outcomes[state] == 0 {
			t.Errorf("no request was %s", state)
		}
	}
}

// meet returns what became of a request that many decide and claim at once. Who
// starts first is another one each turn.
func meet(t *testing.T, stores []*approval.Store, e approval.Entry, turn int) approval.State {
	t.Helper()
	var decisions, approvals, claims atomic.Int32
	try := func(s *approval.Store, act string) {
		err := acts[act](s, e.ID)
		switch {
		case err == nil:
			decisions.Add(1)
			if act == "approve" {
				approvals.Add(1)
			}
		case !errors.Is(err, approval.ErrDecided):
			t.Errorf("%s: %v", act, err)
		}
	}
	claim := func(s *approval.Store) {
		err := s.Claim(context.Background(), e.ID, e.Digest)
		if err == nil {
			claims.Add(1)
		} else if !errors.Is(err, approval.ErrUsed) && !errors.Is(err, approval.ErrNotApproved) {
			t.Errorf("claim: %v", err)
		}
	}
	var busy sync.WaitGroup
	all := []string{"approve", "deny", "approve", "cancel"}
	for i := range all {
		busy.Go(func() { try(stores[i%2], all[(i+turn)%len(all)]) })
		busy.Go(func() { claim(stores[i%2]) })
	}
	busy.Wait()
	claim(stores[0])
	if decisions.Load() != 1 || claims.Load() != approvals.Load() {
		t.Errorf("%d decisions, %d of them yes, and %d claims", decisions.Load(), approvals.Load(), claims.Load())
	}
	after, err := stores[1].Get(context.Background(), e.ID)
	if err != nil {
		t.Fatal(err)
	}
	return after.State
}

// fill has as many requests wait as it can.
func fill(s *approval.Store) int {
	s.MaxPending = 5
	var busy sync.WaitGroup
	var failed atomic.Bool
	for i := range 8 {
		busy.Go(func() {
			for j := range 5 {
				digest := fmt.Sprint(os.Getpid(), i, j)
				if _, err := s.Submit(context.Background(), approval.Request{Digest: digest}, 0); err != nil && !errors.Is(err, approval.ErrFull) {
					fmt.Fprintln(os.Stderr, err)
					failed.Store(true)
				}
			}
		})
	}
	busy.Wait()
	if failed.Load() {
		return 1
	}
	return 0
}

// TestCapOfProcesses: the bound is one for all processes.
func TestCapOfProcesses(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, approval.Options{})
	var fillers []*exec.Cmd
	for range 4 {
		fillers = append(fillers, start(t, dir, "filler", "here"))
	}
	for _, cmd := range fillers {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if count := tally(t, s); count[approval.Pending] != 5 {
		t.Errorf("there are %v", count)
	}
}

// TestAttend tells whether somebody watches, in whatever process, and no longer
// when that process is killed.
func TestAttend(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, approval.Options{})
	attended := func(want bool) {
		t.Helper()
		if got, err := s.Attended(); err != nil || got != want {
			t.Errorf("attended: %v, %v; want %v", got, err, want)
		}
	}
	attended(false)
	leave, err := s.Attend()
	if err != nil {
		t.Fatal(err)
	}
	attended(true)
	if err := leave(); err != nil {
		t.Fatal(err)
	}
	attended(false)

	cmd := start(t, dir, "watcher", "attends")
	attended(true)
	kill(cmd)
	attended(false)
}
