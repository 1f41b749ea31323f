package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Sessions of the benchmark, and what each of them does a round.
var sessionCounts = []int{1, 2, 8}

const (
	roundCalls = 1000 // of all sessions together
	depth      = 16   // calls that a pipelining client has under way
)

// BenchmarkSessions is how many reads of 4 KiB a second clients get together, one,
// two and eight of them at once, each with a process of its own on one workspace and
// one audit log; and the ratios of these. The clients take part of the cores, so that
// the same with a log for each process says what the log's lock costs.
func BenchmarkSessions(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "bailey")
	compile := exec.CommandContext(b.Context(), "go", "build", "-o", binary, "../../cmd/bailey")
	compile.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := compile.CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	base := b.TempDir()
	ws := filepath.Join(base, "ws")
	if err := os.Mkdir(ws, 0o700); err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("\tif value[17] != \"3f2a90bc\" {\n", 200)[:4<<10]
	if err := os.WriteFile(filepath.Join(ws, "file"), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, bc := range []struct {
		name  string
		ahead int
		apart bool
	}{
		{"sequential/one log", 1, false},
		{"sequential/a log each", 1, true},
		{"pipelined/one log", depth, false},
		{"pipelined/a log each", depth, true},
	} {
		b.Run(bc.name, func(b *testing.B) {
			states, n := b.TempDir(), 0
			compareSessions(b, bc.ahead, func() *remote {
				if bc.apart {
					n++
				}
				state := filepath.Join(states, fmt.Sprint(n))
				return startRemote(b, exec.CommandContext(context.Background(), binary, "mcp", "--workspace", ws, "--state", state))
			})
		})
	}
}

// compareSessions takes the counts in turn, round by round, so that what else the
// machine does falls on all of them.
func compareSessions(b *testing.B, ahead int, start func() *remote) {
	groups := make([][]*remote, len(sessionCounts))
	for i, n := range sessionCounts {
		for range n {
			r := start()
			if err := r.read(10, ahead); err != nil { // warm
				b.Fatal(err)
			}
			groups[i] = append(groups[i], r)
		}
	}
	took := make([]time.Duration, len(groups))
	rounds := 0
	for b.Loop() {
		for i, group := range groups {
			took[i] += together(b, group, ahead)
		}
		rounds++
	}
	for i, n := range sessionCounts {
		b.ReportMetric(float64(rounds*roundCalls)/took[i].Seconds(), fmt.Sprintf("calls/s-of-%d", n))
		if i > 0 {
			b.ReportMetric(float64(took[0])/float64(took[i]), fmt.Sprintf("x-of-1-by-%d", n))
		}
	}
}

// together lets the sessions share a round's calls.
func together(b *testing.B, group []*remote, ahead int) time.Duration {
	var done sync.WaitGroup
	errs := make(chan error, len(group))
	begun := time.Now()
	for _, r := range group {
		done.Go(func() { errs <- r.read(roundCalls/len(group), ahead) })
	}
	done.Wait()
	took := time.Since(begun)
	for range group {
		if err := <-errs; err != nil {
			b.Fatal(err)
		}
	}
	return took
}

// remote is a server in a process of its own.
type remote struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startRemote(b *testing.B, cmd *exec.Cmd) *remote {
	b.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	r := &remote{in, bufio.NewReaderSize(out, 64<<10)}
	if _, err := io.WriteString(in, hello+"\n"+initialized+"\n"); err != nil {
		b.Fatal(err)
	}
	if _, err := r.out.ReadSlice('\n'); err != nil {
		b.Fatal(err)
	}
	return r
}

// read makes n calls, no more than ahead of them at once.
func (r *remote) read(n, ahead int) error {
	sent := 0
	for got := range n {
		for ; sent < n && sent < got+ahead; sent++ {
			if _, err := io.WriteString(r.in, callLine(sent, "file_read", `{"path":"file"}`)+"\n"); err != nil {
				return err
			}
		}
		line, err := r.out.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) < 8<<10 {
			return fmt.Errorf("no file: %s", line)
		}
	}
	return nil
}
