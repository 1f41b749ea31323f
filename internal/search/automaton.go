package search

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// The filter automaton finds candidate lines for patterns that have no literal
// to look for. It is a deterministic automaton over bytes, its states made when
// they are first met (the technique of RE2 and Thompson's grep). It may accept
// too much and never too little, since the regular expression is run on each
// candidate line; this keeps it small:
//   - a non-ASCII class is any run of bytes ≥ 0x80,
//   - \b and \B always hold,
//   - $ also holds before a "\r".

type opcode uint8

const (
	opRange opcode = iota // a byte in lo..hi, then out
	opSet                 // a byte in set, then out
	opSplit               // out or alt
	opBegin               // at the start of a line, then out
	opEnd                 // at the end of a line, then out
	opMatch
	opFail
)

type inst struct {
	op       opcode
	lo, hi   byte
	out, alt int32
	set      *[256]bool
}

const (
	maxInsts  = 4000
	maxStates = 4000 // of 1 KiB each, per worker
)

// compileFilter makes the automaton's program; its first instruction is the
// start. nil: the pattern is too big.
func compileFilter(re *syntax.Regexp) []inst {
	c := &filterCompiler{prog: make([]inst, 1, 64)}
	end := c.add(inst{op: opMatch})
	start := c.compile(re, end)
	if len(c.prog) > maxInsts {
		return nil
	}
	c.prog[0] = inst{op: opSplit, out: start, alt: start}
	return c.prog
}

type filterCompiler struct{ prog []inst }

func (c *filterCompiler) add(i inst) int32 {
	if len(c.prog) <= maxInsts { // one too many marks the overflow
		c.prog = append(c.prog, i)
	}
	return int32(len(c.prog) - 1)
}

// compile returns the entry of re followed by next.
func (c *filterCompiler) compile(re *syntax.Regexp, next int32) int32 {
	if len(c.prog) > maxInsts {
		return next
	}
	switch re.Op {
	case syntax.OpNoMatch:
		return c.add(inst{op: opFail})
	case syntax.OpLiteral:
		for _, r := range slices.Backward(re.Rune) {
			next = c.rune(r, re.Flags&syntax.FoldCase != 0, next)
		}
		return next
	case syntax.OpCharClass:
		return c.class(re.Rune, next)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return c.class([]rune{0, unicode.MaxRune}, next)
	case syntax.OpBeginLine, syntax.OpBeginText:
		return c.add(inst{op: opBegin, out: next})
	case syntax.OpEndLine, syntax.OpEndText:
		return c.add(inst{op: opEnd, out: next})
	case syntax.OpCapture:
		return c.compile(re.Sub[0], next)
	case syntax.OpStar:
		return c.loop(re.Sub[0], next)
	case syntax.OpPlus:
		// entry of the body whose end is the loop
		split := c.add(inst{op: opSplit, alt: next})
		body := c.compile(re.Sub[0], split)
		c.prog[split].out = body
		return body
	case syntax.OpQuest:
		return c.add(inst{op: opSplit, out: c.compile(re.Sub[0], next), alt: next})
	case syntax.OpConcat:
		for _, sub := range slices.Backward(re.Sub) {
			next = c.compile(sub, next)
		}
		return next
	case syntax.OpAlternate:
		entry := c.add(inst{op: opFail})
		for _, sub := range re.Sub {
			entry = c.add(inst{op: opSplit, out: c.compile(sub, next), alt: entry})
		}
		return entry
	}
	return next // empty match, \b, \B
}

func (c *filterCompiler) loop(re *syntax.Regexp, next int32) int32 {
	split := c.add(inst{op: opSplit, alt: next})
	body := c.compile(re, split)
	c.prog[split].out = body
	return split
}

func (c *filterCompiler) rune(r rune, fold bool, next int32) int32 {
	if r == utf8.RuneError {
		return c.nonASCII(next)
	}
	entry := c.bytes(string(r), next)
	if !fold {
		return entry
	}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		entry = c.add(inst{op: opSplit, out: c.bytes(string(other), next), alt: entry})
	}
	return entry
}

func (c *filterCompiler) bytes(s string, next int32) int32 {
	for i := len(s) - 1; i >= 0; i-- {
		next = c.add(inst{op: opRange, lo: s[i], hi: s[i], out: next})
	}
	return next
}

func (c *filterCompiler) class(ranges []rune, next int32) int32 {
	var set [256]bool
	wide := false
	for i := 0; i < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		wide = wide || hi >= utf8.RuneSelf
		for r := lo; r <= min(hi, utf8.RuneSelf-1); r++ {
			set[r] = r != '\n'
		}
	}
	entry := c.add(inst{op: opSet, set: &set, out: next})
	if wide {
		entry = c.add(inst{op: opSplit, out: entry, alt: c.nonASCII(next)})
	}
	return entry
}

func (c *filterCompiler) nonASCII(next int32) int32 {
	more := c.add(inst{op: opSplit, alt: next})
	entry := c.add(inst{op: opRange, lo: utf8.RuneSelf, hi: 0xff, out: more})
	c.prog[more].out = entry
	return entry
}

// State numbers are multiples of 256, so that number + byte is the index of a
// transition. Two small numbers are marks.
const (
	stateUnknown = 0
	stateMatch   = 1
	stateFirst   = 256
)

type automaton struct {
	prog   []inst
	sets   [][]int32         // by state number / 256
	number map[string]uint32 // of a set
	next   []uint32
	start  uint32 // at the start of a line

	made, read int // states made and bytes read since the cache was cleared
	seen       []uint32
	mark       uint32
	todo       []int32
	key        []byte
}

func newAutomaton(prog []inst) *automaton {
	a := &automaton{prog: prog, seen: make([]uint32, len(prog))}
	a.clear()
	return a
}

func (a *automaton) clear() {
	a.sets = append(a.sets[:0], nil) // number 0 is no state
	a.number = make(map[string]uint32)
	a.next = append(a.next[:0], make([]uint32, 256)...)
	a.begin()
	set, matched := a.follow(nil, 0, true, false)
	if a.start = stateMatch; !matched {
		a.start = a.state(set)
	}
}

// search returns a position of the first candidate line at or after pos, the
// start of a line; none if there is none. !ok: so many states were needed that
// the automaton is no help.
func (a *automaton) search(buf []byte, pos int) (at int, ok bool) {
	at, ok = a.scan(buf, pos)
	a.read += min(at, len(buf)) - pos
	return at, ok
}

func (a *automaton) scan(buf []byte, pos int) (at int, ok bool) {
	if a.start == stateMatch {
		return pos, true
	}
	s, next := a.start, a.next
	for i := pos; i < len(buf); i++ {
		n := next[s+uint32(buf[i])]
		if n <= stateMatch {
			if n == stateUnknown {
				if n, ok = a.step(s, buf[i], i-pos); !ok {
					return i, false
				}
				next = a.next
			}
			if n == stateMatch {
				return i, true
			}
		}
		s = n
	}
	if len(buf) > pos && buf[len(buf)-1] != '\n' {
		// The last line ends without a "\n".
		n, ok := a.step(s, '\n', len(buf)-pos)
		if !ok || n == stateMatch {
			return len(buf), ok
		}
	}
	return none, true
}

// step makes the transition from state s by byte b. done is how many bytes
// this search has read so far: a cache that fills within few is thrashing.
func (a *automaton) step(s uint32, b byte, done int) (n uint32, ok bool) {
	if len(a.sets) > maxStates {
		from := a.sets[s/256]
		if a.read+done < 16*a.made {
			return 0, false
		}
		a.made, a.read = 0, -done
		a.clear()
		s = a.state(from)
	}
	n = a.target(a.sets[s/256], b)
	a.next[s+uint32(b)] = n
	return n, true
}

func (a *automaton) target(from []int32, b byte) uint32 {
	if b == '\n' || b == '\r' {
		a.begin()
		for _, i := range from {
			if a.prog[i].op != opEnd {
				continue
			}
			if _, matched := a.follow(nil, a.prog[i].out, true, true); matched {
				return stateMatch
			}
		}
	}
	if b == '\n' {
		return a.start
	}
	a.begin()
	var to []int32
	matched := false
	for _, i := range from {
		in := &a.prog[i]
		hit := in.op == opRange && in.lo <= b && b <= in.hi || in.op == opSet && in.set[b]
		if !hit {
			continue
		}
		if to, matched = a.follow(to, in.out, false, false); matched {
			return stateMatch
		}
	}
	if to, matched = a.follow(to, 0, false, false); matched { // a match may begin anywhere
		return stateMatch
	}
	return a.state(to)
}

func (a *automaton) begin() { a.mark++ }

// follow adds to set what is reached from i without reading a byte.
func (a *automaton) follow(set []int32, i int32, atBegin, atEnd bool) (_ []int32, matched bool) {
	a.todo = append(a.todo[:0], i)
	for len(a.todo) > 0 {
		i = a.todo[len(a.todo)-1]
		a.todo = a.todo[:len(a.todo)-1]
		if a.seen[i] == a.mark {
			continue
		}
		a.seen[i] = a.mark
		switch in := &a.prog[i]; in.op {
		case opMatch:
			return set, true
		case opSplit:
			a.todo = append(a.todo, in.out, in.alt)
		case opBegin:
			if atBegin {
				a.todo = append(a.todo, in.out)
			}
		case opEnd:
			if atEnd {
				a.todo = append(a.todo, in.out)
			} else {
				set = append(set, i)
			}
		case opRange, opSet:
			set = append(set, i)
		case opFail: // leads nowhere
		}
	}
	return set, false
}

// state returns the number of the state that is this set of instructions.
func (a *automaton) state(set []int32) uint32 {
	slices.Sort(set)
	a.key = a.key[:0]
	for _, i := range set {
		a.key = binary.LittleEndian.AppendUint32(a.key, uint32(i))
	}
	if n, ok := a.number[string(a.key)]; ok {
		return n
	}
	n := uint32(len(a.sets)) * stateFirst
	a.sets = append(a.sets, set)
	a.next = append(a.next, make([]uint32, 256)...)
	a.number[string(a.key)] = n
	a.made++
	return n
}
