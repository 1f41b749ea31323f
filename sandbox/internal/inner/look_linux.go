package inner

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/sandbox/internal/wire"
)

// look finds out what the walls are like from inside. It judges nothing: the
// launcher does.
func look(c *wire.Check) (*wire.Evidence, error) {
	e := &wire.Evidence{PID: os.Getpid(), Landlock: landlockABI(), Identity: make([]wire.Inode, len(c.Same))}
	if e.Landlock < landlockMin {
		e.Landlock = 0
	}
	var err error
	if e.Namespaces, err = wire.OwnNamespaces(); err != nil {
		return nil, err
	}
	if e.Threads, err = threads(); err != nil {
		return nil, err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	e.MountInfo = string(mounts)
	for _, name := range c.Hidden {
		if opens(name, unix.O_RDONLY) || opens(name, unix.O_WRONLY) {
			e.Opened = append(e.Opened, name)
		}
	}
	for _, dir := range c.Unwritten {
		if opens(dir, unix.O_TMPFILE|unix.O_WRONLY) { // a file without a name: nothing stays
			e.Written = append(e.Written, dir)
		}
	}
	for i, name := range c.Same {
		var st unix.Stat_t
		if unix.Stat(name, &st) == nil {
			e.Identity[i] = wire.Inode{Dev: st.Dev, Ino: st.Ino}
		}
	}
	limit, _ := os.ReadFile("/proc/sys/user/max_user_namespaces")
	e.UserMax = strings.TrimSpace(string(limit))
	return e, nil
}

func opens(name string, flags int) bool {
	fd, err := unix.Open(name, flags|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return false
	}
	_ = unix.Close(fd)
	return true
}

// threads reads the privileges of each thread of this process.
func threads() ([][]string, error) {
	const dir = "/proc/self/task"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all [][]string
	for _, entry := range entries {
		status, err := os.ReadFile(dir + "/" + entry.Name() + "/status")
		if os.IsNotExist(err) || err == unix.ESRCH { //nolint:errorlint // os wraps it
			continue // it has ended
		}
		if err != nil {
			return nil, err
		}
		all = append(all, privileges(string(status)))
	}
	return all, nil
}

func privileges(status string) []string {
	values := make([]string, len(wire.StatusLines))
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(line, ":")
		if i := slices.Index(wire.StatusLines, key); i >= 0 {
			values[i] = strings.TrimSpace(value)
		}
	}
	return values
}
