package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// trustedDirs are where an isolation program is looked for. PATH is not asked:
// whoever can write there could bring a program that only pretends.
var trustedDirs = []string{"/usr/bin", "/bin", "/usr/local/bin"}

// programs are tried in this order.
var programs = []struct {
	name  string
	probe []string // a harmless command inside all of its walls
}{
	{"bwrap", []string{
		"--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/true",
	}},
	{"firejail", []string{"--quiet", "--noprofile", "--net=none", "--caps.drop=all", "--nonewprivs", "--", "/bin/true"}},
}

// probeTime bounds a trial run.
const probeTime = 10 * time.Second

func isolationPrograms(ctx context.Context) []Check {
	var checks []Check
	for _, p := range programs {
		checks = append(checks, isolationProgram(ctx, p.name, p.probe))
	}
	return checks
}

func isolationProgram(ctx context.Context, name string, probe []string) Check {
	c := Check{Name: name}
	path, err := findTrusted(name, trustedDirs)
	if err != nil {
		c.Status, c.Detail = Info, err.Error()
		return c
	}
	out, err := try(ctx, path, probe...)
	if err != nil {
		c.Status = Warn
		c.Detail = fmt.Sprintf("%s is there, but a trial run failed: %s", path, firstLine(out, err))
		c.Remedy = "user namespaces may be restricted (AppArmor on Ubuntu, sysctl, or a container's profile)"
		return c
	}
	c.Status, c.Detail = OK, path
	if out, err := try(ctx, path, "--version"); err == nil {
		c.Detail += " (" + firstLine(out, nil) + ")"
	}
	return c
}

// findTrusted finds a program that only root could have put there.
func findTrusted(name string, dirs []string) (string, error) {
	var refused error
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		if err := checkTrusted(real); err != nil {
			refused = fmt.Errorf("%s is not used: %w", path, err)
			continue
		}
		return path, nil
	}
	if refused != nil {
		return "", refused
	}
	return "", fmt.Errorf("not found in %s", strings.Join(dirs, ", "))
}

// checkTrusted looks at the program and every directory above it.
func checkTrusted(real string) error {
	for at := real; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if !ownedByRoot(info) {
			return fmt.Errorf("%s is not owned by root", at)
		}
		if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return fmt.Errorf("%s can be written by others", at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

func try(ctx context.Context, path string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}

func firstLine(out []byte, err error) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
	if len(line) == 0 && err != nil {
		return err.Error()
	}
	return string(line)
}
