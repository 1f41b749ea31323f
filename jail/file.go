package jail

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// A File is a regular file open for reading, or the null or urandom device, which
// ends after 1 MiB.
// ReadAt may be called from several goroutines at once; Read and Seek share one
// offset. A File must be closed; closing it while a read is in progress is the
// caller's mistake.
type File struct {
	handle
	info   Info
	folder *folder
	rel    string // real path below the folder, maybe not yet cleaned
	closed atomic.Bool
	given  atomic.Int64 // bytes that Read got from a device
}

// deviceLimit is where a device ends: urandom never would.
const deviceLimit = 1 << 20

var (
	_ fs.File     = (*File)(nil)
	_ io.ReaderAt = (*File)(nil)
	_ io.Seeker   = (*File)(nil)
)

// Real is the absolute real path.
func (f *File) Real() string { return f.folder.join(f.rel) }

// Info is what the file was like when it was opened.
func (f *File) Info() Info { return f.info }

// Stat is the same as Info; it never fails.
func (f *File) Stat() (fs.FileInfo, error) { return f.info, nil }

// Current asks the kernel for the file's present state.
func (f *File) Current() (Info, error) {
	info, err := f.stat()
	info.name = f.info.name
	return info, f.wrap("stat", err)
}

// Read reads at the file's offset.
func (f *File) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	device := f.info.mode&fs.ModeDevice != 0
	if device {
		p = p[:min(int64(len(p)), deviceLimit-f.given.Load())]
	}
	n, err := f.read(p)
	if err != nil {
		return 0, f.wrap("read", err)
	}
	if device {
		f.given.Add(int64(n))
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// ReadAt reads len(p) bytes from offset off unless the file ends before.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, f.wrap("read", fs.ErrInvalid)
	}
	whole := len(p)
	if f.info.mode&fs.ModeDevice != 0 {
		p = p[:max(0, min(int64(len(p)), deviceLimit-off))]
	}
	done := 0
	for done < len(p) {
		n, err := f.pread(p[done:], off+int64(done))
		if err != nil {
			return done, f.wrap("read", err)
		}
		if n == 0 {
			return done, io.EOF
		}
		done += n
	}
	if done < whole {
		return done, io.EOF
	}
	return done, nil
}

// Seek sets the offset of the next Read.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	at, err := f.seek(offset, whence)
	return at, f.wrap("seek", err)
}

// Close closes the file; a second call does nothing.
func (f *File) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	return f.wrap("close", f.shut())
}

func (f *File) wrap(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &fs.PathError{Op: op, Path: f.info.name, Err: translate(bare(err))}
}

// ReadAll reads the file from its start to its end, without trusting the size
// that it had when it was opened.
func (f *File) ReadAll() ([]byte, error) {
	size := f.info.size
	if size < 0 || size > 1<<20 {
		size = 1 << 20
	}
	buf := make([]byte, 0, size+512)
	for {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return buf, err
		case len(buf) == cap(buf):
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// newFileFrom adopts a file that the os.Root engine opened.
func newFileFrom(f *os.File, name string) (*File, error) {
	fi, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	file := &File{info: fromFileInfo(fi)}
	file.info.name = name
	if err := file.checkKind(); err != nil {
		_ = f.Close()
		return nil, err
	}
	if err := file.adopt(f); err != nil {
		return nil, err
	}
	return file, nil
}

// checkKind refuses everything that is not a file to read.
func (f *File) checkKind() error {
	switch kind := f.info.specialKind(); {
	case f.info.IsDir():
		return errIsDirectory
	case f.info.IsLink():
		return errIsLink
	case kind != "" && !f.info.harmlessDevice():
		return &SpecialError{Kind: kind}
	default:
		return nil
	}
}
