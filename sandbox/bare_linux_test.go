package sandbox

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestUnsafe: only if no back end can be used, and the report says so.
func TestUnsafe(t *testing.T) {
	b := newBox(t)
	b.options.Unsafe = true
	if r := b.sh("true"); r.Backend != Bubblewrap || r.Guarantee != Full {
		t.Errorf("%+v", r.Report)
	}
	find := b.find
	b.find = func(string) (string, error) { return "", errors.New("gone") }
	r := b.sh("echo $PATH $AWS_SECRET; exit 3")
	if r.Backend != "none" || r.Guarantee != None || len(r.Layers) != 0 || r.ExitCode != 3 || !strings.HasPrefix(r.out, "/usr/local/sbin:") {
		t.Errorf("%+v %q", r.Report, r.out)
	}
	if r := b.sh("kill -KILL $$"); r.Signal != "SIGKILL" || r.ExitCode != 137 {
		t.Errorf("%+v", r.Report)
	}
	if r := b.do(b.spec("no-such-program")); r.ExitCode != 127 || !r.Missing {
		t.Errorf("%+v", r.Report)
	}
	spec := b.spec("/bin/sh", "-c", "sleep 1000 & wait")
	spec.Limits.Wall = 20 * time.Millisecond
	if r := b.do(spec); !r.TimedOut || r.Signal != "SIGTERM" {
		t.Errorf("%+v", r.Report)
	}
	keeperOnly(t)
	// A back end that is there but fails is no reason to run bare.
	b.find = find
	b.trick("fail")
	if err := b.refuses(t.Context(), b.spec()); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

func TestProbe(t *testing.T) {
	b := newBox(t)
	p := b.Probe(t.Context())
	if len(p) != 1 || !p[0].Usable || p[0].Err != nil || !strings.Contains(p[0].Version, "bubblewrap") || len(p[0].Layers) < 5 {
		t.Errorf("%+v", p)
	}
	b.trick("bare")
	if p := b.Probe(t.Context()); p[0].Usable || !errors.Is(p[0].Err, ErrFailed) {
		t.Errorf("%+v", p)
	}
	b.find = func(string) (string, error) { return "", errors.New("gone") }
	if p := b.Probe(t.Context()); p[0].Usable || !errors.Is(p[0].Err, ErrUnavailable) {
		t.Errorf("%+v", p)
	}
}
