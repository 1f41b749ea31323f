package mcpserver

import (
	"fmt"
	"testing"
)

func TestBoundsOfAsking(t *testing.T) {
	s := newCalls()
	id := 0
	run := func() *call {
		t.Helper()
		id++
		s.add(request(id, methodCallTool))
		k := s.nextWork()
		if k == nil {
			t.Fatal("no place")
		}
		k.size = 0
		s.hold(k, startHeld)
		return k
	}
	var asking []*call
	for range maxAsking {
		k := run()
		if !s.yield(k) {
			t.Fatalf("call %d can't yield", len(asking))
		}
		asking = append(asking, k)
	}
	if s.work.running != 0 || s.held != 0 || s.idle() {
		t.Errorf("%d run and %d bytes are held while all wait; idle %v", s.work.running, s.held, s.idle())
	}
	if k := run(); s.yield(k) {
		t.Error("more wait than may")
	}
	// A call that waits and ends there frees its part of the bound.
	s.done(asking[0])
	if k := run(); !s.yield(k) {
		t.Error("no room for another, though one is done")
	}
	asking = asking[1:]
	// Those that come back get the places before those that have not begun.
	var last *call
	for s.work.running < maxRunning {
		last = run()
	}
	s.add(request(5000, methodCallTool))
	a, b, c := asking[0], asking[1], asking[2]
	for _, k := range []*call{a, b, c} {
		s.comeBack(k)
	}
	if !a.asking || s.nextWork() != nil {
		t.Error("a call comes back, or starts, without a free place")
	}
	s.giveUp(b)
	s.done(last)
	<-a.turn
	if a.asking || !c.asking || s.nextWork() != nil || s.work.running != maxRunning {
		t.Error("a free place does not go to the call that came back first")
	}
	s.done(a)
	<-c.turn
	if !b.asking {
		t.Error("a call that gave up has a place")
	}
	s.done(b)
	s.done(c)
	if s.nextWork() == nil {
		t.Error("no place for what has not begun")
	}
}

func TestBytesOfAsking(t *testing.T) {
	s := newCalls()
	waits := 0
	for i := range 20 {
		k := request(i, methodCallTool) // of 1 MiB
		s.add(k)
		if k = s.nextWork(); k == nil {
			break
		}
		if s.yield(k) {
			waits++
		}
	}
	if held := waits * heldAsking(&call{size: 1 << 20}); waits == 0 || held > maxAskHeld || s.asking.held != held {
		t.Errorf("%d calls wait, with %d bytes; counted are %d", waits, held, s.asking.held)
	}
	if s.held == 0 {
		t.Error("a call beyond the bound holds nothing")
	}
}

// While calls wait for a human, others go on; each of them.
func TestOthersGoOn(t *testing.T) {
	f := newFixture(t, "code_review", holdRule)
	f.write("hold", "")
	f.write("a.txt", "inside\n")
	s := f.serve().greet()
	for i := range 2 * maxRunning {
		s.send(callLine(1000+i, "file_read", `{"path":"hold"}`))
	}
	for range 2 * maxRunning {
		<-f.asked
	}
	for i := range 2 * maxRunning {
		if r := s.call(i, "file_read", `{"path":"a.txt"}`); r.Structured.Output != "inside\n" {
			t.Fatalf("call %d: %+v", i, r)
		}
	}
	s.stop()
	s.end()
	kinds := map[string]int{}
	for _, r := range f.records() {
		kinds[r.ErrorKind]++
	}
	if want := map[string]int{"": 2 * maxRunning, "cancelled": 2 * maxRunning}; fmt.Sprint(kinds) != fmt.Sprint(want) {
		t.Errorf("records by kind %v, want %v", kinds, want)
	}
}
