package tool

import (
	"context"
	"io"
	"sync"
)

// Progress says how far a call has come.
type Progress struct {
	Done    int64  // grows from report to report
	Total   int64  // what Done will be at the end; 0 where that is not known
	Unit    string // what is counted: "entries" or "bytes"; "" where nothing is
	Message string // what goes on, in words; "" where the numbers say it
}

// How much work lies between two reports.
const (
	progressEntries = 64
	progressBytes   = 1 << 20
)

type progressKey struct{}

// WithProgress has the calls under ctx report their progress. Searches, listings,
// reads of large files and commands do. The calls wait for report, which is never called
// twice at once by one call.
func WithProgress(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, &reporter{report: report})
}

// ReportProgress reports for the call under ctx, if somebody wants to know. It is
// for an [Asker], which may take long.
func ReportProgress(ctx context.Context, p Progress) {
	if r, ok := ctx.Value(progressKey{}).(*reporter); ok {
		r.send(p)
	}
}

// reporter hands on the reports of one call, one at a time.
type reporter struct {
	mu     sync.Mutex
	report func(Progress)
}

func (r *reporter) send(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report(p)
}

// meter counts the work of one call. A nil meter counts nothing.
type meter struct {
	report func(Progress)

	mu       sync.Mutex
	entries  int64
	read     int64 // bytes, of all files so far
	reported int64 // of read
}

func meterOf(ctx context.Context) *meter {
	r, ok := ctx.Value(progressKey{}).(*reporter)
	if !ok {
		return nil
	}
	return &meter{report: r.send}
}

// entry counts one entry of a directory.
func (m *meter) entry() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries++; m.entries%progressEntries == 0 {
		m.report(Progress{Done: m.entries, Unit: "entries"})
	}
}

// reader counts how far into a file of size bytes r is read, on top of the files
// before.
func (m *meter) reader(r io.ReaderAt, size int64) io.ReaderAt {
	if m == nil {
		return r
	}
	return &meteredReader{r, m, m.read, size}
}

type meteredReader struct {
	io.ReaderAt
	meter      *meter
	base, size int64
}

func (r *meteredReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	r.meter.reached(r.base+off+int64(n), r.base+r.size)
	return n, err
}

func (m *meter) reached(pos, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read = max(m.read, pos)
	if m.read-m.reported >= progressBytes {
		m.reported = m.read
		m.report(Progress{Done: m.read, Total: total, Unit: "bytes"})
	}
}
