package policy

import (
	"slices"
	"strings"
	"testing"
)

func TestMessage(t *testing.T) {
	c := one(Deny, "", "secrets/**")
	c.Rules[0].Message = "Ask for test data."
	v := compile(t, c).Judge(Access{Tool: "file_read", Effect: Reveal, Real: "/ws/secrets/a"})
	want := Verdict{Action: Deny, Rule: "r", Kind: KindDenied, Message: "Ask for test data.", Stage: StageRules}
	if v != want {
		t.Errorf("got %+v, want %+v", v, want)
	}
}

func TestTool(t *testing.T) {
	p := compile(t, Config{ToolDefault: Supervised, Tools: map[string]Action{
		"file_*": Allow, "*_read": Deny, "file_write": Supervised, "file_{grep,list}": Supervised,
	}})
	for tool, want := range map[string]Verdict{
		"file_read":   {Action: Deny, Rule: "tool_policy:*_read", Kind: KindDenied, Stage: StageTool},
		"file_write":  {Action: Supervised, Rule: "tool_policy:file_write", Stage: StageTool},
		"file_grep":   {Action: Supervised, Rule: "tool_policy:file_{grep,list}", Stage: StageTool},
		"file_delete": {Action: Allow, Rule: "tool_policy:file_*", Stage: StageTool},
		"shell":       {Action: Supervised, Rule: "tool_policy:default", Stage: StageTool},
		"not_known":   {Action: Supervised, Rule: "tool_policy:default", Stage: StageTool},
		"other_read":  {Action: Deny, Rule: "tool_policy:*_read", Kind: KindDenied, Stage: StageTool},
	} {
		if got := p.Tool(tool); got != want {
			t.Errorf("%s: got %+v, want %+v", tool, got, want)
		}
	}
}

func TestUnknownToolsAreJudged(t *testing.T) {
	p := compile(t, one(Deny, "file_*", "a/**"))
	for tool, want := range map[string]Action{"file_later": Deny, "later": Allow} {
		if v := p.Judge(Access{Tool: tool, Effect: List, Real: "/ws/a/b"}); v.Action != want {
			t.Errorf("%s: got %+v", tool, v)
		}
	}
}

func TestCallsWithoutPath(t *testing.T) {
	p := compile(t, Config{DefaultAction: Deny, Rules: []Rule{
		{Name: "all", Action: Supervised, Tools: []string{"shell"}},
		{Name: "paths", Paths: []string{"/**"}},
	}})
	for tool, rule := range map[string]string{"shell": "all", "file_read": "default_action"} {
		if v := p.Judge(Access{Tool: tool}); v.Rule != rule {
			t.Errorf("%s: got %+v, want rule %s", tool, v, rule)
		}
	}
}

func TestUnusablePaths(t *testing.T) {
	p := compile(t, Config{})
	for _, a := range []Access{
		{Real: "ws/a"},
		{Real: "."},
		{Real: "/ws/a/.."},
		{Real: "//"},
		{Real: "/ws/a", Requested: "a"},
		{Requested: "/ws/a"},
	} {
		if v := p.Judge(a); v.Action != Deny || v.Rule != unusableRule || v.Stage != StagePath || v.Kind != KindDenied {
			t.Errorf("%+v: got %+v", a, v)
		}
	}
	if v := p.Judge(Access{Real: "/ws/a", Requested: "/ws/b"}); v.Action != Allow {
		t.Errorf("control: %+v", v)
	}
}

func TestCursorNames(t *testing.T) {
	p := compile(t, Config{})
	c := p.Cursor("file_read", Reveal, "/ws")
	for _, name := range []string{"", ".", "..", "a/b", "/"} {
		if v := c.Judge(name, false, false); v.Rule != unusableRule {
			t.Errorf("%q: got %+v", name, v)
		}
		if v := c.Enter(name).Enter("x").Judge("y", false, false); v.Rule != unusableRule {
			t.Errorf("below %q: got %+v", name, v)
		}
	}
	for _, dir := range []string{"", "ws", "/ws/../x"} {
		if v := p.Cursor("file_read", Reveal, dir).Judge("y", false, false); v.Rule != unusableRule {
			t.Errorf("in %q: got %+v", dir, v)
		}
	}
	if v := c.Enter("x").Judge("y", false, false); v.Action != Allow {
		t.Errorf("control: %+v", v)
	}
}

func TestCursorFollowsTheRequestedPath(t *testing.T) {
	p := compile(t, one(Deny, "", "link/no/**"))
	dir := Access{Tool: "file_grep", Effect: Reveal, Real: "/ws/data", Requested: "/ws/link"}
	for name, want := range map[string]Action{"no": Deny, "yes": Allow} {
		if v := p.CursorFor(dir).Enter(name).Judge("x", false, false); v.Action != want {
			t.Errorf("%s: got %+v", name, v)
		}
	}
}

func TestCursorToolDenied(t *testing.T) {
	p := compile(t, Config{Tools: map[string]Action{"file_grep": Deny}})
	for tool, want := range map[string]Action{"file_grep": Deny, "file_read": Allow} {
		if v := p.Cursor(tool, Reveal, "/ws").Judge("x", false, false); v.Action != want {
			t.Errorf("%s: got %+v", tool, v)
		}
	}
}

func TestExplain(t *testing.T) {
	p := compile(t, Config{
		DefaultAction: Supervised,
		Rules: []Rule{
			{Name: "no", Action: Deny, Paths: []string{"no/**"}},
			{Name: "yes", Paths: []string{"yes/**", "yes/.env"}},
		},
		Tools: map[string]Action{"shell": Deny},
	})
	const tool = "tool_policy tool_policy:default allow"
	for request, want := range map[string]string{
		"shell a":                       "tool_policy tool_policy:shell deny",
		"file_read no/a":                tool + "; rules no deny",
		"file_read yes/a":               tool + "; rules yes allow; sensitive  allow; protected  allow",
		"file_read yes/.env":            tool + "; rules yes allow; sensitive  allow; protected  allow",
		"file_read x/.env":              tool + "; rules  allow; sensitive builtin:sensitive:.env deny",
		"file_write .vscode/tasks.json": tool + "; rules  allow; sensitive  allow; protected builtin:protected:.vscode/** deny",
		"file_read a":                   tool + "; rules  allow; sensitive  allow; protected  allow; default_action default_action supervised",
		"file_read /a/../b":             tool + "; path builtin:path deny",
	} {
		a := access(t, request)
		v, steps := p.Explain(a)
		if v != p.Judge(a) {
			t.Errorf("%s: Explain and Judge differ", request)
		}
		var got []string
		for _, s := range steps {
			got = append(got, s.Stage+" "+s.Rule+" "+s.Action.String())
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s:\ngot  %s\nwant %s", request, strings.Join(got, "; "), want)
		}
	}
}

// A long path on which a built-in lies in very many ways must not take long,
// and must not be lifted for that.
func TestManyWays(t *testing.T) {
	p := compile(t, one(Allow, "", "**/.git/**/hooks/**", "**/.git/modules/*/**/hooks/**"))
	a := Access{Tool: "file_write", Effect: Change, Real: "/ws/.git/modules/x/hooks/y"}
	if v := p.Judge(a); v.Action != Allow {
		t.Fatalf("control: %+v", v)
	}
	a.Real = "/ws" + strings.Repeat("/.git/modules/x/hooks", 190)
	if v := p.Judge(a); v.Action != Deny || v.Kind != KindProtected {
		t.Errorf("got %+v", v)
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", "MiXed": "mixed", "ÉTÉ": "\u00c9T\u00c9", "K": "k", "ſ": "s",
		"a\xffB": "a\xffb", "\xff\xfe": "\xff\xfe",
	} {
		if text == "ÉTÉ" {
			want = fold("été")
		}
		if got := fold(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestBuiltinNames(t *testing.T) {
	p := compile(t, Config{})
	var names []string
	for i := range p.builtins {
		names = append(names, p.builtins[i].name)
	}
	slices.Sort(names)
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			t.Errorf("two built-ins are called %s", names[i])
		}
	}
}
