package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

func TestAdvise(t *testing.T) {
	rules := []policy.Rule{
		{Name: "no-secrets", Action: policy.Deny, Tools: []string{"file_read"}, Paths: []string{"**/secrets/**"}, Message: "Ask for test data."},
		{Name: "look-twice", Action: policy.Supervised, Tools: []string{"file_write"}, Paths: []string{"main.go"}},
	}
	refactor, agent := "refactor", "agent"
	for _, tc := range []struct {
		name, task, tool string
		args             args
		op               workspace.Op
		verdict, rule    string
		kind             tool.Kind
		detail           string
	}{
		{"inside", agent, "file_read", args{"path": "a.txt"}, "", "allow", "default_action", "", "advisory: test: allow"},
		{"absent", agent, "file_read", args{"path": "none"}, "", "allow", "default_action", "", "advisory: test: allow"},
		{"outside", agent, "file_read", args{"path": "../outside/secret"}, "", "deny", "jail", tool.PathEscape, "advisory: test: deny: ../outside/secret lies outside"},
		{"link out", agent, "file_read", args{"path": "l"}, "", "deny", "jail", tool.PathEscape, "advisory: test: deny: l lies outside"},
		{"denied", agent, "file_read", args{"path": "secrets/k"}, "", "deny", "no-secrets", tool.PolicyDenied, "Ask for test data."},
		{"denied by another tool", agent, "file_grep", args{"path": "secrets/k", "pattern": "."}, "", "deny", "no-secrets", tool.PolicyDenied, ""},
		{"supervised", agent, "file_write", args{"path": "main.go", "content": ""}, "", "supervised", "look-twice", "", "advisory: test: supervised"},
		{"not granted", "code_review", "file_write", args{"path": "a.txt", "content": ""}, "", "deny", "task:code_review", tool.OpDenied, "advisory: test: deny"},
		{"no arguments", agent, "file_read", args{}, "", "deny", "", tool.InvalidArgument, "path: is required"},
		{"command", agent, "shell", args{"command": "ls"}, workspace.OpExec, "supervised", "builtin:shell", "", "supervised"},
		{"command, denied", agent, "shell", args{"command": "ls; sudo x"}, workspace.OpExec, "deny", "builtin:dangerous:privileges", tool.PolicyDenied, ""},
		{"foreign", agent, "memory_get", args{}, workspace.OpRead, "supervised", "tool_policy:default", "", "not judged"},
		{"foreign, denied", agent, "package_install", args{}, workspace.OpInstall, "deny", "tool_policy:package_install", tool.PolicyDenied, ""},
		{"command, not granted", refactor, "shell", args{"command": "ls"}, workspace.OpExec, "deny", "task:refactor", tool.OpDenied, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBox(t, setup{
				task: tc.task, rules: rules,
				tree: []string{"file secrets/k key\n", "file main.go package\n", "link l -> ../outside/secret"},
				policy: func(c *policy.Config) {
					c.KnownTools = append(c.KnownTools, "package_install")
					c.Tools = map[string]policy.Action{"package_install": policy.Deny}
				},
			})
			raw, err := json.Marshal(tc.args)
			if err != nil {
				t.Fatal(err)
			}
			v := b.Advise(t.Context(), tool.Consultation{
				Request: tool.Request{Tool: tc.tool, Args: raw, Session: "s"}, By: "test", Op: tc.op,
			})
			if v.Verdict != tc.verdict || v.Rule != tc.rule || v.Kind != tc.kind {
				t.Errorf("verdict %s by %q, %s; want %s by %q, %s", v.Verdict, v.Rule, v.Kind, tc.verdict, tc.rule, tc.kind)
			}
			recs := b.records()
			if len(recs) != 1 {
				t.Fatalf("%d records, want 1", len(recs))
			}
			rec := recs[0]
			want := audit.ResultAllow
			if tc.verdict == "deny" {
				want = audit.ResultDeny
				if tc.kind == tool.InvalidArgument {
					want = audit.ResultError
				}
			}
			if rec.Phase != audit.PhaseResult || rec.Result != want || rec.Tool != tc.tool || rec.Session != "s" || rec.Rule != tc.rule {
				t.Errorf("record: %+v", rec)
			}
			if !strings.HasPrefix(rec.Detail, "advisory: test: ") || !strings.Contains(rec.Detail, tc.detail) {
				t.Errorf("detail %q, want %q in it", rec.Detail, tc.detail)
			}
			if want, _ := tc.args["command"].(string); rec.Command != want {
				t.Errorf("command %q, want %q", rec.Command, want)
			}
			if got, err := os.ReadFile(b.root + "/a.txt"); err != nil || string(got) != "inside\n" {
				t.Errorf("advice did something: %q, %v", got, err)
			}
		})
	}
}

func TestAdviseWithoutRecord(t *testing.T) {
	b := newBox(t, setup{})
	q := tool.Consultation{Request: tool.Request{Tool: "file_read", Args: json.RawMessage(`{"path":"a.txt"}`)}, By: "test"}
	if v := b.Advise(t.Context(), q); v.Verdict != "allow" {
		t.Fatalf("control: %+v", v)
	}
	if err := b.Audit.Close(); err != nil {
		t.Fatal(err)
	}
	if v := b.Advise(context.Background(), q); v.Verdict != "deny" || v.Kind != tool.AuditUnavailable {
		t.Errorf("verdict without a record: %+v", v)
	}
	if v := tool.Broken(&tool.Error{Kind: tool.Config, Message: "broken"}).Advise(t.Context(), q); v.Verdict != "deny" || v.Kind != tool.Config {
		t.Errorf("broken: %+v", v)
	}
}
