package sandbox

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkRun is a cold run of /bin/true in a session that has begun.
func BenchmarkRun(b *testing.B) {
	s, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ws := b.TempDir()
	fd, err := unix.Open(ws, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		b.Fatal(err)
	}
	var errs bytes.Buffer
	spec := Spec{Stderr: &errs, Argv: []string{"/bin/true"}, Dir: ws, Folders: []Folder{{Path: ws, Dir: os.NewFile(uintptr(fd), ws), Writable: true}}}
	for b.Loop() {
		if r, err := s.Run(context.Background(), spec); err != nil || r.ExitCode != 0 {
			b.Fatal(r, err, errs.String())
		}
	}
}

// BenchmarkBubblewrap is what a careful user of bubblewrap would write by hand, to
// compare with: no helper, no attestation, no Landlock.
func BenchmarkBubblewrap(b *testing.B) {
	ws := b.TempDir()
	args := strings.Fields("--unshare-user --unshare-all --disable-userns --cap-drop ALL --die-with-parent --new-session --as-pid-1 --hostname sandbox" +
		" --clearenv --setenv PATH /usr/bin:/bin --setenv HOME /tmp --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64" +
		" --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache --ro-bind-try /etc/nsswitch.conf /etc/nsswitch.conf --ro-bind-try /etc/hosts /etc/hosts --ro-bind-try /etc/ssl /etc/ssl" +
		" --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/localtime /etc/localtime --ro-bind-try /etc/passwd /etc/passwd --ro-bind-try /etc/group /etc/group" +
		" --proc /proc --remount-ro /proc --dev /dev --size 67108864 --tmpfs /dev/shm --remount-ro /dev --size 268435456 --perms 1777 --tmpfs /tmp --bind " + ws + " " + ws + " --remount-ro / --chdir " + ws + " -- /bin/true")
	for b.Loop() {
		if out, err := exec.Command("/usr/bin/bwrap", args...).CombinedOutput(); err != nil {
			b.Fatal(err, string(out))
		}
	}
}
