//go:build unix

package approval_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/approval"
)

// claimWithoutRoom tries to use the approval of "d" when the file system takes no
// more bytes.
func claimWithoutRoom(s *approval.Store) error {
	ctx := context.Background()
	e, err := s.Submit(ctx, approval.Request{Digest: "d"}, 0)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1, Max: unix.RLIM_INFINITY}); err != nil {
		return err
	}
	if err := s.Claim(ctx, e.ID, "d"); !errors.Is(err, approval.ErrStore) {
		return fmt.Errorf("the claim was not refused for want of room: %w", err)
	}
	fmt.Println("refused")
	return nil
}

// TestNoRoomForTheClaim: nothing is carried out whose use can't be written down, and
// the approval is still there.
func TestNoRoomForTheClaim(t *testing.T) {
	f := newFixture(t)
	e, err := f.Submit(context.Background(), request("d"), 0)
	if err != nil {
		t.Fatal(err)
	}
	f.approve(e.ID, approval.Once)
	kill(start(t, f.dir, "no room", "refused"))
	if got := f.state(e.ID); got != approval.Approved {
		t.Errorf("then it is %s", got)
	}
	f.claim(e.ID, "d")
}

// TestOpenRefusesOddFiles takes nothing for the store that is no closed file, and
// waits for none.
func TestOpenRefusesOddFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		lay func(file string) error
		why string // "": it is taken
	}{
		"control":        {func(file string) error { return os.WriteFile(file, nil, 0o600) }, ""},
		"others read":    {func(file string) error { return os.WriteFile(file, nil, 0o644) }, "others can get at"},
		"others write":   {func(file string) error { return errors.Join(os.WriteFile(file, nil, 0o600), os.Chmod(file, 0o602)) }, "others can get at"},
		"pipe":           {func(file string) error { return unix.Mkfifo(file, 0o600) }, "not a regular file"},
		"directory":      {func(file string) error { return os.Mkdir(file, 0o700) }, "not a regular file"},
		"link to a file": {linkToFile, "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tt.lay(filepath.Join(dir, "approvals.db")); err != nil {
				t.Fatal(err)
			}
			s, err := approval.Open(context.Background(), dir, approval.Options{})
			switch {
			case tt.why == "" && err != nil:
				t.Error(err)
			case tt.why != "" && (!errors.Is(err, approval.ErrStore) || !strings.Contains(err.Error(), tt.why)):
				t.Errorf("the error is %v", err)
			}
			if err == nil {
				_ = s.Close()
			}
		})
	}
}

func linkToFile(file string) error {
	other := filepath.Join(filepath.Dir(file), "other")
	return errors.Join(os.WriteFile(other, nil, 0o600), os.Symlink(other, file))
}

// TestOpenRefusesOthersFiles: another user could have approved what it holds.
func TestOpenRefusesOthersFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to make a file of another user")
	}
	for _, name := range []string{".", "approvals.db"} {
		f := newFixture(t)
		if err := os.Chown(filepath.Join(f.dir, name), 65534, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := approval.Open(context.Background(), f.dir, approval.Options{}); !errors.Is(err, approval.ErrStore) {
			t.Errorf("%s of another user: %v", name, err)
		}
	}
}
