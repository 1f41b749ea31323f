package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/system"
	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// run is one command on its way.
type run struct {
	spec    *Spec
	keeper  *keeper
	id      int64
	ended   <-chan wire.Answer
	control *net.UnixConn
	streams *streams

	once    sync.Once
	answer  wire.Answer
	started chan struct{} // closed when the command has been let go
	report  Report        // TimedOut and Canceled belong to watch until it has ended
}

func (s *Sandbox) run(ctx context.Context, spec *Spec) (*Report, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	program, err := s.program()
	if err != nil {
		if s.options.Unsafe && errors.Is(err, ErrUnavailable) {
			return s.runBare(ctx, spec)
		}
		return nil, err
	}
	k, err := s.keeperOf(ctx)
	if err != nil {
		return nil, err
	}
	l, err := s.layOut(spec, k)
	if err != nil {
		return nil, err
	}
	setup, err := l.setup(spec, k)
	if err != nil {
		return nil, err
	}
	w, err := newWitness(spec, s.account.Home, k, setup.Outside)
	if err != nil {
		return nil, err
	}
	r := &run{spec: spec, keeper: k, started: make(chan struct{})}
	r.report = Report{Backend: Bubblewrap, Guarantee: Full}
	if k.tmp == nil {
		r.report.Gaps = []string{TmpNotShared}
	}
	if err := r.launch(program, l.args); err != nil {
		return nil, err
	}
	defer r.streams.close()
	defer r.control.Close() //nolint:errcheck // nothing is left to be told
	stop := r.watch(ctx)
	err = r.raise(setup, w, l.table)
	if err == nil {
		err = r.command(s.account)
	}
	if err != nil {
		r.keeper.kill(r.id)
	}
	r.wait()
	stop()
	switch {
	case err == nil:
		r.streams.drain()
		return &r.report, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		return nil, err
	}
}

// wait waits until nothing of the run is left, and tells how the back end ended.
func (r *run) wait() wire.Answer {
	r.once.Do(func() { r.answer = <-r.ended })
	return r.answer
}

// launch has the back end started.
func (r *run) launch(program string, args []string) error {
	control, theirs, err := socketPair(unix.SOCK_STREAM)
	if err != nil {
		return failed("control", err.Error())
	}
	defer theirs.Close()
	r.control = control
	list, err := argList(args)
	if err != nil {
		_ = control.Close()
		return failed("arguments", err.Error())
	}
	defer list.Close()
	r.streams, err = newStreams(r.spec)
	if err != nil {
		_ = control.Close()
		return failed("streams", err.Error())
	}
	defer r.streams.closeInside()
	in := r.streams.inside
	words := []string{"--args", fmt.Sprint(wire.BackendArgs), "--", wire.InnerPath, wire.InnerName}
	r.id, r.ended, err = r.keeper.start(program, words, [5]*os.File{in[0], in[1], in[2], theirs, list})
	if err != nil {
		_ = control.Close()
		r.streams.close()
		return failed("start", err.Error())
	}
	return nil
}

// argList is a file in memory with arguments for the back end, which nobody sees in a
// list of processes.
func argList(args []string) (*os.File, error) {
	fd, err := unix.MemfdCreate("arguments", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "arguments")
	_, err = f.WriteString(strings.Join(args, "\x00") + "\x00")
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// raise has the walls set up and looks at the evidence.
func (r *run) raise(setup *wire.Setup, w *witness, t table) error {
	err := wire.Write(r.control, &wire.Message{Setup: setup})
	if err == nil {
		err = wire.Write(r.control, &wire.Message{Check: w.check})
	}
	var m *wire.Message
	if err == nil {
		m, err = wire.Read(r.control)
	}
	if err != nil {
		return r.died()
	}
	if m.Failure != nil {
		return failure(m.Failure)
	}
	if m.Evidence == nil {
		return failed("attestation", "the helper sent none")
	}
	layers, wrong := w.judge(m.Evidence, t)
	if wrong != "" {
		return failed("attestation", wrong)
	}
	r.report.Layers = layers
	return nil
}

func failure(f *wire.Failure) error {
	e := &Error{Err: ErrFailed, Step: f.Step, Detail: f.Detail}
	if f.Changed {
		e.Err = ErrChanged
	}
	return e
}

// died tells why the helper did not answer: what the back end has printed.
func (r *run) died() error {
	a := r.wait()
	text := strings.TrimSpace(r.streams.complaint())
	switch {
	case a.Failed != "":
		text = a.Failed
	case text == "" && a.Ended:
		text = fmt.Sprintf("the back end ended with status %d", unix.WaitStatus(a.Status).ExitStatus())
	case text == "":
		text = errKeeperGone.Error()
	}
	return failed("back end", text)
}

// command starts the command and waits for its end.
func (r *run) command(a system.Account) error {
	c := &wire.Command{Argv: r.spec.Argv, Env: environment(r.spec, a.Name, a.Shell, a.Home), Path: searchPath(r.spec), Dir: r.spec.Dir, Rlimits: rlimits(r.spec.Limits)}
	if t := r.spec.Terminal; t != nil {
		c.Terminal, c.Rows, c.Cols = true, t.Size.Rows, t.Size.Cols
	}
	if err := wire.Write(r.control, &wire.Message{Command: c}); err != nil {
		return r.died()
	}
	close(r.started)
	begin := time.Now()
	r.streams.copy()
	defer func() { r.report.Duration = time.Since(begin) }()
	for {
		m, err := wire.Read(r.control)
		switch {
		case err != nil: // the helper was killed, and everything with it
			r.report.Signal, r.report.ExitCode = "SIGKILL", 128+int(unix.SIGKILL)
			return nil
		case m.Failure != nil:
			return failure(m.Failure)
		case m.Terminal:
			if err := r.terminal(); err != nil {
				return err
			}
		case m.Exit != nil:
			r.exit(m.Exit)
			return nil
		}
	}
}

func (r *run) exit(e *wire.Exit) {
	r.report.ExitCode, r.report.Missing = e.Code, e.Missing != ""
	r.report.CPUTime, r.report.MaxRSS = time.Duration(e.CPU)*time.Microsecond, e.MaxRSS<<10
	if e.Signal != 0 {
		r.report.ExitCode, r.report.Signal = 128+e.Signal, unix.SignalName(unix.Signal(e.Signal))
	}
}

// terminal receives the other end of the command's terminal.
func (r *run) terminal() error {
	_, fd, err := receiveWith(r.control, make([]byte, 1))
	if err != nil || fd < 0 {
		return failed("terminal", "it did not come")
	}
	if err := unix.SetNonblock(fd, true); err != nil { // so that Close ends a Read
		return failed("terminal", errors.Join(err, unix.Close(fd)).Error())
	}
	r.streams.attach(os.NewFile(uintptr(fd), "terminal"), r.spec.Terminal)
	return nil
}

// Grace is the time between SIGTERM and SIGKILL.
const Grace = 2 * time.Second

// setupTime is more than the slowest set-up takes. A back end that hangs is killed.
const setupTime = 30 * time.Second

// watch ends the run when its context or its time does. The function that it
// returns ends the watch.
func (r *run) watch(ctx context.Context) (stop func()) {
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		setup := time.NewTimer(setupTime)
		defer setup.Stop()
		select {
		case <-over:
			return
		case <-r.started:
		case <-ctx.Done():
			r.report.Canceled = true
			r.keeper.kill(r.id)
			return
		case <-setup.C:
			r.keeper.kill(r.id)
			return
		}
		r.watchCommand(ctx, over)
	})
	return func() { close(over); wg.Wait() }
}

func (r *run) watchCommand(ctx context.Context, over <-chan struct{}) {
	var wall <-chan time.Time
	if r.spec.Limits.Wall > 0 {
		t := time.NewTimer(r.spec.Limits.Wall)
		defer t.Stop()
		wall = t.C
	}
	select {
	case <-over:
		return
	case <-ctx.Done():
		r.report.Canceled = true
	case <-wall:
		r.report.TimedOut = true
	}
	_ = wire.Write(r.control, &wire.Message{Signal: int(unix.SIGTERM)})
	grace := time.NewTimer(Grace)
	defer grace.Stop()
	select {
	case <-over:
	case <-grace.C:
		r.keeper.kill(r.id)
	}
}
