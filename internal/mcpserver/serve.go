package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/baileyhq/bailey/tool"
)

// ErrStuck says that a call or an answer is still under way, because a write to the
// client, or the disk, does not come back. The workspace must not be closed
// beneath it: the process should end.
var ErrStuck = errors.New("mcpserver: a call does not end")

// Serve talks to one client until it closes r or ctx ends. Then it gives calls
// that are under way a little time for their answers (cancelled, if ctx ended),
// and closes both streams. That a client has gone is no error.
func Serve(ctx context.Context, o Options, r io.ReadCloser, w io.WriteCloser) error {
	s := prepare(o)
	s.conn = newConn(r, w, s.refuse)
	session, err := s.newServer().Connect(context.WithoutCancel(ctx), s.conn, nil)
	if err != nil {
		return err
	}
	unwatch := context.AfterFunc(ctx, s.conn.stop)
	defer unwatch()
	done := make(chan error, 1)
	go func() { done <- session.Wait() }()
	select {
	case err = <-done:
	case <-s.conn.overdue:
		o.Logger.Warn("the client does not take its answers; leaving")
		_ = s.conn.Close()
		select {
		case err = <-done:
		case <-time.After(closeGrace):
			err = ErrStuck
		}
	}
	_ = s.conn.Close()
	s.conn.settle()
	if gone(err) {
		return nil
	}
	return err
}

// gone reports whether an error only says that the client has left.
func gone(err error) bool {
	for _, e := range []error{io.EOF, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE, syscall.ECONNRESET} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// refuse records a call that does not reach the toolbox.
func (s *server) refuse(name string, args json.RawMessage, reason *tool.Error) {
	s.Tools.Refuse(context.Background(), s.Request(name, args), reason)
}
