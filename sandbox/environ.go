package sandbox

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// systemPath are the directories of the host's programs, in the order in which a
// command finds them.
var systemPath = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// account is the user that a command runs as.
type account struct {
	name, shell string
	uid, gid    int
}

func currentAccount() account {
	a := account{name: "user", shell: "/bin/sh", uid: os.Getuid(), gid: os.Getgid()}
	if u, err := user.Current(); err == nil && !strings.ContainsAny(u.Username, ":\n\x00") {
		a.name = u.Username
	}
	return a
}

// searchPath is PATH: nothing in a workspace shadows a program of the system.
func searchPath(s *Spec) []string {
	dirs := append([]string(nil), systemPath...)
	for _, dir := range s.ReadOnly {
		dirs = append(dirs, dir, filepath.Join(dir, "bin"))
	}
	return append(dirs, s.Paths...)
}

// environment is the whole environment of a command.
func environment(s *Spec, a account) []string {
	home := s.Home
	if home == "" {
		home = "/"
	}
	env := []string{
		"PATH=" + strings.Join(searchPath(s), ":"), "HOME=" + home, "USER=" + a.name, "LOGNAME=" + a.name,
		"SHELL=" + a.shell, "LANG=C.UTF-8", "TMPDIR=/tmp", "PWD=" + s.Dir,
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

// accountFiles are /etc/passwd and its like.
func accountFiles(s *Spec, a account) map[string]string {
	home := s.Home
	if home == "" {
		home = "/"
	}
	uid, gid := strconv.Itoa(a.uid), strconv.Itoa(a.gid)
	passwd := a.name + ":x:" + uid + ":" + gid + "::" + home + ":" + a.shell + "\n"
	group := a.name + ":x:" + gid + ":\n"
	if a.uid != 0 {
		passwd = "root:x:0:0::/:/bin/sh\n" + passwd
	}
	if a.gid != 0 {
		group = "root:x:0:\n" + group
	}
	return map[string]string{
		"/etc/passwd":        passwd + "nobody:x:65534:65534::/:/bin/false\n",
		"/etc/group":         group + "nogroup:x:65534:\n",
		"/etc/hosts":         "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 " + hostname + "\n",
		"/etc/resolv.conf":   "",
		"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
		"/etc/hostname":      hostname + "\n",
	}
}

// hostname is that inside.
const hostname = "bailey"
