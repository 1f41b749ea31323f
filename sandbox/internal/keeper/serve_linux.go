package keeper

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/system"
	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// keeper has the runs.
type keeper struct {
	own     bool // it has namespaces of its own, and so has each run
	exe     int  // its executable, for the helper
	mu      sync.Mutex
	runs    map[int]int64 // process → number of the run
	started sync.Cond     // there is a process to wait for
}

// serve works until the launcher has gone.
func serve(own bool, tmpSize int64, a system.Account) int {
	if err := unix.CloseRange(wire.KeeperSocket, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 2
	}
	hello, tmp, err := settle(own, tmpSize, a)
	if err != nil {
		hello.Alone = err.Error()
	}
	if hello.Namespaces, err = wire.OwnNamespaces(); err != nil {
		return 2
	}
	k := &keeper{own: own, runs: map[int]int64{}}
	k.started.L = &k.mu
	k.exe, err = unix.Open("/proc/self/exe", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return 2
	}
	k.answer(&wire.Answer{Hello: hello}, tmp...)
	if own && hello.Alone != "" {
		return 1 // the launcher starts another one, without
	}
	go k.reap()
	requests := make(chan request)
	go receive(requests)
	for r := range requests {
		k.obey(r)
	}
	k.leave()
	return 0
}

// settle makes what the session's runs share and gives up the privileges that it
// took.
func settle(own bool, tmpSize int64, a system.Account) (*wire.Hello, []int, error) {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return &wire.Hello{}, nil, err
	}
	if !own {
		return &wire.Hello{Alone: "there are no namespaces for it"}, nil, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	}
	tmp, err := furnish(tmpSize, a)
	if err != nil {
		return &wire.Hello{}, nil, fmt.Errorf("it can't mount: %w", err)
	}
	// Programs that are started must not inherit them: bubblewrap refuses to run so.
	return &wire.Hello{}, []int{tmp}, unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}

func (k *keeper) answer(a *wire.Answer, fds ...int) {
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	// A launcher that has gone is noticed by receive.
	_ = unix.Sendmsg(wire.KeeperSocket, a.Encode(), rights, nil, unix.MSG_NOSIGNAL)
}

// request is a wire.Request with its descriptors.
type request struct {
	wire.Request
	fds []int
}

// receive reads requests, until the launcher has gone.
func receive(to chan<- request) {
	defer close(to)
	packet := make([]byte, wire.MaxPacket)
	rights := make([]byte, unix.CmsgSpace(4*wire.MaxDescriptors))
	for {
		n, oob, _, _, err := unix.Recvmsg(wire.KeeperSocket, packet, rights, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return
		}
		var r request
		messages, err := unix.ParseSocketControlMessage(rights[:oob])
		if err != nil {
			return
		}
		for i := range messages {
			fds, err := unix.ParseUnixRights(&messages[i])
			if err != nil {
				return
			}
			r.fds = append(r.fds, fds...)
		}
		if r.Decode(packet[:n]) != nil {
			return
		}
		to <- r
	}
}

func (k *keeper) obey(r request) {
	if r.Kill {
		k.kill(r.ID)
		return
	}
	err := k.start(r)
	for _, fd := range r.fds {
		_ = unix.Close(fd)
	}
	if err != nil {
		k.answer(&wire.Answer{ID: r.ID, Failed: err.Error()})
	}
}

// leave ends everything. Where the keeper is process 1, leaving is enough.
func (k *keeper) leave() {
	if k.own {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for pid := range k.runs {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	clear(k.runs)
	for {
		k.killOrphans()
		if _, err := unix.Wait4(-1, nil, 0, nil); err == unix.ECHILD {
			return
		}
	}
}
