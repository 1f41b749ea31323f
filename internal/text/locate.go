package text

// part is where a range lies in a file, before it is known whether it decodes.
type part struct {
	start, end int64 // in bytes; start is a character's
	line       int64 // on which start lies; 0 if unknown
	total      int64 // lines of the file
	totalKnown bool
	wholeLines bool // cut behind a line feed if end is not the file's
	shortened  bool // start is later than asked
}

// locate finds the part of the file that a range means, at most f.max bytes.
func (f *file) locate(r Range) (part, error) {
	switch {
	case r.Tail != nil:
		return f.locateTail(*r.Tail)
	case r.byLines():
		return f.locateLines(r.lines())
	case r.ByteOffset != nil:
		return f.locateBytes(*r.ByteOffset)
	}
	return f.span(f.begin, part{line: 1}), nil
}

// span fills in start and the furthest end that a part may have.
func (f *file) span(start int64, p part) part {
	p.start = min(start, f.size)
	p.end = p.start + min(f.size-p.start, f.max)
	return p
}

// locateLines reads forward to the first line, and on to the last.
func (f *file) locateLines(first, count int64) (part, error) {
	start, passed, err := f.skipLines(f.begin, f.size, first-1)
	if err != nil {
		return part{}, err
	}
	if start >= f.size {
		return f.pastEnd(passed)
	}
	p := f.span(start, part{line: first, wholeLines: true})
	if count == 0 {
		return p, nil
	}
	end, passed, err := f.skipLines(p.start, p.end, count)
	p.end = min(p.end, end)
	p.wholeLines = passed < count
	return p, err
}

// skipLines reads from start, the beginning of a line, until it has passed n
// line feeds or is at end. It returns the position behind what it passed.
func (f *file) skipLines(start, end, n int64) (pos, passed int64, err error) {
	pos = start
	if n == 0 {
		return pos, 0, nil
	}
	var notText error
	err = f.blocks(start, end, func(offset int64, b []byte) bool {
		found := f.units.newlines(b)
		if passed+found >= n {
			b = b[:nthNewline(f.units, b, n-passed)]
			found = n - passed
		}
		notText = f.refuseNUL(offset, b)
		passed += found
		pos = offset + int64(len(b))
		return notText == nil && passed < n
	})
	if notText != nil {
		return 0, 0, notText
	}
	return pos, passed, err
}

// nthNewline returns the index behind the n-th line feed in b, which has it.
func nthNewline(u units, b []byte, n int64) int {
	i := 0
	for ; n > 0; n-- {
		i += u.newline(b[i:])
	}
	return i
}

// pastEnd is the part of a range that starts behind the last of the lines,
// given the number of line feeds.
func (f *file) pastEnd(newlines int64) (part, error) {
	last, err := f.at(max(f.begin, f.size-int64(f.units.width())), int64(f.units.width()))
	if err != nil {
		return part{}, err
	}
	if len(last) > 0 && f.units.newline(last) < 0 {
		newlines++
	}
	return f.span(f.size, part{total: newlines, totalKnown: true}), nil
}

// locateTail reads blocks backward from the end until they hold n lines.
func (f *file) locateTail(n int64) (part, error) {
	width := int64(f.units.width())
	floor := max(f.begin, f.size-f.max)
	floor += (floor - f.begin) % width
	lowest := max(f.begin, floor-width) // a line feed right before floor counts too
	for pos := f.size; pos > lowest; {
		// Blocks start at a unit; the first one read is shorter.
		from := max(lowest, f.begin+(pos-1-f.begin)/f.sizes.block*f.sizes.block)
		b, err := f.at(from, pos-from)
		if err != nil {
			return part{}, err
		}
		i, found := nthLineFromEnd(f.units, b, n, from+int64(len(b)) >= f.size)
		if err := f.refuseNUL(from+int64(i), b[i:]); err != nil {
			return part{}, err
		}
		if n -= found; n == 0 {
			return f.span(from+int64(i), part{}), nil
		}
		pos = from
	}
	if floor == f.begin {
		return f.span(f.begin, part{line: 1}), nil
	}
	return f.shortTail(lowest)
}

// nthLineFromEnd goes back over up to n line feeds in b and returns the index
// behind the last one it found, else 0. At the end of the file a line feed
// ends the last line and does not begin another.
func nthLineFromEnd(u units, b []byte, n int64, atEnd bool) (start int, found int64) {
	rest := b
	for {
		i := u.lastNewline(rest)
		if i < 0 {
			return 0, found
		}
		if i < len(b) || !atEnd {
			if found++; found == n {
				return i, found
			}
		}
		rest = rest[:i-u.width()]
	}
}

// shortTail starts at the first line behind lowest, or at the first character
// if the last line alone is too long.
func (f *file) shortTail(lowest int64) (part, error) {
	start := int64(-1)
	err := f.blocks(lowest, f.size, func(offset int64, b []byte) bool {
		if i := f.units.newline(b); i >= 0 {
			start = offset + int64(i)
			return false
		}
		return true
	})
	if err != nil {
		return part{}, err
	}
	if start < 0 || start >= f.size {
		if start, err = f.character(f.size - f.max); err != nil {
			return part{}, err
		}
	}
	return f.span(start, part{shortened: true}), nil
}

// locateBytes starts at the first character that is not before offset.
func (f *file) locateBytes(offset int64) (part, error) {
	if f.enc == Base64 {
		return f.span(offset, part{}), nil
	}
	start, err := f.character(max(offset, f.begin))
	if err != nil {
		return part{}, err
	}
	p := f.span(start, part{})
	if start == f.begin {
		p.line = 1
	}
	return p, nil
}
