package sandbox

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// handmade is what a careful user of bubblewrap would write by hand, to compare with:
// no helper, no attestation, no Landlock.
const handmade = "--unshare-user --unshare-all --disable-userns --cap-drop ALL --die-with-parent --new-session --as-pid-1 --hostname sandbox" +
	" --clearenv --setenv PATH /usr/bin:/bin --setenv HOME /tmp --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin" +
	" --symlink usr/lib /lib --symlink usr/lib64 /lib64 --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache" +
	" --ro-bind-try /etc/nsswitch.conf /etc/nsswitch.conf --ro-bind-try /etc/hosts /etc/hosts --ro-bind-try /etc/ssl /etc/ssl" +
	" --ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/localtime /etc/localtime" +
	" --ro-bind-try /etc/passwd /etc/passwd --ro-bind-try /etc/group /etc/group --proc /proc --remount-ro /proc --dev /dev" +
	" --size 67108864 --tmpfs /dev/shm --remount-ro /dev --size 268435456 --perms 1777 --tmpfs /tmp --bind WS WS --remount-ro / --chdir WS -- /bin/true"

// BenchmarkRun runs /bin/true in a session that has begun, and by hand, in turns. It
// reports both medians and their ratio.
func BenchmarkRun(b *testing.B) {
	s := newBox(b)
	args := strings.Fields(strings.ReplaceAll(handmade, "WS", s.ws))
	spec := s.spec("/bin/true")
	var ours, theirs []time.Duration
	for b.Loop() {
		begin := time.Now()
		if r, err := s.Run(context.Background(), spec); err != nil || r.ExitCode != 0 {
			b.Fatal(r, err)
		}
		ours = append(ours, time.Since(begin))
		begin = time.Now()
		if out, err := exec.Command("/usr/bin/bwrap", args...).CombinedOutput(); err != nil {
			b.Fatal(err, string(out))
		}
		theirs = append(theirs, time.Since(begin))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	mine, other := ours[len(ours)/2], theirs[len(theirs)/2]
	b.ReportMetric(float64(mine.Microseconds()), "run-µs")
	b.ReportMetric(float64(other.Microseconds()), "bwrap-µs")
	b.ReportMetric(float64(mine)/float64(other), "ratio")
}
