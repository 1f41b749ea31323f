package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
)

// patience is how long a test waits for what must come before it fails.
const patience = time.Minute

// onTerminal marks the processes that a test gave a terminal. All others must not
// find the one that the tests are run from.
const onTerminal = "BAILEY_TEST_TERMINAL"

func init() {
	detach = func() {
		if os.Getenv(onTerminal) == "" {
			_, _ = unix.Setsid()
		}
	}
	commands["terminal"] = terminalCommand
	commands["pending"] = pendingCommand
	commands["attended"] = attendedCommand
}

// pendingCommand waits until a request of a tool waits and puts its ID into a
// variable: pending VAR TOOL
func pendingCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pending VAR TOOL")
	}
	withStore(ts, func(ctx context.Context, store *approval.Store) bool {
		entries, err := store.List(ctx, approval.Filter{States: []approval.State{approval.Pending}})
		ts.Check(err)
		for _, e := range entries {
			if e.Tool == args[1] {
				ts.Setenv(args[0], e.ID)
				return true
			}
		}
		return false
	})
}

// attendedCommand waits until somebody watches.
func attendedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: attended")
	}
	withStore(ts, func(_ context.Context, store *approval.Store) bool {
		there, err := store.Attended()
		ts.Check(err)
		return there
	})
}

// withStore asks the store until the answer is yes.
func withStore(ts *testscript.TestScript, yes func(context.Context, *approval.Store) bool) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	state, err := bailey.StateDir("", ts.Getenv)
	ts.Check(err)
	store, err := bailey.OpenApprovals(ctx, state)
	ts.Check(err)
	defer store.Close()
	for !yes(ctx, store) {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			ts.Fatalf("it did not come to that")
		}
	}
}

// terminalCommand runs a program on a terminal of its own, as a script says, and
// compares its exit code. What the terminal showed is in the file transcript.
//
//	terminal [-stdin FILE] CODE SCRIPT PROGRAM [ARG...]
//
// The lines of the script: "expect REGEXP" waits for output behind what was
// expected last; "send TEXT" types, with escapes as in Go; "insist TEXT REGEXP" types
// again and again until there is such output; "signal NUMBER"; "run PROGRAM ARG..."
// runs another program beside it. $1 is what the last expect has
// found in parentheses, and $WORK the test's directory.
func terminalCommand(ts *testscript.TestScript, neg bool, args []string) {
	stdin := ""
	if len(args) > 1 && args[0] == "-stdin" {
		stdin, args = args[1], args[2:]
	}
	if neg || len(args) < 3 {
		ts.Fatalf("usage: terminal [-stdin FILE] CODE SCRIPT PROGRAM [ARG...]")
	}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	s := startOnTerminal(ts, stdin, args[2:])
	err = s.play(ts.ReadFile(args[1]))
	if err != nil {
		_ = s.cmd.Process.Kill()
	}
	got := s.wait()
	transcript := strings.ReplaceAll(s.text(), "\r\n", "\n")
	ts.Check(os.WriteFile(ts.MkAbs("transcript"), []byte(transcript), 0o600))
	ts.Logf("[terminal]\n%s", transcript)
	ts.Check(err)
	if got != code {
		ts.Fatalf("exit code %d, want %d", got, code)
	}
}

// session is a program on a terminal.
type session struct {
	ts      *testscript.TestScript
	cmd     *exec.Cmd
	control *os.File
	drained chan struct{}
	found   string // by the last expect

	mu   sync.Mutex
	out  bytes.Buffer
	seen int // bytes of out behind which the next expect looks
	more chan struct{}
}

func startOnTerminal(ts *testscript.TestScript, stdin string, argv []string) *session {
	control, tty, err := pty.Open()
	ts.Check(err)
	defer tty.Close()
	ts.Check(pty.Setsize(control, &pty.Winsize{Rows: 40, Cols: 100}))
	s := &session{ts: ts, control: control, drained: make(chan struct{}), more: make(chan struct{}, 1)}
	s.cmd = s.command(argv)
	s.cmd.Env = append(s.cmd.Env, onTerminal+"=1")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if stdin != "" {
		f, err := os.Open(ts.MkAbs(stdin))
		ts.Check(err)
		defer f.Close()
		s.cmd.Stdin = f
	}
	ts.Check(s.cmd.Start())
	go func() {
		defer close(s.drained)
		_, _ = io.Copy(s, control)
	}()
	return s
}

func (s *session) command(argv []string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = s.ts.MkAbs(".")
	for _, key := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "NO_COLOR", "WORK", "TMPDIR"} {
		cmd.Env = append(cmd.Env, key+"="+s.ts.Getenv(key))
	}
	return cmd
}

// Write takes what the terminal shows.
func (s *session) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
	return s.out.Write(p)
}

func (s *session) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

func (s *session) play(script string) error {
	for line := range strings.Lines(script) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if verb == "" || verb == "#" {
			continue
		}
		rest = strings.NewReplacer("$1", s.found, "$WORK", s.ts.Getenv("WORK")).Replace(rest)
		if err := s.do(verb, rest); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
	}
	return nil
}

func (s *session) do(verb, rest string) error {
	switch verb {
	case "expect":
		return s.expect(regexp.MustCompile(rest), patience)
	case "send":
		return s.send(rest)
	case "insist":
		text, pattern, _ := strings.Cut(rest, " ")
		return s.insist(text, regexp.MustCompile(pattern))
	case "signal":
		n, err := strconv.Atoi(rest)
		if err == nil {
			err = s.cmd.Process.Signal(syscall.Signal(n))
		}
		return err
	case "run":
		out, err := s.command(strings.Fields(rest)).CombinedOutput()
		s.ts.Logf("[%s]\n%s", rest, out)
		return err
	default:
		return errors.New("unknown verb")
	}
}

func (s *session) send(text string) error {
	keys, err := strconv.Unquote(`"` + text + `"`)
	if err == nil {
		_, err = io.WriteString(s.control, keys)
	}
	return err
}

func (s *session) insist(text string, re *regexp.Regexp) error {
	err := errors.New("nothing was typed")
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); {
		if err = s.send(text); err == nil {
			err = s.expect(re, patience/60)
		}
	}
	return err
}

func (s *session) expect(re *regexp.Regexp, patience time.Duration) error {
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		rest := s.out.Bytes()[s.seen:]
		if m := re.FindSubmatchIndex(rest); m != nil {
			if len(m) > 2 {
				s.found = string(rest[m[2]:m[3]])
			}
			s.seen += m[1]
			s.mu.Unlock()
			return nil
		}
		s.mu.Unlock()
		select {
		case <-s.more:
		case <-deadline:
			return errors.New("it did not come")
		}
	}
}

func (s *session) wait() int {
	timer := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	_ = s.cmd.Wait()
	_ = s.control.SetReadDeadline(time.Now().Add(patience))
	<-s.drained // the terminal answers EIO when nobody has it open
	_ = s.control.Close()
	if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.cmd.ProcessState.ExitCode()
}
