package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// stage is what lies outside for an attacker to reach.
type stage struct {
	*box
	home   string // with .ssh
	socket string // a server listens, as docker or an ssh agent do
	tcp    string // another one
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{box: newBox(t), home: realTempDir(t)}
	if err := os.MkdirAll(filepath.Join(s.home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.key(), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.socket = filepath.Join(s.home, "agent.sock")
	listen(t, "unix", s.socket)
	s.tcp = listen(t, "tcp", "127.0.0.1:0")
	return s
}

func (s *stage) key() string { return filepath.Join(s.home, ".ssh", "id_ed25519") }

func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// TestWalls makes each attack outside, where it must come off, and inside, where it
// must not.
func TestWalls(t *testing.T) {
	s := newStage(t)
	abstract := "@bailey-test-" + strconv.Itoa(os.Getpid())
	listen(t, "unix", abstract)
	inside := filepath.Join(s.ws, "file")
	if err := os.WriteFile(inside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	elsewhere := realTempDir(t)
	self := strconv.Itoa(os.Getpid())
	cases := []struct {
		attack string // and its arguments
		errors string // one of these
		root   bool   // only root can do it outside
		nobody bool   // it fails outside too, at least on some kernels
	}{
		{attack: "write " + elsewhere + "/planted", errors: "no such file"},
		{attack: "write " + s.home + "/planted", errors: "no such file"},
		{attack: "read " + s.key(), errors: "no such file"},
		{attack: "list " + s.home, errors: "no such file"},
		{attack: "open-for-writing /usr/bin/env", errors: "read-only|permission denied", root: true},
		{attack: "open-for-writing /etc/hosts", errors: "read-only|permission denied", root: true},
		{attack: "open-for-writing /proc/sys/kernel/core_pattern", errors: "read-only|permission denied|no such", root: true},
		{attack: "open-for-writing /proc/sysrq-trigger", errors: "read-only|permission denied|no such", nobody: true},
		{attack: "mkdir /planted", errors: "read-only", nobody: true},
		{attack: "mkdir /etc/planted", errors: "read-only", nobody: true},
		{attack: "mkdir /dev/planted", errors: "read-only", nobody: true},
		{attack: "mkdir /run/bailey/planted", errors: "read-only", nobody: true},
		{attack: "chmod-as-it-is /dev/null", errors: "not permitted|read-only", root: true},
		{attack: "chmod-as-it-is /dev/tty", errors: "not permitted|read-only", root: true},
		{attack: "list /sys", errors: "no such file"},
		{attack: "list /var", errors: "no such file"},
		{attack: "read /etc/shadow", errors: "no such file", root: true},
		{attack: "read /etc/machine-id", errors: "no such file", nobody: true},
		{attack: "list /proc/1/root", errors: "permission denied", nobody: true},
		{attack: "list /proc/1/root/", errors: "permission denied", nobody: true},
		{attack: "read /proc/1/fd/3", errors: "permission denied", nobody: true},
		{attack: "read /proc/1/environ", errors: "permission denied", nobody: true},
		{attack: "read /proc/1/mem", errors: "permission denied", nobody: true},
		{attack: "open-for-writing /proc/1/exe", errors: "permission denied|text file busy|read-only", nobody: true},
		{attack: "read /proc/" + self + "/status", errors: "no such file"},
		{attack: "kill " + self, errors: "no such process"},
		{attack: "connect unix " + s.socket, errors: "no such file"},
		{attack: "connect unix " + abstract, errors: "refused|not permitted"},
		{attack: "connect tcp " + s.tcp, errors: "refused|unreachable"},
		{attack: "connect udp 192.0.2.1:53", errors: "unreachable", nobody: true},
		{attack: "ptrace 0", errors: "not permitted"},
		{attack: "ptrace 1", errors: "not permitted", nobody: true},
		{attack: "process-vm", errors: "not permitted"},
		{attack: "mount /tmp", errors: "not permitted", nobody: true},
		{attack: "remount /usr", errors: "not permitted", nobody: true},
		{attack: "umount /usr", errors: "not permitted", nobody: true},
		{attack: "fsopen", errors: "not permitted", root: true},
		{attack: "open-tree " + s.ws, errors: "not permitted", root: true},
		{attack: "mount-attr /usr", errors: "not permitted", nobody: true},
		{attack: "chroot /tmp", errors: "not permitted", root: true},
		{attack: "unshare-user", errors: "not permitted|no space"},
		{attack: "unshare-mount", errors: "not permitted", root: true},
		{attack: "clone3", errors: "not implemented", nobody: true},
		{attack: "setns", errors: "not permitted", root: true},
		{attack: "keyctl", errors: "not permitted"},
		{attack: "add-key", errors: "not permitted"},
		{attack: "io_uring", errors: "not implemented"},
		{attack: "bpf", errors: "not permitted", root: true},
		{attack: "perf", errors: "not permitted", root: true},
		{attack: "userfaultfd", errors: "not permitted"},
		{attack: "handle " + inside, errors: "not permitted"},
		{attack: "personality", errors: "not permitted"},
		{attack: "socket " + strconv.Itoa(unix.AF_VSOCK), errors: "not supported", nobody: true},
		{attack: "socket " + strconv.Itoa(unix.AF_PACKET), errors: "not supported", nobody: true},
		{attack: "socket " + strconv.Itoa(unix.AF_ALG), errors: "not supported", nobody: true},
		{attack: "tiocsti", errors: "not permitted", nobody: true},
		{attack: "tiocsti-high", errors: "not permitted", nobody: true},
		{attack: "beyond", errors: "not implemented", nobody: true},
	}
	attacks := make([]string, len(cases))
	for i, c := range cases {
		attacks[i] = c.attack
	}
	for i, came := range s.attackAll(nil, attacks)[:len(cases)] {
		c := cases[i]
		if !containsAny(came, c.errors) {
			t.Errorf("%s: %q, want one of %q", c.attack, came, c.errors)
		}
		if c.nobody || c.root && os.Getuid() != 0 {
			continue
		}
		if err := outside(strings.Fields(c.attack)...); err != nil {
			t.Errorf("%s: the control failed: %v", c.attack, err)
		}
	}
}

func containsAny(s, alternatives string) bool {
	for a := range strings.SplitSeq(alternatives, "|") {
		if strings.Contains(strings.ToLower(s), a) {
			return true
		}
	}
	return false
}

// TestAllowed are the controls inside: what a command must be able to do.
func TestAllowed(t *testing.T) {
	s := newStage(t)
	texts := []string{
		"echo x > file && cat file && rm file",
		"mkdir -p a/b && echo x > a/f && mv a/f a/b/f && ln a/b/f g && rm -r a g",
		"echo x > /tmp/f && echo y > /dev/shm/f && echo z > /dev/null",
		"head -c 8 /dev/urandom | wc -c",
		"test -r /etc/passwd && id -un && test -x /usr/bin/env",
		"(sleep 0.01 & wait) && true | cat",
		"python3 -c 'import os,pty; pid, fd = pty.fork(); os._exit(0) if pid == 0 else os.waitpid(pid, 0)' 2>/dev/null || [ ! -x /usr/bin/python3 ]",
	}
	s.sh("set -e; " + strings.Join(texts, "\n")).wantOK(t)
}
