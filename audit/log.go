package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

var (
	// ErrUnavailable is matched by every error that says a record was not
	// written, or that it is not known to be on the disk. A call whose record is
	// refused so must not go on.
	ErrUnavailable = errors.New("audit log unavailable")
	// ErrClosed is the cause when the log was closed. It matches fs.ErrClosed.
	ErrClosed = fmt.Errorf("audit log closed: %w", fs.ErrClosed)
)

// What Append does when it can't write.
const (
	OnFailureDeny     = "deny"
	OnFailureContinue = "continue"
)

// lockWait bounds the wait for another process that holds the file's lock. An
// append holds it for microseconds, so that a longer wait means a stopped process.
const lockWait = 10 * time.Second

// Options say where a log lies and how it behaves.
type Options struct {
	// Path names the file. It and its directory are made when missing, with
	// modes 0600 and 0700.
	Path string
	// Enabled false makes a log that takes every record and writes none.
	Enabled bool
	// OnFailure is OnFailureDeny (also when empty) or OnFailureContinue.
	OnFailure string
	// Report is told of each record that OnFailureContinue lets go unwritten.
	// It is called on the goroutine of the Append. nil logs to slog.Default.
	Report func(error)
	// Now gives the time of a record; nil means time.Now.
	Now func() time.Time
}

// A Log appends records to one file. It is safe for concurrent use.
type Log struct {
	opts     Options
	failures atomic.Uint64
	turn     chan struct{} // holds one token; whoever took it may use what follows
	closed   bool
	broken   error // a failed sync, after which the kernel promises nothing any more
	file     *os.File
	info     fs.FileInfo // of file, to notice that the path names another one
	tail     tail
	buf      []byte
	flush    func(*os.File) error // datasync; tests make it fail
}

// tail is what the next record continues.
type tail struct {
	size int64  // bytes in the file
	seq  int64  // of the last record, 0 in an empty file
	hash string // of the last record
}

// Open opens or makes the log, and repairs a line that a crash left torn. ctx
// bounds the wait for another process that is writing. With OnFailureContinue a
// log that can't be opened is reported, and opening is tried again at each Append.
func Open(ctx context.Context, opts Options) (*Log, error) {
	switch opts.OnFailure {
	case "":
		opts.OnFailure = OnFailureDeny
	case OnFailureDeny, OnFailureContinue:
	default:
		return nil, fmt.Errorf("audit: on_failure is %q, want %q or %q", opts.OnFailure, OnFailureDeny, OnFailureContinue)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Report == nil {
		opts.Report = func(err error) {
			slog.Error("audit record not written", "error", err)
		}
	}
	l := &Log{opts: opts, turn: make(chan struct{}, 1), flush: datasync}
	l.turn <- struct{}{}
	if !opts.Enabled {
		return l, nil
	}
	if !filepath.IsAbs(opts.Path) {
		return nil, fmt.Errorf("audit: log path %q is not absolute", opts.Path)
	}
	err := l.withFile(ctx, func() error { return nil })
	if err != nil && opts.OnFailure == OnFailureDeny {
		return nil, err
	}
	if err != nil {
		opts.Report(err)
	}
	return l, nil
}

// Append writes one record and fills its Seq, TS, Prev and Hash. It does not
// keep r. ctx bounds only the wait for other writers, so that the record of a
// cancelled call still gets in when nobody is in the way; callers that must
// record a cancelled call pass a context of their own.
func (l *Log) Append(ctx context.Context, r *Record) error {
	if !l.opts.Enabled {
		return nil
	}
	clean := cleaned(r) // before the lock: it may take a while with megabytes of text
	var file *os.File
	err := l.withFile(ctx, func() error {
		file = l.file
		if err := l.write(clean); err != nil {
			return err
		}
		r.Seq, r.TS, r.Prev, r.Hash = clean.Seq, clean.TS, clean.Prev, clean.Hash
		return nil
	})
	if err == nil && r.Durable {
		err = l.sync(file)
	}
	if err == nil {
		return nil
	}
	l.failures.Add(1)
	if l.opts.OnFailure == OnFailureContinue {
		l.opts.Report(err)
		return nil
	}
	return err
}

// Failures returns how many records could not be written, or not be made durable.
func (l *Log) Failures() uint64 { return l.failures.Load() }

// Close closes the file. A later Append fails with ErrClosed.
func (l *Log) Close() error {
	<-l.turn
	defer func() { l.turn <- struct{}{} }()
	l.closed = true
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// withFile runs fn while this goroutine, of all goroutines and processes, is the
// one that may write, and l.tail is the end of the file.
func (l *Log) withFile(ctx context.Context, fn func() error) error {
	if err := l.takeTurn(ctx); err != nil {
		return unavailable(l.opts.Path, err)
	}
	defer func() { l.turn <- struct{}{} }()
	if err := l.ready(); err != nil {
		return unavailable(l.opts.Path, err)
	}
	if err := lock(ctx, l.file); err != nil {
		return unavailable(l.opts.Path, err)
	}
	err := l.catchUp()
	if err == nil {
		err = fn()
	}
	if uerr := unlock(l.file); err == nil {
		err = uerr
	}
	if err != nil {
		return unavailable(l.opts.Path, err)
	}
	return nil
}

func (l *Log) takeTurn(ctx context.Context) error {
	select {
	case <-l.turn:
		return nil
	default:
	}
	select {
	case <-l.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ready makes sure that there is an open file which can be relied on.
func (l *Log) ready() error {
	switch {
	case l.closed:
		return ErrClosed
	case l.broken != nil:
		return l.broken
	case l.file != nil:
		return nil
	}
	file, info, err := openFile(l.opts.Path)
	if err != nil {
		return err
	}
	l.file, l.info, l.tail = file, info, tail{size: -1}
	return nil
}

// catchUp checks that the path still names the open file, and reads its end anew
// if another process has written since.
func (l *Log) catchUp() error {
	info, err := os.Lstat(l.opts.Path)
	if err != nil {
		return fmt.Errorf("the file was removed while in use: %w", err)
	}
	if !os.SameFile(info, l.info) {
		return errors.New("the file was replaced while in use")
	}
	if info.Size() == l.tail.size {
		return nil
	}
	found, err := readTail(l.file, info.Size())
	if err != nil {
		return err
	}
	l.tail = found.tail
	if found.torn == nil {
		return nil
	}
	return l.repair(found)
}

// write appends r, which is cleaned, as the next record, whole or not at all.
func (l *Log) write(r *Record) error {
	r.Seq, r.TS, r.Prev = l.tail.seq+1, l.opts.Now().UTC(), l.tail.hash
	line, hash := seal(l.buf[:0], r)
	if cap(line) <= keepBuffer {
		l.buf = line
	}
	r.Hash = hash
	if err := l.put(line); err != nil {
		return err
	}
	l.tail.seq, l.tail.hash = r.Seq, hash
	return nil
}

// keepBuffer bounds the memory that is kept for the next record.
const keepBuffer = 64 << 10

// put writes p at the end. What was written of it in part is taken back; should
// that fail too, the size no longer fits and the next writer repairs the end.
func (l *Log) put(p []byte) error {
	if _, err := l.file.Write(p); err != nil {
		if terr := l.file.Truncate(l.tail.size); terr != nil {
			l.tail.size = -1
			return fmt.Errorf("%w (and what was written in part could not be taken back: %w)", err, terr)
		}
		return err
	}
	l.tail.size += int64(len(p))
	return nil
}

// sync makes everything written to file durable. It runs outside of the turn, so
// that others can write meanwhile and be served by one flush of the disk.
//
// After a failed flush the kernel drops the pages and calls the next one a
// success (fsync(2), EIO): the log is broken until it is opened anew.
func (l *Log) sync(file *os.File) error {
	err := l.flush(file)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("a record may not have reached the disk: %w", err)
	<-l.turn
	if l.broken == nil {
		l.broken = err
	}
	l.turn <- struct{}{}
	return unavailable(l.opts.Path, err)
}

func unavailable(path string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrUnavailable, path, err)
}
