package search

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// Buffer sizes in bytes. A line that does not fit the largest buffer is matched
// in pieces that overlap; a match in it must fit a piece, and ^ and $ also
// hold at the ends of a piece.
const (
	bufferSize    = 256 << 10
	maxBuffer     = 1 << 20
	pieceOverlap  = 16 << 10
	flushBytes    = 128 << 10 // of line text that are handed on at once
	flushLines    = 2048
	maxEmptyReads = 100

	// A binary file says no more than that it matches: what comes behind this many
	// bytes is not looked at, so that a disk image or a sparse file of terabytes
	// does not hold up a search.
	maxBinary = 64 << 20
)

// MaxContext is the most lines of context on either side of a match.
const MaxContext = 100

// scanner searches one file after the other in bounded memory. It is for one
// goroutine. Results go to emit, each *FileMatches its receiver's to keep.
type scanner struct {
	find    *finder
	context int
	limit   int // matching lines after which a file is left, 0 = none
	emit    func(FileMatches) error

	buf []byte // reused from file to file

	// of the current file
	binary  bool
	matches int
	done    bool   // nothing more of this file is wanted
	base    int64  // file offset of the buffer's start
	number  int64  // lines before counted
	origin  int    // index in the buffer: where its first whole line starts
	counted int    // index in the buffer
	printed int    // index in the buffer: lines before it are out, or too far back
	last    int64  // number of the last line that is out
	after   int    // lines of context still due
	tail    []Line // the last lines of buffers before that are not out
	long    longLine

	lines []Line
	text  []byte // of lines, one after the other
	ends  []int  // where each line's text ends
	err   error  // of emit
}

// longLine is the state within a line that no buffer holds.
type longLine struct {
	open    bool
	matched bool
	start   int64 // file offset
	head    Line  // as context
}

func newScanner(m *Matcher, context, limit int, emit func(FileMatches) error) *scanner {
	return &scanner{find: newFinder(m), context: context, limit: limit, emit: emit, buf: make([]byte, bufferSize)}
}

// scan searches what r reads. size is the file's size if that is known and
// more than zero: it spares the read that finds the end.
func (s *scanner) scan(ctx context.Context, r io.Reader, size int64) error {
	s.begin()
	have, first, empty := 0, true, 0
	var total int64
	for !s.done {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(s.buf[have:])
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if empty++; n > 0 {
			empty = 0
		} else if empty > maxEmptyReads {
			return io.ErrNoProgress
		}
		have += n
		total += int64(n)
		eof := err != nil || size > 0 && total == size || s.binary && total >= maxBinary
		if first {
			if have < len(utf8BOM) && !eof {
				continue
			}
			if isUTF16(s.buf[:have]) {
				r, size = decodeUTF16(s.buf[:have], r), -1
				have = 0
				continue
			}
			first = false
			have = s.head(have)
		}
		have = s.consume(have, eof)
		if eof {
			break
		}
	}
	s.flush()
	if cap(s.buf) > bufferSize {
		s.buf = make([]byte, bufferSize)
	}
	return s.err
}

// head looks at the first bytes of a file, of which it returns how many are text.
func (s *scanner) head(have int) int {
	if bytes.HasPrefix(s.buf[:have], []byte(utf8BOM)) {
		have = copy(s.buf, s.buf[len(utf8BOM):have])
		s.base = int64(len(utf8BOM))
	}
	s.binary = binaryProbe(s.buf[:have])
	return have
}

func (s *scanner) begin() {
	s.binary, s.matches, s.done = false, 0, false
	s.base, s.number, s.counted, s.printed, s.last, s.after = 0, 0, 0, 0, 0, 0
	s.tail, s.long = s.tail[:0], longLine{}
	s.err = nil
}

// consume searches the whole lines among the have bytes of the buffer, and
// returns how many bytes remain at its start.
func (s *scanner) consume(have int, eof bool) int {
	b := s.buf[:have]
	end := have
	if !eof {
		end = bytes.LastIndexByte(b, '\n') + 1
	}
	switch {
	case end > 0:
		pos := 0
		if s.long.open {
			pos = s.finishLong(b)
		}
		s.search(b[:end], pos, eof)
	case have < len(s.buf) || eof:
		return have
	case len(s.buf) < maxBuffer:
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
		return have
	default:
		s.piece(b)
		end = have - pieceOverlap
	}
	s.base += int64(end)
	return copy(s.buf, b[end:])
}

// search goes through whole lines from pos on.
func (s *scanner) search(b []byte, pos int, eof bool) {
	s.find.reset(b)
	s.origin, s.counted, s.printed = pos, pos, pos
	for pos < len(b) && !s.done {
		start, end, col, ok := s.find.next(pos)
		if !ok {
			break
		}
		s.match(b, start, end, col)
		pos = end + 1
	}
	if s.done {
		return
	}
	s.trailing(b, len(b))
	if !eof {
		s.keepTail(b)
		s.count(b, len(b))
	}
}

// match takes the line b[start:end] in.
func (s *scanner) match(b []byte, start, end, col int) {
	s.matches++
	if s.binary {
		s.done = true
		s.hand(FileMatches{Binary: true})
		return
	}
	s.trailing(b, start)
	s.count(b, start)
	if s.context > 0 {
		s.leading(b, start)
	}
	s.add(Line{Number: s.number + 1, Offset: s.base + int64(start), Column: col + 1}, trimCR(b[start:end]), col)
	s.printed = min(end+1, len(b))
	s.after = s.context
	s.enough()
}

// enough leaves the file once more matches are found than anyone wants.
func (s *scanner) enough() {
	if s.limit > 0 && s.matches > s.limit {
		s.done = true
	}
}

// count advances the line number to the line that starts at pos.
func (s *scanner) count(b []byte, pos int) {
	s.number += int64(bytes.Count(b[s.counted:pos], []byte{'\n'}))
	s.counted = pos
}

// trailing puts out what is due of context after a match, up to index limit.
func (s *scanner) trailing(b []byte, limit int) {
	for s.after > 0 && s.printed < limit {
		end := lineEnd(b, s.printed)
		s.add(Line{Number: s.last + 1, Offset: s.base + int64(s.printed)}, trimCR(b[s.printed:end]), 0)
		s.printed = min(end+1, len(b))
		s.after--
	}
}

// leading puts out the context before the match at start, whose line number
// is s.number+1.
func (s *scanner) leading(b []byte, start int) {
	from, n := s.back(b, start)
	if from == s.origin && n < s.context {
		for _, l := range s.tail[max(0, len(s.tail)-(s.context-n)):] {
			s.addLine(l, l.Text)
		}
	}
	for ; n > 0; n-- {
		end := lineEnd(b, from)
		s.add(Line{Number: s.number + 1 - int64(n), Offset: s.base + int64(from)}, trimCR(b[from:end]), 0)
		from = end + 1
	}
}

// back finds up to s.context lines before the line at start that are not out
// yet: n lines from index from on.
func (s *scanner) back(b []byte, start int) (from, n int) {
	for from = start; n < s.context && from > s.printed; n++ {
		from = s.printed + bytes.LastIndexByte(b[s.printed:from-1], '\n') + 1
	}
	return from, n
}

// keepTail remembers the last lines of a buffer as context for what follows.
func (s *scanner) keepTail(b []byte) {
	if s.context == 0 || s.binary {
		return
	}
	from, _ := s.back(b, len(b))
	if from > s.origin {
		s.tail = s.tail[:0]
	}
	s.count(b, from)
	number := s.number
	for from < len(b) {
		end := lineEnd(b, from)
		number++
		s.remember(contextLine(number, s.base+int64(from), trimCR(b[from:end])))
		from = end + 1
	}
}

func (s *scanner) remember(l Line) {
	if s.context == 0 {
		return
	}
	if len(s.tail) == s.context {
		s.tail = append(s.tail[:0], s.tail[1:]...)
	}
	s.tail = append(s.tail, l)
}

func contextLine(number, offset int64, line []byte) Line {
	text, _ := window(line, 0)
	return Line{Number: number, Offset: offset, Text: string(text), Cut: len(text) < len(line)}
}

// piece searches a buffer full of a line that goes on.
func (s *scanner) piece(b []byte) {
	if !s.long.open {
		s.long = longLine{open: true, start: s.base}
		s.long.head = contextLine(s.number+1, s.base, b)
		s.long.head.Cut = true
	}
	s.searchPiece(b)
}

// finishLong ends the long line in whose midst the buffer starts, and returns
// where the next line starts.
func (s *scanner) finishLong(b []byte) int {
	end := lineEnd(b, 0)
	s.searchPiece(trimCR(b[:end]))
	s.long.open = false
	if !s.long.matched && !s.done {
		if s.after > 0 {
			s.after--
			s.addLine(s.long.head, s.long.head.Text)
		} else {
			s.remember(s.long.head)
		}
	}
	s.number++
	return min(end+1, len(b))
}

func (s *scanner) searchPiece(b []byte) {
	if s.long.matched || s.done || len(b) == 0 {
		return
	}
	s.find.reset(b)
	_, _, col, ok := s.find.next(0)
	if !ok {
		return
	}
	s.long.matched = true
	s.matches++
	if s.binary {
		s.done = true
		s.hand(FileMatches{Binary: true})
		return
	}
	for _, l := range s.tail {
		s.addLine(l, l.Text)
	}
	s.tail = s.tail[:0]
	text, skipped := window(b, col)
	before := int(s.base - s.long.start)
	s.addLine(Line{
		Number: s.number + 1, Offset: s.long.start, Column: before + col + 1,
		Skipped: before + skipped, Cut: true,
	}, string(text))
	s.after = s.context
	s.enough()
}

// add puts a line out, cut to what is shown around col.
func (s *scanner) add(l Line, line []byte, col int) {
	text, skipped := window(line, col)
	l.Skipped, l.Cut = skipped, len(text) < len(line)
	s.text = append(s.text, text...)
	s.put(l)
}

// addLine puts a line out whose text is cut already.
func (s *scanner) addLine(l Line, text string) {
	s.text = append(s.text, text...)
	s.put(l)
}

func (s *scanner) put(l Line) {
	l.Text = ""
	s.lines = append(s.lines, l)
	s.ends = append(s.ends, len(s.text))
	s.last = l.Number
	if len(s.text) >= flushBytes || len(s.lines) >= flushLines {
		s.flush()
	}
}

// flush hands the collected lines on; their texts share one string.
func (s *scanner) flush() {
	if len(s.lines) == 0 {
		return
	}
	out := make([]Line, len(s.lines))
	copy(out, s.lines)
	text, from := string(s.text), 0
	for i, end := range s.ends {
		out[i].Text, from = text[from:end], end
	}
	s.lines, s.text, s.ends = s.lines[:0], s.text[:0], s.ends[:0]
	s.hand(FileMatches{Lines: out})
}

func (s *scanner) hand(f FileMatches) {
	if s.err == nil {
		s.err = s.emit(f)
	}
	if s.err != nil {
		s.done = true
	}
}
