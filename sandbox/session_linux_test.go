package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTmp: the session's /tmp is one for all runs and for Tmp, is bounded, and is
// nowhere on the host.
func TestTmp(t *testing.T) {
	b := newBox(t)
	dir, ok, err := b.Tmp(t.Context())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer dir.Close()
	b.sh("echo hello > /tmp/from-inside").wantOK(t)
	fd, err := unix.Openat(int(dir.Fd()), "from-inside", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	fd, err = unix.Openat(int(dir.Fd()), "from-outside", unix.O_WRONLY|unix.O_CREAT|unix.O_CLOEXEC, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(fd)
	if got := b.sh("ls /tmp").wantOK(t); !strings.Contains(got, "from-inside") || !strings.Contains(got, "from-outside") {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat("/tmp/from-inside"); !errors.Is(err, os.ErrNotExist) {
		t.Error("it is on the host", err)
	}
	other := newBox(t)
	if got := other.sh("ls /tmp/from-inside"); got.ExitCode == 0 {
		t.Error("another session sees it")
	}
	if r := b.sh("head -c 20000000 /dev/zero > /tmp/big"); r.ExitCode == 0 {
		t.Error("it has no bound")
	}
	b.sh("rm /tmp/big; head -c 1000000 /dev/zero > /tmp/big").wantOK(t) // the control
}

// TestAlone: where the host allows no namespaces to the keeper, /tmp is each run's
// own, and all else is the same.
func TestAlone(t *testing.T) {
	b := newBox(t)
	b.alone = true
	b.put("secret", "file")
	if _, ok, err := b.Tmp(t.Context()); ok || err != nil {
		t.Error(ok, err)
	}
	spec := b.spec("/bin/sh", "-c", "cat secret; cat file; echo > /tmp/x; echo > /etc/x; id -un; chmod 666 /dev/null; (setsid sleep 1000 &); exit 3")
	spec.Covers = []Cover{b.cover("secret", Mask)}
	r := b.do(spec)
	if r.ExitCode != 3 || !strings.HasPrefix(r.out, "file") || strings.Count(r.errs, "ermission denied") != 1 || !strings.Contains(r.errs, "ead-only") {
		t.Errorf("%+v %q %q", r.Report, r.out, r.errs)
	}
	if r.Guarantee != Full || len(r.Gaps) == 0 {
		t.Errorf("%+v", r.Report)
	}
	if got := b.sh("ls /tmp").wantOK(t); strings.Contains(got, "x\n") {
		t.Errorf("/tmp has %q", got)
	}
	keeperOnly(t)
	for range 10 { // killed at once, half-made
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Millisecond)
		_, _ = b.Run(ctx, b.spec("/bin/sleep", "1000"))
		cancel()
	}
	keeperOnly(t)
	b.find = func(string) (string, error) { return "/usr/bin/false", nil }
	if err := b.refuses(t.Context(), b.spec()); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

// TestWorkspaces are places and names that tools stumble over.
func TestWorkspaces(t *testing.T) {
	b := newBox(t)
	for _, name := range []string{
		"with space", "comma,colon:", `quo"te'd`, "back\\slash", "new\nline", "tab\there", "täg-日本", "\xff\xfe", "-dash", "$HOME", "*", "[a]", ".hidden", "%s",
		strings.Repeat("long", 60), "a/b/c/d/e/f/g/h",
	} {
		ws := filepath.Join(b.ws, name)
		if err := os.MkdirAll(ws, 0o755); err != nil {
			t.Fatal(err)
		}
		spec := Spec{Argv: []string{"/bin/sh", "-c", "pwd; echo made > made; cat secret"}, Dir: ws, Folders: []Folder{folder(t, ws, true)}}
		if err := os.WriteFile(filepath.Join(ws, "secret"), []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
		spec.Covers = []Cover{b.cover(filepath.Join(name, "secret"), Mask)}
		spec.Covers[0].Rel = "secret"
		r := b.do(spec)
		if r.out != ws+"\n" || !strings.Contains(r.errs, "ermission denied") {
			t.Errorf("%q: %q %q", name, r.out, r.errs)
		}
		if _, err := os.Stat(filepath.Join(ws, "made")); err != nil {
			t.Error(err)
		}
	}
}

// TestOutsideTmp: a workspace in the home, at whose place HOME is empty but for it.
func TestHome(t *testing.T) {
	b := newBox(t)
	home := realTempDir(t)
	ws := filepath.Join(home, "src", "ws")
	if err := os.MkdirAll(ws, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".netrc"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.Sandbox = s
	spec := Spec{
		Argv: []string{"/bin/sh", "-c", "ls -A ~ ~/src; echo $HOME; touch ~/x; touch ~/src/x; touch ~/src/ws/x && grep ~ /etc/passwd"},
		Dir:  ws, Folders: []Folder{folder(t, ws, true)},
	}
	r := b.do(spec)
	if !strings.HasPrefix(r.out, home+":\nsrc\n\n"+home+"/src:\nws\n"+home+"\n") || r.ExitCode != 0 {
		t.Errorf("%q %q", r.out, r.errs)
	}
	if strings.HasPrefix(home, "/tmp/") {
		return // then it is in the session's /tmp
	}
	if strings.Count(r.errs, "ead-only") != 2 {
		t.Errorf("%q", r.errs)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("PATH", t.TempDir()+":"+os.Getenv("PATH"))
	b := newBox(t)
	spec := b.spec("env")
	spec.Env = []string{"CI=1", "LANG=de_DE.UTF-8", "EMPTY="}
	spec.Cache = filepath.Join(b.ws, ".bailey", "cache")
	spec.Paths = []string{filepath.Join(b.ws, "node_modules", ".bin")}
	got := strings.Split(b.do(spec).wantOK(t), "\n")
	for _, want := range []string{
		"CI=1", "LANG=de_DE.UTF-8", "EMPTY=", "HOME=/", "TMPDIR=/tmp", "GOCACHE=" + spec.Cache + "/go-build",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:" + spec.Paths[0],
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	for _, line := range got {
		if strings.Contains(line, "secret") || strings.HasPrefix(line, "LANG=C") {
			t.Error(line)
		}
	}
}

// TestInheritedDescriptors: files that this program has open without close-on-exec
// reach no command.
func TestInheritedDescriptors(t *testing.T) {
	secret := filepath.Join(realTempDir(t), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(secret, unix.O_RDWR, 0) // on purpose without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	b := newBox(t)
	if out := b.sh("ls -l /proc/self/fd").wantOK(t); strings.Contains(out, secret) || strings.Count(out, "->") != 4 {
		t.Error(out)
	}
}

func TestLimits(t *testing.T) {
	b := newBox(t)
	for _, c := range []struct {
		limits Limits
		text   string
	}{
		{Limits{FileSize: 1 << 20}, "head -c 2000000 /dev/zero > f"},
		{Limits{OpenFiles: 40}, "ulimit -n; [ $(ulimit -n) -gt 40 ]"},
		{Limits{Memory: 32 << 20}, "head -c 200000000 /dev/zero | tail -c 90000000 | wc -c | grep -q 90000000"},
	} {
		spec := b.spec("/bin/sh", "-c", c.text)
		b.do(spec).wantOK(t) // the control
		spec.Limits = c.limits
		if r := b.do(spec); r.ExitCode == 0 {
			t.Errorf("%+v: %+v", c.limits, r.Report)
		}
	}
	spec := b.spec("/bin/sh", "-c", "i=0; while [ $i -lt 60 ]; do sleep 1000 & i=$((i+1)); done; echo all")
	if out := b.do(spec).wantOK(t); out != "all" {
		t.Error(out)
	}
	spec.Limits.Processes = 20
	if os.Getuid() == 0 {
		return // the kernel exempts root
	}
	if r := b.do(spec); strings.Contains(r.out, "all") {
		t.Errorf("%+v %q", r.Report, r.out)
	}
}

func TestFiles(t *testing.T) {
	b := newBox(t)
	source := filepath.Join(realTempDir(t), "source")
	if err := os.WriteFile(source, []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, writable := range []bool{false, true} {
		spec := b.spec("/bin/sh", "-c", "cat /etc/gitconfig /opt/own /opt/x/source; echo two >> /opt/x/source; echo three >> /etc/gitconfig")
		spec.Files = []File{
			{Path: "/etc/gitconfig", Content: []byte("git\n"), Mode: 0o644},
			{Path: "/opt/own", Content: []byte("own\n"), Mode: 0o644},
			{Path: "/opt/x/source", Source: f, Writable: writable},
		}
		r := b.do(spec)
		if r.out != "git\nown\none\n" {
			t.Errorf("%q %q", r.out, r.errs)
		}
		content, _ := os.ReadFile(source)
		if (string(content) == "one\ntwo\n") != writable || !strings.Contains(r.errs, "ead-only") && !strings.Contains(r.errs, "ermission") {
			t.Errorf("%v: %q %q", writable, content, r.errs)
		}
	}
}

func TestReadOnlyDirectories(t *testing.T) {
	b := newBox(t)
	dir := realTempDir(t)
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "tool"), []byte("#!/bin/sh\necho tool\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	spec := b.spec("/bin/sh", "-c", "tool; touch "+dir+"/x")
	if r := b.do(spec); strings.Contains(r.out, "tool\n") {
		t.Error("the control sees it")
	}
	spec.ReadOnly = []string{dir}
	if r := b.do(spec); r.out != "tool\n" || !strings.Contains(r.errs, "ead-only") {
		t.Errorf("%q %q", r.out, r.errs)
	}
}

// TestTerminal: a terminal of the sandbox's own, with its size, its name and its keys.
func TestTerminal(t *testing.T) {
	b := newBox(t)
	spec := b.spec("/bin/sh", "-c", "stty size; tty; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal; read x; stty size; echo got $x")
	resize := make(chan Size, 1)
	spec.Terminal = &Terminal{Size: Size{Rows: 24, Cols: 100}, Resize: resize}
	in, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer typed.Close()
	out := waitFor("terminal")
	spec.Stdin, spec.Stdout = in, out
	go func() {
		<-out.seen
		resize <- Size{Rows: 50, Cols: 132}
		time.Sleep(50 * time.Millisecond)
		_, _ = typed.WriteString("word\n")
	}()
	b.do(spec).wantOK(t)
	for _, want := range []string{"24 100\r\n", "/dev/pts/0\r\n", "50 132\r\n", "got word\r\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in %q", want, out.String())
		}
	}
	// Ctrl-C reaches the command, and not the helper.
	spec.Argv = []string{"/bin/sh", "-c", "trap 'echo interrupted; exit 8' INT; echo ready; while :; do sleep 0.01; done"}
	out = waitFor("ready")
	spec.Stdout = out
	go func() {
		<-out.seen
		_, _ = typed.Write([]byte{3})
	}()
	if r := b.do(spec); r.ExitCode != 8 || !strings.Contains(out.String(), "interrupted") {
		t.Errorf("%+v %q", r.Report, out.String())
	}
	// Its end is the input's end.
	spec.Argv = []string{"cat"}
	spec.Stdin = strings.NewReader("line\n")
	var text bytes.Buffer
	spec.Stdout = &text
	if r := b.do(spec); r.ExitCode != 0 || text.String() != "line\r\nline\r\n" {
		t.Errorf("%+v %q", r.Report, text.String())
	}
}

func TestSpecs(t *testing.T) {
	b := newBox(t)
	good := func() Spec { return b.spec("/bin/true") }
	b.do(good()).wantOK(t)
	for name, spoil := range map[string]func(*Spec){
		"no program":       func(s *Spec) { s.Argv = nil },
		"NUL":              func(s *Spec) { s.Argv = append(s.Argv, "a\x00b") },
		"NUL in env":       func(s *Spec) { s.Env = []string{"A=\x00"} },
		"relative":         func(s *Spec) { s.Dir = "here" },
		"unclean":          func(s *Spec) { s.Dir += "/../x" },
		"network":          func(s *Spec) { s.Network = "host" },
		"not open":         func(s *Spec) { s.Folders[0].Dir = nil },
		"root":             func(s *Spec) { s.Folders[0].Path = "/" },
		"proc":             func(s *Spec) { s.Folders[0].Path = "/proc/x" },
		"twice":            func(s *Spec) { s.Folders = append(s.Folders, s.Folders[0]) },
		"file in /etc":     func(s *Spec) { s.Files = []File{{Path: "/etc/new"}} },
		"read-only link":   func(s *Spec) { s.ReadOnly = []string{"/proc/self/cwd"} },
		"cover of nothing": func(s *Spec) { s.Covers = []Cover{{Folder: 1, Rel: "x"}} },
		"cover outside":    func(s *Spec) { s.Covers = []Cover{{Rel: "../x"}} },
		"cover unknown":    func(s *Spec) { s.Covers = []Cover{{Rel: "x", Kind: 9}} },
		"link to nowhere":  func(s *Spec) { s.Covers = []Cover{{Rel: "x", Kind: Link}} },
		"file in folder":   func(s *Spec) { s.Files = []File{{Path: b.ws + "/x"}} },
	} {
		spec := good()
		spoil(&spec)
		if r, err := b.Run(t.Context(), spec); !errors.Is(err, ErrSpec) {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.refuses(ctx, good()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := New(Options{Backend: "docker"}); !errors.Is(err, ErrSpec) {
		t.Error(err)
	}
}

func TestUnavailable(t *testing.T) {
	b := newBox(t)
	b.find = func(name string) (string, error) { return "", errors.New("there is no " + name) }
	err := b.refuses(t.Context(), b.spec())
	var e *Error
	if !errors.Is(err, ErrUnavailable) || !errors.As(err, &e) || e.Remedy == "" {
		t.Error(err)
	}
}

// TestTrusted: a program is taken from fixed places, and only if nobody but root can
// replace it.
func TestTrusted(t *testing.T) {
	dir := realTempDir(t)
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Chdir(dir)
	path, err := findTrusted("bwrap")
	if err != nil || !strings.HasPrefix(path, "/usr/") {
		t.Error(path, err)
	}
	if err := trusted(filepath.Join(dir, "bwrap")); err == nil { // below /tmp
		t.Error("a program that others can replace is trusted")
	}
	if err := trusted("/usr/bin/env"); err != nil {
		t.Error(err)
	}
	if err := trusted("/etc/passwd"); err == nil {
		t.Error("a file that is no program is trusted")
	}
}
