// Package system says what of the host every command sees: programs, devices, and
// the few files of /etc that programs need.
package system

import (
	"io/fs"
	"os"
	"strconv"
)

// Hostname is that inside.
const Hostname = "bailey"

// Trees are the host's programs and libraries. What of them is a link on the host
// is one inside.
var Trees = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// Devices that a command has, but for its terminals.
var Devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// Links that programs expect.
var Links = map[string]string{
	"/dev/ptmx": "pts/ptmx", "/dev/fd": "/proc/self/fd",
	"/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
	"/etc/mtab": "/proc/self/mounts",
}

// Dirs are directories of /etc without secrets. /etc/ssl as a whole would show root
// the private keys.
var Dirs = []string{
	"/etc/alternatives", "/etc/ssl/certs", "/etc/pki/ca-trust/extracted", "/etc/pki/tls/certs",
	"/etc/crypto-policies", "/etc/fonts", "/etc/terminfo",
}

// Files are files of /etc without secrets.
var Files = []string{
	"/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf", "/etc/mime.types", "/etc/services", "/etc/protocols",
}

// Account is the user that commands run as.
type Account struct{ Name, Shell, Home string }

// OwnFiles are /etc/passwd and its like, which tell nothing of the host's.
func (a Account) OwnFiles() map[string]string {
	uid, gid := strconv.Itoa(os.Getuid()), strconv.Itoa(os.Getgid())
	passwd := a.Name + ":x:" + uid + ":" + gid + "::" + a.Home + ":" + a.Shell + "\n"
	group := a.Name + ":x:" + gid + ":\n"
	if uid != "0" {
		passwd = "root:x:0:0::/:/bin/sh\n" + passwd
	}
	if gid != "0" {
		group = "root:x:0:\n" + group
	}
	return map[string]string{
		"/etc/passwd":        passwd + "nobody:x:65534:65534::/:/bin/false\n",
		"/etc/group":         group + "nogroup:x:65534:\n",
		"/etc/hosts":         "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 " + Hostname + "\n",
		"/etc/hostname":      Hostname + "\n",
		"/etc/resolv.conf":   "",
		"/etc/gitconfig":     "",
		"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
	}
}

// Kind is what is found at a path of the host.
type Kind uint8

// The kinds.
const (
	Absent Kind = iota
	Link
	Dir
	Other
)

// Look says what is at a path, and where a link leads.
func Look(path string) (kind Kind, target string) {
	fi, err := os.Lstat(path)
	switch {
	case err != nil:
		return Absent, ""
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err = os.Readlink(path)
		if err != nil {
			return Absent, ""
		}
		return Link, target
	case fi.IsDir():
		return Dir, ""
	default:
		return Other, ""
	}
}
