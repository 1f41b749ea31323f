package mcpserver

import (
	"context"
	"slices"

	"github.com/baileyhq/bailey/tool"
)

// Bounds on the calls that wait for a human. They have left their lane, so that
// others go on meanwhile. Beyond the bounds a call that waits keeps its place in
// the lane.
var maxAsking = 256 // tests set it

const (
	maxAskHeld   = 32 << 20 // bytes of what they hold
	askHeld      = 64 << 10 // of each: what a human is shown, and the call's own state
	askHeldTimes = 4        // the message: as it came, decoded, shown and stored
)

// asking counts the calls that wait for a human. The owner of calls guards it.
type asking struct {
	calls     int
	held      int     // bytes
	returning []*call // have their answer, and wait for a place in their lane
}

func heldAsking(k *call) int { return askHeld + askHeldTimes*k.size }

func (a *asking) remove(k *call) {
	a.calls--
	a.held -= heldAsking(k)
	k.asking = false
}

// yield gives the place of a call to others. It reports whether it could.
func (s *calls) yield(k *call) bool {
	if s.asking.calls >= maxAsking || s.asking.held+heldAsking(k) > maxAskHeld {
		return false
	}
	k.asking, k.turn = true, make(chan struct{})
	s.asking.calls++
	s.asking.held += heldAsking(k)
	k.lane.running--
	s.hold(k, 0)
	s.letBack()
	return true
}

// comeBack has a call wait for a place in its lane; its turn is closed when it
// has one.
func (s *calls) comeBack(k *call) {
	s.asking.returning = append(s.asking.returning, k)
	s.letBack()
}

// letBack gives places that are free to the calls that come back, ahead of those
// that have not begun.
func (s *calls) letBack() {
	a := &s.asking
	for len(a.returning) > 0 && a.returning[0].lane.running < maxRunning && s.held < maxHeld {
		k := a.returning[0]
		a.returning = slices.Delete(a.returning, 0, 1)
		a.remove(k)
		k.lane.running++
		s.hold(k, startHeld+k.size)
		close(k.turn)
	}
}

// giveUp takes a call out of the line of those that come back.
func (s *calls) giveUp(k *call) {
	s.asking.returning = slices.DeleteFunc(s.asking.returning, func(other *call) bool { return other == k })
}

// whileAsking has a call give its place to others while it waits for a human, and
// take one again before it goes on.
func (s *server) whileAsking(ctx context.Context, k *call) context.Context {
	if k == nil {
		return ctx // there are no lanes
	}
	return tool.WithWaiting(ctx, func(waits bool) {
		if waits {
			s.conn.yield(k)
		} else {
			s.conn.comeBack(ctx, k)
		}
	})
}

func (c *conn) yield(k *call) {
	c.mu.Lock()
	yielded := c.calls.yield(k)
	waiting := c.calls.queued > 0
	c.mu.Unlock()
	if yielded {
		c.placeFreed(waiting)
	}
}

// comeBack waits for a place. A call that is over anyway takes none.
func (c *conn) comeBack(ctx context.Context, k *call) {
	c.mu.Lock()
	if !k.asking {
		c.mu.Unlock()
		return
	}
	c.calls.comeBack(k)
	c.mu.Unlock()
	select {
	case <-k.turn:
	case <-ctx.Done():
		c.mu.Lock()
		c.calls.giveUp(k)
		c.mu.Unlock()
	}
}
