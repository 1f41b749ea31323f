package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/baileyhq/bailey/tool"
)

// receive takes what came from the client.
func (c *conn) receive(f frame) error {
	switch {
	case f.err == nil:
		return c.receiveLine(f.data)
	case errors.Is(f.err, errInterrupted):
		return nil
	case errors.Is(f.err, errTooLong):
		return c.reply(protocolError(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, f.err.Error()), nil)
	default:
		c.end(f.err, leaveGrace)
		return nil
	}
}

// message is one message of a line, or the answer to what is none.
type message struct {
	msg jsonrpc.Message
	bad *jsonrpc.Response
	raw []byte
}

func (c *conn) receiveLine(data []byte) error {
	raws, isBatch := split(data)
	if !isBatch {
		m, bad := decode(data)
		return c.dispatch(message{m, bad, data}, nil)
	}
	if len(raws) == 0 || len(raws) > maxBatch {
		why := fmt.Sprintf("a batch has 1 to %d messages, not %d", maxBatch, len(raws))
		for _, raw := range raws {
			c.refuseRaw(raw, why)
		}
		return c.reply(protocolError(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, why), nil)
	}
	b := &batch{}
	messages := make([]message, len(raws))
	for i, raw := range raws {
		m, bad := decode(raw)
		messages[i] = message{m, bad, raw}
		if r, ok := m.(*jsonrpc.Request); bad != nil || ok && r.IsCall() {
			b.open++
		}
	}
	for _, m := range messages {
		if err := c.dispatch(m, b); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) dispatch(m message, b *batch) error {
	if m.bad != nil {
		c.refuseRaw(m.raw, m.bad.Error.Error())
		return c.reply(m.bad, b)
	}
	switch msg := m.msg.(type) {
	case *jsonrpc.Request:
		if msg.IsCall() {
			return c.enqueue(&call{req: msg, size: len(m.raw), batch: b})
		}
		return c.notified(msg)
	default:
		c.ready = append(c.ready, msg) // an answer to a request of ours
		return nil
	}
}

// enqueue lets a request wait for its turn.
func (c *conn) enqueue(k *call) error {
	c.mu.Lock()
	_, used := c.calls.byID[k.req.ID]
	if !used {
		c.calls.add(k)
	}
	c.mu.Unlock()
	if !used {
		return nil
	}
	why := fmt.Sprintf("the id %v is in use by a request that is not answered yet", k.req.ID.Raw())
	if k.isTool() {
		c.refuseTool(k.req.Params, tool.InvalidArgument, why)
	}
	return c.reply(protocolError(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, why), k.batch)
}

// notified takes a notification. Those that nobody here listens to end here.
func (c *conn) notified(n *jsonrpc.Request) error {
	switch n.Method {
	case methodInitialized:
		c.ready = append(c.ready, n)
	case methodCancelled:
		return c.cancel(n)
	case methodCallTool:
		c.refuseTool(n.Params, tool.InvalidArgument, "the call has no id, so that it can't be answered")
	}
	return nil
}

// cancel stops a request. One that waits goes at once; the SDK ends the context of
// one that is under way.
func (c *conn) cancel(n *jsonrpc.Request) error {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(n.Params, &p) // without an id it concerns no call
	id, err := decodeID(p.RequestID)
	if err != nil {
		return nil //nolint:nilerr // nor with one that can't be
	}
	c.mu.Lock()
	k := c.calls.byID[id]
	if k == nil || k.req.Method == methodInitialize {
		c.mu.Unlock()
		return nil
	}
	k.cancelled = true
	waits := !k.running
	if waits {
		c.calls.drop(k)
	}
	c.mu.Unlock()
	if !waits {
		c.ready = append(c.ready, n)
		return nil
	}
	c.refuseCall(k, tool.Cancelled, "the call was cancelled before its turn came")
	return c.answer(k, nil)
}

// abandon drops the requests that wait.
func (c *conn) abandon() {
	for _, k := range c.takeWaiting() {
		c.refuseCall(k, tool.Cancelled, "the server was told to stop before the call's turn came")
	}
}

func (c *conn) takeWaiting() []*call {
	c.mu.Lock()
	defer c.mu.Unlock()
	var waiting []*call
	for _, l := range []*lane{&c.calls.work, &c.calls.rest} {
		waiting = append(waiting, l.queue...)
	}
	for _, k := range waiting {
		c.calls.drop(k)
	}
	return waiting
}

// settle records the calls that the end of the connection kept from the toolbox.
// Nothing is under way any more.
func (c *conn) settle() {
	c.abandon()
	c.mu.Lock()
	left := c.calls.byID
	c.calls.byID = nil
	c.mu.Unlock()
	for _, k := range left {
		c.refuseCall(k, tool.Cancelled, "the connection ended before the call's turn came")
	}
}

// refuseCall records a call unless the toolbox does.
func (c *conn) refuseCall(k *call, kind tool.Kind, why string) {
	c.mu.Lock()
	handed := k.handed
	c.mu.Unlock()
	if k.isTool() && !handed {
		c.refuseTool(k.req.Params, kind, why)
	}
}

// refuseRaw records a message that is no valid request and yet calls a tool.
func (c *conn) refuseRaw(raw []byte, why string) {
	if params, ok := calledTool(raw); ok {
		c.refuseTool(params, tool.InvalidArgument, why)
	}
}

func (c *conn) refuseTool(params json.RawMessage, kind tool.Kind, why string) {
	name, args := named(params)
	c.refuse(name, args, &tool.Error{Kind: kind, Message: why})
}
