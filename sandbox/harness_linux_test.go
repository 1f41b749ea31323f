package sandbox

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// box is a sandbox with a workspace.
type box struct {
	*Sandbox
	t  testing.TB
	ws string
}

// result is what a command left behind.
type result struct {
	*Report
	out, errs string
}

func newBox(t testing.TB) *box {
	t.Helper()
	s, err := New(Options{TmpSize: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &box{s, t, realTempDir(t)}
}

func realTempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// spec is for a command in the workspace.
func (b *box) spec(argv ...string) Spec {
	return Spec{Argv: argv, Dir: b.ws, Folders: []Folder{folder(b.t, b.ws, true)}}
}

func folder(t testing.TB, path string, writable bool) Folder {
	t.Helper()
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	t.Cleanup(func() { _ = f.Close() })
	return Folder{Path: path, Dir: f, Writable: writable}
}

// do runs a command that must come to its end.
func (b *box) do(spec Spec) result {
	b.t.Helper()
	var out, errs bytes.Buffer
	if spec.Stdout == nil {
		spec.Stdout = &out
	}
	if spec.Stderr == nil {
		spec.Stderr = &errs
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // no test takes that long
	defer cancel()
	r, err := b.Run(ctx, spec)
	if err != nil {
		b.t.Fatalf("Run: %v", err)
	}
	if r.Canceled {
		b.t.Fatalf("%q did not end: %s%s", spec.Argv, out.String(), errs.String())
	}
	return result{r, out.String(), errs.String()}
}

// sh runs a shell's text in the workspace.
func (b *box) sh(text string) result {
	b.t.Helper()
	return b.do(b.spec("/bin/sh", "-c", text))
}

// wantOK fails the test unless the command succeeded; it gives its output.
func (r result) wantOK(t testing.TB) string {
	t.Helper()
	if r.ExitCode != 0 {
		t.Fatalf("exit %d %s\n%s%s", r.ExitCode, r.Signal, r.out, r.errs)
	}
	return strings.TrimSpace(r.out)
}
