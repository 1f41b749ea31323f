package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/tool"
)

// How long answers that are under way may take when the client has closed its
// side, and when the process is told to end; and how long calls may take to notice
// that the connection is closed.
var (
	leaveGrace = 10 * time.Second
	stopGrace  = time.Second
	closeGrace = time.Second
)

// conn is the SDK's Connection over two streams of lines. Other than the SDK's
// own it hands over no more requests than may be under way, survives messages
// that are none, finishes what is under way when the client stops sending, and
// sees to it that no tools/call goes unrecorded.
type conn struct {
	in     *lines
	writer io.Closer
	refuse func(name string, args json.RawMessage, reason *tool.Error) // records a call that reaches no tool

	life     context.Context // of all calls
	endLife  context.CancelFunc
	stopping chan struct{} // closed by stop
	changed  chan struct{} // a call has ended
	overdue  chan struct{} // closed when the grace is over and somebody still is at work
	closed   chan struct{}
	once     struct{ stop, close, overdue sync.Once }

	ready   []jsonrpc.Message // read, for the SDK; of Read alone
	ending  error             // why nothing more is read; of Read alone
	stopped bool              // stop was noticed; of Read alone
	expired <-chan time.Time  // the end of the grace; of Read alone

	mu    sync.Mutex
	calls calls

	writing sync.Mutex
	out     *bufio.Writer
}

func newConn(r io.ReadCloser, w io.WriteCloser, refuse func(string, json.RawMessage, *tool.Error)) *conn {
	c := &conn{
		in: newLines(r, maxMessage), writer: w, refuse: refuse,
		stopping: make(chan struct{}), changed: make(chan struct{}, 1), overdue: make(chan struct{}), closed: make(chan struct{}),
		calls: newCalls(), out: bufio.NewWriterSize(w, 64<<10),
	}
	c.life, c.endLife = context.WithCancel(context.Background())
	return c
}

// Connect makes conn its own transport: it serves one client.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID is empty: a stream has no sessions.
func (c *conn) SessionID() string { return "" }

// Close ends the connection.
func (c *conn) Close() error {
	var err error
	c.once.close.Do(func() {
		close(c.closed)
		c.endLife()
		err = errors.Join(c.in.Close(), c.writer.Close())
	})
	return err
}

// stop cancels what is under way and ends the connection when that is answered.
func (c *conn) stop() {
	c.once.stop.Do(func() { close(c.stopping) })
	c.endLife()
	c.in.interrupt()
}

// Read returns the next message for the SDK: a request only when there is room
// for it. At the end of the stream it waits for the answers that are under way.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		c.noticeStop()
		if msg := c.next(); msg != nil {
			return msg, nil
		}
		if c.ending != nil && c.idle() {
			return nil, c.ending
		}
		if c.mayReceive() {
			if err := c.receive(c.in.next()); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-c.changed:
		case <-c.untilStop():
		case <-c.expired:
			return nil, c.ending
		case <-c.closed:
			return nil, io.EOF
		}
	}
}

// mayReceive reports whether another message may be read.
func (c *conn) mayReceive() bool {
	if c.ending != nil || c.life.Err() != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.calls.full()
}

// next takes what is ready, or a request whose turn it is.
func (c *conn) next() jsonrpc.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.calls.nextRest(); k != nil {
		return k.req
	}
	if len(c.ready) > 0 {
		msg := c.ready[0]
		c.ready = c.ready[1:]
		return msg
	}
	if k := c.calls.nextWork(); k != nil {
		return k.req
	}
	return nil
}

func (c *conn) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls.idle()
}

// untilStop is closed when the connection is to stop; nil when that is under way.
func (c *conn) untilStop() <-chan struct{} {
	if c.stopped {
		return nil
	}
	return c.stopping
}

// noticeStop drops what waits when the connection is to stop.
func (c *conn) noticeStop() {
	select {
	case <-c.untilStop():
		c.stopped = true
		c.abandon()
		c.end(io.EOF, stopGrace)
	default:
	}
}

// end reads no more, and gives what is under way some time.
func (c *conn) end(why error, grace time.Duration) {
	c.ending = why
	c.expired = time.After(grace)
	// Whoever is stuck in a write that nobody reads can't be waited for.
	time.AfterFunc(grace+stopGrace, func() { c.once.overdue.Do(func() { close(c.overdue) }) })
}

// bound ends ctx with the connection.
func (c *conn) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// handOver notes that the toolbox has a request, and will record it.
func (c *conn) handOver(extra *mcp.RequestExtra) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls.byExtra[extra]
	k.handed = true
	return k
}

// carry leaves the payload of a call with the connection until it is written.
func (c *conn) carry(k *call, p *payload) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k.payload = p
	c.calls.hold(k, k.size+cap(p.text)+len(p.before)+len(p.after))
}
