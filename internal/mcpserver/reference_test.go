package mcpserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkAgainstReference reads files from bailey and from the reference
// filesystem server, both as processes over pipes, taking turns so that a noisy
// machine does not favour one. It reports medians and their ratio, the time from
// the start to the first answer, and the memory after 2,000 reads of 1 MiB that
// were all asked for at once.
//
// It needs node, and the reference server: npm ci in test/mcp.
func BenchmarkAgainstReference(b *testing.B) {
	reference, err := filepath.Abs("../../test/mcp/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(reference); err != nil {
		b.Skip("needs the reference server: run npm ci in test/mcp")
	}
	bailey := buildBailey(b)
	dir := b.TempDir()
	files := map[string]int{"4KiB": 4 << 10, "1MiB": 1 << 20}
	for name, size := range files {
		if err := os.WriteFile(filepath.Join(dir, name), sourceText(size), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	state := b.TempDir()
	start := func() (ours, theirs *process) {
		ours = startProcess(b, "file_read", bailey, "mcp", "--workspace", dir, "--state", state)
		theirs = startProcess(b, "read_text_file", "node", reference, dir)
		return ours, theirs
	}
	for b.Loop() {
		ours, theirs := start()
		b.ReportMetric(float64(ours.started.Microseconds()), "start-us")
		b.ReportMetric(float64(theirs.started.Microseconds()), "ref-start-us")
		for name, size := range files {
			o, t := compare(b, ours, theirs, filepath.Join(dir, name), size)
			b.ReportMetric(float64(o.Microseconds()), name+"-us")
			b.ReportMetric(float64(t.Microseconds()), "ref-"+name+"-us")
			b.ReportMetric(float64(o)/float64(t), name+"-ratio")
		}
		ours.stop(b)
		theirs.stop(b)
		ours, theirs = start()
		const pipelined = 2000
		b.ReportMetric(ours.pipeline(b, filepath.Join(dir, "1MiB"), pipelined), "rss-MiB")
		ours.stop(b)
		theirs.stop(b)
	}
}

// compare returns the median times of one read.
func compare(b *testing.B, ours, theirs *process, file string, size int) (o, t time.Duration) {
	const rounds, each = 20, 10
	var times [2][]time.Duration
	for range rounds {
		for i, p := range []*process{ours, theirs} {
			for range each {
				start := time.Now()
				if answer := p.read(b, file); len(answer) < 2*size {
					b.Fatalf("the answer has %d bytes: %.300s", len(answer), answer)
				}
				times[i] = append(times[i], time.Since(start))
			}
		}
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	return times[0][len(times[0])/2], times[1][len(times[1])/2]
}

// sourceText looks like source code: lines, indentation, quotes.
func sourceText(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for text.Len() < size {
		fmt.Fprintf(&text, "\tif value[%d] != \"%x\" {\n", r.IntN(1000), r.Uint64())
	}
	return text.Bytes()[:size]
}

// process is an MCP server and a session with it.
type process struct {
	tool    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	started time.Duration // until the first answer
	id      int
}

func startProcess(b testing.TB, tool string, argv ...string) *process {
	b.Helper()
	p := &process{tool: tool, cmd: exec.Command(argv[0], argv[1:]...)}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	start := time.Now()
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.send(b, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	p.line(b)
	p.started = time.Since(start)
	fmt.Fprintln(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

func (p *process) send(b testing.TB, method, params string) {
	p.id++
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", p.id, method, params); err != nil {
		b.Fatal(err)
	}
}

func (p *process) sendRead(b testing.TB, file string) {
	path, err := json.Marshal(file)
	if err != nil {
		b.Fatal(err)
	}
	p.send(b, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"path":%s}}`, p.tool, path))
}

func (p *process) read(b testing.TB, file string) []byte {
	p.sendRead(b, file)
	return p.line(b)
}

func (p *process) line(b testing.TB) []byte {
	var line []byte
	for {
		part, err := p.out.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return line
		}
		if err != bufio.ErrBufferFull {
			b.Fatalf("%s: %v", p.cmd, err)
		}
	}
}

// pipeline asks for n reads before it takes an answer, and returns the peak of the
// server's memory in MiB.
func (p *process) pipeline(b testing.TB, file string, n int) float64 {
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for range n {
			p.sendRead(b, file)
		}
	}()
	<-sent
	for range n {
		if answer := p.line(b); len(answer) < 2<<20 {
			b.Fatalf("the answer has %d bytes: %.300s", len(answer), answer)
		}
	}
	return p.memory(b)
}

// memory is the peak resident set in MiB.
func (p *process) memory(b testing.TB) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		b.Skip("needs /proc")
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.Fatal(err)
	}
	return float64(kib) / 1024
}

func (p *process) stop(b testing.TB) {
	_ = p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		b.Fatalf("%s: %v", p.cmd, err)
	}
}

// buildBailey builds the command.
func buildBailey(b testing.TB) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "bailey")
	cmd := exec.Command("go", "build", "-o", binary, "../../cmd/bailey")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}
