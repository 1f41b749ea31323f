package sandbox

import (
	"path/filepath"
	"strings"
)

// systemPath are the directories of the host's programs, in the order in which a
// command finds them.
var systemPath = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// searchPath is PATH: nothing in a workspace shadows a program of the system.
func searchPath(s *Spec) []string {
	dirs := append([]string(nil), systemPath...)
	for _, dir := range s.ReadOnly {
		dirs = append(dirs, dir, filepath.Join(dir, "bin"))
	}
	return append(dirs, s.Paths...)
}

// environment is the whole environment of a command.
func environment(s *Spec, user, shell, home string) []string {
	env := []string{
		"PATH=" + strings.Join(searchPath(s), ":"), "HOME=" + home, "USER=" + user, "LOGNAME=" + user,
		"SHELL=" + shell, "LANG=C.UTF-8", "TMPDIR=/tmp", "PWD=" + s.Dir,
	}
	if s.Cache != "" {
		for _, c := range caches {
			env = append(env, c.variable+"="+filepath.Join(s.Cache, c.dir))
		}
	}
	return lastOfEach(append(env, s.Env...))
}

// caches are where tools keep what they fetch or build. HOME, their own choice, can't
// be written.
var caches = []struct{ variable, dir string }{
	{"XDG_CACHE_HOME", ""},
	{"GOCACHE", "go-build"},
	{"GOPATH", "go"},
	{"GOMODCACHE", "go/pkg/mod"},
	{"npm_config_cache", "npm"},
	{"CARGO_HOME", "cargo"},
	{"PIP_CACHE_DIR", "pip"},
	{"GRADLE_USER_HOME", "gradle"},
	{"DENO_DIR", "deno"},
	{"BUN_INSTALL_CACHE_DIR", "bun"},
}

func lastOfEach(env []string) []string {
	at := make(map[string]int, len(env))
	kept := env[:0:0]
	for _, e := range env {
		key, _, ok := strings.Cut(e, "=")
		if !ok {
			continue
		}
		if i, seen := at[key]; seen {
			kept[i] = e
			continue
		}
		at[key] = len(kept)
		kept = append(kept, e)
	}
	return kept
}
