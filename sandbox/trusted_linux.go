package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// trustedDirs are where isolation programs are looked for. PATH has no say.
var trustedDirs = []string{"/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"}

// findTrusted finds a program that nobody but root can replace: neither it nor a
// directory above its real path belongs to others or may be written by them. If
// there is none the error says why.
func findTrusted(name string) (string, error) {
	refused := fmt.Errorf("there is no %s in %s or the like", name, trustedDirs[0])
	for _, dir := range trustedDirs {
		real, err := filepath.EvalSymlinks(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = trusted(real)
		}
		if err == nil {
			return real, nil
		}
		refused = err
	}
	return "", refused
}

func trusted(real string) error {
	for p := real; ; p = filepath.Dir(p) {
		fi, err := os.Lstat(p)
		if err != nil {
			return err
		}
		st, ok := fi.Sys().(*syscall.Stat_t)
		switch {
		case !ok || st.Uid != 0:
			return fmt.Errorf("%s belongs to somebody other than root", p)
		case fi.Mode().Perm()&0o022 != 0:
			return fmt.Errorf("%s can be written by others than root", p)
		case p == real && (!fi.Mode().IsRegular() || fi.Mode().Perm()&0o111 == 0):
			return fmt.Errorf("%s is no program", p)
		}
		if p == "/" {
			return nil
		}
	}
}
