package bailey_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/tool"
)

// TestInspectDoesNothing: questions are answered as calls would be, and leave no
// trace; the control is a call, which does.
func TestInspectDoesNothing(t *testing.T) {
	home := t.TempDir()
	ws, state := filepath.Join(home, "ws"), filepath.Join(home, "state")
	if err := os.Mkdir(ws, 0o700); err != nil {
		t.Fatal(err)
	}
	env := func(key string) string { return map[string]string{"HOME": home}[key] }
	o := bailey.Options{Workspace: ws, StateDir: state, Task: "agent", Env: env}
	i, err := bailey.Inspect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	for _, tt := range []struct {
		tool    string
		args    string
		verdict string
		rule    string
	}{
		{"file_write", `{"path":"new/a","content":"x"}`, "allow", "default_action"},
		{"file_delete", `{"path":"new"}`, "allow", "default_action"},
		{"file_read", `{"path":".env"}`, "deny", "builtin:sensitive:.env"},
		{"shell", `{"command":"ls"}`, "supervised", "builtin:shell"},
	} {
		v := i.Check(t.Context(), tt.tool, json.RawMessage(tt.args))
		if v.Verdict != tt.verdict || v.Rule != tt.rule {
			t.Errorf("%s %s: %+v", tt.tool, tt.args, v)
		}
	}
	if v, r := i.Explain(t.Context(), "shell", json.RawMessage(`{"command":"ls"}`)); v.Verdict != "supervised" || r == nil || len(r.Programs) != 1 {
		t.Errorf("%+v, %+v", v, r)
	}
	if i.Policy().Version() == "" || len(i.Rules().Workspace) == 0 || i.Workspace().Root() == "" || len(i.Warnings()) != 0 {
		t.Error("something is missing")
	}
	for _, path := range []string{state, filepath.Join(ws, "new")} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	b, err := bailey.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if r := b.Call(t.Context(), "file_write", map[string]string{"path": "new/a", "content": "x"}); !r.Success {
		t.Fatal(r.Error)
	}
	if _, err := os.Lstat(filepath.Join(state, "audit.log")); err != nil {
		t.Error(err)
	}
}

func TestInspectRefusesWhatOpenRefuses(t *testing.T) {
	home := t.TempDir()
	env := func(key string) string { return map[string]string{"HOME": home}[key] }
	for _, o := range []bailey.Options{
		{Workspace: home, StateDir: filepath.Join(home, "state"), Env: env},
		{Workspace: "/", StateDir: filepath.Join(home, "state"), Env: env},
		{Workspace: filepath.Join(home, "absent"), Env: env},
		{Workspace: t.TempDir(), StateDir: filepath.Join(home, "s"), Task: "nonsense", Env: env},
	} {
		_, err := bailey.Inspect(t.Context(), o)
		_, want := bailey.Open(t.Context(), o)
		var got, wanted *tool.Error
		if !errors.As(err, &got) || !errors.As(want, &wanted) || got.Kind != wanted.Kind {
			t.Errorf("%+v: %v, but Open says %v", o.Workspace, err, want)
		}
	}
}
