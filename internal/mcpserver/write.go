package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/baileyhq/bailey/tool"
)

// Write sends a message of the SDK: an answer, or a notification or request of
// ours.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	r, ok := msg.(*jsonrpc.Response)
	if !ok {
		line, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return err
		}
		return c.writeLine(line)
	}
	c.mu.Lock()
	k := c.calls.answered(r.ID)
	cancelled := k != nil && k.cancelled
	c.mu.Unlock()
	if k == nil {
		return c.reply(r, nil)
	}
	defer c.finish(k)
	if r.Error != nil {
		kind := tool.InvalidArgument
		if cancelled || c.life.Err() != nil || errors.Is(r.Error, context.Canceled) {
			kind = tool.Cancelled
		}
		c.refuseCall(k, kind, clip(r.Error.Error()))
	}
	if cancelled {
		return c.answer(k, nil)
	}
	pieces, err := encode(r, k.payload)
	if err != nil {
		return c.reply(protocolError(r.ID, jsonrpc.CodeInternalError, "the answer could not be written as JSON"), k.batch)
	}
	return c.answer(k, pieces)
}

// answer writes the answer to a call; nil pieces for none.
func (c *conn) answer(k *call, pieces [][]byte) error {
	if k.batch != nil {
		var part []byte
		if pieces != nil {
			part = join(pieces...)
		}
		line := k.batch.add(part)
		if line == nil {
			return nil
		}
		pieces = [][]byte{line}
	}
	if pieces == nil {
		return nil
	}
	return c.writeLine(pieces...)
}

// reply answers without the SDK.
func (c *conn) reply(r *jsonrpc.Response, b *batch) error {
	pieces, err := encode(r, nil)
	if err != nil {
		return err
	}
	return c.answer(&call{batch: b}, pieces)
}

// finish gives back the place of a call.
func (c *conn) finish(k *call) {
	c.mu.Lock()
	c.calls.done(k)
	waiting := c.calls.queued > 0
	c.mu.Unlock()
	k.payload.release()
	c.placeFreed(waiting)
}

// placeFreed has Read look again at what waits.
func (c *conn) placeFreed(waiting bool) {
	if waiting {
		c.in.interrupt()
	}
	select {
	case c.changed <- struct{}{}:
	default: // Read has not yet taken note of the one before
	}
}

// writeLine writes one message in pieces. Large pieces go to the stream as they are.
func (c *conn) writeLine(pieces ...[]byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	for _, p := range pieces {
		if _, err := c.out.Write(p); err != nil {
			return err
		}
	}
	if err := c.out.WriteByte('\n'); err != nil {
		return err
	}
	return c.out.Flush()
}
