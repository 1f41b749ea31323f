package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// The library decodes straight into Go values and forgets where they stood. A
// policy error must name its place, so its parser is used instead, and the
// document kept as a tree in which every key and value has its position.

// pos is a place in the file, from 1; columns count characters.
type pos struct{ line, column int }

// mark is where a key and its value stand.
type mark struct{ key, value pos }

type kind uint8

const (
	kindTable kind = iota
	kindArray
	kindString
	kindBool
	kindInteger
	kindFloat
	kindTime
)

// String names the kind as an error message would.
func (k kind) String() string {
	return [...]string{"a table", "a list", "a string", "a boolean", "an integer", "a decimal number", "a date or time"}[k]
}

// origin tells how a table or list came to be: TOML lets some be extended later
// and others not.
type origin uint8

const (
	implied  origin = iota // named on the way to another table
	headed                 // [table], [[list]]
	dotted                 // by a dotted key
	complete               // a value: inline table, list, scalar
)

type node struct {
	kind    kind
	origin  origin
	at      pos
	text    string // of a scalar; a string's is unescaped
	entries []*entry
	index   map[string]*entry
	items   []*node
}

type entry struct {
	name  string
	at    pos
	value *node
}

func newTable(o origin, at pos) *node {
	return &node{kind: kindTable, origin: o, at: at, index: map[string]*entry{}}
}

func (n *node) set(name string, at pos, value *node) *node {
	e := &entry{name: name, at: at, value: value}
	n.entries = append(n.entries, e)
	n.index[name] = e
	return value
}

// document builds the tree.
type document struct {
	file   string
	data   []byte
	starts []int // offset of each line
	parser unstable.Parser
	root   *node
	errs   Errors
	broken bool // a syntax error: the rest of the file is unknown

	// The place found last: characters are counted on from it, so that a file
	// of one long line does not take time in the square of its length.
	last       pos
	lastOffset int
}

// parseDocument reads TOML into a tree. It goes on after a key that is given
// twice, but not after a syntax error.
func parseDocument(file string, data []byte) *document {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d := &document{file: file, data: data, root: newTable(headed, pos{1, 1}), starts: []int{0}}
	for i, c := range data {
		if c == '\n' {
			d.starts = append(d.starts, i+1)
		}
	}
	d.parser.Reset(data)
	current := d.root
	for d.parser.NextExpression() {
		current = d.expression(d.parser.Expression(), current)
	}
	if err := d.parser.Error(); err != nil {
		d.syntax(err)
	}
	return d
}

func (d *document) syntax(err error) {
	d.broken = true
	var perr *unstable.ParserError
	if !errors.As(err, &perr) {
		d.fail(pos{}, "", err.Error(), "")
		return
	}
	d.fail(d.pos(cap(d.data)-cap(perr.Highlight)), "", perr.Message, "")
}

func (d *document) fail(at pos, key, message, hint string) {
	d.errs = append(d.errs, &Error{File: d.file, Line: at.line, Column: at.column, Key: key, Message: message, Hint: hint})
}

// pos turns an offset into line and column.
func (d *document) pos(offset int) pos {
	offset = min(max(offset, 0), len(d.data))
	line, found := slices.BinarySearch(d.starts, offset)
	if !found {
		line--
	}
	if line+1 != d.last.line || offset < d.lastOffset {
		d.last, d.lastOffset = pos{line + 1, 1}, d.starts[line]
	}
	d.last.column += utf8.RuneCount(d.data[d.lastOffset:offset])
	d.lastOffset = offset
	return d.last
}

// part is one part of a dotted key.
type part struct {
	name string
	at   pos
	end  int
}

func (d *document) key(n *unstable.Node) []part {
	var parts []part
	for it := n.Key(); it.Next(); {
		k := it.Node()
		parts = append(parts, part{string(k.Data), d.pos(int(k.Raw.Offset)), int(k.Raw.Offset + k.Raw.Length)})
	}
	return parts
}

// expression adds one line of the file and returns the table that the keys
// after it belong to.
func (d *document) expression(n *unstable.Node, current *node) *node {
	switch n.Kind {
	case unstable.Table:
		return d.header(d.key(n))
	case unstable.ArrayTable:
		return d.listHeader(d.key(n))
	case unstable.KeyValue:
		d.keyValue(n, current)
	}
	return current
}

func (d *document) header(key []part) *node {
	last := key[len(key)-1]
	parent := d.descend(key)
	if parent == nil {
		return newTable(headed, last.at)
	}
	e := parent.index[last.name]
	if e == nil {
		return parent.set(last.name, last.at, newTable(headed, last.at))
	}
	if e.value.kind == kindTable && e.value.origin == implied {
		e.at, e.value.at, e.value.origin = last.at, last.at, headed
		return e.value
	}
	d.twice("["+dottedName(key)+"]", last, e)
	if e.value.kind == kindTable {
		return e.value
	}
	return newTable(headed, last.at)
}

func (d *document) listHeader(key []part) *node {
	last := key[len(key)-1]
	item := newTable(headed, last.at)
	parent := d.descend(key)
	if parent == nil {
		return item
	}
	e := parent.index[last.name]
	if e == nil {
		parent.set(last.name, last.at, &node{kind: kindArray, origin: headed, at: last.at, items: []*node{item}})
		return item
	}
	if e.value.kind != kindArray || e.value.origin != headed {
		d.twice("[["+dottedName(key)+"]]", last, e)
		return item
	}
	e.value.items = append(e.value.items, item)
	return item
}

// descend finds or makes the tables that a header names before its last part.
// It is nil where one of them is a value.
func (d *document) descend(key []part) *node {
	at := d.root
	for i, p := range key[:len(key)-1] {
		e := at.index[p.name]
		if e == nil {
			at = at.set(p.name, p.at, newTable(implied, p.at))
			continue
		}
		next := e.value
		if next.kind == kindArray && next.origin == headed {
			next = next.items[len(next.items)-1]
		}
		if next.kind != kindTable || next.origin == complete {
			d.twice("`"+dottedName(key[:i+1])+"`", p, e)
			return nil
		}
		at = next
	}
	return at
}

func (d *document) keyValue(n *unstable.Node, table *node) {
	key := d.key(n)
	last := key[len(key)-1]
	value := d.value(n.Value(), d.afterEquals(last.end))
	for i, p := range key[:len(key)-1] {
		e := table.index[p.name]
		if e == nil {
			table = table.set(p.name, p.at, newTable(dotted, p.at))
			continue
		}
		if e.value.kind != kindTable || e.value.origin != dotted {
			d.twice("`"+dottedName(key[:i+1])+"`", p, e)
			return
		}
		table = e.value
	}
	if e := table.index[last.name]; e != nil {
		d.twice("`"+dottedName(key)+"`", last, e)
		return
	}
	table.set(last.name, last.at, value)
}

// afterEquals is the place of the value of the key that ends at offset.
func (d *document) afterEquals(offset int) pos {
	skip := func() {
		for offset < len(d.data) && (d.data[offset] == ' ' || d.data[offset] == '\t') {
			offset++
		}
	}
	skip()
	offset++ // the parser has seen to it that this is '='
	skip()
	return d.pos(offset)
}

// value turns a value into a node; at is its place where the parser keeps none.
func (d *document) value(n *unstable.Node, at pos) *node {
	if n.Raw.Length > 0 {
		at = d.pos(int(n.Raw.Offset))
	}
	out := &node{origin: complete, at: at, text: string(n.Data)}
	switch n.Kind {
	case unstable.String:
		out.kind = kindString
	case unstable.Bool:
		out.kind = kindBool
	case unstable.Integer:
		out.kind = kindInteger
	case unstable.Float:
		out.kind = kindFloat
	case unstable.Array:
		out.kind = kindArray
		for it := n.Children(); it.Next(); {
			out.items = append(out.items, d.value(it.Node(), at))
		}
	case unstable.InlineTable:
		out = newTable(complete, at)
		for it := n.Children(); it.Next(); {
			d.keyValue(it.Node(), out)
		}
	default:
		out.kind = kindTime
	}
	return out
}

func (d *document) twice(what string, p part, first *entry) {
	d.fail(p.at, dottedName([]part{p}), what+" is given twice", "first in line "+strconv.Itoa(first.at.line))
}

func dottedName(key []part) string {
	names := make([]string, len(key))
	for i, p := range key {
		names[i] = quoteKey(p.name)
	}
	return strings.Join(names, ".")
}

// invalidUTF8 gives the first wrong byte its position.
func invalidUTF8(path string, data []byte) *Error {
	good := 0
	for good < len(data) {
		r, size := utf8.DecodeRune(data[good:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		good += size
	}
	before := string(data[:good])
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return &Error{
		File: path, Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(line),
		Message: fmt.Sprintf("the byte 0x%02X is not UTF-8", data[good]), Hint: "TOML files are UTF-8",
	}
}
