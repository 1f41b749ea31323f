package tool_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

func (b *box) explain(name string, a args) (*tool.Verdict, *tool.Reading) {
	b.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		b.t.Fatal(err)
	}
	r := tool.Request{Tool: name, Args: raw, Session: "s1", Principal: "tester"}
	v, reading := b.Explain(b.t.Context(), r)
	if checked := b.Check(b.t.Context(), r); !reflect.DeepEqual(v, checked) {
		b.t.Errorf("%s %s: explained as %+v, checked as %+v", name, raw, v, checked)
	}
	return v, reading
}

// TestExplain: each part of a command with the rule that decides about it.
func TestExplain(t *testing.T) {
	b := newBox(t, setup{tree: commandTree(), rules: commandRules(), home: "/home/u"})
	before := len(b.records())
	for _, tt := range []struct {
		command string
		want    []string // programs, then redirects, then scripts, then whether more may run
	}{
		{"ls; git push", []string{"ls allow look", "git deny no-push"}},
		{"cd sub; make", []string{"cd", "make ?"}},
		{"sudo ls", []string{"sudo deny builtin:dangerous:privileges", "ls allow look"}},
		{"git fetch", []string{"git supervised ask-fetch"}},
		{"ls > config/x", []string{"ls allow look", "write config/x deny no-config"}},
		{"ls < secrets/k", []string{"ls allow look", "read secrets/k deny no-secrets"}},
		{"ls > notes/x", []string{"ls allow look", "write notes/x supervised ask-notes"}},
		{"ls < /etc/passwd", []string{"ls allow look", "read /etc/passwd outside", "dynamic"}},
		{"ls > out", []string{"ls allow look", "write out allow default_action"}},
		{"sh build.sh", []string{"sh allow wrap", "script build.sh", "dynamic"}},
		{"$x", []string{" ?", "dynamic"}},
		{"./harmless x", []string{"./harmless deny no-shred"}},
	} {
		_, r := b.explain("shell", args{"command": tt.command})
		if r == nil {
			t.Errorf("%s: no reading", tt.command)
			continue
		}
		if got := parts(b, r); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.command, got, tt.want)
		}
	}
	for name, a := range map[string]args{"shell": {"command": ""}, "file_read": {"path": "a.txt"}, "nonsense": {}} {
		if _, r := b.explain(name, a); r != nil {
			t.Errorf("%s %v: %+v", name, a, r)
		}
	}
	if got := len(b.records()); got != before {
		t.Errorf("%d records were written", got-before)
	}
}

func parts(b *box, r *tool.Reading) []string {
	var got []string
	for _, p := range r.Programs {
		switch {
		case p.Rule != "":
			got = append(got, fmt.Sprintf("%s %s %s", p.Name, p.Verdict, p.Rule))
		case p.Needs:
			got = append(got, p.Name+" ?")
		default:
			got = append(got, p.Name)
		}
	}
	inside := func(path string) string {
		if rest, ok := strings.CutPrefix(path, b.Workspace.Root()+"/"); ok {
			return rest
		}
		return path
	}
	for _, f := range r.Redirects {
		how := "read"
		if f.Write {
			how = "write"
		}
		said := f.Verdict + " " + f.Rule
		if f.Outside {
			said = "outside"
		}
		got = append(got, fmt.Sprintf("%s %s %s", how, inside(f.Path), said))
	}
	for _, s := range r.Scripts {
		got = append(got, "script "+inside(s))
	}
	if len(r.Dynamic) > 0 {
		got = append(got, "dynamic")
	}
	return got
}

// TestCheckKnowsSpecialFiles: what no tool opens is refused before anybody is asked,
// also by Check; to look at it and to delete it are no opening.
func TestCheckKnowsSpecialFiles(t *testing.T) {
	b := newBox(t, setup{tree: []string{"fifo pipe", "file plain x\n"}, rules: []policy.Rule{{Name: "ask", Action: policy.Supervised}}})
	for name, a := range map[string]args{
		"file_read":      {"path": "pipe"},
		"file_grep":      {"path": "pipe", "pattern": "x"},
		"file_write":     {"path": "pipe", "content": "x"},
		"file_edit":      {"path": "pipe", "edits": []any{args{"old_text": "a", "new_text": "b"}}},
		"file_copy":      {"source": "pipe", "destination": "p2"},
		"file_move":      {"source": "plain", "destination": "pipe", "overwrite": true},
		"file_info":      {"path": "pipe"},
		"file_delete":    {"path": "pipe"},
		"file_read_many": {"paths": []string{"plain"}},
	} {
		want, kind := "deny", tool.SpecialPath
		switch name {
		case "file_info", "file_delete", "file_read_many":
			want, kind = "supervised", ""
		}
		if v, _ := b.explain(name, a); v.Verdict != want || v.Kind != kind {
			t.Errorf("%s %v: %+v", name, a, v)
		}
		if r := b.call(name, a); kind != "" && r.ErrorKind != kind {
			t.Errorf("%s %v: %+v", name, a, r)
		}
	}
}
