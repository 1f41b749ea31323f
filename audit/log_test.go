package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var testTime = time.Date(2026, 3, 4, 5, 6, 7, 80, time.FixedZone("", 3600))

func open(t testing.TB, path string, change ...func(*Options)) *Log {
	t.Helper()
	opts := Options{Path: path, Enabled: true, Now: func() time.Time { return testTime }}
	for _, c := range change {
		c(&opts)
	}
	log, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func add(t testing.TB, log *Log, r *Record) {
	t.Helper()
	if err := log.Append(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wantVerified(t testing.TB, path string, want int64) {
	t.Helper()
	if n, err := verifyFile(path); n != want || err != nil {
		t.Fatalf("Verify = %d, %v; want %d records", n, err, want)
	}
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "audit.log") }

func TestLineForm(t *testing.T) {
	path := newPath(t)
	log := open(t, path)
	zero := 0
	full := &Record{
		ID: "c1", Phase: PhaseResult, Group: "g", Task: "agent", Session: "s", Principal: "p", Tool: "shell", Op: "exec",
		Path: "a/<b>&é日\u2028", Resolved: "/w/a\xff\\b", Destination: "/w/d\x1b[31m", Paths: []string{"/w/x", "/w/\u0085y\x7f"}, Hidden: 2,
		Result: ResultAllow, Rule: "r", ErrorKind: "io", Detail: "line\n\ttab\r\"quoted\" \\ \x00", Approval: "a1",
		Argv: []string{"ls", "-l"}, Command: "ls -l", Sandbox: "bubblewrap", Guarantee: "full", Network: []string{"allow", "example.org:443"},
		ExitCode: &zero, DurationUS: 12, Bytes: 34, SHA256Before: "aa", SHA256After: "bb", Links: 2, Durable: true,
	}
	add(t, log, full)
	add(t, log, &Record{Tool: "file_read", Op: "read", Links: 1})
	add(t, log, &Record{Tool: "shell", Result: ResultDeny})
	body := `{"seq":1,"ts":"2026-03-04T04:06:07.000000080Z","id":"c1","phase":"result","group":"g","task":"agent","session":"s",` +
		`"principal":"p","tool":"shell","op":"exec","path":"a/<b>&é日` + "\u2028" + `","resolved":"/w/a\\xff\\\\b","destination":"/w/d\u001b[31m",` +
		`"paths":["/w/x","/w/\u0085y\u007f"],"hidden":2,"result":"allow","rule":"r","error_kind":"io",` +
		`"detail":"line\n\ttab\r\"quoted\" \\ \u0000","approval":"a1","argv":["ls","-l"],"command":"ls -l","sandbox":"bubblewrap",` +
		`"guarantee":"full","network":["allow","example.org:443"],"exit_code":0,"duration_us":12,"bytes":34,"sha256_before":"aa",` +
		`"sha256_after":"bb","links":2,"prev":"` + strings.Repeat("0", 64) + `"`
	first := sealed(body)
	second := sealed(`{"seq":2,"ts":"2026-03-04T04:06:07.000000080Z","tool":"file_read","op":"read","prev":"` + hashOf(first) + `"`)
	third := sealed(`{"seq":3,"ts":"2026-03-04T04:06:07.000000080Z","tool":"shell","result":"deny","sandbox":"","prev":"` + hashOf(second) + `"`)
	want := first + "\n" + second + "\n" + third + "\n"
	if got := read(t, path); got != want {
		t.Errorf("log is\n%swant\n%s", got, want)
	}
	if full.Hash != hashOf(first) || full.Seq != 1 || !full.TS.Equal(testTime) || full.Prev != strings.Repeat("0", 64) {
		t.Errorf("Append filled %d %v %s %s", full.Seq, full.TS, full.Prev, full.Hash)
	}
	wantVerified(t, path, 3)
}

// sealed computes the hash as the documentation tells it, on its own.
func sealed(body string) string {
	return body + `,"hash":"` + fmt.Sprintf("%x", sha256.Sum256([]byte(body+"}"))) + `"}`
}

func hashOf(line string) string { return line[len(line)-66 : len(line)-2] }

func TestModes(t *testing.T) {
	path := newPath(t)
	open(t, path)
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v; want %v", filepath.Base(name), info.Mode(), err, want)
		}
	}
}

func TestChainGoesOnAfterRestart(t *testing.T) {
	path := newPath(t)
	for i := range 3 {
		log := open(t, path)
		// The second record is longer than what is read of the end at first.
		add(t, log, &Record{Tool: "file_read", Path: strings.Repeat("x", i*5000)})
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wantVerified(t, path, 3)
}

func TestTwoLogsOneFile(t *testing.T) {
	path := newPath(t)
	a, b := open(t, path), open(t, path)
	for range 3 {
		add(t, a, &Record{Tool: "a"})
		add(t, b, &Record{Tool: "b"})
	}
	wantVerified(t, path, 6)
}

func TestGoroutines(t *testing.T) {
	path := newPath(t)
	log := open(t, path)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				if err := log.Append(t.Context(), &Record{Tool: "file_read", Durable: i == 0 && j%10 == 0}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	wantVerified(t, path, 400)
}

func TestProcesses(t *testing.T) {
	path := newPath(t)
	log := open(t, path)
	const processes, each = 4, 100
	var wg sync.WaitGroup
	for range processes {
		wg.Go(func() {
			if err := helper(t, "append", path, fmt.Sprint(each)).Run(); err != nil {
				t.Error(err)
			}
		})
	}
	for range each {
		add(t, log, &Record{Tool: "file_write"})
	}
	wg.Wait()
	wantVerified(t, path, (processes+1)*each)
}

// A process that is killed at any moment leaves a log that the next one goes on
// with, and every record that it was told is written is there.
func TestKilledWriter(t *testing.T) {
	path := newPath(t)
	cmd := helper(t, "append", path, "0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	told := make([]byte, 600)
	if _, err := out.Read(told); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rest := new(bytes.Buffer)
	if _, err := rest.ReadFrom(out); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	add(t, open(t, path), &Record{Tool: "file_read"})
	n, err := verifyFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if acknowledged := bytes.Count(told, []byte{'\n'}) + bytes.Count(rest.Bytes(), []byte{'\n'}); n < int64(acknowledged)+1 {
		t.Errorf("%d records, but %d were acknowledged", n, acknowledged+1)
	}
}

func TestTornLine(t *testing.T) {
	base := newPath(t)
	log := open(t, base)
	add(t, log, &Record{Tool: "file_read"})
	one := read(t, base)
	add(t, log, &Record{Tool: "file_write", Path: "b.txt"})
	second := strings.TrimPrefix(read(t, base), one)
	for name, tt := range map[string]struct {
		before, torn string
		records      int64 // after one more was appended
		recovered    bool
	}{
		"control: nothing torn":   {one, "", 2, false},
		"half a line":             {one, second[:len(second)/2], 3, true},
		"one byte":                {one, "{", 3, true},
		"zeros":                   {one, strings.Repeat("\x00", 9000), 3, true},
		"first line":              {"", one[:40], 2, true},
		"all but the newline":     {one, second[:len(second)-1], 3, false},
		"first without newline":   {"", one[:len(one)-1], 2, false},
		"whole, of another place": {one, one[:len(one)-1], 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.log")
			if err := os.WriteFile(path, []byte(tt.before+tt.torn), 0o600); err != nil {
				t.Fatal(err)
			}
			if tt.recovered {
				var corrupt *CorruptError
				if _, err := verifyFile(path); !errors.As(err, &corrupt) {
					t.Errorf("before the repair Verify says %v", err)
				}
			}
			add(t, open(t, path), &Record{Tool: "file_list"})
			wantVerified(t, path, tt.records)
			got := read(t, path)
			if !strings.HasPrefix(got, tt.before) {
				t.Error("what stood before the torn line changed")
			}
			var found *Record
			for rec, err := range Records(strings.NewReader(got)) {
				if err != nil {
					t.Fatal(err)
				}
				if rec.Op == "recover" {
					found = &rec
				}
			}
			if (found != nil) != tt.recovered {
				t.Fatalf("recovery recorded: %v, want %v:\n%s", found != nil, tt.recovered, got)
			}
			if found == nil {
				return
			}
			want := Record{
				Seq: found.Seq, TS: found.TS, Prev: found.Prev, Hash: found.Hash,
				Phase: PhaseResult, Tool: "audit", Op: "recover", Result: ResultError, Bytes: int64(len(tt.torn)),
				SHA256Before: fmt.Sprintf("%x", sha256.Sum256([]byte(tt.torn))),
				Detail:       "a writer ended in the middle of this line: " + tt.torn[:min(4096, len(tt.torn))],
			}
			if g, w := asJSON(t, *found), asJSON(t, want); g != w {
				t.Errorf("recorded %s\nwant %s", g, w)
			}
		})
	}
}

func asJSON(t *testing.T, r Record) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDamagedLastRecordIsRefused(t *testing.T) {
	path := newPath(t)
	log := open(t, path)
	add(t, log, &Record{Tool: "file_read", Path: "aaa"})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	bad := strings.Replace(read(t, path), "aaa", "bbb", 1)
	if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: path, Enabled: true})
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, ErrCorrupt) {
		t.Errorf("Open = %v, want ErrUnavailable and ErrCorrupt", err)
	}
	if read(t, path) != bad {
		t.Error("the file was changed")
	}
}

// What can lie at the log's path, and whether it can be opened and written.
func TestUnusableFiles(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		make func(path string)
		ok   bool
	}{
		{"control: nothing", func(string) {}, true},
		{"control: empty file", func(p string) { check(os.WriteFile(p, nil, 0o600)) }, true},
		{"control: readable by the group", func(p string) { check(os.WriteFile(p, nil, 0o640)) }, true},
		{"directory", func(p string) { check(os.Mkdir(p, 0o700)) }, false},
		{"FIFO", func(p string) { check(syscall.Mkfifo(p, 0o600)) }, false},
		{"link", func(p string) {
			check(os.WriteFile(p+".else", nil, 0o600))
			check(os.Symlink(p+".else", p))
		}, false},
		{"dangling link", func(p string) { check(os.Symlink(p+".made", p)) }, false},
		{"device", func(p string) { check(os.Symlink("/dev/full", p)) }, false},
		{"writable by others", func(p string) {
			check(os.WriteFile(p, nil, 0o600))
			check(os.Chmod(p, 0o602))
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.log")
			tt.make(path)
			log, err := Open(t.Context(), Options{Path: path, Enabled: true})
			if tt.ok {
				if err != nil {
					t.Fatal(err)
				}
				add(t, log, &Record{Tool: "file_read"})
				_ = log.Close()
				return
			}
			if !errors.Is(err, ErrUnavailable) {
				t.Errorf("Open = %v, want ErrUnavailable", err)
			}
			if _, err := os.Lstat(path + ".made"); err == nil {
				t.Error("a link was followed and its target made")
			}
		})
	}
}

// A log that something happened to while it was open.
func TestFileChangedUnderneath(t *testing.T) {
	tests := []struct {
		name string
		do   func(path string) error
		ok   bool
	}{
		{"control: nothing", func(string) error { return nil }, true},
		{"removed", os.Remove, false},
		{"moved away", func(p string) error { return os.Rename(p, p+".1") }, false},
		{"replaced", func(p string) error {
			if err := os.WriteFile(p+".new", nil, 0o600); err != nil {
				return err
			}
			return os.Rename(p+".new", p)
		}, false},
		{"replaced by a link to itself", func(p string) error {
			return errors.Join(os.Rename(p, p+".1"), os.Symlink(p+".1", p))
		}, false},
		{"overwritten", func(p string) error { return os.WriteFile(p, []byte("gone\n"), 0o600) }, false},
		{"emptied", func(p string) error { return os.Truncate(p, 0) }, true}, // a cut tail is not noticed
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.log")
			log := open(t, path)
			add(t, log, &Record{Tool: "file_read"})
			if err := tt.do(path); err != nil {
				t.Fatal(err)
			}
			err := log.Append(t.Context(), &Record{Tool: "file_read"})
			if tt.ok && err != nil || !tt.ok && !errors.Is(err, ErrUnavailable) {
				t.Errorf("Append = %v", err)
			}
			if want := uint64(0); !tt.ok {
				want = 1
				if log.Failures() != want {
					t.Errorf("%d failures, want %d", log.Failures(), want)
				}
			}
		})
	}
}

func TestOnFailureContinue(t *testing.T) {
	path := newPath(t)
	var reported []error
	keepOn := func(o *Options) {
		o.OnFailure = OnFailureContinue
		o.Report = func(err error) { reported = append(reported, err) }
	}
	if err := os.MkdirAll(path, 0o700); err != nil { // a directory where the file should be
		t.Fatal(err)
	}
	log := open(t, path, keepOn)
	add(t, log, &Record{Tool: "file_read"})
	if len(reported) != 2 || log.Failures() != 1 {
		t.Errorf("%d reports, %d failures; want one report from Open, one from Append and one failure", len(reported), log.Failures())
	}
	for _, err := range reported {
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("reported %v", err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	add(t, log, &Record{Tool: "file_read"})
	wantVerified(t, path, 1) // it is written again as soon as that is possible
}

func TestOptions(t *testing.T) {
	for name, opts := range map[string]Options{
		"unknown on_failure": {Path: newPath(t), Enabled: true, OnFailure: "ignore"},
		"relative path":      {Path: "audit.log", Enabled: true},
	} {
		if _, err := Open(t.Context(), opts); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

func TestDisabled(t *testing.T) {
	path := newPath(t)
	log := open(t, path, func(o *Options) { o.Enabled = false })
	add(t, log, &Record{Tool: "file_read"})
	if _, err := os.Lstat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a disabled log made its directory (%v)", err)
	}
}

func TestClosed(t *testing.T) {
	log := open(t, newPath(t))
	if err := errors.Join(log.Close(), log.Close()); err != nil {
		t.Fatal(err)
	}
	if err := log.Append(t.Context(), &Record{}); !errors.Is(err, ErrClosed) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("Append = %v, want ErrClosed", err)
	}
}

// Another process holds the lock: the wait ends with the context, and an append
// that need not wait does not look at the context.
func TestContext(t *testing.T) {
	path := newPath(t)
	log := open(t, path)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := log.Append(ended, &Record{Tool: "file_read"}); err != nil {
		t.Errorf("nobody in the way: %v", err)
	}
	other, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := unix.Flock(int(other.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	err = log.Append(ended, &Record{Tool: "file_read"})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("locked: Append = %v, want Canceled and ErrUnavailable", err)
	}
	wantVerified(t, path, 1)
}

// A durable record is flushed before Append returns; a flush that failed once is
// never trusted again.
func TestDurable(t *testing.T) {
	path := newPath(t)
	log := open(t, path)
	var flushed []int64 // sizes of the file at each flush
	var broken error
	log.flush = func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		flushed = append(flushed, info.Size())
		return broken
	}
	add(t, log, &Record{Tool: "file_read"})
	if len(flushed) != 0 {
		t.Error("a record without Durable was flushed")
	}
	add(t, log, &Record{Tool: "file_write", Durable: true})
	if len(flushed) != 1 || flushed[0] != int64(len(read(t, path))) {
		t.Errorf("flushed at sizes %v, want once, after the whole line", flushed)
	}
	broken = syscall.EIO
	err := log.Append(t.Context(), &Record{Tool: "file_write", Durable: true})
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, syscall.EIO) {
		t.Errorf("failed flush: Append = %v, want ErrUnavailable and EIO", err)
	}
	broken = nil
	if err := log.Append(t.Context(), &Record{Tool: "file_read"}); !errors.Is(err, syscall.EIO) {
		t.Errorf("after a failed flush: Append = %v, want EIO", err)
	}
	wantVerified(t, path, 3)
	add(t, open(t, path), &Record{Tool: "file_read", Durable: true})
}

func TestFullDisk(t *testing.T) {
	// The limits end in the middle of a line, whatever its length.
	for _, limit := range []string{"4096", "4097", "9001"} {
		path := newPath(t)
		if err := helper(t, "full", path, limit).Run(); err != nil {
			t.Errorf("limit %s: %v", limit, err)
		}
	}
}

func TestFullTmpfs(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount a small tmpfs; TestFullDisk covers the same with a file size limit")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8k"); err != nil {
		t.Skipf("needs root that may mount a tmpfs; TestFullDisk covers the same with a file size limit: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	path := filepath.Join(dir, "audit.log")
	if err := appendUntilFull(open(t, path), path, syscall.ENOSPC); err != nil {
		t.Error(err)
	}
}

// A record is written however big it is; what is too big is cut, and says so.
func TestHugeRecord(t *testing.T) {
	path := newPath(t)
	log := open(t, path)
	control := strings.Repeat("\x01", maxLine/6+1) // six bytes a byte in JSON
	many := slices.Repeat([]string{control[:10_000]}, 300)
	add(t, log, &Record{Tool: "shell", Op: control, Path: control, Command: control, Detail: control, Argv: many, Paths: many, Network: many})
	add(t, log, &Record{Tool: "file_read", Path: strings.Repeat("p", 1<<20)})
	add(t, log, &Record{Tool: "file_read", Path: control}) // fits but for its escapes
	wantVerified(t, path, 3)
	var got []Record
	for rec, err := range Records(strings.NewReader(read(t, path))) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rec)
	}
	want := fmt.Sprintf("%s… [cut: %d bytes in all, sha256 %x]", control[:4096], len(control), sha256.Sum256([]byte(control)))
	if got[0].Command != want || got[0].Path != want {
		t.Errorf("command is %d bytes, ending %q", len(got[0].Command), got[0].Command[max(0, len(got[0].Command)-120):])
	}
	if len(got[0].Argv) != 129 || got[0].Argv[128] != "… [cut: 300 in all]" {
		t.Errorf("argv has %d elements", len(got[0].Argv))
	}
	if got[2].Path != want {
		t.Errorf("escaped path is %d bytes", len(got[2].Path))
	}
	if len(got[1].Path) != 1<<20 {
		t.Errorf("a path that fits was cut to %d bytes", len(got[1].Path))
	}
}

func BenchmarkAppend(b *testing.B) {
	for name, durable := range map[string]bool{"buffered": false, "durable": true} {
		b.Run(name, func(b *testing.B) {
			log := open(b, newPath(b), func(o *Options) { o.Now = nil })
			b.ReportAllocs()
			for b.Loop() {
				add(b, log, typical(durable))
			}
		})
	}
}

func BenchmarkAppendParallelDurable(b *testing.B) {
	log := open(b, newPath(b))
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			add(b, log, typical(true))
		}
	})
}

func typical(durable bool) *Record {
	return &Record{
		ID: "c0ffee00c0ffee00", Phase: PhaseResult, Task: "agent", Session: "0123456789abcdef", Principal: "someone", Tool: "file_read", Op: "read",
		Path: "src/main.go", Resolved: "/home/someone/work/project/src/main.go", Result: ResultAllow, Rule: "default_action", DurationUS: 42, Bytes: 4096,
		Durable: durable,
	}
}
