package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
)

// The test binary is also the other process of the tests: helperVar names what
// it then does instead of running tests.
const helperVar = "BAILEY_AUDIT_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperVar) {
	case "append":
		exitWith(helpAppend())
	case "full":
		exitWith(helpFull())
	}
	os.Exit(m.Run())
}

func exitWith(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// helper starts this binary anew as the named helper.
func helper(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	// The race detector would let each process sleep for a second at its end.
	cmd.Env = append(os.Environ(), helperVar+"="+name, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
}

// helpAppend appends args[1] records to the log args[0], or without end if that
// is 0, and prints a line after each.
func helpAppend() error {
	log, err := Open(context.Background(), Options{Path: os.Args[1], Enabled: true})
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	for i := 0; count == 0 || i < count; i++ {
		err := log.Append(context.Background(), &Record{Phase: PhaseResult, Tool: "file_read", Session: strconv.Itoa(os.Getpid()), Bytes: int64(i)})
		if err != nil {
			return err
		}
		if _, err := fmt.Println(i); err != nil {
			return err
		}
	}
	return log.Close()
}

// helpFull appends to the log args[0] under a file size limit of args[1] bytes
// until it is refused, and checks how.
func helpFull() error {
	limit, err := strconv.ParseUint(os.Args[2], 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	log, err := Open(context.Background(), Options{Path: os.Args[1], Enabled: true})
	if err != nil {
		return err
	}
	return appendUntilFull(log, os.Args[1], syscall.EFBIG)
}

// appendUntilFull appends until there is no room, and wants the log whole then.
func appendUntilFull(log *Log, path string, want error) error {
	ctx := context.Background()
	var err error
	written := int64(0)
	for ; err == nil && written < 1_000_000; written++ {
		err = log.Append(ctx, &Record{Phase: PhaseIntent, Tool: "file_write", Path: "notes/ünïcode.md"})
	}
	written--
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, want) {
		return fmt.Errorf("full: error is %w, want ErrUnavailable and %w", err, want)
	}
	if log.Failures() != 1 {
		return fmt.Errorf("full: %d failures counted", log.Failures())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(data) == 0 || data[len(data)-1] != '\n' {
		return fmt.Errorf("full: part of a line was left at the end")
	}
	n, err := verifyFile(path)
	if err != nil || n != written {
		return fmt.Errorf("full: verified %d of %d records: %w", n, written, err)
	}
	return nil
}

func verifyFile(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return Verify(f)
}
