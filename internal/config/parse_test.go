package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// full is the whole configuration as it is documented, each key away from its
// default where that is possible.
const full = `
[workspace]
allow = [{ path = "/srv/reference", mode = "read" }, { path = "~/shared", mode = "write" }, { path = "/srv/more" }]
task = "docs"
hard_links = "deny"
cross_mounts = ["data", "/srv/ws/disk"]

[security]
sandbox_backend = "firejail"

[security.tool_policy]
default = "supervised"
[security.tool_policy.tools]
shell = "supervised"
"file_*" = "allow"

[security.policy]
default_action = "deny"

[[security.policy.rules]]
name = "block-secrets"
action = "deny"
tools = ["file_read", "file_write"]
paths = ["**/secrets/**"]
message = "Ask the operator for test data instead."

[[security.policy.rules]]
name = "push"
action = "supervised"
commands = ["git push **"]

[[security.policy.rules]]
action = "allow"
paths = ["docs/**"]

[security.audit]
enabled = false
log_path = "/var/log/bailey.log"
on_failure = "continue"
max_size = "10MB"
keep = "none"
head_path = "~/head"

[approval]
timeout = "none"
mcp_wait = "1m30s"
notify = ["tell", "-x", "-x"]
unattended = "deny"
elicitation = true

[memory]
acl_enabled = true

[sandbox]
read_only = ["/opt/toolchain"]
env = []
set_env = { CI = "1" }
timeout = "1h"
memory = 4096
processes = 1_000
file_size = "3TiB"
cpu = 0.5
tmp_size = "64MiB"
output = "1KiB"
background = 0
git_identity = false
warm = 0
[sandbox.network]
default = "host"
commands = ["npm", "go"]
host = true
host_ports = [5432]
publish = [0x1F90]
allow = ["api.example.com:443", "*.example.org:443", "[fd00::1]:8080", "10.0.0.7:65535"]

[packages]
allow = ["npm:typescript@^5", "npm:@types/*", "go:golang.org/x/tools@v0.30.0", "pip:requests==2.32.*", "npm:vite@>=5 <7 +deps", "pip:httpx[http2]>=0.27,<1"]
scripts = ["npm:esbuild", "npm:@swc/core"]

[tasks.docs]
ops = ["read", "list", "write"]
[tasks.agent]
ops = []
`

func wantFull() *Config {
	return &Config{
		Workspace: Workspace{
			Allow:       []Folder{{"/srv/reference", Read}, {"~/shared", Write}, {"/srv/more", Read}},
			Task:        "docs",
			HardLinks:   HardLinksDeny,
			CrossMounts: []string{"data", "/srv/ws/disk"},
		},
		Security: Security{
			SandboxBackend: BackendFirejail,
			ToolPolicy:     ToolPolicy{Default: Supervised, Tools: map[string]Action{"shell": Supervised, "file_*": Allow}},
			Policy: Policy{
				DefaultAction: Deny,
				Rules: []Rule{
					{
						Name: "block-secrets", Action: Deny, Tools: []string{"file_read", "file_write"},
						Paths: []string{"**/secrets/**"}, Message: "Ask the operator for test data instead.",
					},
					{Name: "push", Action: Supervised, Commands: []string{"git push **"}},
					{Action: Allow, Paths: []string{"docs/**"}},
				},
			},
			Audit: Audit{LogPath: "/var/log/bailey.log", OnFailure: FailContinue, MaxSize: 10_000_000, HeadPath: "~/head"},
		},
		Approval: Approval{
			MCPWait: mustDuration("90s"), Notify: []string{"tell", "-x", "-x"},
			Unattended: UnattendedDeny, Elicitation: true,
		},
		Memory: Memory{ACLEnabled: true},
		Sandbox: Sandbox{
			ReadOnly: []string{"/opt/toolchain"},
			SetEnv:   map[string]string{"CI": "1"},
			Timeout:  mustDuration("60m"), Memory: 4096, Processes: 1000, FileSize: 3 << 40, CPU: 0.5, TmpSize: 64 << 20, Output: 1 << 10,
			Network: SandboxNetwork{
				Default: NetworkHost, Commands: []string{"npm", "go"}, Host: true, HostPorts: []int{5432}, Publish: []int{8080},
				Allow: []string{"api.example.com:443", "*.example.org:443", "[fd00::1]:8080", "10.0.0.7:65535"},
			},
		},
		Packages: Packages{
			Allow: []string{
				"npm:typescript@^5", "npm:@types/*", "go:golang.org/x/tools@v0.30.0", "pip:requests==2.32.*",
				"npm:vite@>=5 <7 +deps", "pip:httpx[http2]>=0.27,<1",
			},
			Scripts: []string{"npm:esbuild", "npm:@swc/core"},
		},
		Tasks: map[string]Task{"docs": {Ops: []Op{OpRead, OpList, OpWrite}}, "agent": {}},
	}
}

func mustParse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("config.toml", []byte(text))
	if err != nil {
		t.Fatalf("Parse:\n%v\nof:\n%s", err, text)
	}
	return c
}

// sameConfig compares what is said, and shows the difference.
func sameConfig(t *testing.T, want, got *Config) {
	t.Helper()
	if !want.Equal(got) {
		t.Errorf("configurations differ (-want +got):\n%s", cmp.Diff(string(want.bare()), string(got.bare())))
	}
}

// bare is Show without where things come from.
func (c *Config) bare() []byte {
	anonymous := *c
	anonymous.file, anonymous.marks = "", nil
	return anonymous.Show()
}

func TestParseReadsEveryKey(t *testing.T) {
	sameConfig(t, wantFull(), mustParse(t, full))
	sameConfig(t, wantFull(), mustParse(t, "\xef\xbb\xbf"+strings.ReplaceAll(full, "\n", "\r\n")))
}

func TestNoFileAndEmptyFileAreTheDefaults(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "[workspace]\n[security]\n[sandbox.network]\n"} {
		sameConfig(t, Default(), mustParse(t, text))
	}
}

// TestEveryKeyHasItsDefault holds the documented defaults to the letter.
func TestEveryKeyHasItsDefault(t *testing.T) {
	documented := mustParse(t, `
[workspace]
allow = []
task = "code_review"
hard_links = "read"
cross_mounts = []
[security]
sandbox_backend = "auto"
[security.tool_policy]
default = "allow"
[security.policy]
default_action = "allow"
[security.audit]
enabled = true
log_path = "audit.log"
on_failure = "deny"
max_size = "100MiB"
keep = "400d"
head_path = ""
[approval]
timeout = "5m"
mcp_wait = "50s"
notify = []
unattended = "wait"
elicitation = false
[memory]
acl_enabled = false
[sandbox]
read_only = []
env = ["LANG", "TERM"]
set_env = {}
timeout = "2m"
memory = "2GiB"
processes = 512
file_size = "1GiB"
cpu = 2
tmp_size = "1GiB"
output = "256KiB"
background = 4
git_identity = true
warm = 2
[sandbox.network]
default = "off"
commands = []
host = false
host_ports = []
publish = []
allow = []
[packages]
allow = []
scripts = []
`)
	sameConfig(t, documented, Default())
}

// broken files, each with all that is to be reported of it.
var broken = []struct {
	name, text string
	want       string // without "f:" at the start of each line
}{
	// Keys.
	{"misspelled key", "[security]\ntool_polcy = 1\n", "2:1: unknown key `tool_polcy` in `security`; did you mean `tool_policy`?"},
	{"misspelled section", "\n  [secrity.audit]\n", "2:4: unknown key `secrity`; did you mean `security`?"},
	{"misspelled part of a header", "[security.audti]\nenabled = true\n", "1:11: unknown key `audti` in `security`; did you mean `audit`?"},
	{"section at the wrong place", "[audit]\nenabled = true\n", "1:2: unknown key `audit`; it is at home at [security.audit]"},
	{"key in the wrong section", "[sandbox]\nlog_path = \"x\"\n", "2:1: unknown key `log_path` in `sandbox`; it is at home at [security.audit] log_path"},
	{"nothing near", "[memory]\nxyzzy = 1\n", "2:1: unknown key `xyzzy` in `memory`; known here: acl_enabled"},
	{"kebab case", "[memory]\nacl-enabled = true\n", "2:1: unknown key `acl-enabled` in `memory`; did you mean `acl_enabled`?"},
	{"wrong case", "[Memory]\n", "1:2: unknown key `Memory`; did you mean `memory`?"},
	{"dotted key", "security.audit.enabeld = true\n", "1:16: unknown key `enabeld` in `security.audit`; did you mean `enabled`?"},
	{"quoted key of control bytes", "\"a\\u001b[2J\\n\" = 1\n", "1:1: unknown key `a\\u001B[2J\\n`; known here: workspace, security, approval, memory, sandbox, packages, tasks"},
	{"columns count characters", "[sandbox]\nset_env = { A = \"äöü€😀\", B = 1 }\n", "2:30: `sandbox.set_env.B` must be a string, not an integer; put it in quotes: \"1\""},
	{"key in an inline table", "[workspace]\nallow = [{ path = \"/a\", mdoe = \"read\" }]\n", "2:25: unknown key `mdoe` in `workspace.allow[0]`; did you mean `mode`?"},
	{"key in a list of tables", "[[security.policy.rules]]\nname = \"a\"\naction = \"deny\"\npath = [\"x\"]\n", "4:1: unknown key `path` in `security.policy.rules[0]`; did you mean `paths`?"},
	{"unknown key in a task", "[tasks.\"my.docs\"]\nops = []\nop = 1\n", "3:1: unknown key `op` in `tasks.\"my.docs\"`; did you mean `ops`?"},

	// Given twice.
	{"key twice", "[memory]\nacl_enabled = true\nacl_enabled = false\n", "3:1: `acl_enabled` is given twice; first in line 2"},
	{"table twice", "[memory]\n[approval]\n[memory]\n", "3:2: [memory] is given twice; first in line 1"},
	{"dotted, then table", "[security]\naudit.enabled = true\n[security.audit]\n", "3:11: [security.audit] is given twice; first in line 2"},
	{"table, then dotted", "[sandbox.network]\nhost = true\n[sandbox]\nnetwork.default = \"off\"\n", "4:1: `network` is given twice; first in line 1"},
	{"inline, then table", "[sandbox]\nset_env = { A = \"1\" }\n[sandbox.set_env]\nB = \"2\"\n", "3:10: [sandbox.set_env] is given twice; first in line 2"},
	{"inline, then below it", "[tasks]\na = { ops = [] }\n[tasks.a.b]\n", "3:8: `tasks.a` is given twice; first in line 2"},
	{"in an inline table", "[sandbox]\nset_env = { A = \"1\", A = \"2\" }\n", "2:22: `A` is given twice; first in line 2"},
	{"list, then list of tables", "[workspace]\nallow = []\n[[workspace.allow]]\npath = \"/a\"\n", "3:13: [[workspace.allow]] is given twice; first in line 2"},
	{"both, and the second is still read", "[memory]\nacl_enabled = true\n[memory]\nacl = 1\n", "3:2: [memory] is given twice; first in line 1\n4:1: unknown key `acl` in `memory`; known here: acl_enabled"},

	// Types.
	{"boolean in quotes", "[memory]\nacl_enabled = \"true\"\n", "2:15: `memory.acl_enabled` must be a boolean, not a string; write true or false, without quotes"},
	{"table for a key", "[memory.acl_enabled]\n", "1:9: `memory.acl_enabled` must be a boolean, not a table; write true or false, without quotes"},
	{"key for a table", "memory = true\n", "1:10: `memory` must be a table, not a boolean"},
	{"list of tables for a table", "[[memory]]\n", "1:3: `memory` must be a table, not a list"},
	{"string for a list", "[packages]\nallow = \"npm:x\"\n", "2:9: `packages.allow` must be a list, not a string; put it in brackets: [\"npm:x\"]"},
	{"list for a string", "[workspace]\ntask   =   [\n\"a\"]\n", "2:12: `workspace.task` must be a string, not a list"},
	{"number in a list of strings", "[sandbox]\nenv = [\"A\",\n  7]\n", "3:3: `sandbox.env[1]` must be a string, not an integer; put it in quotes: \"7\""},
	{"a date", "[workspace]\ntask = 2024-01-01\n", "2:8: `workspace.task` must be a string, not a date or time; put it in quotes: \"2024-01-01\""},
	{"decimal for an integer", "[sandbox]\nprocesses = 2.0\n", "2:13: `sandbox.processes` must be an integer, not a decimal number"},
	{"string for a number", "[sandbox]\nprocesses = \"512\"\ncpu = \"2\"\n", "2:13: `sandbox.processes` must be an integer, not a string; write the number without quotes\n3:7: `sandbox.cpu` must be a number, not a string"},
	{"number for a duration", "[approval]\ntimeout = 300\n", "2:11: `approval.timeout` must be a duration in quotes, not an integer; write it like \"90s\", \"5m\", \"1h30m\" or \"400d\""},
	{"boolean for a size", "[sandbox]\nmemory = true\n", "2:10: `sandbox.memory` must be a size, not a boolean; write it like \"256KiB\", \"2GiB\" or \"10MB\", or as a number of bytes without quotes"},

	// Values.
	{"action", "[security.policy]\ndefault_action = \"alow\"\n", "2:18: `security.policy.default_action` is \"alow\", but must be \"allow\", \"deny\" or \"supervised\"; did you mean `allow`?"},
	{"case of an enum", "[security.policy]\ndefault_action = \"Deny\"\n", "2:18: `security.policy.default_action` is \"Deny\", but must be \"allow\", \"deny\" or \"supervised\"; did you mean `deny`?"},
	{"action of a tool", "[security.tool_policy.tools]\nshell = \"ask\"\n", "2:9: `security.tool_policy.tools.shell` is \"ask\", but must be \"allow\", \"deny\" or \"supervised\""},
	{"back end by its program", "[security]\nsandbox_backend = \"bwrap\"\n", "2:19: `security.sandbox_backend` is \"bwrap\", but must be \"auto\", \"bubblewrap\" or \"firejail\"; did you mean `bubblewrap`?"},
	{"no back end", "[security]\nsandbox_backend = \"none\"\n", "2:19: `security.sandbox_backend` is \"none\", but must be \"auto\", \"bubblewrap\" or \"firejail\""},
	{"operation", "[tasks.x]\nops = [\"read\", \"raed\"]\n", "2:16: `tasks.x.ops[1]` is \"raed\", but must be \"read\", \"list\", \"write\", \"mkdir\", \"delete\", \"exec\" or \"install\"; did you mean `read`?"},
	{"name of a task", "[tasks.\"a b\"]\nops = []\n", "1:8: the key \"a b\" in `tasks` must be a task type: up to 64 letters, digits, `_`, `.` and `-`"},
	{"task that is not there", "[workspace]\ntask = \"refacter\"\n", "2:8: unknown task type \"refacter\": known are code_review, refactor, cleanup, agent; did you mean `refactor`?"},
	{"relative folder", "[workspace]\nallow = [{ path = \"docs\", mode = \"read\" }]\n", "2:19: `workspace.allow[0].path` is \"docs\", but must be an absolute path, or one that starts with ~/; a relative path would depend on where Bailey was started"},
	{"somebody's home", "[workspace]\nallow = [{ path = \"~root/x\", mode = \"read\" }]\n", "2:19: `workspace.allow[0].path` is \"~root/x\", but must be an absolute path, or one that starts with ~/; a relative path would depend on where Bailey was started"},
	{"folder twice", "[workspace]\nallow = [{ path = \"/a\", mode = \"read\" },\n { path = \"/b/../a/\", mode = \"write\" }]\n", "3:11: \"/b/../a/\" is allowed twice; first as `workspace.allow[0]`"},
	{"rule name twice", "[[security.policy.rules]]\nname = \"a\"\naction = \"deny\"\n[[security.policy.rules]]\naction = \"deny\"\nname = \"a\"\n", "6:8: the rule name \"a\" is given twice; first as `security.policy.rules[0]`"},
	{"value twice", "[tasks.x]\nops = [\"read\",\n\"read\"]\n", "3:1: `tasks.x.ops` holds \"read\" twice"},
	{"NUL", "[security.audit]\nlog_path = \"a\\u0000\"\n", "2:12: `security.audit.log_path` is \"a\\u0000\", but must be a path"},
	{"empty log path", "[security.audit]\nlog_path = \"\"\n", "2:12: `security.audit.log_path` is \"\", but must be a path"},
	{"variable", "[sandbox]\nenv = [\"A=1\"]\nset_env = { \"A B\" = \"\" }\n", "2:8: `sandbox.env[0]` is \"A=1\", but must be the name of one environment variable\n3:13: the key \"A B\" in `sandbox.set_env` must be the name of one environment variable"},
	{"host without port", "[sandbox.network]\nallow = [\"example.com\"]\n", "2:10: `sandbox.network.allow[0]` is \"example.com\", but must be host:port, with * only as a whole first label (`*.example.org:443`)"},
	{"ecosystem", "[packages]\nallow = [\"cargo:serde\"]\nscripts = [\"pip:x\"]\n", "2:10: `packages.allow[0]` is \"cargo:serde\", but must be npm:NAME@RANGE, go:MODULE@VERSION or pip:NAME==VERSION, the version optional, ` +deps` last\n3:12: `packages.scripts[0]` is \"pip:x\", but must be npm:NAME, without a version"},
	{"host network without permission", "[sandbox.network]\ndefault = \"host\"\n", "2:11: `sandbox.network.default` is \"host\", which is not permitted; it needs `host = true` in the same table"},

	// Limits.
	{"negative", "[sandbox]\nprocesses = -1\nwarm = -1\ncpu = -0.5\nmemory = -1\nhost_ports = 1\n", "2:13: `sandbox.processes` is -1, but must be from 1 to 4194304\n3:8: `sandbox.warm` is -1, but must be from 0 to 64\n4:7: `sandbox.cpu` is -0.5, but must be from 0.01 to 4096\n5:10: `sandbox.memory` is -1, which is not a size above zero; write it like \"256KiB\", \"2GiB\" or \"10MB\", or as a number of bytes without quotes\n6:1: unknown key `host_ports` in `sandbox`; it is at home at [sandbox.network] host_ports"},
	{"not a number", "[sandbox]\ncpu = nan\n", "2:7: `sandbox.cpu` is nan, but must be from 0.01 to 4096"},
	{"endless", "[sandbox]\ncpu = inf\n", "2:7: `sandbox.cpu` is inf, but must be from 0.01 to 4096"},
	{"beyond 64 bits", "[sandbox]\nprocesses = 9223372036854775808\n", "2:13: `sandbox.processes` is 9223372036854775808, but must be from 1 to 4194304"},
	{"port", "[sandbox.network]\nhost_ports = [0, 65536]\n", "2:15: `sandbox.network.host_ports[0]` is 0, but must be from 1 to 65535\n2:18: `sandbox.network.host_ports[1]` is 65536, but must be from 1 to 65535"},
	{"size without unit", "[sandbox]\nmemory = \"2048\"\n", "2:10: `sandbox.memory` is \"2048\", which is not a size above zero; write it like \"256KiB\", \"2GiB\" or \"10MB\", or as a number of bytes without quotes"},
	{"duration", "[approval]\ntimeout = \"5 minutes\"\nmcp_wait = \"none\"\n", "2:11: `approval.timeout` is \"5 minutes\", which is not a duration above zero; write it like \"90s\", \"5m\", \"1h30m\" or \"400d\", or \"none\"\n3:12: `approval.mcp_wait` can't be \"none\"; write it like \"90s\", \"5m\", \"1h30m\" or \"400d\""},

	// What is missing.
	{"empty name", "[[security.policy.rules]]\nname = \"\"\naction = \"deny\"\n", "2:8: `security.policy.rules[0].name` is \"\", but must be a name of 1 to 200 characters on one line"},
	{"rule without action", "\n[[security.policy.rules]]\npaths = [\"x\"]\n", "2:19: `action` is missing in `security.policy.rules[0]`"},
	{"folder without path", "[workspace]\nallow = [{ mode = \"read\" }]\n", "2:10: `path` is missing in `workspace.allow[0]`"},
	{"task without ops", "[tasks.x]\n", "1:8: `ops` is missing in `tasks.x`"},
	{"list that matches nothing", "[[security.policy.rules]]\nname = \"a\"\naction = \"allow\"\npaths = []\n", "4:9: `security.policy.rules[0].paths` is empty and would match nothing; leave the key out to match everything"},

	// Syntax: what stands before is checked all the same.
	{"syntax", "[memory\n", "1:8: expected ']' to close table name"},
	{"syntax after another error", "[memory]\nacl = 1\nacl_enabled =\n[[security.policy.rules]]\n", "2:1: unknown key `acl` in `memory`; known here: acl_enabled\n3:14: unexpected character U+000A at start of value"},
	{"rule cut short", "[[security.policy.rules]]\nname = \"a\"\n!\n", "3:1: invalid character at start of key: U+0021 '!'"},
	{"unquoted duration", "[approval]\ntimeout = 5m\n", "2:12: strings must be quoted"},
	{"no such day", "[workspace]\ncross_mounts = [2023-02-30]\n", "2:17: `workspace.cross_mounts[0]` must be a string, not a date or time; put it in quotes: \"2023-02-30\""},
	{"not UTF-8", "[memory]\n# ä\xff\n", "2:4: the byte 0xFF is not UTF-8; TOML files are UTF-8"},
}

func TestBrokenFiles(t *testing.T) {
	for _, tt := range broken {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse("f", []byte(tt.text))
			if err == nil || c != nil {
				t.Fatalf("Parse accepted it: %+v", c)
			}
			var errs Errors
			if !errors.As(err, &errs) {
				t.Fatalf("%T is not Errors", err)
			}
			got := strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\nf:", "\n"), "f:")
			if got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
			for _, e := range errs {
				if e.Line < 1 || e.Column < 1 || e.File != "f" {
					t.Errorf("without position: %#v", e)
				}
			}
		})
	}
}

func TestReportIsCapped(t *testing.T) {
	_, err := Parse("f", []byte(strings.Repeat("[sandbox]\n", 300)))
	var errs Errors
	if !errors.As(err, &errs) || len(errs) != maxErrors+1 || errs[maxErrors].Error() != "f: 199 more errors" {
		t.Errorf("got %d errors, last %v", len(errs), errs[len(errs)-1])
	}
}

// TestHugeFiles: a hostile shape may be refused, but neither crashes nor takes
// time in the square of its length.
func TestHugeFiles(t *testing.T) {
	const size = MaxFileSize / 16
	for name, text := range map[string]string{
		"deep":       "a = " + strings.Repeat("[", size-8),
		"deep table": "a = " + strings.Repeat("{a=", size/3-8),
		"one line":   "[packages]\nallow = [" + strings.Repeat("1,", size/2-16) + "]",
		"long key":   strings.Repeat("a", size-8) + " = 1",
		"dotted":     strings.Repeat("a.", size/2-8) + "a = 1",
		"twice":      strings.Repeat(strings.Repeat("a.", size/4-8)+"a = 1\n", 2),
		"tables":     strings.Repeat("[a]\n", size/4),
	} {
		if _, err := Parse("f", []byte(text)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestPositionAndFault(t *testing.T) {
	c := mustParse(t, full)
	for key, want := range map[string]string{
		"workspace.allow[1].path":                "config.toml:3:63: gone",
		"workspace.allow[2].mode":                "config.toml:3:93: gone", // not given: the entry around it
		"security.tool_policy.tools.\"file_*\"":  "config.toml:15:12: gone",
		"security.policy.rules[1]":               "config.toml:27:19: gone",
		"security.policy.rules[1].commands[0]":   "config.toml:30:13: gone",
		"security.policy.rules[1].paths[0]":      "config.toml:27:19: gone",
		"sandbox.network.allow[1]":               "config.toml:74:33: gone",
		"nowhere":                                "config.toml: gone",
		"security.tool_policy.tools.\"a\\\".b\"": "config.toml:13:23: gone",
	} {
		if got := c.Fault(key, errors.New("gone")).Error(); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
	if line, column, ok := c.Position("workspace.task"); line != 4 || column != 8 || !ok {
		t.Errorf("workspace.task is at %d:%d, %v", line, column, ok)
	}
	if _, _, ok := c.Position("workspace.nothing"); ok {
		t.Error("a key that is not given has a position")
	}
}

func TestTaskOps(t *testing.T) {
	got := mustParse(t, full).TaskOps()
	if diff := cmp.Diff(map[string][]string{"docs": {"read", "list", "write"}, "agent": {}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestStatePath(t *testing.T) {
	for in, want := range map[string]string{
		"audit.log": "/state/audit.log", "/var/a": "/var/a", "~/a": "/home/u/a", "~u": "/state/~u", "": "",
	} {
		if got := StatePath(in, "/state", "/home/u"); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
