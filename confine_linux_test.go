package bailey_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/tool"
)

// ground is a workspace whose agent may run commands, with things around it that
// they must not reach. The tests need bubblewrap.
type ground struct {
	*bailey.Bailey
	t                   *testing.T
	base, ws, ref, home string
}

func newGround(t *testing.T, config string) *ground {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{t: t, base: base, ws: filepath.Join(base, "ws"), ref: filepath.Join(base, "ref"), home: filepath.Join(base, "home")}
	for path, content := range map[string]string{
		"ws/a.txt": "a\n", "ws/.env": "TOKEN=1\n", "ws/private/key": "k\n", "ref/r.txt": "r\n", "home/.ssh/id_rsa": "key\n", "outside.txt": "o\n",
		"config.toml": `[workspace]
task = "agent"
allow = [{ path = "` + base + `/ref", mode = "read" }]
[security.tool_policy.tools]
shell = "allow"
[[security.policy.rules]]
name = "keep-private"
action = "deny"
tools = ["file_read"]
paths = ["private/**"]
` + config,
	} {
		file := filepath.Join(base, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"HOME": g.home, "SECRET": "s3cret", "TERM": "dumb"}
	g.Bailey, err = bailey.Open(context.Background(), bailey.Options{
		Workspace: g.ws, ConfigFile: filepath.Join(base, "config.toml"), StateDir: filepath.Join(base, "state"),
		Env: func(name string) string { return env[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// sh runs a command that must have come to its end.
func (g *ground) sh(command string) *tool.CommandResult {
	g.t.Helper()
	r := g.Call(context.Background(), "shell", map[string]any{"command": command})
	if !r.Success {
		g.t.Fatalf("%s: %s", command, r.Error)
	}
	data, ok := r.Data.(*tool.CommandResult)
	if !ok {
		g.t.Fatalf("the data is %T", r.Data)
	}
	return data
}

// TestShellRuns is what works inside: the control of the refusals below.
func TestShellRuns(t *testing.T) {
	g := newGround(t, "")
	r := g.sh("cat a.txt; cat ../ref/r.txt; echo new > made.txt; echo err >&2; exit 3")
	if r.Stdout != "a\nr\n" || r.Stderr != "err\n" || r.ExitCode != 3 || r.Backend != "bubblewrap" || r.Guarantee != "full" || r.Network != "off" {
		t.Errorf("%+v", r)
	}
	if made, err := os.ReadFile(filepath.Join(g.ws, "made.txt")); err != nil || string(made) != "new\n" {
		t.Errorf("what it wrote: %q, %v", made, err)
	}
	argv := g.Call(context.Background(), "shell", map[string]any{"argv": []string{"printf", "%s|", "a b", "$HOME", "*"}})
	if data, ok := argv.Data.(*tool.CommandResult); !ok || data.Stdout != "a b|$HOME|*|" {
		t.Errorf("an argument list: %+v", argv)
	}
	if r := g.sh("cat"); r.Stdout != "" {
		t.Errorf("without anything to read: %+v", r)
	}
	in := g.Call(context.Background(), "shell", map[string]any{"argv": []string{"cat"}, "stdin": "typed"})
	if data, ok := in.Data.(*tool.CommandResult); !ok || data.Stdout != "typed" {
		t.Errorf("with something to read: %+v", in)
	}
}

// TestShellWalls tries what the walls are for, through the whole façade.
func TestShellWalls(t *testing.T) {
	g := newGround(t, "")
	for name, command := range map[string]string{
		"a file beside the workspace": "cat ../outside.txt",
		"a sensitive file":            "cat .env",
		"its move":                    "mv .env e",
		"its copy":                    "cp .env e",
		"its removal":                 "rm -f .env",
		"what a rule denies":          "cat private/key",
		"that, elsewhere":             "mv private p && cat p/key",
		"writing a read-only folder":  "echo x > ../ref/r.txt",
		"making a file there":         "touch ../ref/new",
		"the home":                    "cat ~/.ssh/id_rsa",
		"the state":                   "ls " + g.base + "/state",
		"the configuration":           "cat " + g.base + "/config.toml",
		"the environment":             `test -n "$SECRET"`,
		"the root":                    "touch /x",
		"a network":                   "exec 3<>/dev/tcp/127.0.0.1/9",
		"the processes of the host":   "test -d /proc/" + itoa(os.Getpid()) + " && test \"$(cat /proc/" + itoa(os.Getpid()) + "/comm)\" = bailey.test",
		"a kernel setting":            ": >> /proc/sys/kernel/core_pattern",
		"another user namespace":      "unshare -U true",
		"a mount":                     "mount -t tmpfs none /tmp",
	} {
		t.Run(name, func(t *testing.T) {
			if r := g.Call(context.Background(), "shell", map[string]any{"command": command}); r.Success && r.Data.(*tool.CommandResult).ExitCode == 0 {
				t.Errorf("%s: %+v", command, r.Data)
			}
		})
	}
	for _, file := range []string{".env", "private/key"} {
		if _, err := os.Stat(filepath.Join(g.ws, file)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	g.sh("touch ~/x; true")
	for _, file := range []string{"e", "p", "../home/x"} {
		if _, err := os.Stat(filepath.Join(g.ws, file)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func itoa(n int) string {
	var digits []byte
	for ; n > 0; n /= 10 {
		digits = append([]byte{byte('0' + n%10)}, digits...)
	}
	return string(digits)
}

// TestShellPlants takes away what the operator's own tools would run later, and
// says so; git itself goes on working.
func TestShellPlants(t *testing.T) {
	g := newGround(t, "")
	if r := g.sh("git init -q . && git add a.txt && git -c user.name=n -c user.email=e commit -qm one && git log --oneline"); r.ExitCode != 0 || len(r.Quarantined) != 0 {
		t.Fatalf("git: %+v", r)
	}
	r := g.sh(`d=.git; printf '#!/bin/sh\ntouch ran\n' > $d/x && cp $d/x "$d/hooks/pre-commit"; chmod +x "$d/hooks/pre-commit"
		git config core.fsmonitor ./evil; v=.vscode; mkdir -p "sub/$v"; echo '{}' > "sub/$v/tasks.json"`)
	if _, err := os.Stat(filepath.Join(g.ws, "sub/.vscode")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was planted stays: %v", err)
	}
	if _, err := os.Stat(filepath.Join(g.ws, ".git/hooks/pre-commit")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the hook stays: %v", err)
	}
	config, err := os.ReadFile(filepath.Join(g.ws, ".git/config"))
	if err != nil || strings.Contains(string(config), "fsmonitor") {
		t.Errorf("the configuration: %s, %v", config, err)
	}
	var told []string
	for _, q := range r.Quarantined {
		told = append(told, q.Path+": "+q.Reason)
	}
	for _, want := range []string{"sub/.vscode", ".git/config"} {
		if !strings.Contains(strings.Join(told, "\n"), want) {
			t.Errorf("%s is not told of: %q", want, told)
		}
	}
	if out, err := exec.Command("git", "-C", g.ws, "-c", "safe.directory=*", "status", "--short").CombinedOutput(); err != nil {
		t.Errorf("git afterwards: %s, %v", out, err)
	}
}

// TestShellEnds with the time it has, and nothing stays.
func TestShellEnds(t *testing.T) {
	g := newGround(t, "")
	r := g.Call(context.Background(), "shell", map[string]any{"command": "echo begun; trap '' TERM; setsid sleep 987 & sleep 987", "timeout": "300ms"})
	data, ok := r.Data.(*tool.CommandResult)
	if r.ErrorKind != tool.Timeout || !ok || data.Stdout != "begun\n" {
		t.Errorf("%+v", r)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if r := g.Call(ctx, "shell", map[string]any{"command": "sleep 987"}); r.ErrorKind != tool.Timeout && r.ErrorKind != tool.Cancelled {
		t.Errorf("%+v", r)
	}
	if out, err := exec.Command("pgrep", "-f", "^sleep 987$").Output(); err == nil {
		t.Errorf("left: %s", out)
	}
}

// TestShellRefuses what this version can't do, and runs nothing then.
func TestShellRefuses(t *testing.T) {
	g := newGround(t, "")
	for _, tt := range []struct {
		args map[string]any
		kind tool.Kind
	}{
		{map[string]any{"command": "touch ran", "network": "full"}, tool.NetworkDenied},
		{map[string]any{"command": "touch ran", "background": true}, tool.InvalidArgument},
		{map[string]any{"command": "touch ran", "cwd": ".."}, tool.PathEscape},
	} {
		if r := g.Call(context.Background(), "shell", tt.args); r.ErrorKind != tt.kind {
			t.Errorf("%v: %+v", tt.args, r)
		}
	}
	if _, err := os.Stat(filepath.Join(g.ws, "ran")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it ran: %v", err)
	}
	g.sh("touch ran")
	if _, err := os.Stat(filepath.Join(g.ws, "ran")); err != nil {
		t.Errorf("the control did not: %v", err)
	}
}

// TestShellIsRecorded with its walls.
func TestShellIsRecorded(t *testing.T) {
	g := newGround(t, "")
	g.sh("exit 5")
	log, err := os.ReadFile(filepath.Join(g.base, "state/audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"phase":"intent"`, `"command":"exit 5"`, `"sandbox":"bubblewrap"`, `"guarantee":"full"`, `"exit_code":5`} {
		if !strings.Contains(string(log), want) {
			t.Errorf("%s is missing in %s", want, log)
		}
	}
}
