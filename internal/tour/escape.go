package tour

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/baileyhq/bailey/tool"
)

// plant puts into the workspace what an agent, or a repository that it cloned,
// could have put there.
func (s *stage) plant() error {
	in := func(name string) string { return filepath.Join(s.workspace, name) }
	return errors.Join(
		os.Symlink(filepath.Join(s.outside, "secret"), in("tour-link")),
		os.Symlink("../outside", in("tour-dir")),
		os.Symlink(filepath.Join(s.outside, "new"), in("tour-dangling")),
		os.Symlink("/proc/self/root", in("tour-root")),
		os.WriteFile(in(".env"), []byte("TOKEN="+marker+"\n"), 0o600),
		os.Symlink(".env", in("tour-alias")),
		makeFIFO(in("tour-fifo")),
		os.MkdirAll(in(".git/hooks"), 0o700),
	)
}

// An attempt is a call that has to be refused.
type attempt struct {
	what string
	tool string
	args args
	want tool.Kind
}

func (s *stage) attempts() []attempt {
	return []attempt{
		{"up and out", "file_read", args{"path": "../outside/secret"}, tool.PathEscape},
		{"an absolute path", "file_read", args{"path": "/etc/passwd"}, tool.PathEscape},
		{"a neighbour whose name begins alike", "file_read", args{"path": s.workspace + "-evil/x"}, tool.PathEscape},
		{"a link to a file outside", "file_read", args{"path": "tour-link"}, tool.PathEscape},
		{"a link to a directory outside", "file_list", args{"path": "tour-dir/"}, tool.PathEscape},
		{"does it exist at all?", "file_info", args{"path": "tour-dir/secret"}, tool.PathEscape},
		{"writing through a dangling link", "file_write", args{"path": "tour-dangling", "content": "x"}, tool.PathEscape},
		{"making directories through a link", "dir_create", args{"path": "tour-dir/a/b"}, tool.PathEscape},
		{"moving a file out", "file_move", args{"source": "tour/note.txt", "destination": "tour-dir/note.txt"}, tool.PathEscape},
		{"the host's root by way of /proc", "file_read", args{"path": "tour-root/etc/passwd"}, tool.PathEscape},
		{"a pipe that would never answer", "file_read", args{"path": "tour-fifo"}, tool.SpecialPath},
		{"a secret by another name", "file_read", args{"path": "tour-alias"}, tool.PolicyDenied},
		{"a hook that your git would run", "file_write", args{"path": ".git/hooks/pre-commit", "content": "#!/bin/sh\n"}, tool.ProtectedPath},
		{"an operation that the task lacks", "file_delete", args{"path": "tour", "recursive": true}, tool.OpDenied},
	}
}

// escape tries to get out.
func (t *tour) escape(ctx context.Context) error {
	t.print.section("It tries to get out")
	for _, a := range t.stage.attempts() {
		r, err := t.server.call(ctx, a.tool, a.args)
		if err != nil {
			return err
		}
		t.print.attempt(a, r)
		if r.ErrorKind != a.want || strings.Contains(fmt.Sprint(r), marker) {
			return fmt.Errorf("%w: %s", ErrNotRefused, a.what)
		}
		t.refused++
	}
	return nil
}

// raceReads is enough for a check by path to leak some hundred times.
const raceReads = 2000

// race reads a file while a second goroutine swaps its directory for a link to
// the outside and back, as fast as it can.
func (t *tour) race(ctx context.Context) error {
	attacker, err := newFlipper(t.stage)
	if err != nil {
		return err
	}
	stop := attacker.start()
	defer stop()
	started, leaks, read := time.Now(), 0, 0
	for range raceReads {
		r, err := t.server.call(ctx, "file_read", args{"path": "tour-flip/secret"})
		if err != nil {
			return err
		}
		switch {
		case strings.Contains(r.Output, marker):
			leaks++
		case r.Success:
			read++
		}
	}
	t.print.race(raceReads, read, leaks, stop(), time.Since(started))
	if leaks > 0 {
		return fmt.Errorf("%w: %d of %d reads leaked", ErrNotRefused, leaks, raceReads)
	}
	return nil
}
