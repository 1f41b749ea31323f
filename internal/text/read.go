package text

import (
	"context"
	"encoding/base64"
	"io"
	"strings"
)

const (
	// DefaultMaxBytes is the most that one Read returns unless told otherwise.
	DefaultMaxBytes = 10 << 20
	// ScanBytes is the size up to which a file is always read to its end, so
	// that its lines and its hash are known.
	ScanBytes = 64 << 20
)

// Source is a file to read from.
type Source struct {
	Reader   io.ReaderAt // used by one goroutine at a time
	Size     int64       // in bytes; what lies behind is not read
	Encoding Encoding    // as asked for; the zero value detects
	MaxBytes int64       // most bytes of the file to return, a larger Range.MaxBytes is cut to it; 0 = DefaultMaxBytes
}

// Result is what [Read] found.
type Result struct {
	Text     string // UTF-8 with the file's own line endings, without byte order mark; or base64
	Encoding Encoding
	// LineEndings is one of the Endings constants, of the whole file where
	// LinesKnown and else of Text; "" for base64.
	LineEndings string

	StartLine, EndLine int64 // 1-based lines of Text; 0 if unknown or Text is empty
	TotalLines         int64 // if LinesKnown
	LinesKnown         bool

	SHA256             string // of the whole file in hex; "" if not all of it was read
	ByteStart, ByteEnd int64  // the bytes of the file that Text stands for

	// Truncated: the file goes on behind Text, or a tail is shorter than asked.
	Truncated bool
	// NextOffset is the line to go on at; 0 if there is none, or if Text ends
	// within a line, or its line is unknown. NextByteOffset is the same in bytes.
	NextOffset, NextByteOffset int64
}

// Read reads a range of src.
//
// Up to [ScanBytes] the whole file is read, so that TotalLines and SHA256 are
// known, and Text, TotalLines and SHA256 come from one pass. A larger file is
// read only as far as needed: a tail costs no more than its own bytes, an
// offset all lines before it.
//
// Only what is returned must decode, but a NUL in anything that is searched
// for lines means that the file is not text. Text is cut between characters; a
// range of lines too long for MaxBytes is cut behind a line if it has one that
// fits. A byte range starts at the first character at or after ByteOffset:
// ByteStart tells. An offset behind the end gives an empty text.
//
// Errors: [RangeError], [NotTextError], [TooLargeError] if no range was given
// and the file is larger than MaxBytes, the context's, the reader's.
func Read(ctx context.Context, src Source, r Range) (Result, error) {
	return readSized(ctx, usual, src, r)
}

func readSized(ctx context.Context, sizes sizes, src Source, r Range) (Result, error) {
	if err := r.Check(src.Encoding); err != nil {
		return Result{}, err
	}
	f, err := newFile(ctx, sizes, src)
	if err != nil {
		return Result{}, err
	}
	if f.size > f.max && (r.isWhole() || f.enc.isStateful()) {
		return Result{}, f.tooLarge()
	}
	if r.MaxBytes != nil {
		f.max = min(f.max, *r.MaxBytes)
	}
	if f.enc.isStateful() {
		return f.readStateful(r)
	}
	part, err := f.locate(r)
	if err != nil {
		return Result{}, err
	}
	return f.read(part)
}

func (f *file) tooLarge() error {
	hint := "read a part: a range of lines (offset and limit, or head), the end (tail), or bytes (byte_offset and max_bytes)"
	switch {
	case f.enc == Base64:
		hint = "read a part: byte_offset and max_bytes"
	case f.enc.isStateful():
		hint = f.enc.Name() + " can be read only as a whole"
	}
	return &TooLargeError{Size: f.size, Max: f.max, Hint: hint}
}

// read returns the result for a part that was located.
func (f *file) read(p part) (Result, error) {
	raw, seen, err := f.capture(p)
	if err != nil {
		return Result{}, err
	}
	if p.wholeLines && p.start+int64(len(raw)) < f.size {
		if i := f.units.lastNewline(raw); i > 0 {
			raw = raw[:i]
		}
	}
	res := Result{Encoding: f.enc, ByteStart: p.start, SHA256: seen.sha256}
	if f.enc == Base64 {
		res.Text = base64.StdEncoding.EncodeToString(raw)
		f.finish(&res, p, len(raw))
		return res, nil
	}
	final := p.start+int64(len(raw)) >= f.size
	s, consumed, bad := decodeStrict(raw, f.enc, final)
	if bad != nil {
		return Result{}, bad.at(p.start, f.prefix)
	}
	if consumed == 0 && len(raw) > 0 {
		return Result{}, &RangeError{"max_bytes is smaller than the next character"}
	}
	res.Text = s
	f.countLines(&res, p, seen)
	f.finish(&res, p, consumed)
	if res.EndLine > 0 && res.ByteEnd == f.size {
		res.TotalLines, res.LinesKnown = res.EndLine, true
	}
	return res, nil
}

// countLines fills in all that is about lines.
func (f *file) countLines(res *Result, p part, seen survey) {
	start := p.line
	res.TotalLines, res.LinesKnown = p.total, p.totalKnown
	res.LineEndings = LineEndings(res.Text)
	if seen.complete {
		start = seen.line
		res.TotalLines, res.LinesKnown = seen.counts.lines(), true
		res.LineEndings = seen.counts.endings()
	}
	if start == 0 || res.Text == "" {
		return
	}
	res.StartLine = start
	res.EndLine = start + int64(strings.Count(res.Text, "\n"))
	if strings.HasSuffix(res.Text, "\n") {
		res.EndLine--
	}
}

// finish tells where Text ends and where to go on.
func (f *file) finish(res *Result, p part, consumed int) {
	res.ByteEnd = p.start + int64(consumed)
	more := res.ByteEnd < f.size
	res.Truncated = more || p.shortened
	if !more {
		return
	}
	res.NextByteOffset = res.ByteEnd
	if res.EndLine > 0 && strings.HasSuffix(res.Text, "\n") {
		res.NextOffset = res.EndLine + 1
	}
}
