package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// maxMessage bounds one message of the client, in bytes.
const maxMessage = 16 << 20

var (
	errTooLong     = errors.New("the message is larger than 16 MiB")
	errInterrupted = errors.New("interrupted")
)

// frame is one line of the client, or why there is none: errTooLong for a line
// that was passed over, errInterrupted, or the error that ends the stream.
type frame struct {
	data []byte
	err  error
}

// stream is an input whose reads can be interrupted: a pipe, a connection.
type stream interface {
	io.ReadCloser
	SetReadDeadline(time.Time) error
}

// lines reads an input line by line. A read can be interrupted, and goes on where
// it was the next time: so one goroutine can wait for input and for other things,
// without a second one that hands each line over, which would cost a tenth of a
// small call.
type lines struct {
	stream
	in    *bufio.Reader
	limit int
	line  []byte // what has come of the line so far
	size  int
}

func newLines(r io.ReadCloser, limit int) *lines {
	s := interruptible(r)
	return &lines{stream: s, in: bufio.NewReaderSize(s, 64<<10), limit: limit}
}

// interruptible makes a stream of an input that can't be interrupted, such as a
// file or a terminal. The goroutine that reads from it may outlive the stream.
func interruptible(r io.ReadCloser) stream {
	if s, ok := r.(stream); ok && s.SetReadDeadline(time.Time{}) == nil {
		return s
	}
	out, in := net.Pipe()
	go func() {
		_, _ = io.Copy(in, r) // what ends it is the end of the input
		_ = in.Close()
	}()
	return &pumped{out, r}
}

type pumped struct {
	net.Conn
	source io.Closer
}

func (p *pumped) Close() error { return errors.Join(p.Conn.Close(), p.source.Close()) }

// interrupt ends the read that is under way, or the next one.
func (l *lines) interrupt() { _ = l.SetReadDeadline(time.Unix(1, 0)) }

// next reads one line, however it ends: what comes before the end of the stream is
// a message too. A line beyond the limit is read to its end and dropped. Blank
// lines are passed over.
func (l *lines) next() frame {
	for {
		part, err := l.in.ReadSlice('\n')
		if l.size += len(part); l.size <= l.limit {
			l.line = append(l.line, part...)
		} else {
			l.line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, os.ErrDeadlineExceeded):
			_ = l.SetReadDeadline(time.Time{})
			return frame{err: errInterrupted}
		}
		line, size := bytes.TrimSpace(l.line), l.size
		l.line, l.size = nil, 0
		switch {
		case size > l.limit:
			return frame{err: errTooLong}
		case len(line) > 0:
			return frame{data: line} // an error comes again with the next read
		case err != nil:
			return frame{err: err}
		}
	}
}
