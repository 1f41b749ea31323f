package compat

import (
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

// offer is the offered tools over a workspace. Beside it lies what no call may
// reach.
type offer struct {
	t               testing.TB
	root, more, out string
	log             string
	tools           map[string]Tool
}

type setup struct {
	task  string // "refactor" if empty
	tree  []string
	rules []policy.Rule
	tool  map[string]policy.Action
}

func newOffer(t testing.TB, s setup) *offer {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "compattest")
	if err != nil {
		base = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if base, err = filepath.EvalSymlinks(base); err != nil {
		t.Fatal(err)
	}
	o := &offer{t: t, root: base + "/ws", more: base + "/more", out: base + "/out", log: base + "/audit.log", tools: map[string]Tool{}}
	filetree.Make(t, base, nil, "dir ws", "dir more", "dir home", "file home/h.txt home\n", "file out/secret TOPSECRET\n")
	filetree.Make(t, o.root, map[string]string{"$OUT": o.out}, append([]string{"file a.txt one\ntwo\n"}, s.tree...)...)
	if s.task == "" {
		s.task = "refactor"
	}
	types := workspace.TaskTypes(nil)
	task, err := workspace.FindTask(types, s.task)
	if err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(t.Context(), workspace.Options{
		Dir: o.root, Folders: []jail.Folder{{Given: o.more, Mode: jail.ReadWrite}}, Task: task, TaskTypes: types, NoSync: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	p, err := policy.Compile(policy.Config{Workspace: []string{o.root}, Rules: s.rules, KnownTools: tool.Names(), Tools: s.tool})
	if err != nil {
		t.Fatal(err)
	}
	log, err := audit.Open(t.Context(), audit.Options{Path: o.log, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	box, err := tool.New(tool.Options{Workspace: ws, Policy: p, Audit: log})
	if err != nil {
		t.Fatal(err)
	}
	for _, tl := range Tools(Options{
		Tools: box, Folders: ws.Jail().Folders(), Home: base + "/home",
		Request: func(name string, args json.RawMessage) tool.Request { return tool.Request{Tool: name, Args: args} },
	}) {
		o.tools[tl.Definition.Name] = tl
	}
	return o
}

type args map[string]any

func (o *offer) call(name string, a args) *Answer {
	o.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		o.t.Fatal(err)
	}
	tl, ok := o.tools[name]
	if !ok {
		o.t.Fatalf("%s is not offered", name)
	}
	got := tl.Call(o.t.Context(), raw)
	if got.Kind != "" {
		if got.Before != nil || !strings.HasPrefix(got.Text, string(got.Kind)+": ") {
			o.t.Errorf("%s %v: a failure must have its kind and no structured content: %+v", name, a, got)
		}
		return got
	}
	text, err := json.Marshal(got.Text)
	if err != nil {
		o.t.Fatal(err)
	}
	if structured := string(got.Before) + string(text) + string(got.After); !json.Valid([]byte(structured)) {
		o.t.Errorf("%s %v: structured content is not JSON: %s", name, a, structured)
	}
	return got
}

func (o *offer) must(name string, a args) string {
	o.t.Helper()
	got := o.call(name, a)
	if got.Kind != "" {
		o.t.Fatalf("%s %v: %s", name, a, got.Text)
	}
	return got.Text
}

func (o *offer) refused(kind tool.Kind, name string, a args) string {
	o.t.Helper()
	got := o.call(name, a)
	if got.Kind != kind {
		o.t.Errorf("%s %v: %q %s, want %s", name, a, got.Kind, got.Text, kind)
	}
	return got.Text
}

// results are the result records of the log, without those before the mark.
func (o *offer) results(from int) []audit.Record {
	o.t.Helper()
	f, err := os.Open(o.log)
	if err != nil {
		o.t.Fatal(err)
	}
	defer f.Close()
	var all []audit.Record
	for r, err := range audit.Records(f) {
		if err != nil {
			o.t.Fatal(err)
		}
		if r.Phase == audit.PhaseResult {
			all = append(all, r)
		}
	}
	return all[from:]
}
