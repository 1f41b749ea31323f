package sandbox

import "testing"

func TestRun(t *testing.T) {
	b := newBox(t)
	r := b.sh("echo hello; cat /proc/self/mountinfo; id; env; ls -la / /dev /dev/ /etc; ps aux; grep Cap /proc/self/status; exit 3")
	t.Logf("%+v\n%s%s", r.Report, r.out, r.errs)
}
