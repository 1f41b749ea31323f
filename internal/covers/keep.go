package covers

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
)

// KeepIn has the scanner keep what it knows in a file below dir, for the next
// process that works in the same folders: a first scan then costs about as much as
// any other. dir is an absolute path out of the agent's reach. A file that is
// damaged, or of another policy, is not used; one that can't be written is no error.
// Call it before the first Scan.
func (s *Scanner) KeepIn(dir string) { s.keepDir = dir }

// keepFrom is how many directories must have been listed since the file was
// written for it to be written again: each costs the next process about 20 µs.
const keepFrom = 64

// kept is the name of the file for these folders.
func (s *Scanner) kept() string {
	h := sha256.New()
	for _, g := range s.grounds {
		_, _ = h.Write([]byte(g.real() + "\x00"))
	}
	return filepath.Join(s.keepDir, hex.EncodeToString(h.Sum(nil)[:12])+".scan")
}

// load takes up what an earlier process has kept.
func (s *Scanner) load(p *policy.Policy) {
	text, err := os.ReadFile(s.kept())
	if err != nil {
		return
	}
	roots, err := decode(text, s.stamp(p))
	if err != nil || len(roots) != len(s.grounds) {
		return
	}
	for i, g := range s.grounds {
		g.root, g.policy = roots[i], p
	}
}

// save writes what is known, if that is worth it.
func (s *Scanner) save(p *policy.Policy) {
	if s.keepDir == "" || s.listed.Load()-s.saved < keepFrom {
		return
	}
	s.saved = s.listed.Load()
	_ = s.write(encode(s.grounds, s.stamp(p)))
}

func (s *Scanner) write(text []byte) error {
	if err := os.MkdirAll(s.keepDir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.keepDir, "new-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), s.kept())
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// stamp is all that what is known depends on, besides the directories.
func (s *Scanner) stamp(p *policy.Policy) []byte {
	b := append([]byte("bailey scan 1\n"), p.Version()...)
	for _, g := range s.grounds {
		b = append(b, '\n', byte('0'+g.tree.Folder().Mode))
		b = append(b, g.real()...)
		for _, inner := range slices.Sorted(maps.Keys(g.inner)) {
			b = append(b, "\x00"+inner...)
		}
	}
	return b
}

// The file: the checksum, the stamp, the rules' names, the folders' trees. Numbers
// are varints, strings have their length in front.

type encoder struct {
	buf   bytes.Buffer
	rules map[string]uint64
	names []string
}

func encode(grounds []*ground, stamp []byte) []byte {
	e := encoder{rules: map[string]uint64{}}
	e.number(uint64(len(grounds)))
	for _, g := range grounds {
		e.number(uint64(len(g.root.all(nil))))
		e.node(g.root)
	}
	trees := e.buf.Bytes()
	head := encoder{}
	head.string(string(stamp))
	head.number(uint64(len(e.names)))
	for _, name := range e.names {
		head.string(name)
	}
	body := append(head.buf.Bytes(), trees...)
	return append(binary.BigEndian.AppendUint32(nil, crc32.Checksum(body, crcTable)), body...)
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

func (e *encoder) number(n uint64) {
	e.buf.Write(binary.AppendUvarint(e.buf.AvailableBuffer(), n))
}

func (e *encoder) string(s string) {
	e.number(uint64(len(s)))
	e.buf.WriteString(s)
}

func (e *encoder) rule(name string) {
	n, ok := e.rules[name]
	if !ok {
		n = uint64(len(e.names))
		e.rules[name], e.names = n, append(e.names, name)
	}
	e.number(n)
}

func (e *encoder) flags(flags ...bool) {
	n := uint64(0)
	for i, set := range flags {
		if set {
			n |= 1 << i
		}
	}
	e.number(n)
}

func (e *encoder) node(n *node) {
	e.flags(n.settled, n.sealed, n.inGit)
	e.number(uint64(n.shape))
	e.number(uint64(n.free))
	e.number(n.state.ID.Dev)
	e.number(n.state.ID.Ino)
	e.number(uint64(n.state.Changed))
	e.number(uint64(len(n.marks)))
	for i := range n.marks {
		e.string(n.marks[i].name)
		e.number(uint64(n.marks[i].what))
		e.rule(n.marks[i].rule)
	}
	e.number(uint64(len(n.inodes)))
	for _, half := range n.inodes {
		e.buf.Write(binary.LittleEndian.AppendUint32(e.buf.AvailableBuffer(), half))
	}
	e.number(uint64(len(n.kids)))
	for i := range n.kids {
		k := &n.kids[i]
		e.string(k.name)
		e.number(k.ino)
		e.number(uint64(k.read))
		e.number(uint64(k.change))
		e.flags(k.guard)
		e.rule(k.rule)
		e.node(k.node)
	}
}

var errDamaged = errors.New("not a scan of these folders and this policy")

type decoder struct {
	text  string
	names []string
	nodes []node // made at once: a tree has tens of thousands
	err   error
}

func (d *decoder) fresh(parent *node, name string) *node {
	if len(d.nodes) == 0 {
		d.fail()
		return &node{}
	}
	n := &d.nodes[0]
	d.nodes = d.nodes[1:]
	n.parent, n.name = parent, name
	return n
}

func decode(text, stamp []byte) ([]*node, error) {
	if len(text) < 4 || binary.BigEndian.Uint32(text) != crc32.Checksum(text[4:], crcTable) {
		return nil, errDamaged
	}
	d := decoder{text: string(text[4:])}
	if d.string() != string(stamp) {
		return nil, errDamaged
	}
	for range d.count() {
		d.names = append(d.names, d.string())
	}
	var roots []*node
	for range d.count() {
		d.nodes = make([]node, d.count())
		n := d.fresh(nil, "")
		d.node(n, 0)
		roots = append(roots, n)
	}
	if d.err == nil && d.text != "" {
		d.err = errDamaged
	}
	return roots, d.err
}

func (d *decoder) fail() {
	d.err, d.text = errDamaged, ""
}

func (d *decoder) number() uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		if d.text == "" {
			break
		}
		c := d.text[0]
		d.text = d.text[1:]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	d.fail()
	return 0
}

// count reads the length of a list, each element of which takes a byte at least.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.text)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) string() string {
	n := d.count()
	s := d.text[:n]
	d.text = d.text[n:]
	return s
}

func (d *decoder) rule() string {
	n := d.number()
	if n >= uint64(len(d.names)) {
		d.fail()
		return ""
	}
	return d.names[n]
}

func (d *decoder) node(n *node, depth int) {
	if depth > maxRel {
		d.fail()
		return
	}
	flags := d.number()
	n.settled, n.sealed, n.inGit = flags&1 != 0, flags&2 != 0, flags&4 != 0
	n.shape, n.free = shape(d.number()), access(d.number())
	n.state = jail.DirState{ID: jail.FileID{Dev: d.number(), Ino: d.number()}, Changed: int64(d.number())}
	for range d.count() {
		if d.err != nil {
			return
		}
		n.marks = append(n.marks, mark{name: d.string(), what: marks(d.number()), rule: d.rule()})
	}
	d.inodes(n)
	size := d.count()
	n.kids = make([]kid, 0, min(size, len(d.nodes), 256))
	for range size {
		if d.err != nil {
			return
		}
		k := kid{name: d.string(), ino: d.number(), read: grade(d.number()), change: grade(d.number()), guard: d.number() != 0, rule: d.rule()}
		k.node = d.fresh(n, k.name)
		d.node(k.node, depth+1)
		n.kids = append(n.kids, k)
	}
}

func (d *decoder) inodes(n *node) {
	size := d.count()
	if size > len(d.text)/4 {
		d.fail()
		return
	}
	if size > 0 {
		n.inodes = make([]uint32, size)
	}
	for i := range n.inodes {
		n.inodes[i] = uint32(d.text[4*i]) | uint32(d.text[4*i+1])<<8 | uint32(d.text[4*i+2])<<16 | uint32(d.text[4*i+3])<<24
	}
	d.text = d.text[4*size:]
}
