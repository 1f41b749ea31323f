//go:build unix

package bailey

import (
	"os/exec"
	"syscall"
	"time"
)

// ownGroup gives a program a process group of its own, which is ended as a whole,
// and out of reach of the terminal's Ctrl-C.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
}
