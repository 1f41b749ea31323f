package config

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/policy"
)

func TestCases(t *testing.T) {
	cases, err := ParseCases("x.toml", []byte(`
[[case]]
name = "a"
tool = "file_write"
path = "p"
args.content = "c"
args.n = [1, 2.5, true, { x = "y" }]
expect = "deny"
rule = "r"
kind = "k"
task = "t"
[[case]]
name = "b"
command = "ls"
expect = "allow"
`))
	if err != nil {
		t.Fatal(err)
	}
	a, b := &cases[0], &cases[1]
	raw, err := a.JSON()
	if err != nil || string(raw) != `{"content":"c","n":[1,2.5,true,{"x":"y"}],"path":"p"}` {
		t.Errorf("%s, %v", raw, err)
	}
	if a.Name != "a" || a.Tool != "file_write" || a.Expect != Deny || a.Rule != "r" || a.Kind != "k" || a.Task != "t" || a.File != "x.toml" || a.Line != 2 {
		t.Errorf("%+v", a)
	}
	if raw, err := b.JSON(); err != nil || string(raw) != `{"command":"ls"}` || b.Tool != "shell" || b.Line != 12 {
		t.Errorf("%+v: %s, %v", b, raw, err)
	}
}

func TestCasesAreReadStrictly(t *testing.T) {
	const fine = "[[case]]\nname = \"a\"\ntool = \"t\"\nexpect = \"deny\"\n"
	for text, at := range map[string]string{
		"":                                   "x.toml:1:1: `case` is missing",
		"case = []":                          "x.toml:1:8: `case` is empty",
		"case = 5":                           "x.toml:1:8: `case` must be a list",
		"[case]\n":                           "x.toml:1:2: `case` must be a list",
		fine + "expct = 1\n":                 "x.toml:5:1: unknown key `expct`",
		fine + "args = 5\n":                  "x.toml:5:8: `case[0].args` must be a table",
		fine + "args = { x = 1979-05-27 }\n": "x.toml:5:14: `case[0].args.x` is a date",
		fine + "args = { x = [inf] }\n":      "x.toml:5:15: `case[0].args.x[0]` is a decimal",
		fine + "args = { x = 99999999999999999999 }\n":   "x.toml:5:14: `case[0].args.x` is an integer",
		fine + "args = { path = \"p\" }\npath = \"q\"\n": "x.toml:6:1: `path` is given twice",
		fine + "path = \"\"\n":                           "x.toml:5:8: `case[0].path`",
		fine + "rule = \"\"\n":                           "x.toml:5:8: `case[0].rule`",
		fine + "task = \"a b\"\n":                        "x.toml:5:8: `case[0].task`",
		fine + "tool = \"u\"\n":                          "x.toml:5:1: `tool` is given twice",
		fine + fine:                                      "x.toml:6:8: the case name \"a\" is given twice; first in line 1",
		"[[case]]\nname = \"a\"\nexpect = \"deny\"":      "x.toml:1:3: `tool` is missing",
		"[[case]]\nname = \"a\"\ntool = \"t\"":           "x.toml:1:3: `expect` is missing",
		fine + "args = {":                                "x.toml:5:",
		"# \xff":                                         "x.toml:1:3: the byte 0xFF",
	} {
		_, err := ParseCases("x.toml", []byte(text))
		var errs Errors
		if !errors.As(err, &errs) || !strings.HasPrefix(errs[0].Error(), at) {
			t.Errorf("%q: got %v, want %s", text, err, at)
		}
	}
	if _, err := ParseCases("x.toml", []byte(fine)); err != nil {
		t.Errorf("control: %v", err)
	}
}

func FuzzCases(f *testing.F) {
	f.Add("[[case]]\nname = \"a\"\ntool = \"t\"\nexpect = \"deny\"\nargs = { x = [1, 2.5, { y = true }] }")
	f.Add("case = [{ name = 'a', command = 'ls', expect = 'allow' }]")
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := ParseCases("x.toml", []byte(text))
		if err == nil && len(cases) == 0 {
			t.Error("no case and no error")
		}
		for i := range cases {
			c := &cases[i]
			raw, err := c.JSON()
			if err != nil || !json.Valid(raw) || c.Tool == "" || c.Name == "" || c.Line < 1 {
				t.Errorf("%+v: %s, %v", c, raw, err)
			}
		}
	})
}

func TestNotesAndOriginsHaveTheirPlace(t *testing.T) {
	c := mustParse(t, `
[security.tool_policy.tools]
"file_*" = "allow"
[[security.policy.rules]]
action = "deny"
paths = ["**/x",
  "*.key"]
[[security.policy.rules]]
name = "named"
action = "supervised"
commands = ["git push"]
`)
	pc := c.PolicyConfig([]string{"/w"}, "/h", tools, nil)
	var got []string
	for _, n := range c.Notes(pc, "/w") {
		got = append(got, n.Error())
	}
	want := []string{
		`config.toml:7:3: rule "deny **/x,*.key": paths "*.key": is about the top`,
		`config.toml:11:13: rule "named": commands "git push": asks about this very call`,
	}
	for i := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %q, want %q", got, want[i])
		}
	}
	for rule, want := range map[string]string{
		"deny **/x,*.key": "config.toml:4", "named": "config.toml:8", "tool_policy:file_*": "config.toml:3",
		"tool_policy:default": "default", "default_action": "default", "builtin:shell": "built-in", "jail": "", "": "",
	} {
		if got := c.RuleOrigin(rule); got != want {
			t.Errorf("%q comes from %q, want %q", rule, got, want)
		}
	}
	if got := c.Origin("security.policy.rules[1].action"); got != "config.toml:10" {
		t.Errorf("got %q", got)
	}
}

// Patterns that could never do what they seem to have the place of each.
func TestMisreadPatternsHaveTheirPlace(t *testing.T) {
	c := mustParse(t, `
[[security.policy.rules]]
name = "r"
action = "deny"
paths = ["ok", "$HOME/x", '!y',
	'a\b']
[[security.policy.rules]]
name = "c"
action = "deny"
commands = ["ls", "ls | wc"]
[[security.policy.rules]]
name = "m"
action = "deny"
tools = ["memory_recall"]
paths = ["x"]
`)
	_, err := c.Policy([]string{"/w"}, "/h", tools, nil)
	var errs Errors
	if !errors.As(err, &errs) {
		t.Fatal(err)
	}
	for i, at := range []string{"5:16: ", "5:27: ", "6:2: ", "10:19: ", "14:10: "} {
		if i >= len(errs) || !strings.HasPrefix(errs[i].Error(), "config.toml:"+at) {
			t.Errorf("want one at %s:\n%v", at, err)
		}
	}
	if !errors.Is(errs[0], policy.ErrPattern) || !errors.Is(errs[4], policy.ErrContradiction) {
		t.Error(err)
	}
}
