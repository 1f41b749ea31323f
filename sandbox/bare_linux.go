package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// runBare runs a command without any wall, on the operator's word (Options.Unsafe).
// Environment, time and streams are as ever; folders' modes, covers, files and limits
// mean nothing. What leaves the command's process group outlives it.
func (s *Sandbox) runBare(ctx context.Context, spec *Spec) (*Report, error) {
	if spec.Terminal != nil {
		return nil, refused("without a sandbox there is no terminal")
	}
	r := &Report{Backend: "none", Guarantee: None, Layers: []string{}, Gaps: []string{"no_sandbox"}}
	limited := ctx
	if spec.Limits.Wall > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, spec.Limits.Wall)
		defer cancel()
	}
	cmd := exec.CommandContext(limited, spec.Argv[0], spec.Argv[1:]...)
	cmd.Err = nil // of a look-up in this process's PATH
	cmd.Path, cmd.Dir, cmd.Env = lookUp(spec), spec.Dir, environment(spec, s.account.Name, s.account.Shell, s.account.Home)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = spec.Stdin, spec.Stdout, spec.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = Grace
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGTERM) }
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		r.Missing, r.ExitCode = true, 126
		if errors.Is(err, fs.ErrNotExist) {
			r.ExitCode = 127
		}
		return r, nil
	}
	_ = cmd.Wait() // the state tells
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	r.Duration = time.Since(begin)
	r.ExitCode = cmd.ProcessState.ExitCode()
	r.CPUTime = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		r.Signal, r.ExitCode = unix.SignalName(status.Signal()), 128+int(status.Signal())
	}
	r.Canceled, r.TimedOut = ctx.Err() != nil, ctx.Err() == nil && limited.Err() != nil
	return r, nil
}

// lookUp finds the program in the PATH of the command.
func lookUp(spec *Spec) string {
	if strings.Contains(spec.Argv[0], "/") {
		return spec.Argv[0]
	}
	for _, dir := range searchPath(spec) {
		if path, err := exec.LookPath(filepath.Join(dir, spec.Argv[0])); err == nil {
			return path
		}
	}
	return "/nonexistent/" + spec.Argv[0]
}
