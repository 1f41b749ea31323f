package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/baileyhq/bailey/tool"
)

func resolved(t *testing.T, s *jsonschema.Schema) *jsonschema.Resolved {
	t.Helper()
	// By way of JSON, as a client gets it.
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var read jsonschema.Schema
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	r, err := read.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return r
}

func TestSchemas(t *testing.T) {
	list := newBox(t, setup{runs: true, policy: allowShell}).List()
	if len(list) != len(tool.Names()) {
		t.Fatalf("%d tools, want %d", len(list), len(tool.Names()))
	}
	for _, d := range list {
		t.Run(d.Name, func(t *testing.T) {
			if d.Title == "" || d.Description == "" || d.Op == "" || !d.Granted || d.Policy != "allow" {
				t.Errorf("not fully described: %+v", d)
			}
			resolved(t, d.Output)
			in := resolved(t, d.Input)
			if err := in.Validate(map[string]any{"nonsense": 1}); err == nil {
				t.Error("an unknown argument is valid")
			}
			for name, p := range d.Input.Properties {
				if p.Description == "" {
					t.Errorf("argument %s is not described", name)
				}
				if len(p.Types) > 0 || (p.Type == "") == (p.AnyOf == nil) {
					t.Errorf("argument %s: types %v %q", name, p.Types, p.Type)
				}
			}
		})
	}
}

// What the tools answer fits the schemas that they announce.
func TestAnswersFitTheirSchemas(t *testing.T) {
	b := newBox(t, setup{
		runs: true, policy: allowShell,
		tree: []string{"file src/b.txt x\n", "link l -> a.txt", "fifo p", "file bin \x00\x01"},
	})
	outputs := map[string]*jsonschema.Resolved{}
	inputs := map[string]*jsonschema.Resolved{}
	for _, d := range b.List() {
		outputs[d.Name], inputs[d.Name] = resolved(t, d.Output), resolved(t, d.Input)
	}
	calls := []struct {
		tool string
		args args
	}{
		{"file_read", args{"path": "a.txt"}},
		{"file_read", args{"path": "bin", "encoding": "base64"}},
		{"file_read", args{"path": "a.txt", "offset": 1, "limit": 1}},
		{"file_read_many", args{"paths": []string{"a.txt", "nothing", "../outside/secret"}}},
		{"file_write", args{"path": "n/w.txt", "content": "1\n"}},
		{"file_write", args{"path": "n/w.txt", "content": "2\n", "mode": "0600"}},
		{"file_edit", args{"path": "n/w.txt", "edits": []args{{"old_text": "2", "new_text": "3"}}, "dry_run": true}},
		{"file_edit", args{"path": "n/w.txt", "edits": []args{{"old_text": "2", "new_text": "3"}}}},
		{"file_list", args{}},
		{"file_list", args{"path": "sub", "sizes": true, "sort": "mtime"}},
		{"file_tree", args{}},
		{"file_tree", args{"depth": 1, "exclude": []string{"*.txt"}}},
		{"file_find", args{"pattern": "**"}},
		{"file_grep", args{"pattern": "in|\x01", "context": 1}},
		{"file_info", args{"path": "l"}},
		{"file_info", args{"path": "p"}},
		{"file_copy", args{"source": "src", "destination": "copy"}},
		{"file_move", args{"source": "copy", "destination": "moved"}},
		{"dir_create", args{"path": "x/y"}},
		{"dir_create", args{"path": "x/y"}},
		{"file_delete", args{"path": "moved", "recursive": true}},
		{"file_delete", args{"path": "moved"}},
		{"shell", args{"command": "true", "env": args{"A": "b"}, "timeout": "90s", "network": "off", "cwd": "sub", "stdin": "x"}},
		{"shell", args{"argv": []string{"true"}, "timeout": 1.5}},
	}
	seen := map[string]bool{}
	for _, c := range calls {
		seen[c.tool] = true
		raw, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		if err := inputs[c.tool].Validate(anyOf(t, raw)); err != nil {
			t.Errorf("%s %s: arguments: %v", c.tool, raw, err)
		}
		r := b.must(c.tool, c.args)
		answer, err := json.Marshal(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		if err := outputs[c.tool].Validate(anyOf(t, answer)); err != nil {
			t.Errorf("%s %s: answer %s: %v", c.tool, raw, answer, err)
		}
		if strings.Contains(string(answer), ":null") {
			t.Errorf("%s answers null: %s", c.tool, answer)
		}
	}
	if len(seen) != len(tool.Names()) {
		t.Errorf("only %d tools were called", len(seen))
	}
}

func anyOf(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
