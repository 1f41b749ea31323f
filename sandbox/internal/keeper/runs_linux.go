package keeper

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// descriptors come with a start: input, output, errors, control, arguments.
const descriptors = 5

// start starts a run on the calling thread.
func (k *keeper) start(r request) error {
	if len(r.fds) != descriptors {
		return errors.New("a start without its descriptors")
	}
	files := make([]uintptr, wire.BackendArgs+1)
	for i, fd := range r.fds[:wire.InnerControl+1] {
		files[i] = uintptr(fd)
	}
	files[wire.InnerExe], files[wire.BackendArgs] = uintptr(k.exe), uintptr(r.fds[descriptors-1])
	attr := &syscall.ProcAttr{Dir: "/", Env: []string{}, Files: files, Sys: &syscall.SysProcAttr{}}
	if k.own {
		attr.Sys.Cloneflags = unix.CLONE_NEWPID
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	pid, err := syscall.ForkExec(r.Program, append([]string{r.Program}, r.Args...), attr)
	if err != nil {
		return err
	}
	k.runs[pid] = r.ID
	k.started.Signal()
	return nil
}

func (k *keeper) kill(id int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for pid, run := range k.runs {
		if run == id {
			_ = unix.Kill(pid, unix.SIGKILL) // not reaped yet: the number is still its own
		}
	}
}

// reap tells the launcher of runs that have ended. What they leave behind is ended
// first.
func (k *keeper) reap() {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil)
		k.mu.Lock()
		switch {
		case err == nil:
			k.collect()
		case err == unix.ECHILD && len(k.runs) == 0:
			k.started.Wait()
		}
		k.mu.Unlock()
	}
}

func (k *keeper) collect() {
	var status unix.WaitStatus
	pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
	if err != nil || pid == 0 {
		return
	}
	id, ok := k.runs[pid]
	if !ok {
		return
	}
	delete(k.runs, pid)
	if !k.own {
		k.endOrphans()
	}
	k.answer(&wire.Answer{ID: id, Ended: true, Status: uint32(status)})
}

// endOrphans kills what a run left behind, and waits for it.
func (k *keeper) endOrphans() {
	for _, pid := range k.killOrphans() {
		_, _ = unix.Wait4(pid, nil, 0, nil)
	}
}

// killOrphans kills the children that are no runs: those of runs that have ended.
func (k *keeper) killOrphans() []int {
	var killed []int
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil
	}
	for _, task := range tasks {
		children, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		for field := range strings.FieldsSeq(string(children)) {
			pid, err := strconv.Atoi(field)
			if _, ok := k.runs[pid]; err == nil && !ok && unix.Kill(pid, unix.SIGKILL) == nil {
				killed = append(killed, pid)
			}
		}
	}
	return killed
}
