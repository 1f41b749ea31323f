package tool_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

// box is a toolbox over a fresh workspace. Beside the workspace lies a
// directory that no call may touch.
type box struct {
	*tool.Toolbox
	t    testing.TB
	root string // real path of the workspace
	out  string
	log  string
	vars map[string]string
	ws   *workspace.Workspace

	host     map[string]string // programs of the host that are not what their name says
	commands []*tool.Command   // that ran has got
}

// setup is what differs between tests.
type setup struct {
	task   string // "agent" if empty
	opened string // spelling under which the workspace is opened; the real one if empty
	tree   []string
	rules  []policy.Rule
	policy func(*policy.Config)
	space  func(*workspace.Options)
	ask    tool.Asker
	audit  audit.Options
	shell  tool.Shell
	runs   bool // the shell is box.ran
	home   string
}

func newBox(t testing.TB, s setup) *box {
	t.Helper()
	b := layout(t)
	filetree.Make(t, b.root, b.vars, s.tree...)
	if s.runs {
		s.shell = b.ran
	}
	b.open(s)
	return b
}

// layout makes the directories: not below /tmp, which belongs to sessions.
func layout(t testing.TB) *box {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "tooltest")
	if err != nil {
		base = t.TempDir()
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	b := &box{t: t, root: base + "/ws", out: base + "/outside", log: base + "/audit.log"}
	b.vars = map[string]string{"$ROOT": b.root, "$OUT": b.out, "$ALIAS": base + "/alias"}
	filetree.Make(t, b.root, b.vars, "file a.txt inside\n", "dir sub")
	filetree.Make(t, b.out, b.vars, "file secret TOPSECRET-7f3a\n", "file plain plain\n", "dir dir")
	return b
}

func (b *box) open(s setup) {
	b.t.Helper()
	if s.task == "" {
		s.task = "agent"
	}
	if s.opened == "" {
		s.opened = b.root
	}
	types := workspace.TaskTypes(nil)
	task, err := workspace.FindTask(types, s.task)
	if err != nil {
		b.Toolbox = tool.Broken(err)
		return
	}
	o := workspace.Options{Dir: s.opened, Task: task, TaskTypes: types, NoSync: true}
	if s.space != nil {
		s.space(&o)
	}
	ctx := b.t.Context()
	if b.ws, err = workspace.Open(ctx, o); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.ws.Close() })
	pc := policy.Config{Workspace: []string{b.root, s.opened}, Rules: s.rules, KnownTools: tool.Names(), Protected: b.ws.HooksPaths()}
	if s.policy != nil {
		s.policy(&pc)
	}
	p, err := policy.Compile(pc)
	if err != nil {
		b.t.Fatal(err)
	}
	if s.audit.Path == "" {
		s.audit.Path = b.log
	}
	s.audit.Enabled = true
	log, err := audit.Open(ctx, s.audit)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { log.Close() })
	if b.Toolbox, err = tool.New(tool.Options{
		Workspace: b.ws, Policy: p, Audit: log, Ask: s.ask, Shell: s.shell, Programs: b.program, Home: s.home,
	}); err != nil {
		b.t.Fatal(err)
	}
}

// program stands for a host that has every program in /usr/bin but those named
// missing, and bash for its shell. Outside the workspace it follows b.host.
func (b *box) program(name string) string {
	if to, ok := b.host[name]; ok {
		return to
	}
	switch {
	case strings.HasPrefix(name, "missing"):
		return ""
	case strings.HasPrefix(name, "/"):
		return name
	default:
		return "/usr/bin/" + name
	}
}

// ran is a Shell that runs nothing and notes what it was given.
func (b *box) ran(_ context.Context, c *tool.Command) (*tool.CommandResult, error) {
	b.commands = append(b.commands, c)
	return &tool.CommandResult{Stdout: "ran\n", Backend: "bubblewrap", Guarantee: "full", Network: "off"}, nil
}

// args are the arguments of a call.
type args map[string]any

func (b *box) call(name string, a args) *tool.Result {
	b.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.raw(name, string(raw))
}

func (b *box) raw(name, raw string) *tool.Result {
	b.t.Helper()
	return b.Call(b.t.Context(), tool.Request{Tool: name, Args: json.RawMessage(filetree.Expand(raw, b.vars)), Session: "s1", Principal: "tester"})
}

// must calls a tool and expects success.
func (b *box) must(name string, a args) *tool.Result {
	b.t.Helper()
	r := b.call(name, a)
	if !r.Success {
		b.t.Fatalf("%s %v: %s", name, a, r.Error)
	}
	return r
}

// refused calls a tool and expects a kind.
func (b *box) refused(kind tool.Kind, name string, a args) *tool.Result {
	b.t.Helper()
	r := b.call(name, a)
	if r.ErrorKind != kind {
		b.t.Fatalf("%s %v: got %q (%s%s), want %q", name, a, r.ErrorKind, r.Error, r.Output, kind)
	}
	return r
}

// data decodes the structured result of a call.
func data[T any](t testing.TB, r *tool.Result) T {
	t.Helper()
	raw, err := json.Marshal(r.Data)
	if err != nil {
		t.Fatal(err)
	}
	var d T
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (b *box) content(name string) string {
	b.t.Helper()
	c, err := os.ReadFile(filepath.Join(b.root, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(c)
}

func (b *box) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(b.root, name))
	return err == nil
}

// records reads the audit log.
func (b *box) records() []audit.Record {
	b.t.Helper()
	raw, err := os.ReadFile(b.log)
	if err != nil {
		b.t.Fatal(err)
	}
	var all []audit.Record
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r audit.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			b.t.Fatalf("%s: %v", lines.Text(), err)
		}
		all = append(all, r)
	}
	return all
}

// last is the last record, which belongs to the last call.
func (b *box) last() audit.Record {
	b.t.Helper()
	all := b.records()
	if len(all) == 0 {
		b.t.Fatal("nothing was recorded")
	}
	return all[len(all)-1]
}

func engines(t *testing.T, run func(t *testing.T, e jail.Engine)) {
	for _, e := range []jail.Engine{jail.EngineOpenat2, jail.EngineOSRoot} {
		t.Run(strings.ReplaceAll(e.String(), ".", ""), func(t *testing.T) { run(t, e) })
	}
}
