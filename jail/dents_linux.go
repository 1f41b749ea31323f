package jail

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dentBufferSize is one getdents portion. 32 KiB holds about a thousand entries;
// larger ones gained nothing measurable.
const dentBufferSize = 32 << 10

// dentReader lists a directory by getdents64(2), which tells each entry's type
// without a stat.
type dentReader struct {
	fd int
	*dentBuffer
}

// A dentBuffer is what one listing needs. They are used again because new ones
// for each directory took a third of a walk in memory: 0.94 of filepath.WalkDir's
// time instead of 0.60.
type dentBuffer struct {
	buf     [dentBufferSize]byte
	entries []entry
}

var dentBuffers = sync.Pool{New: func() any { return new(dentBuffer) }}

func (r *dentReader) mark() (int64, bool) {
	from, err := unix.Seek(r.fd, 0, unix.SEEK_CUR)
	return from, err == nil
}

// close gives the buffer back, and with it the entries that next returned last.
func (r *dentReader) close() {
	if r.dentBuffer != nil {
		clear(r.entries) // else they would keep the names alive
		dentBuffers.Put(r.dentBuffer)
		r.dentBuffer = nil
	}
}

func (r *dentReader) next() ([]entry, error) {
	if r.dentBuffer == nil {
		r.dentBuffer = dentBuffers.Get().(*dentBuffer)
	}
	for {
		n, err := unix.Getdents(r.fd, r.buf[:])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.ENOENT: // removed while it was read
			n, err = 0, nil
		}
		if err != nil || n == 0 {
			r.close()
			return nil, err
		}
		if r.entries = parseDents(r.entries[:0], r.buf[:n]); len(r.entries) > 0 {
			return r.entries, nil
		}
	}
}

const (
	direntIno    = unsafe.Offsetof(unix.Dirent{}.Ino)
	direntReclen = unsafe.Offsetof(unix.Dirent{}.Reclen)
	direntType   = unsafe.Offsetof(unix.Dirent{}.Type)
	direntName   = unsafe.Offsetof(unix.Dirent{}.Name)
)

// parseDents reads the linux_dirent64 records of a portion. All names of the
// portion share one allocation.
func parseDents(entries []entry, buf []byte) []entry {
	names := string(buf)
	for at := 0; at+int(direntName) <= len(buf); {
		size := int(binary.NativeEndian.Uint16(buf[at+int(direntReclen):]))
		if size < int(direntName) || at+size > len(buf) {
			break
		}
		start := at + int(direntName)
		length := bytes.IndexByte(buf[start:at+size], 0)
		if length < 0 {
			length = size - int(direntName)
		}
		if name := names[start : start+length]; name != "." && name != ".." {
			entries = append(entries, entry{
				name: name, kind: direntKind(buf[at+int(direntType)]),
				ino: binary.NativeEndian.Uint64(buf[at+int(direntIno):]),
			})
		}
		at += size
	}
	return entries
}

func direntKind(t byte) fs.FileMode {
	switch t {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_FIFO:
		return fs.ModeNamedPipe
	case unix.DT_SOCK:
		return fs.ModeSocket
	case unix.DT_CHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.DT_BLK:
		return fs.ModeDevice
	default:
		return typeUnknown
	}
}
