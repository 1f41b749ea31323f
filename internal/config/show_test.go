package config

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShowReadsBack(t *testing.T) {
	for name, c := range map[string]*Config{"defaults": Default(), "full": mustParse(t, full)} {
		back, err := Parse("shown", c.Show())
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, c.Show())
		}
		sameConfig(t, c, back)
	}
}

func TestShowOrigins(t *testing.T) {
	c, err := Parse("/etc/a\nb.toml", []byte("[sandbox]\nprocesses = 7\nset_env.A = \"1\"\n\n[[security.policy.rules]]\nname = \"x\"\naction = \"deny\"\n[tasks.\"x.y\"]\nops = [\"read\"]\n[security.tool_policy]\ntools.shell = \"deny\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	shown := string(c.Show())
	for _, line := range []string{
		"memory = \"2GiB\"  # default\n",
		"processes = 7  # /etc/a\\nb.toml:2\n",
		"set_env = { A = \"1\" }  # /etc/a\\nb.toml:3\n",
		"\n[[security.policy.rules]]\nname = \"x\"  # /etc/a\\nb.toml:6\naction = \"deny\"  # /etc/a\\nb.toml:7\nmessage = \"\"  # default\n",
		"\n[tasks.\"x.y\"]\nops = [\"read\"]  # /etc/a\\nb.toml:9\n",
		"\n[security.tool_policy.tools]\nshell = \"deny\"  # /etc/a\\nb.toml:11\n",
	} {
		if !strings.Contains(shown, line) {
			t.Errorf("%q is not shown in\n%s", line, shown)
		}
	}
}

func TestShowJSON(t *testing.T) {
	out, err := mustParse(t, full).ShowJSON()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		File   string
		Config map[string]map[string]any
		Origin map[string]string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ got, want any }{
		{got.File, "config.toml"},
		{got.Config["approval"]["timeout"], "none"},
		{got.Config["sandbox"]["memory"], "4KiB"},
		{got.Config["sandbox"]["cpu"], 0.5},
		{got.Config["sandbox"]["env"], []any{}},
		{got.Config["tasks"]["docs"], map[string]any{"ops": []any{"read", "list", "write"}}},
		{got.Origin["workspace.task"], "config.toml:4"},
		{got.Origin["security.policy.rules"], "config.toml:20"},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Error(diff)
		}
	}
	out, err = Default().ShowJSON()
	if err != nil || strings.Contains(string(out), "null") || !strings.Contains(string(out), `"workspace.task": "default"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

var (
	commented = regexp.MustCompile(`(?m)^#(\S)`)
	examples  = regexp.MustCompile(`(?m)^# For example:\n((?:#     .*\n)+)`)
)

func TestTemplate(t *testing.T) {
	chosen := Default()
	chosen.Workspace.Task = "refactor"
	chosen.Workspace.Allow = []Folder{{"/srv/reference", Read}}
	chosen.Sandbox.Env = nil
	chosen.Security.ToolPolicy.Tools = map[string]Action{"shell": Deny}
	for name, c := range map[string]*Config{"defaults": Default(), "chosen": chosen, "full": wantFull()} {
		t.Run(name, func(t *testing.T) {
			text := string(Template(c))
			sameConfig(t, c, mustParse(t, text))
			sameConfig(t, c, mustParse(t, commented.ReplaceAllString(text, "$1")))
		})
	}
	if string(Template(nil)) != string(Template(Default())) {
		t.Error("nil is not the defaults")
	}
	if live := regexp.MustCompile(`(?m)^[^#\[\n].*\n`).FindAllString(string(Template(chosen)), -1); len(live) != 4 {
		t.Errorf("set are %q", live)
	}
}

// TestTemplateNamesEveryKey: each key of the defaults is there, commented out,
// and those of lists of tables are explained.
func TestTemplateNamesEveryKey(t *testing.T) {
	text := string(Template(nil))
	for _, line := range strings.Split(string(Default().bare()), "\n") {
		key, _, _ := strings.Cut(line, "  #")
		if strings.Contains(key, " = ") && !strings.Contains(text, "\n#"+key+"\n") {
			t.Errorf("%q is not in the template", key)
		}
	}
	for _, key := range []string{"name", "action", "tools", "paths", "commands", "message", "ops"} {
		if !strings.Contains(text, "\n#     "+key+": ") {
			t.Errorf("%s is not explained", key)
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if len(line) > templateWidth+2 && !strings.HasPrefix(line, "#     ") {
			t.Errorf("line %d is %d wide", i+1, len(line))
		}
	}
}

// TestTemplateExamplesLoad takes each example in the section it stands in.
func TestTemplateExamplesLoad(t *testing.T) {
	text := string(Template(nil))
	found := examples.FindAllStringSubmatchIndex(text, -1)
	if len(found) < 8 {
		t.Fatalf("only %d examples found", len(found))
	}
	header := regexp.MustCompile(`(?m)^\[.*\]$`)
	for _, at := range found {
		example := strings.ReplaceAll("\n"+text[at[2]:at[3]], "\n#     ", "\n")
		if headers := header.FindAllString(text[:at[0]], -1); !strings.HasPrefix(example, "\n[") {
			example = headers[len(headers)-1] + example
		}
		if c := mustParse(t, example); c.Equal(Default()) {
			t.Errorf("the example changes nothing:\n%s", example)
		}
	}
}
