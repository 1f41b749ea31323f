package tool

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/baileyhq/bailey/internal/text"
)

// outputEvery is the least time between two reports of what a command prints.
var outputEvery = time.Second

// maxLine bounds the line that a report shows, in bytes.
const maxLine = 200

// watched gives a command that an agent runs streams whose output is reported as
// progress, if somebody wants to know. The reports end with stop.
func watched(ctx context.Context, streams *Streams) (s *Streams, stop func()) {
	if _, wanted := ctx.Value(progressKey{}).(*reporter); !wanted || streams != nil {
		return streams, func() {}
	}
	o := &output{}
	end := make(chan struct{})
	var reports sync.WaitGroup
	reports.Go(func() { o.report(ctx, end) })
	return &Streams{Stdout: o, Stderr: o}, func() {
		close(end)
		reports.Wait()
	}
}

// output is what a command has printed last. It is reported by a goroutine of its
// own: a client that is slow to listen does not slow down the command.
type output struct {
	mu    sync.Mutex
	bytes int64 // in all
	last  []byte
}

// keptOutput is enough for a line that is shown, in bytes.
const keptOutput = 4 << 10

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes += int64(len(p))
	o.last = append(o.last, p[max(0, len(p)-keptOutput):]...)
	if over := len(o.last) - keptOutput; over > 0 {
		o.last = append(o.last[:0], o.last[over:]...)
	}
	return len(p), nil
}

// progress tells how much there is, and the last line that says something. What is
// overwritten, as bars are that show how far something is, counts as a line.
func (o *output) progress() Progress {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := Progress{Done: o.bytes, Unit: "bytes"}
	for line := range strings.FieldsFuncSeq(string(o.last), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(line); line != "" {
			p.Message = line
		}
	}
	p.Message = clip(text.VisibleControl(strings.ToValidUTF8(p.Message, "\ufffd")), maxLine)
	return p
}

func (o *output) report(ctx context.Context, end <-chan struct{}) {
	tick := time.NewTicker(outputEvery)
	defer tick.Stop()
	for reported := int64(0); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		case <-end:
			return
		}
		if p := o.progress(); p.Done > reported {
			reported = p.Done
			ReportProgress(ctx, p)
		}
	}
}
