package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

// judges is a toolbox over a workspace with a file for each verdict.
type judges struct {
	Options
	root, log string
}

func newJudges(t *testing.T, tools map[string]policy.Action) *judges {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "hooktest")
	if err != nil {
		base = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if base, err = filepath.EvalSymlinks(base); err != nil {
		t.Fatal(err)
	}
	j := &judges{root: base + "/ws", log: base + "/audit.log"}
	filetree.Make(t, base, nil, "dir ws", "dir ws/src", "dir out", "dir home", "file out/secret x\n",
		"file ws/a.txt a\n", "file ws/src/b.go b\n", "file ws/secrets/k k\n", "file ws/ask.txt x\n", "link ws/door -> ../out/secret")
	task, err := workspace.FindTask(workspace.TaskTypes(nil), "agent")
	if err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(t.Context(), workspace.Options{Dir: j.root, Task: task, TaskTypes: workspace.TaskTypes(nil), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	p, err := policy.Compile(policy.Config{
		Workspace: []string{j.root}, KnownTools: tool.Names(), Tools: tools,
		Rules: []policy.Rule{
			{Name: "no-secrets", Action: policy.Deny, Paths: []string{"secrets/**"}, Message: "Ask for test data."},
			{Name: "ask-first", Action: policy.Supervised, Paths: []string{"ask.txt"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	log, err := audit.Open(t.Context(), audit.Options{Path: j.log, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	if j.Tools, err = tool.New(tool.Options{Workspace: ws, Policy: p, Audit: log}); err != nil {
		t.Fatal(err)
	}
	j.Request = func(name string, args json.RawMessage) tool.Request { return tool.Request{Tool: name, Args: args} }
	j.Home = base + "/home"
	return j
}

func (j *judges) ask(t *testing.T, agent, event string) string {
	t.Helper()
	a, ok := Find(agent)
	if !ok {
		t.Fatalf("no agent %q", agent)
	}
	return string(a.Read([]byte(strings.ReplaceAll(event, "$WS", j.root))).Judge(t.Context(), j.Options))
}

func (j *judges) records(t *testing.T) []audit.Record {
	t.Helper()
	f, err := os.Open(j.log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []audit.Record
	for r, err := range audit.Records(f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// claudeEvent is a PreToolUse event, which Codex sends in the same form.
func claudeEvent(tool, input string) string {
	return `{"session_id":"s-1","transcript_path":"/x","cwd":"$WS","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"` +
		tool + `","tool_input":` + input + `,"tool_use_id":"t"}`
}

func geminiEvent(tool, input string) string {
	return `{"session_id":"s-1","transcript_path":"/x","cwd":"$WS","hook_event_name":"BeforeTool","timestamp":"2026-01-01T00:00:00Z","tool_name":"` +
		tool + `","tool_input":` + input + `}`
}

func cursorEvent(kind, more string) string {
	return `{"conversation_id":"s-1","generation_id":"g","workspace_roots":["$WS"],"hook_event_name":"` + kind + `",` + more + `}`
}

func TestVerdicts(t *testing.T) {
	const nothing = ""
	claude := func(tool, input, want string) [4]string {
		return [4]string{"claude-code", claudeEvent(tool, input), want, ""}
	}
	codex := func(tool, input, want string) [4]string {
		return [4]string{"codex", claudeEvent(tool, input), want, ""}
	}
	gemini := func(tool, input, want string) [4]string {
		return [4]string{"gemini-cli", geminiEvent(tool, input), want, ""}
	}
	cursor := func(kind, more, want string) [4]string {
		return [4]string{"cursor", cursorEvent(kind, more), want, ""}
	}
	j := newJudges(t, nil)
	for _, tc := range [][4]string{
		claude("Read", `{"file_path":"$WS/a.txt"}`, `{}`),
		claude("Read", `{"file_path":"$WS/none.txt","offset":1,"limit":2}`, `{}`),
		claude("Read", `{"file_path":"a.txt"}`, `{}`),
		claude("Read", `{"file_path":"/etc/passwd"}`, `"permissionDecision":"deny","permissionDecisionReason":"Bailey: path_escape: /etc/passwd`),
		claude("Read", `{"file_path":"$WS/../out/secret"}`, `deny`),
		claude("Read", `{"file_path":"$WS/door"}`, `path_escape`),
		claude("Read", `{"file_path":"~/x"}`, `path_escape`),
		claude("Read", `{"file_path":"$WS/secrets/k"}`, `policy_denied: $WS/secrets/k is denied by no-secrets: Ask for test data.`),
		claude("Read", `{"file_path":"$WS/secrets/none"}`, `deny`),
		claude("Read", `{"file_path":"$WS/.env"}`, `deny`),
		claude("Read", `{"file_path":"$WS/ask.txt"}`, `"permissionDecision":"ask","permissionDecisionReason":"Bailey: ask-first asks`),
		claude("Read", `{}`, `invalid_argument`),
		claude("Read", `{"FILE_PATH":"$WS/a.txt"}`, `invalid_argument`),
		claude("Read", `{"file_path":"/etc/passwd","FILE_PATH":"$WS/a.txt"}`, `path_escape`),
		claude("Read", `{"file_path":["a.txt"]}`, `invalid_argument`),
		claude("Read", `"nothing"`, `invalid_argument`),
		claude("Write", `{"file_path":"$WS/new/x.txt","content":"x"}`, `{}`),
		claude("Write", `{"file_path":"$WS/.git/hooks/pre-commit","content":"x"}`, `protected_path`),
		claude("Write", `{"file_path":"/var/tmp/x","content":"x"}`, `path_escape`),
		claude("Edit", `{"file_path":"$WS/a.txt","old_string":"a","new_string":"b"}`, `{}`),
		claude("Edit", `{"file_path":"$WS/secrets/k","old_string":"a","new_string":"b"}`, `deny`),
		claude("MultiEdit", `{"file_path":"$WS/.vscode/settings.json","edits":[]}`, `protected_path`),
		claude("NotebookEdit", `{"notebook_path":"$WS/n.ipynb","new_source":""}`, `{}`),
		claude("NotebookEdit", `{"notebook_path":"/n.ipynb","new_source":""}`, `path_escape`),
		claude("Glob", `{"pattern":"**/*.go"}`, `{}`),
		claude("Glob", `{"pattern":"*.go","path":"$WS/src"}`, `{}`),
		claude("Glob", `{"pattern":"*.go","path":"/etc"}`, `path_escape`),
		claude("Glob", `{"pattern":"/etc/*"}`, `path_escape`),
		claude("Glob", `{"pattern":"../*"}`, `path_escape`),
		claude("Glob", `{"pattern":"*/../../*"}`, `path_escape`),
		claude("Glob", `{"pattern":"{src,/etc}/*"}`, `path_escape`),
		claude("Glob", `{"pattern":"secrets/*"}`, `policy_denied`),
		claude("Grep", `{"pattern":"x"}`, `{}`),
		claude("Grep", `{"pattern":"x","path":"$WS/secrets"}`, `policy_denied`),
		claude("Grep", `{"pattern":"x","path":"/etc"}`, `path_escape`),
		claude("LS", `{"path":"$WS/src"}`, `{}`),
		claude("LS", `{"path":"/"}`, `path_escape`),
		claude("Bash", `{"command":"ls"}`, `"permissionDecision":"ask"`),
		claude("WebFetch", `{"url":"https://example.com"}`, `{}`),
		claude("mcp__bailey__file_read", `{"path":"/etc/passwd"}`, `{}`),
		{"claude-code", `{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/etc/passwd"}}`, `{}`},
		{"claude-code", `{"tool_name":"Read","tool_input":{"file_path":"a.txt"}}`, `invalid_argument`},
		{"claude-code", `junk`, `"permissionDecision":"deny"`},
		{"claude-code", ``, `"permissionDecision":"deny"`},
		{"claude-code", `null`, `"permissionDecision":"deny"`},

		codex("apply_patch", `{"command":"*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** Add File: new.txt\n+x\n*** Delete File: src/b.go\n*** End Patch\n"}`, nothing),
		codex("apply_patch", `{"command":"*** Begin Patch\n*** Update File: a.txt\n*** Move to: ../out/x\n*** End Patch\n"}`, `path_escape`),
		codex("apply_patch", `{"command":"*** Begin Patch\n*** Add File: ok\n+x\n*** Add File: /etc/x\n*** End Patch\n"}`, `"permissionDecision":"deny"`),
		codex("apply_patch", `{"command":"*** Delete File: $WS/secrets/k\n"}`, `policy_denied`),
		codex("apply_patch", `{"command":"*** Update File: ask.txt\n"}`, `"permissionDecision":"deny","permissionDecisionReason":"Bailey: ask-first asks`),
		codex("apply_patch", `{"command":"nothing"}`, `invalid_argument`),
		codex("Bash", `{"command":"ls"}`, `"permissionDecision":"deny"`),
		codex("view_image", `{"path":"/etc/x.png"}`, nothing),

		gemini("read_file", `{"file_path":"a.txt"}`, `{}`),
		gemini("read_file", `{"file_path":"/etc/passwd"}`, `{"decision":"deny","reason":"Bailey: path_escape: /etc/passwd`),
		gemini("read_file", `{"absolute_path":"/etc/passwd"}`, `path_escape`),
		gemini("read_file", `{"file_path":"ask.txt"}`, `"decision":"deny","reason":"Bailey: ask-first asks`),
		gemini("write_file", `{"file_path":"new.txt","content":""}`, `{}`),
		gemini("write_file", `{"file_path":".env","content":""}`, `deny`),
		gemini("replace", `{"file_path":"../out/secret","old_string":"a","new_string":"b"}`, `path_escape`),
		gemini("list_directory", `{"dir_path":"src"}`, `{}`),
		gemini("list_directory", `{"dir_path":".."}`, `path_escape`),
		gemini("glob", `{"pattern":"*.go","dir_path":"src"}`, `{}`),
		gemini("glob", `{"pattern":"/etc/*"}`, `path_escape`),
		gemini("grep_search", `{"pattern":"x","dir_path":"secrets"}`, `policy_denied`),
		gemini("read_many_files", `{"include":["src/*.go","a.txt"]}`, `{}`),
		gemini("read_many_files", `{"include":["src/*.go","../out/*"]}`, `path_escape`),
		gemini("read_many_files", `{}`, `invalid_argument`),
		gemini("run_shell_command", `{"command":"ls"}`, `deny`),
		gemini("google_web_search", `{"query":"x"}`, `{}`),
		{"gemini-cli", `junk`, `"decision":"deny"`},

		cursor("beforeReadFile", `"file_path":"$WS/a.txt","content":"a"`, `{"permission":"allow"}`),
		cursor("beforeReadFile", `"file_path":"/etc/passwd","content":"a"`, `{"permission":"deny","user_message":"Bailey: path_escape: /etc/passwd`),
		cursor("beforeReadFile", `"file_path":"$WS/ask.txt","content":"a"`, `"permission":"deny"`),
		cursor("beforeShellExecution", `"command":"ls","cwd":"$WS"`, `{"permission":"ask"`),
		cursor("afterFileEdit", `"file_path":"/etc/passwd","edits":[]`, `{}`),
		{"cursor", `junk`, `"permission":"deny"`},
	} {
		got := j.ask(t, tc[0], tc[1])
		want := strings.ReplaceAll(tc[2], "$WS", j.root)
		switch {
		case want == nothing && got != "",
			want == `{}` && got != "{}\n",
			!strings.Contains(got, want):
			t.Errorf("%s %s\n got %s\nwant %s", tc[0], tc[1], got, want)
		}
		if got != "" && !json.Valid([]byte(got)) {
			t.Errorf("not JSON: %s", got)
		}
	}
}

func TestRecords(t *testing.T) {
	j := newJudges(t, map[string]policy.Action{"shell": policy.Deny})
	j.ask(t, "claude-code", claudeEvent("Read", `{"file_path":"a.txt"}`))
	j.ask(t, "gemini-cli", geminiEvent("write_file", `{"file_path":"/etc/x"}`))
	if got := j.ask(t, "claude-code", claudeEvent("Bash", `{"command":"ls -l"}`)); !strings.Contains(got, "policy_denied") {
		t.Errorf("the tool policy denies the shell: %s", got)
	}
	j.ask(t, "claude-code", claudeEvent("WebFetch", `{}`))
	recs := j.records(t)
	if len(recs) != 3 {
		t.Fatalf("%d records, want one for each judged call", len(recs))
	}
	for i, want := range []audit.Record{
		{Tool: "file_read", Op: "read", Result: audit.ResultAllow, Resolved: j.root + "/a.txt", Detail: "advisory: claude-code Read: allow"},
		{Tool: "file_write", Op: "write", Result: audit.ResultDeny, Path: "/etc/x", ErrorKind: "path_escape", Detail: "advisory: gemini-cli write_file: deny"},
		{Tool: "shell", Op: "exec", Result: audit.ResultDeny, Command: "ls -l", ErrorKind: "policy_denied", Detail: "advisory: claude-code Bash: deny"},
	} {
		got := recs[i]
		if got.Tool != want.Tool || got.Op != want.Op || got.Result != want.Result || got.ErrorKind != want.ErrorKind || got.Command != want.Command ||
			got.Session != "s-1" || !strings.HasPrefix(got.Detail, want.Detail) || want.Path != "" && got.Path != want.Path || want.Resolved != "" && got.Resolved != want.Resolved {
			t.Errorf("record %d: %+v\nwant %+v", i, got, want)
		}
	}
}

func TestApprove(t *testing.T) {
	j := newJudges(t, nil)
	j.Approve = true
	if got := j.ask(t, "claude-code", claudeEvent("Write", `{"file_path":"x"}`)); !strings.Contains(got, `"permissionDecision":"allow"`) {
		t.Errorf("an allowed call: %s", got)
	}
	for _, event := range []string{claudeEvent("Write", `{"file_path":"/x"}`), claudeEvent("Bash", `{"command":"ls"}`), claudeEvent("WebFetch", `{}`)} {
		if got := j.ask(t, "claude-code", event); strings.Contains(got, `"allow"`) {
			t.Errorf("%s: %s", event, got)
		}
	}
}

func TestBrokenPolicyDenies(t *testing.T) {
	j := newJudges(t, nil)
	j.Tools = tool.Broken(&tool.Error{Kind: tool.Config, Message: "config.toml:3:1: broken"})
	if got := j.ask(t, "claude-code", claudeEvent("Read", `{"file_path":"a.txt"}`)); !strings.Contains(got, `"deny","permissionDecisionReason":"Bailey: config: config.toml:3:1`) {
		t.Error(got)
	}
}

func TestBases(t *testing.T) {
	for pattern, want := range map[string]string{
		"**/*.go": ".", "src/*.go": "src", "src/main.go": "src/main.go", "/etc/*": "/etc", "/*": "/", "": ".",
		"../*": "..", "*/../x": "/", "a/[b]/c": "a", "~/x*": "~", "{a,b}/c": "a/c b/c", "{a,{b,/c}}": "a b /c", "{a": "/", "x{,/../..}": "x x/../..",
		strings.Repeat("{a,b}", 7): "/",
	} {
		if got := strings.Join(bases(pattern), " "); got != want {
			t.Errorf("bases(%q) = %q, want %q", pattern, got, want)
		}
	}
}

func FuzzEvent(f *testing.F) {
	f.Add("claude-code", claudeEvent("Read", `{"file_path":"a"}`))
	f.Add("codex", claudeEvent("apply_patch", `{"command":"*** Add File: a\n"}`))
	f.Add("gemini-cli", geminiEvent("glob", `{"pattern":"{a,b}/{c,d}*"}`))
	f.Add("cursor", cursorEvent("beforeReadFile", `"file_path":"a"`))
	o := Options{Tools: tool.Broken(os.ErrInvalid), Request: func(name string, args json.RawMessage) tool.Request { return tool.Request{Tool: name, Args: args} }}
	f.Fuzz(func(t *testing.T, agent, event string) {
		a, ok := Find(agent)
		if !ok {
			return
		}
		e := a.Read([]byte(event))
		got := e.Judge(t.Context(), o)
		if len(e.event.calls) > 0 && !strings.Contains(string(got), "deny") {
			t.Errorf("a policy that can't be used must deny: %s", got)
		}
	})
}
