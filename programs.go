package bailey

import (
	"os"
	"path/filepath"
	"strings"
)

// systemDirs are the directories of the host's programs, in the order in which a
// command finds them. The PATH of this process has no say: what started it may
// have put a workspace's directories into it.
var systemDirs = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// systemTrees hold what a command sees of the host.
var systemTrees = []string{"/usr", "/bin", "/sbin", "/lib"}

// hostPrograms finds the host's program of a name as the PATH of a command would:
// in the system's directories, then in those that the configuration adds, and
// their bin. An absolute path is looked up as it is, where a command would see it;
// elsewhere nothing is looked at, because an agent can name it. It returns the
// real path, or "" if no program is there.
func hostPrograms(added []string) func(name string) string {
	dirs := append([]string(nil), systemDirs...)
	for _, dir := range added {
		dirs = append(dirs, dir, filepath.Join(dir, "bin"))
	}
	trees := append(append([]string(nil), systemTrees...), added...)
	return func(name string) string {
		if filepath.IsAbs(name) {
			if !belowAny(filepath.Clean(name), trees) {
				return ""
			}
			return realProgram(name)
		}
		if name == "" || strings.Contains(name, "/") {
			return ""
		}
		for _, dir := range dirs {
			if real := realProgram(filepath.Join(dir, name)); real != "" {
				return real
			}
		}
		return ""
	}
}

func belowAny(path string, dirs []string) bool {
	for _, dir := range dirs {
		if strings.HasPrefix(path, strings.TrimSuffix(filepath.Clean(dir), "/")+"/") {
			return true
		}
	}
	return false
}

// realProgram is the real path of a file that can be executed, else "".
func realProgram(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return ""
	}
	return real
}
