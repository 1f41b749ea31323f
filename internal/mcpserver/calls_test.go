package mcpserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func request(id int, method string) *call {
	i, err := jsonrpc.MakeID(float64(id))
	if err != nil {
		panic(err)
	}
	return &call{req: &jsonrpc.Request{ID: i, Method: method}, size: 1 << 20}
}

func TestBoundsOfCalls(t *testing.T) {
	s := newCalls()
	var running []*call
	start := func() (n int) {
		for k := s.nextWork(); k != nil; k = s.nextWork() {
			running = append(running, k)
			n++
		}
		return n
	}
	for i := range 2*maxRunning - 1 {
		k := request(i, methodCallTool)
		k.size = maxHeld / maxRunning / 4
		s.add(k)
	}
	if n := start(); n != maxRunning {
		t.Errorf("%d calls run, want %d", n, maxRunning)
	}
	if s.full() {
		t.Error("full, though half of it runs")
	}
	s.add(request(1000, "ping"))
	if s.nextRest() == nil {
		t.Error("a ping waits for calls")
	}
	// Results that are not taken keep calls from starting.
	s.hold(running[0], maxHeld)
	for _, k := range running[1:5] {
		s.done(k)
	}
	if n := start(); n != 0 {
		t.Errorf("%d calls start while %d bytes are held", n, s.held)
	}
	s.done(running[0])
	if n := start(); n != 5 {
		t.Errorf("%d calls start in the place of 5", n)
	}
	if s.idle() {
		t.Error("idle, though calls run")
	}
	for _, k := range running[5:] {
		s.done(k)
	}
	start()
	for _, k := range running[maxRunning+5:] {
		s.done(k)
	}
	s.rest.running = 0
	if !s.idle() || s.held != 0 || s.waiting != 0 {
		t.Errorf("in the end: %+v", s)
	}
	for i := range maxWaiting >> 20 {
		if s.full() {
			t.Errorf("full after %d requests of 1 MiB", i)
		}
		s.add(request(i, methodCallTool))
	}
	if !s.full() {
		t.Errorf("not full with %d bytes that wait", s.waiting)
	}
	if n := start(); n >= maxHeld>>20 {
		t.Errorf("%d requests of 1 MiB start at once", n)
	}
	for s = newCalls(); s.queued < maxQueued-1; {
		s.add(&call{req: request(s.queued, "ping").req})
	}
	if s.full() {
		t.Error("full too early")
	}
	s.add(request(maxQueued, "ping"))
	if !s.full() {
		t.Errorf("not full with %d requests that wait", maxQueued)
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 100)
	text := "one\n\r\n two \r\n" + long + "\n" + long + "y\nthree\nhalf"
	in := newLines(io.NopCloser(strings.NewReader(text)), 101)
	defer in.Close()
	in.in = bufio.NewReaderSize(in.stream, 16)
	var got []string
	for i := 0; ; i++ {
		if i%2 == 0 {
			in.interrupt()
		}
		f := in.next()
		if errors.Is(f.err, errInterrupted) {
			continue
		}
		got = append(got, fmt.Sprint(string(f.data), f.err))
		if errors.Is(f.err, io.EOF) {
			break
		}
	}
	want := []string{"one<nil>", "two<nil>", long + "<nil>", errTooLong.Error(), "three<nil>", "half<nil>", io.EOF.Error()}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
