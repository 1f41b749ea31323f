package jail

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// keyDirectories hold keys and tokens by convention.
var keyDirectories = []string{".ssh", ".gnupg", ".aws", ".kube", ".azure", ".docker", ".password-store"}

// checkFolder refuses folders that would hand over far more than a project.
func checkFolder(real string) error {
	if real == filepath.Dir(real) {
		return fmt.Errorf("%w: it is the root of the file system", ErrRefusedFolder)
	}
	for name := range strings.SplitSeq(filepath.ToSlash(real), "/") {
		if slices.Contains(keyDirectories, strings.ToLower(name)) {
			return fmt.Errorf("%w: %s holds keys", ErrRefusedFolder, name)
		}
	}
	folder, err := os.Stat(real)
	if err != nil {
		return bare(err)
	}
	for _, home := range homeDirectories() {
		if err := checkHome(folder, home); err != nil {
			return err
		}
	}
	return nil
}

// checkHome compares by identity: another spelling or a bind mount of a home is
// that home. A folder that holds the home hands it over as well.
func checkHome(folder os.FileInfo, home string) error {
	real, err := filepath.EvalSymlinks(home)
	if err != nil {
		return nil //nolint:nilerr // a home that is not there can't be handed over
	}
	for dir := real; ; dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return nil
		}
		info, err := os.Stat(dir)
		if err != nil || !os.SameFile(info, folder) {
			continue
		}
		if dir == real {
			return fmt.Errorf("%w: it is a home directory", ErrRefusedFolder)
		}
		return fmt.Errorf("%w: it holds a home directory", ErrRefusedFolder)
	}
}

// homeDirectories are the caller's own home and those of the people of this
// host: root, and accounts from 1000 on.
func homeDirectories() []string {
	var homes []string
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		homes = append(homes, home)
	}
	f, err := os.Open("/etc/passwd")
	if err != nil {
		return homes
	}
	defer func() { _ = f.Close() }()
	const (
		uidField  = 2
		homeField = 5
		people    = 1000
		nobody    = 65534
	)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) <= homeField || !filepath.IsAbs(fields[homeField]) {
			continue
		}
		uid, err := strconv.Atoi(fields[uidField])
		if err == nil && (uid == 0 || uid >= people && uid != nobody) {
			homes = append(homes, fields[homeField])
		}
	}
	return homes
}
