package text

// Range says which part of a file to read. No field set means all of it. Lines
// are counted from 1 and end at a line feed, bytes are those of the file and
// counted from 0. At most one way may be used: Offset with or without Limit
// (lines), or Head (lines), or Tail (lines), or ByteOffset. MaxBytes bounds
// each of them; alone it means the first MaxBytes bytes.
type Range struct {
	Offset     *int64 `json:"offset,omitempty"`
	Limit      *int64 `json:"limit,omitempty"`
	Head       *int64 `json:"head,omitempty"`
	Tail       *int64 `json:"tail,omitempty"`
	ByteOffset *int64 `json:"byte_offset,omitempty"`
	MaxBytes   *int64 `json:"max_bytes,omitempty"`
}

// Check reports a [RangeError] if r makes no sense, or not in enc.
func (r Range) Check(enc Encoding) error {
	for _, f := range []struct {
		name  string
		value *int64
		least int64
		hint  string
	}{
		{"offset", r.Offset, 1, "offset counts lines from 1"},
		{"limit", r.Limit, 1, "limit must be at least 1"},
		{"head", r.Head, 1, "head must be at least 1"},
		{"tail", r.Tail, 1, "tail must be at least 1"},
		{"byte_offset", r.ByteOffset, 0, "byte_offset must not be negative"},
		{"max_bytes", r.MaxBytes, 1, "max_bytes must be at least 1"},
	} {
		if f.value != nil && *f.value < f.least {
			return &RangeError{f.hint}
		}
	}
	lines := r.Offset != nil || r.Limit != nil
	switch {
	case r.Head != nil && (lines || r.Tail != nil):
		return &RangeError{"head can't be combined with offset, limit or tail"}
	case r.Tail != nil && lines:
		return &RangeError{"tail can't be combined with offset or limit"}
	case r.ByteOffset != nil && r.byLines():
		return &RangeError{"byte_offset can't be combined with offset, limit, head or tail"}
	case enc == Base64 && r.byLines():
		return &RangeError{"base64 reads bytes, not lines: use byte_offset and max_bytes"}
	case enc.isStateful() && r.ByteOffset != nil:
		return &RangeError{enc.Name() + " can't be decoded from the middle: use offset and limit"}
	}
	return nil
}

func (r Range) byLines() bool {
	return r.Offset != nil || r.Limit != nil || r.Head != nil || r.Tail != nil
}

func (r Range) isWhole() bool { return r == Range{} }

// lines returns the first line and how many (0: no limit).
func (r Range) lines() (first, count int64) {
	first = 1
	switch {
	case r.Head != nil:
		return 1, *r.Head
	case r.Offset != nil:
		first = *r.Offset
	}
	if r.Limit != nil {
		count = *r.Limit
	}
	return first, count
}
