package text

import "strings"

// readStateful reads a file whose encoding can't be decoded from the middle:
// all of it is decoded, then the range is taken from the text. Offsets in
// bytes have no meaning then.
func (f *file) readStateful(r Range) (Result, error) {
	raw, seen, err := f.capture(part{start: f.begin, end: f.size})
	if err != nil {
		return Result{}, err
	}
	s, _, bad := decodeStrict(raw, f.enc, true)
	if bad != nil {
		return Result{}, bad.at(f.begin, f.prefix)
	}
	if !r.isWhole() && !r.byLines() {
		first := int64(1)
		r.Offset = &first // max_bytes alone: whole lines, as bytes can't be gone on from
	}
	decoded := Source{Reader: strings.NewReader(s), Size: int64(len(s)), Encoding: UTF8, MaxBytes: max(f.max, 1)}
	if r.isWhole() {
		decoded.MaxBytes = decoded.Size + 1
	}
	res, err := readSized(f.ctx, f.sizes, decoded, r)
	if err != nil {
		return Result{}, err
	}
	res.Encoding, res.SHA256 = f.enc, seen.sha256
	res.ByteStart, res.ByteEnd, res.NextByteOffset = 0, 0, 0
	return res, nil
}
