package audit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// ending is what the end of a file holds.
type ending struct {
	tail        // after the last line that has its end
	torn []byte // bytes that follow it, without a newline
}

// readTail reads the last whole line of a file of the given size and what a
// crash may have left behind it.
func readTail(r io.ReaderAt, size int64) (ending, error) {
	end, err := readBack(r, size)
	if err != nil {
		return ending{}, err
	}
	whole, torn := end, []byte(nil)
	if n := bytes.LastIndexByte(end, '\n') + 1; n < len(end) {
		whole, torn = end[:n], end[n:]
	}
	found := ending{tail: tail{size: size - int64(len(torn)), hash: origin}, torn: torn}
	if len(whole) == 0 {
		return found, nil
	}
	line := whole[:len(whole)-1]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	last, ok := parseLink(line)
	if !ok || !last.intact {
		// Fail closed: to go on from a line that was tampered with would bury it.
		return ending{}, &CorruptError{Seq: last.seq, Reason: "the last record is damaged; verify the log and move it away to begin a new one"}
	}
	found.seq, found.hash = last.seq, string(last.hash)
	return found, nil
}

// readBack returns the end of the file, from the beginning of its last whole
// line or a little before.
func readBack(r io.ReaderAt, size int64) ([]byte, error) {
	for want := int64(4 << 10); ; want *= 4 {
		n := min(want, size)
		p := make([]byte, n)
		if got, err := r.ReadAt(p, size-n); got < len(p) {
			return nil, fmt.Errorf("reading the last record: %w", err)
		}
		if n == size || holdsLine(p) {
			return p, nil
		}
		if n > 2*maxLine {
			return nil, errors.New("the last record is longer than any that is ever written")
		}
	}
}

// holdsLine tells whether p has a whole line: two newlines, one before and one
// after it.
func holdsLine(p []byte) bool {
	last := bytes.LastIndexByte(p, '\n')
	return last >= 0 && bytes.IndexByte(p[:last], '\n') >= 0
}

// repair deals with a torn line (see the package comment).
func (l *Log) repair(found ending) error {
	if last, ok := parseLink(found.torn); ok && last.intact && string(last.prev) == found.hash {
		l.tail.size += int64(len(found.torn))
		if err := l.put([]byte{'\n'}); err != nil {
			l.tail.size = -1
			return err
		}
		l.tail.seq, l.tail.hash = last.seq, string(last.hash)
		return nil
	}
	if err := l.file.Truncate(found.size); err != nil {
		l.tail.size = -1
		return fmt.Errorf("cutting off a torn line: %w", err)
	}
	return l.write(cleaned(&Record{
		Phase:        PhaseResult,
		Tool:         "audit",
		Op:           "recover",
		Result:       ResultError,
		Detail:       "a writer ended in the middle of this line: " + string(found.torn[:min(len(found.torn), clipText)]),
		Bytes:        int64(len(found.torn)),
		SHA256Before: fmt.Sprintf("%x", sha256.Sum256(found.torn)),
	}))
}
