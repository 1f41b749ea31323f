package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/policy"
)

var tools = []string{
	"file_read", "file_read_many", "file_write", "file_edit", "file_list", "file_tree", "file_find", "file_grep",
	"file_info", "file_copy", "file_move", "dir_create", "file_delete", "shell", "memory_recall",
}

// reference is a configuration that users bring along from elsewhere.
const reference = `
[memory]
acl_enabled = false
[security.tool_policy.tools]
file_read = "allow"
file_write = "allow"
[[security.policy.rules]]
name = "allow-workspace-read"
action = "allow"
tools = ["file_read"]
paths = ["/home/user/workspace/**"]
[[security.policy.rules]]
name = "allow-workspace-write"
action = "allow"
tools = ["file_write"]
paths = ["/home/user/workspace/**"]
[[security.policy.rules]]
name = "block-sensitive-paths"
action = "deny"
tools = ["file_read", "file_write"]
paths = ["/etc/shadow", "/root/**", "**/.ssh/**", "**/.env"]
[security.audit]
enabled = true
log_path = "audit.log"
`

func TestPolicyMeansWhatTheFileSays(t *testing.T) {
	type want struct {
		tool   string
		effect policy.Effect
		path   string
		action policy.Action
		rule   string // "" for any
	}
	for name, tt := range map[string]struct {
		text string
		want []want
	}{
		"reference": {reference, []want{
			{"file_read", policy.Reveal, "/home/user/workspace/a.txt", policy.Allow, "allow-workspace-read"},
			{"file_write", policy.Change, "/home/user/workspace/a.txt", policy.Allow, "allow-workspace-write"},
			{"file_read", policy.Reveal, "/home/user/workspace/.env", policy.Deny, "block-sensitive-paths"},
			{"file_write", policy.Change, "/home/user/workspace/.ssh/config", policy.Deny, "block-sensitive-paths"},
			{"file_read", policy.Reveal, "/root/x", policy.Deny, "block-sensitive-paths"},
			{"file_read", policy.Reveal, "/etc/shadow", policy.Deny, "block-sensitive-paths"},
			{"file_copy", policy.Reveal | policy.Change, "/root/x", policy.Deny, "block-sensitive-paths"},
			{"file_read", policy.Reveal, "/srv/other", policy.Allow, ""},
		}},
		"reference, nothing else": {reference + "[security.policy]\ndefault_action = \"deny\"\n", []want{
			{"file_read", policy.Reveal, "/home/user/workspace/a.txt", policy.Allow, "allow-workspace-read"},
			{"file_read", policy.Reveal, "/srv/other", policy.Deny, ""},
		}},
		"tool policy": {"[security.tool_policy]\ndefault = \"deny\"\ntools = { \"file_*\" = \"allow\", file_write = \"supervised\" }\n", []want{
			{"file_read", policy.Reveal, "/home/user/workspace/a", policy.Allow, ""},
			{"file_write", policy.Change, "/home/user/workspace/a", policy.Supervised, ""},
			{"dir_create", policy.Change, "/home/user/workspace/a", policy.Deny, ""},
		}},
		"default action": {"[security.policy]\ndefault_action = \"supervised\"\nrules = [{ name = \"docs\", action = \"allow\", paths = [\"docs/**\", \"~/notes/**\"] }]", []want{
			{"file_read", policy.Reveal, "/home/user/workspace/a", policy.Supervised, ""},
			{"file_read", policy.Reveal, "/home/user/workspace/docs/a", policy.Allow, "docs"},
			{"file_read", policy.Reveal, "/home/user/notes/a", policy.Allow, "docs"},
		}},
		"defaults": {"", []want{
			{"file_read", policy.Reveal, "/home/user/workspace/a", policy.Allow, ""},
			{"file_read", policy.Reveal, "/home/user/workspace/.env", policy.Deny, ""},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			text := tt.text
			if strings.Contains(text, reference) { // the added table must come before the rules
				text = text[len(reference):] + reference
			}
			p, err := mustParse(t, text).Policy([]string{"/home/user/workspace"}, "/home/user", tools, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range tt.want {
				v := p.Judge(policy.Access{Tool: w.tool, Effect: w.effect, Real: w.path})
				if v.Action != w.action || w.rule != "" && v.Rule != w.rule {
					t.Errorf("%s %s: %v by %s, want %v by %s", w.tool, w.path, v.Action, v.Rule, w.action, w.rule)
				}
			}
		})
	}
}

func TestShellHasItsOwnDefault(t *testing.T) {
	for text, want := range map[string]policy.Action{
		"": policy.Supervised,
		"[security.tool_policy.tools]\nshell = \"allow\"": policy.Allow,
		"[security.tool_policy.tools]\nshell = \"deny\"":  policy.Deny,
		"[security.tool_policy.tools]\n\"*\" = \"allow\"": policy.Supervised,
		"[security.tool_policy]\ndefault = \"allow\"":     policy.Supervised,
		"[security.tool_policy]\ntools.\"s*\" = \"deny\"": policy.Deny,
		"[security.tool_policy]\ndefault = \"deny\"":      policy.Deny,
	} {
		c := mustParse(t, text)
		p, err := c.Policy([]string{"/w"}, "/h", tools, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Tool("shell").Action; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	// A shell that is not among the tools is no mistake of the file.
	if _, err := Default().Policy([]string{"/w"}, "/h", []string{"file_read"}, nil); err != nil {
		t.Errorf("without a shell: %v", err)
	}
}

func TestRuleErrorsHaveTheirPlace(t *testing.T) {
	text := `
[security.tool_policy.tools]
file_reed = "allow"
[[security.policy.rules]]
name = "ok"
action = "deny"
[[security.policy.rules]]
name = "bad"
action = "deny"
tools = ["file_read",
         "file_wirte"]
paths = ["ok/**", "src/[a"]
[[security.policy.rules]]
name = "builtin:mine"
action = "allow"
[[security.policy.rules]]
name = "torn"
action = "allow"
tools = ["file_read"]
commands = ["git push"]
`
	_, err := mustParse(t, text).Policy([]string{"/w"}, "/h", tools, nil)
	var errs Errors
	if !errors.As(err, &errs) {
		t.Fatalf("got %T: %v", err, err)
	}
	for i, want := range []struct {
		at  string
		err error
	}{
		{"config.toml:3:13: tool_policy \"file_reed\": ", policy.ErrUnknownTool},
		{"config.toml:11:10: rule \"bad\": tools \"file_wirte\": ", policy.ErrUnknownTool},
		{"config.toml:12:19: rule \"bad\": paths \"src/[a\": ", policy.ErrPattern},
		{"config.toml:14:8: rule \"builtin:mine\": name \"builtin:mine\": ", policy.ErrReserved},
		{"config.toml:19:10: rule \"torn\": tools \"file_read\": ", policy.ErrContradiction},
	} {
		if i >= len(errs) {
			t.Fatalf("only %d errors:\n%v", len(errs), err)
		}
		if got := errs[i].Error(); !strings.HasPrefix(got, want.at) || !errors.Is(errs[i], want.err) {
			t.Errorf("got %q, want it at %q, and to match %v", got, want.at, want.err)
		}
	}
	if len(errs) != 5 {
		t.Errorf("%d errors:\n%v", len(errs), err)
	}
	if !strings.HasSuffix(errs[1].Error(), "; did you mean `file_write`?") {
		t.Errorf("without a suggestion: %v", errs[1])
	}
}

func TestErrorsOfArgumentsHaveNoPlace(t *testing.T) {
	_, err := Default().Policy([]string{"relative"}, "/h", tools, nil)
	var one *Error
	if !errors.Is(err, policy.ErrNotAbsolute) || errors.As(err, &one) {
		t.Errorf("got %v", err)
	}
}
