package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds on what a client can have under way. Requests beyond the first bound
// wait their turn, so that a client may send thousands at once; when too many
// wait, nothing more is read until some are answered.
const (
	maxRunning = 32        // of a lane
	maxQueued  = 4096      // requests that wait
	maxWaiting = 32 << 20  // bytes of their messages
	maxHeld    = 16 << 20  // bytes of messages and results of what is under way; beyond, no call starts
	startHeld  = 256 << 10 // taken for a result that is not there yet
)

// call is a request of the client from its arrival until it is answered.
type call struct {
	req       *jsonrpc.Request
	size      int // bytes of the message
	lane      *lane
	batch     *batch
	running   bool
	handed    bool // the toolbox has it, and will record it
	cancelled bool // the client no longer wants the answer
	held      int
	payload   *payload
	asking    bool          // it waits for a human, outside of its lane
	turn      chan struct{} // closed when it is back in its lane
}

// isTool reports whether the call has to be in the audit log.
func (k *call) isTool() bool { return k.req.Method == methodCallTool }

const (
	methodCallTool    = "tools/call"
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
)

// lane is a queue of requests and how many of them are under way.
type lane struct {
	queue   []*call
	running int
}

// calls are the requests that are not answered yet. Its owner's mutex guards it.
//
// Work on the workspace has a lane of its own, so that a client that asks for a
// sign of life gets it while long calls run.
type calls struct {
	byID    map[jsonrpc.ID]*call
	byExtra map[*mcp.RequestExtra]*call
	work    lane
	rest    lane
	queued  int // requests
	waiting int // bytes
	held    int // bytes
	asking  asking
}

func newCalls() calls {
	return calls{byID: map[jsonrpc.ID]*call{}, byExtra: map[*mcp.RequestExtra]*call{}}
}

func (s *calls) laneOf(method string) *lane {
	switch method {
	case methodCallTool, "resources/list", "resources/read":
		return &s.work
	default:
		return &s.rest
	}
}

func (s *calls) add(k *call) {
	s.byID[k.req.ID] = k
	k.lane = s.laneOf(k.req.Method)
	k.lane.queue = append(k.lane.queue, k)
	s.queued++
	s.waiting += k.size
}

func (s *calls) full() bool { return s.queued >= maxQueued || s.waiting >= maxWaiting }

// nextWork takes a request for the workspace whose turn it is.
func (s *calls) nextWork() *call {
	if s.held >= maxHeld {
		return nil
	}
	k := s.start(s.work.take())
	if k != nil {
		s.hold(k, startHeld+k.size)
	}
	return k
}

// nextRest takes another request whose turn it is.
func (s *calls) nextRest() *call { return s.start(s.rest.take()) }

func (l *lane) take() *call {
	if len(l.queue) == 0 || l.running >= maxRunning {
		return nil
	}
	k := l.queue[0]
	l.queue[0] = nil
	l.queue = l.queue[1:]
	return k
}

func (s *calls) start(k *call) *call {
	if k == nil {
		return nil
	}
	s.queued--
	s.waiting -= k.size
	k.running = true
	k.lane.running++
	extra := &mcp.RequestExtra{}
	k.req.Extra = extra
	s.byExtra[extra] = k
	return k
}

// hold notes how many bytes a call takes until it is answered.
func (s *calls) hold(k *call, n int) {
	s.held += n - k.held
	k.held = n
}

// answered forgets the id: the client may use it again as soon as it has read
// the answer.
func (s *calls) answered(id jsonrpc.ID) *call {
	k := s.byID[id]
	delete(s.byID, id)
	return k
}

// drop takes a call that waits out of its queue.
func (s *calls) drop(k *call) {
	for i, other := range k.lane.queue {
		if other == k {
			k.lane.queue = append(k.lane.queue[:i:i], k.lane.queue[i+1:]...)
			break
		}
	}
	delete(s.byID, k.req.ID)
	s.queued--
	s.waiting -= k.size
}

// done gives back the place of a call whose answer is written.
func (s *calls) done(k *call) {
	extra, _ := k.req.Extra.(*mcp.RequestExtra)
	delete(s.byExtra, extra)
	if k.asking {
		s.asking.remove(k)
		return
	}
	k.lane.running--
	s.hold(k, 0)
	s.letBack()
}

// idle reports whether nothing waits and nothing is under way.
func (s *calls) idle() bool {
	return s.queued == 0 && s.work.running == 0 && s.rest.running == 0 && s.asking.calls == 0
}
