package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// children are the processes below this one, by command line.
func children(t testing.TB) []string {
	t.Helper()
	parents, lines := map[int]int{}, map[int]string{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		parents[pid], _ = strconv.Atoi(fields[1])
		line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		lines[pid] = strings.ReplaceAll(string(line), "\x00", " ")
	}
	var found []string
	for pid := range parents {
		for p := pid; p > 1; p = parents[p] {
			if parents[p] == os.Getpid() {
				found = append(found, fmt.Sprint(pid, " ", lines[pid]))
				break
			}
		}
	}
	return found
}

// ownFiles counts the descriptors of this process.
func ownFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// keeperOnly fails the test if more than the session's keeper is left.
func keeperOnly(t testing.TB) {
	t.Helper()
	for _, c := range children(t) {
		if !strings.Contains(c, "bailey-keeper") {
			t.Errorf("left: %s", c)
		}
	}
}

func TestStatus(t *testing.T) {
	b := newBox(t)
	for _, c := range []struct {
		text   string
		code   int
		signal string
	}{
		{"exit 0", 0, ""},
		{"exit 3", 3, ""},
		{"exit 137", 137, ""},
		{"exit 255", 255, ""},
		{"kill -KILL $$", 137, "SIGKILL"},
		{"kill -TERM $$", 143, "SIGTERM"},
		{"kill -SEGV $$", 139, "SIGSEGV"},
		{"kill -TERM 1; sleep 0.05; exit 4", 4, ""}, // the helper does not care
		{"trap '' TERM; kill -TERM 0; exit 5", 5, ""},
		{"trap '' TERM; kill -TERM -1; exit 6", 6, ""},
	} {
		r := b.sh(c.text)
		if r.ExitCode != c.code || r.Signal != c.signal || r.Missing || r.TimedOut || r.Canceled {
			t.Errorf("%s: %+v", c.text, r.Report)
		}
	}
}

func TestMissing(t *testing.T) {
	b := newBox(t)
	b.put("plain", "dir/")
	for _, c := range []struct {
		argv []string
		code int
	}{
		{[]string{"no-such-program"}, 127},
		{[]string{"/no/such/program"}, 127},
		{[]string{"./plain"}, 126},
		{[]string{"./dir"}, 126},
		{[]string{"/bin/true", strings.Repeat("x", 128<<10)}, 126}, // E2BIG
	} {
		if r := b.do(b.spec(c.argv...)); r.ExitCode != c.code || !r.Missing || r.Signal != "" {
			t.Errorf("%.40q: %+v", c.argv, r.Report)
		}
	}
	// One argument may have 128 KiB with its end, and all together much more.
	long := strings.Repeat("x", 128<<10-1)
	b.do(b.spec("/bin/true", long, long, long, long)).wantOK(t)
	b.put("no-directory")
	spec := b.spec("/bin/true")
	spec.Dir = filepath.Join(b.ws, "absent")
	if err := b.refuses(t.Context(), spec); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

func TestStreams(t *testing.T) {
	b := newBox(t)
	spec := b.spec("/bin/sh", "-c", "cat; echo err >&2")
	spec.Stdin = strings.NewReader("in\x00\xff")
	if r := b.do(spec); r.out != "in\x00\xff" || r.errs != "err\n" {
		t.Errorf("%q %q", r.out, r.errs)
	}
	// More than pipes hold, in both streams, while the command reads nothing.
	spec = b.spec("/bin/sh", "-c", "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2")
	spec.Stdin = io.LimitReader(zeros{}, 5<<20)
	if r := b.do(spec); len(r.out) != 3000000 || len(r.errs) != 3000000 {
		t.Error(len(r.out), len(r.errs))
	}
	// A reader that has gone ends the command, as in a shell's pipeline.
	spec = b.spec("yes")
	spec.Stdout = failing{}
	if r := b.do(spec); r.Signal != "SIGPIPE" && r.ExitCode != 1 {
		t.Errorf("%+v", r.Report)
	}
	if r := b.sh("cat"); r.out != "" || r.ExitCode != 0 {
		t.Errorf("no input: %+v", r)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("gone") }

// signalled is a writer that tells when a text has come.
type signalled struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	text string
	seen chan struct{}
	once sync.Once
}

func waitFor(text string) *signalled { return &signalled{text: text, seen: make(chan struct{})} }

func (s *signalled) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf.Write(p)
	if strings.Contains(s.buf.String(), s.text) {
		s.once.Do(func() { close(s.seen) })
	}
	return len(p), nil
}

func (s *signalled) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// TestEnd ends a command whose processes do not want to.
func TestEnd(t *testing.T) {
	for name, text := range map[string]string{
		"sleeping":        "echo ready; sleep 1000",
		"ignoring":        "trap '' TERM INT HUP; echo ready; while :; do sleep 1000; done",
		"daemons":         "for i in 1 2 3; do setsid sh -c 'trap \"\" TERM; sleep 1000' & done; (setsid setsid sleep 1000 &); echo ready; wait",
		"holding output":  "trap 'exit 7' TERM; (trap '' TERM; sleep 1000) & echo ready; wait",
		"stopped":         "echo ready; kill -STOP $$",
		"many processes":  "trap '' TERM; i=0; while [ $i -lt 50 ]; do sleep 1000 & i=$((i+1)); done; echo ready; wait",
		"without a child": "echo ready; exec sleep 1000",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := waitFor("ready")
			spec := b.spec("/bin/sh", "-c", text)
			spec.Stdout = out
			go func() { <-out.seen; cancel() }()
			r, err := b.Run(ctx, spec)
			if err != nil || !r.Canceled || r.TimedOut {
				t.Errorf("%+v %v", r, err)
			}
			if name == "holding output" && r.ExitCode != 7 {
				t.Errorf("it had no time to end by itself: %+v", r)
			}
		})
	}
}

func TestWallTime(t *testing.T) {
	b := newBox(t)
	spec := b.spec("/bin/sh", "-c", "sleep 1000")
	spec.Limits.Wall = 50 * time.Millisecond
	if r := b.do(spec); !r.TimedOut || r.Canceled || r.Signal != "SIGTERM" {
		t.Errorf("%+v", r.Report)
	}
	keeperOnly(t)
}

// TestLeftBehind: what a command leaves running ends with it.
func TestLeftBehind(t *testing.T) {
	b := newBox(t)
	beat := filepath.Join(b.ws, "beat")
	b.do(b.attacker("daemon", beat)).wantOK(t)
	keeperOnly(t)
	before, _ := os.ReadFile(beat)
	time.Sleep(100 * time.Millisecond)
	if after, _ := os.ReadFile(beat); !bytes.Equal(before, after) {
		t.Error("it still beats")
	}
	// The control: without a sandbox it goes on.
	if err := outside("daemon", beat); err != nil {
		t.Fatal(err)
	}
	out := func() string { c, _ := os.ReadFile(beat); return string(c) }
	first := out()
	for deadline := time.Now().Add(5 * time.Second); out() == first && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	if out() == first {
		t.Error("the control does not beat")
	}
	endBeating(t, beat)
}

// endBeating ends the control's daemon, which this test has started.
func endBeating(t *testing.T, beat string) {
	t.Helper()
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if pid, err := strconv.Atoi(e.Name()); err == nil && strings.Contains(string(line), "> "+beat) {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// TestLauncherKilled kills a launcher at some moment, early in a set-up or late, and
// looks for what is left: nothing, not even a mount or a file.
func TestLauncherKilled(t *testing.T) {
	rounds := 12
	if os.Getenv("BAILEY_LONG") != "" {
		rounds = 300
	}
	for i := range rounds {
		mark := fmt.Sprintf("bailey-mark-%d-%d", os.Getpid(), i)
		ws := realTempDir(t)
		launcher := exec.Command("/proc/self/exe", ws, mark)
		launcher.Args = []string{attackerName, "launch", ws, mark}
		if err := launcher.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 37 * time.Millisecond / 12)
		_ = launcher.Process.Kill()
		_ = launcher.Wait()
		left := ""
		for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
			if left = marked(t, mark); left == "" {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if left != "" {
			t.Errorf("round %d left %s", i, left)
		}
	}
}

// marked is a process with a mark in its arguments, or a helper whose launcher has
// the mark.
func marked(t *testing.T, mark string) string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if strings.Contains(string(line), mark) {
			return e.Name() + " " + strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return ""
}

// launch is the launcher that is killed: runs, one after the other, that do not end.
func launch(ws, mark string) error {
	s, err := New(Options{Home: "/" + mark}) // the keeper's arguments name it
	if err != nil {
		return err
	}
	fd, err := unix.Open(ws, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	f := Folder{Path: ws, Dir: os.NewFile(uintptr(fd), ws), Writable: true}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			_, _ = s.Run(context.Background(), Spec{
				Argv: []string{"/bin/sh", "-c", "trap '' TERM; setsid sleep 1000 & wait", mark}, Dir: ws, Folders: []Folder{f},
			})
		})
	}
	wg.Wait()
	return nil
}

// TestConcurrent runs many at once and looks for what is left.
func TestConcurrent(t *testing.T) {
	runs, at := 60, 12
	if os.Getenv("BAILEY_LONG") != "" {
		runs, at = 500, 500
	}
	b := newBox(t)
	b.sh("true").wantOK(t)
	files := ownFiles(t)
	var wg sync.WaitGroup
	tokens := make(chan struct{}, at)
	for i := range runs {
		wg.Go(func() {
			tokens <- struct{}{}
			defer func() { <-tokens }()
			var out bytes.Buffer
			spec := b.spec("/bin/sh", "-c", "(setsid sleep 1000 &); echo "+strconv.Itoa(i)+"; exit 9")
			spec.Stdout = &out
			r, err := b.Run(context.Background(), spec)
			if err != nil || r.ExitCode != 9 || out.String() != strconv.Itoa(i)+"\n" {
				t.Errorf("%+v %v %q", r, err, out.String())
			}
		})
	}
	wg.Wait()
	keeperOnly(t)
	if now := ownFiles(t); now > files+runs { // the folders of the specs, closed at the end
		t.Errorf("%d descriptors, before %d", now, files)
	}
	_ = b.Close()
	if left := children(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestClose(t *testing.T) {
	b := newBox(t)
	out := waitFor("ready")
	spec := b.spec("/bin/sh", "-c", "trap '' TERM; echo ready; sleep 1000")
	spec.Stdout = out
	done := make(chan error, 1)
	go func() {
		r, err := b.Run(context.Background(), spec)
		if err == nil && r.Signal != "SIGKILL" {
			err = fmt.Errorf("%+v", r)
		}
		done <- err
	}()
	<-out.seen
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := b.refuses(t.Context(), b.spec()); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

// TestKeeperKilled: whoever kills the keeper ends the runs, and the next run has a
// new one.
func TestKeeperKilled(t *testing.T) {
	b := newBox(t)
	out := waitFor("ready")
	spec := b.spec("/bin/sh", "-c", "echo ready; sleep 1000")
	spec.Stdout = out
	go func() {
		<-out.seen
		_ = b.keeper.cmd.Process.Kill()
	}()
	if r := b.do(spec); r.Signal != "SIGKILL" || r.Canceled {
		t.Errorf("%+v", r.Report)
	}
	b.sh("true").wantOK(t)
}
