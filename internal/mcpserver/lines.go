package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxMessage bounds one message of the client, in bytes.
const maxMessage = 16 << 20

var errTooLong = errors.New("the message is larger than 16 MiB")

// frame is one line of the client, or why there is none: errTooLong for a line
// that was passed over, or the error that ends the stream.
type frame struct {
	data []byte
	err  error
}

// readFrames reads lines until r ends or closed is, and hands them over one at a
// time. It runs on a goroutine of its own, because a read of a standard stream
// can't be interrupted: it may outlive the connection.
func readFrames(r io.Reader, limit int, closed <-chan struct{}) <-chan frame {
	frames := make(chan frame)
	go func() {
		in := bufio.NewReaderSize(r, 64<<10)
		for {
			f := readFrame(in, limit)
			if len(f.data) == 0 && f.err == nil {
				continue // a blank line
			}
			select {
			case frames <- f:
			case <-closed:
				return
			}
			if f.err != nil && !errors.Is(f.err, errTooLong) {
				return
			}
		}
	}()
	return frames
}

// readFrame reads one line, however it ends: what comes before the end of the
// stream is a message too. A line beyond the limit is read to its end and dropped.
func readFrame(in *bufio.Reader, limit int) frame {
	var line []byte
	for size := 0; ; {
		part, err := in.ReadSlice('\n')
		if size += len(part); size <= limit {
			line = append(line, part...)
		} else {
			line = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch line = bytes.TrimSpace(line); {
		case size > limit:
			return frame{err: errTooLong}
		case len(line) > 0:
			return frame{data: line} // an error comes again with the next read
		default:
			return frame{err: err}
		}
	}
}
