package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	_ "github.com/baileyhq/bailey/sandbox/internal/inner" // its init is the helper
	_ "github.com/baileyhq/bailey/sandbox/internal/keeper"
	"github.com/baileyhq/bailey/sandbox/internal/system"
	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// errKeeperGone says that the keeper has ended, and with it all runs.
var errKeeperGone = errors.New("the keeper of the sandboxes has ended")

// keeper is the launcher's end of a keeper process.
type keeper struct {
	cmd  *exec.Cmd
	conn *net.UnixConn

	hello   wire.Hello
	tmp     *os.File // O_PATH; nil if /tmp is not shared
	tmpSize int64

	mu   sync.Mutex
	next int64
	runs map[int64]chan wire.Answer // nil: the keeper has gone
	gone chan struct{}
}

// startKeeper starts a keeper with namespaces of its own, or without where the
// host does not allow them.
func startKeeper(tmpSize int64, a system.Account, alone bool) (*keeper, error) {
	if !alone {
		k, err := launchKeeper(tmpSize, a, true)
		if err == nil && k.hello.Alone == "" {
			return k, nil
		}
		if err == nil {
			k.close()
		}
	}
	return launchKeeper(tmpSize, a, false)
}

func launchKeeper(tmpSize int64, a system.Account, own bool) (*keeper, error) {
	ours, theirs, err := socketPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	mode := wire.KeeperBare
	attr := &syscall.SysProcAttr{Setsid: true}
	if own {
		mode = wire.KeeperOwn
		attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	}
	k := &keeper{tmpSize: tmpSize, conn: ours, runs: map[int64]chan wire.Answer{}, gone: make(chan struct{})}
	k.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{wire.KeeperName, mode, strconv.FormatInt(tmpSize, 10), a.Name, a.Shell, a.Home},
		Env: []string{}, Dir: "/", ExtraFiles: []*os.File{theirs}, SysProcAttr: attr,
	}
	if err := k.cmd.Start(); err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	theirs.Close()
	if err := k.greet(); err != nil {
		_ = ours.Close()
		return nil, errors.Join(fmt.Errorf("the keeper did not start: %w", err), k.cmd.Wait())
	}
	go k.listen()
	return k, nil
}

// socketPair makes a connected pair: one end for this program, one to be inherited.
func socketPair(kind int) (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs = os.NewFile(uintptr(fds[1]), "socket")
	file := os.NewFile(uintptr(fds[0]), "socket")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return conn.(*net.UnixConn), theirs, nil
}

// receive reads a packet and the descriptor that may come with it, else -1.
func (k *keeper) receive() (a wire.Answer, fd int, err error) {
	packet := make([]byte, wire.MaxPacket)
	n, fd, err := receiveWith(k.conn, packet)
	if err != nil {
		return a, -1, err
	}
	err = a.Decode(packet[:n])
	return a, fd, err
}

// receiveWith reads bytes and the descriptor that may come with them, else -1.
func receiveWith(conn *net.UnixConn, b []byte) (n, fd int, err error) {
	rights := make([]byte, unix.CmsgSpace(4))
	n, oob, _, _, err := conn.ReadMsgUnix(b, rights) // close-on-exec, as package net has it
	if err != nil {
		return 0, -1, err
	}
	if n == 0 {
		return 0, -1, net.ErrClosed
	}
	messages, err := unix.ParseSocketControlMessage(rights[:oob])
	if err != nil || len(messages) == 0 {
		return n, -1, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return n, -1, errors.Join(err, errors.New("not one descriptor"))
	}
	return n, fds[0], nil
}

func (k *keeper) greet() error {
	a, fd, err := k.receive()
	if err != nil {
		return err
	}
	if a.Hello == nil {
		return errors.New("it said something else than hello")
	}
	k.hello = *a.Hello
	if fd >= 0 {
		k.tmp = os.NewFile(uintptr(fd), "/tmp")
	}
	return nil
}

// listen hands answers to their runs until the keeper has gone.
func (k *keeper) listen() {
	defer close(k.gone)
	for {
		a, _, err := k.receive()
		k.mu.Lock()
		if err != nil {
			for _, run := range k.runs {
				close(run)
			}
			k.runs = nil
			k.mu.Unlock()
			return
		}
		if run, ok := k.runs[a.ID]; ok {
			run <- a // has room for the only one
			close(run)
			delete(k.runs, a.ID)
		}
		k.mu.Unlock()
	}
}

// start starts a program. Its files are its streams, the control socket and the
// arguments. What comes out of the channel is how it ended; a channel that is
// closed instead tells that the keeper did.
func (k *keeper) start(program string, args []string, files [5]*os.File) (id int64, ended <-chan wire.Answer, err error) {
	answers := make(chan wire.Answer, 1)
	k.mu.Lock()
	if k.runs == nil {
		k.mu.Unlock()
		return 0, nil, errKeeperGone
	}
	k.next++
	id = k.next
	k.runs[id] = answers
	k.mu.Unlock()
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	r := wire.Request{ID: id, Program: program, Args: args}
	_, _, err = k.conn.WriteMsgUnix(r.Encode(), unix.UnixRights(fds...), nil)
	return id, answers, err
}

// kill ends a run and everything in it, however far it has come.
func (k *keeper) kill(id int64) {
	r := wire.Request{ID: id, Kill: true}
	_, _, _ = k.conn.WriteMsgUnix(r.Encode(), nil, nil) // a keeper that has gone took the run along
}

// alive reports whether the keeper still is.
func (k *keeper) alive() bool {
	select {
	case <-k.gone:
		return false
	default:
		return true
	}
}

// close ends all runs and waits until nothing is left of them.
func (k *keeper) close() {
	_ = k.conn.CloseWrite()
	_ = k.cmd.Wait()
	<-k.gone
	_ = k.conn.Close()
	if k.tmp != nil {
		_ = k.tmp.Close()
	}
}

// keeperOf gives the keeper, and starts one if there is none.
func (s *Sandbox) keeperOf(ctx context.Context) (*keeper, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &Error{Err: ErrFailed, Step: "keeper", Detail: "the sandbox is closed"}
	}
	if s.keeper != nil && s.keeper.alive() {
		return s.keeper, nil
	}
	if s.keeper != nil {
		s.keeper.close()
		s.keeper = nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k, err := startKeeper(s.options.TmpSize, s.account, s.alone)
	if err != nil {
		return nil, failed("keeper", err.Error())
	}
	s.keeper = k
	return k, nil
}
