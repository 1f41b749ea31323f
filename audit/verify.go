package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// ErrCorrupt is matched by every [CorruptError].
var ErrCorrupt = errors.New("audit log corrupt")

// A CorruptError names the first record that breaks the chain.
type CorruptError struct {
	Seq    int64  // the record's own number, 0 if it has none
	Line   int64  // counted from 1; 0 where only the end of the file was read
	Reason string // what is wrong, and what may have been done
}

// Error implements error.
func (e *CorruptError) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%v: record %d: %s", ErrCorrupt, e.Seq, e.Reason)
	case e.Seq == 0:
		return fmt.Sprintf("%v: line %d: %s", ErrCorrupt, e.Line, e.Reason)
	}
	return fmt.Sprintf("%v: line %d, record %d: %s", ErrCorrupt, e.Line, e.Seq, e.Reason)
}

// Unwrap makes errors.Is(err, ErrCorrupt) hold.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

// Verify reads a whole log and returns how many records stand in an unbroken
// chain from its beginning. If a record breaks the chain, the error is a
// *CorruptError and n counts those before it; any other error is from r. It
// hashes the bytes as they are and does not decode them; memory is bounded by
// the longest line, 16 MiB. It does not notice lines cut off at the end.
func Verify(r io.Reader) (n int64, err error) {
	lines := newLines(r)
	before := link{prev: nil, hash: []byte(origin)}
	hash := make([]byte, hashLen)
	for lines.Scan() {
		n++
		line, whole := cutNewline(lines.Bytes())
		next, ok := parseLink(line)
		if reason := fault(before, next, ok, whole); reason != "" {
			return n - 1, &CorruptError{Seq: next.seq, Line: n, Reason: reason}
		}
		copy(hash, next.hash) // the line's memory is used again
		before = link{seq: next.seq, hash: hash}
	}
	return n, lines.err(n)
}

// fault says what is wrong with a record that follows before; "" is nothing.
func fault(before, next link, isRecord, whole bool) string {
	switch {
	case !isRecord && !whole:
		return "torn: the line has no end; its writer was killed, or the file was cut"
	case !isRecord:
		return "edited or inserted: this is not a record"
	case !next.intact:
		return "edited: its bytes do not have the hash that it carries"
	case next.seq > before.seq+1:
		return fmt.Sprintf("removed: record %d should stand here", before.seq+1)
	case next.seq < before.seq+1:
		return fmt.Sprintf("inserted or moved: record %d should stand here", before.seq+1)
	case !bytes.Equal(next.prev, before.hash):
		return fmt.Sprintf("inserted, or record %d was edited: it does not carry the hash of the line before it", before.seq)
	}
	return ""
}

// Records decodes the records of a log one after another, without checking the
// chain. A line that is not a record yields a *CorruptError and the reading goes on
// with the next; a failed read or a line above 16 MiB yields an error and ends it.
func Records(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		lines := newLines(r)
		var n int64
		for lines.Scan() {
			n++
			line, _ := cutNewline(lines.Bytes())
			rec, err := decode(line)
			if err != nil {
				err = &CorruptError{Line: n, Reason: err.Error()}
			}
			if !yield(rec, err) {
				return
			}
		}
		if err := lines.err(n); err != nil {
			yield(Record{}, err)
		}
	}
}

func decode(line []byte) (Record, error) {
	var rec Record
	if _, ok := parseLink(line); !ok {
		return Record{}, errors.New("not a record")
	}
	if err := json.Unmarshal(line, &rec); err != nil {
		return Record{}, err
	}
	return rec, nil
}

// lines reads lines with their newlines. bufio.ScanLines would drop a carriage
// return, and so not see one that was added.
type lines struct{ *bufio.Scanner }

func newLines(r io.Reader) lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxLine)
	s.Split(splitLine)
	return lines{s}
}

func splitLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
	n, token, err := bufio.ScanLines(data, atEOF)
	if token == nil || err != nil {
		return n, token, err
	}
	return n, data[:n], nil
}

// err tells why the reading ended after n lines.
func (l lines) err(n int64) error {
	err := l.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return &CorruptError{Line: n + 1, Reason: "edited or inserted: the line is longer than any that is ever written"}
	}
	return err
}

func cutNewline(line []byte) (text []byte, whole bool) {
	if n := len(line) - 1; n >= 0 && line[n] == '\n' {
		return line[:n], true
	}
	return line, false
}
