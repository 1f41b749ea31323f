package wire

import (
	"encoding/binary"
	"errors"
	"io"
)

var (
	errShort = errors.New("a message that ends too early")
	errLong  = errors.New("a message that is too long")
)

// maxFrame bounds a message, in bytes.
const maxFrame = 64 << 20

// coder writes values one after another, or reads them in the same order. Strings
// are bytes, as paths and arguments are.
type coder struct {
	buf     []byte
	reading bool
	err     error
}

func (c *coder) uint(v *uint64) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, *v)
		return
	}
	n, size := binary.Uvarint(c.buf)
	if size <= 0 {
		c.fail()
		return
	}
	*v, c.buf = n, c.buf[size:]
}

func (c *coder) fail() { c.err, c.buf = errShort, nil }

func number[T ~int | ~int64 | ~uint8 | ~uint16 | ~uint32](c *coder, v *T) {
	n := uint64(*v)
	c.uint(&n)
	*v = T(n)
}

func (c *coder) bool(v *bool) {
	var n uint64
	if *v {
		n = 1
	}
	c.uint(&n)
	*v = n == 1
}

func (c *coder) string(v *string) {
	n := uint64(len(*v))
	c.uint(&n)
	switch {
	case !c.reading:
		c.buf = append(c.buf, *v...)
	case n > uint64(len(c.buf)):
		c.fail()
	default:
		*v, c.buf = string(c.buf[:n]), c.buf[n:]
	}
}

func (c *coder) bytes(v *[]byte) {
	s := string(*v)
	c.string(&s)
	*v = []byte(s)
}

func (c *coder) strings(v *[]string) { list(c, v, c.string) }

func list[T any](c *coder, v *[]T, each func(*T)) {
	n := uint64(len(*v))
	c.uint(&n)
	if c.reading {
		if n > uint64(len(c.buf)) { // each takes a byte at least
			c.fail()
			return
		}
		*v = make([]T, n)
	}
	for i := range *v {
		each(&(*v)[i])
	}
}

// some is for a part of a message that may be absent.
func some[T any](c *coder, v **T, each func(*T)) {
	is := *v != nil
	c.bool(&is)
	if !is || c.err != nil {
		return
	}
	if c.reading {
		*v = new(T)
	}
	each(*v)
}

// decode reads all of a packet.
func decode(body []byte, code func(*coder)) error {
	c := &coder{buf: body, reading: true}
	code(c)
	if c.err == nil && len(c.buf) > 0 {
		return errLong
	}
	return c.err
}

func encode(code func(*coder)) []byte {
	c := new(coder)
	code(c)
	return c.buf
}

// Write sends a message.
func Write(w io.Writer, m *Message) error {
	body := encode(m.code)
	frame := append(binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body))), body...)
	_, err := w.Write(frame)
	return err
}

// Read receives a message, and takes no byte of the next one.
func Read(r io.Reader) (*Message, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxFrame {
		return nil, errLong
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	m := new(Message)
	return m, decode(body, m.code)
}

func (m *Message) code(c *coder) {
	some(c, &m.Setup, func(s *Setup) { s.code(c) })
	some(c, &m.Check, func(v *Check) { c.strings(&v.Hidden); c.strings(&v.Unwritten); c.strings(&v.Same) })
	some(c, &m.Evidence, func(e *Evidence) { e.code(c) })
	some(c, &m.Command, func(v *Command) { v.code(c) })
	some(c, &m.Failure, func(f *Failure) { c.string(&f.Step); c.string(&f.Detail); c.bool(&f.Changed) })
	some(c, &m.Exit, func(e *Exit) {
		number(c, &e.Code)
		number(c, &e.Signal)
		c.string(&e.Missing)
		number(c, &e.CPU)
		number(c, &e.MaxRSS)
	})
	c.bool(&m.Terminal)
	number(c, &m.Signal)
}

func (s *Setup) code(c *coder) {
	c.strings(&s.Outside)
	c.strings(&s.Pinned)
	list(c, &s.Folders, func(f *Folder) {
		c.string(&f.Path)
		c.uint(&f.Dev)
		c.uint(&f.Ino)
		c.bool(&f.File)
		c.bool(&f.Within)
	})
	list(c, &s.Covers, func(v *Cover) {
		number(c, &v.Folder)
		c.string(&v.Rel)
		number(c, &v.Kind)
		c.uint(&v.Dev)
		c.uint(&v.Ino)
		c.string(&v.Target)
	})
	list(c, &s.Files, func(f *File) { c.string(&f.Path); c.bytes(&f.Content); number(c, &f.Mode); c.bool(&f.Over) })
	c.strings(&s.Writable)
	c.bytes(&s.Filter)
}

func (e *Evidence) code(c *coder) {
	number(c, &e.PID)
	c.strings(&e.Namespaces)
	list(c, &e.Threads, c.strings)
	c.string(&e.MountInfo)
	c.strings(&e.Opened)
	c.strings(&e.Written)
	list(c, &e.Identity, func(i *Inode) { c.uint(&i.Dev); c.uint(&i.Ino) })
	number(c, &e.Landlock)
	c.string(&e.UserMax)
}

func (v *Command) code(c *coder) {
	c.strings(&v.Argv)
	c.strings(&v.Env)
	c.strings(&v.Path)
	c.string(&v.Dir)
	c.bool(&v.Terminal)
	number(c, &v.Rows)
	number(c, &v.Cols)
	list(c, &v.Rlimits, func(r *Rlimit) { number(c, &r.Resource); c.uint(&r.Value) })
}

// Encode makes a packet.
func (r *Request) Encode() []byte { return encode(r.code) }

// Decode reads a packet.
func (r *Request) Decode(packet []byte) error { return decode(packet, r.code) }

func (r *Request) code(c *coder) {
	number(c, &r.ID)
	c.string(&r.Program)
	c.strings(&r.Args)
	c.bool(&r.Kill)
}

// Encode makes a packet.
func (a *Answer) Encode() []byte { return encode(a.code) }

// Decode reads a packet.
func (a *Answer) Decode(packet []byte) error { return decode(packet, a.code) }

func (a *Answer) code(c *coder) {
	number(c, &a.ID)
	some(c, &a.Hello, func(h *Hello) { c.string(&h.Alone); c.strings(&h.Namespaces) })
	c.bool(&a.Ended)
	number(c, &a.Status)
	c.string(&a.Failed)
}
