package text

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
)

// sizes are what tests make smaller.
type sizes struct {
	block int64 // how much is read at a time; even, as UTF-16 units are, and at least 16
	scan  int64 // size up to which a file is read to its end
}

var usual = sizes{block: 128 << 10, scan: ScanBytes}

// file is a source during one Read.
type file struct {
	ctx    context.Context
	sizes  sizes
	r      io.ReaderAt
	size   int64 // shrinks if the file turns out to be shorter
	max    int64 // most bytes to return
	enc    Encoding
	units  units
	prefix []byte // the first bytes, at most prefixSize
	begin  int64  // where the text begins: behind the byte order mark
	block  []byte
}

func newFile(ctx context.Context, sizes sizes, src Source) (*file, error) {
	f := &file{ctx: ctx, sizes: sizes, r: src.Reader, size: max(src.Size, 0), max: src.MaxBytes}
	if f.max <= 0 {
		f.max = DefaultMaxBytes
	}
	f.block = make([]byte, min(f.size, sizes.block))
	prefix, err := f.at(0, prefixSize)
	if err != nil {
		return nil, err
	}
	f.prefix = append(f.prefix, prefix...)
	f.enc = src.Encoding.Resolve(f.prefix)
	f.begin = int64(len(f.enc.mark()))
	f.units = unitsOf(f.enc)
	return f, nil
}

// at reads up to n bytes at an offset into the block, fewer only at the end of
// the file. They are valid until the next call.
func (f *file) at(offset, n int64) ([]byte, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	n = min(n, f.size-offset, int64(len(f.block)))
	if n <= 0 {
		return nil, nil
	}
	got, err := f.r.ReadAt(f.block[:n], offset)
	switch {
	case int64(got) == n:
		return f.block[:n], nil
	case err == nil || errors.Is(err, io.EOF):
		f.size = offset + int64(got)
		return f.block[:got], nil
	}
	return nil, err
}

// blocks calls fn for all bytes from start to end, in order, until it returns
// false or the file ends.
func (f *file) blocks(start, end int64, fn func(offset int64, b []byte) (more bool)) error {
	for offset := start; offset < end; {
		b, err := f.at(offset, end-offset)
		if err != nil || len(b) == 0 || !fn(offset, b) {
			return err
		}
		offset += int64(len(b))
	}
	return nil
}

// refuseNUL keeps a search for lines out of binary files, which may be huge
// and have none.
func (f *file) refuseNUL(offset int64, b []byte) error {
	if i := f.units.nul(b); i >= 0 {
		return (&badBytes{f.enc, i, reasonNUL}).at(offset, f.prefix)
	}
	return nil
}

// survey is what is known from having read a whole file.
type survey struct {
	complete bool
	sha256   string
	line     int64 // the line on which the part starts
	counts   lineCounts
}

// capture returns the raw bytes of a part. Up to sizes.scan it reads the whole
// file for it and surveys it on the way.
func (f *file) capture(p part) (raw []byte, seen survey, err error) {
	raw = make([]byte, 0, max(0, min(p.end, f.size)-p.start))
	if f.size > f.sizes.scan {
		err = f.blocks(p.start, p.end, func(_ int64, b []byte) bool {
			raw = append(raw, b...)
			return true
		})
		return raw, seen, err
	}
	hash := sha256.New()
	hash.Write(f.prefix[:f.begin])
	err = f.blocks(f.begin, f.size, func(offset int64, b []byte) bool {
		hash.Write(b)
		before, within, after := split(b, p.start-offset, p.end-offset)
		f.units.tally(&seen.counts, before)
		if len(within) > 0 && len(raw) == 0 {
			seen.line = seen.counts.newlines + 1
		}
		raw = append(raw, within...)
		f.units.tally(&seen.counts, within)
		f.units.tally(&seen.counts, after)
		return true
	})
	seen.sha256 = hex.EncodeToString(hash.Sum(nil))
	seen.complete = true
	return raw, seen, err
}

// split divides b at two indexes, which may lie outside of it.
func split(b []byte, i, j int64) (before, within, after []byte) {
	n := int64(len(b))
	i = min(max(i, 0), n)
	j = min(max(j, i), n)
	return b[:i], b[i:j], b[j:]
}
