package policy

import (
	"errors"
	"strings"
	"testing"
)

// mistakes lists the *RuleErrors that an error of Compile joins.
func mistakes(t *testing.T, err error) []*RuleError {
	t.Helper()
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%v joins nothing", err)
	}
	var all []*RuleError
	for _, err := range joined.Unwrap() {
		var e *RuleError
		if !errors.As(err, &e) {
			t.Fatalf("%v is no *RuleError", err)
		}
		all = append(all, e)
	}
	return all
}

func TestBadPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    error // nil: the control, a neighbour that is fine
	}{
		{"", ErrEmpty},
		{"[", ErrPattern},
		{"a[", ErrPattern},
		{"a[]", ErrPattern},
		{"[a/b]", ErrPattern},
		{"[ab]", nil},
		{`[\]]`, nil},
		{"{a", ErrPattern},
		{"a}", ErrPattern},
		{"{a,{b,c}", ErrPattern},
		{"{a,{b,c}}", nil},
		{"{a,b/c}/d", nil},
		{`a\`, ErrPattern},
		{`a\/b`, ErrPattern},
		{`a\*`, nil},
		{"..", ErrPattern},
		{"../x", ErrPattern},
		{"a/../b", ErrPattern},
		{"/a/..", ErrPattern},
		{"{a,..}/b", ErrPattern},
		{`\.\.`, ErrPattern},
		{"...", nil},
		{"..x", nil},
		{"~user", ErrPattern},
		{"~user/x", ErrPattern},
		{"~", nil},
		{"~/x", nil},
		{`\~x`, nil},
		{"x~", nil},
		{"**.txt", ErrPattern},
		{"a/b**", ErrPattern},
		{"***", ErrPattern},
		{"**/a/**", nil},
		{`a\**`, nil},
		{"[**]", nil},
		{"{a,/b}", ErrPattern},
		{"{/a,/b}", nil},
		{"a\x00b", ErrPattern},
		{"a\xffb", ErrPattern},
		{strings.Repeat("{a,b}", 11), ErrPattern},
		{strings.Repeat("{a,b}", 10), nil},
		{"/", nil},
		{".", nil},
		{"été/*", nil},
		// What would match nothing that anybody means.
		{"$HOME/secrets/**", ErrPattern},
		{"${HOME}/secrets/**", ErrPattern},
		{`\$HOME/secrets`, nil},
		{"a$b", nil},
		{"$", nil},
		{"!secrets/public/**", ErrPattern},
		{`\!important`, nil},
		{"a!", nil},
		{`secrets\private\**`, ErrPattern},
		{`C:\Users`, ErrPattern},
		{`a\(b`, nil},
		{" secrets/**", ErrPattern},
		{"secrets/** ", ErrPattern},
		{"secrets /**", ErrPattern},
		{"{secrets, private}/**", ErrPattern},
		{"my secrets/**", nil},
		{`\ secrets/a\ /b`, nil},
		{"{secrets,private}/**", nil},
		{"{secrets,}", ErrPattern},
		{"secrets{,/**}", nil},
		{"secrets\u200b/**", ErrPattern},
		{"secrets\n", ErrPattern},
		{"\ufeffsecrets", ErrPattern},
		{"secr\u00e9ts", nil},
	} {
		for _, action := range []Action{Allow, Deny} {
			_, err := Compile(Config{
				Workspace: []string{"/ws"}, Home: "/home/u",
				Rules: []Rule{{Name: "r", Action: action, Paths: []string{"fine", c.pattern}}},
			})
			if c.want == nil {
				if err != nil {
					t.Errorf("%q: %v", c.pattern, err)
				}
				continue
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%q: got %v, want %v", c.pattern, err, c.want)
				continue
			}
			e := mistakes(t, err)[0]
			if e.Rule != "r" || e.Index != 0 || e.Field != "paths" || e.Item != 1 || e.Value != c.pattern {
				t.Errorf("%q: wrong place: %+v", c.pattern, e)
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	known := []string{"file_read", "file_write", "file_grep", "shell", "memory_get"}
	for _, c := range []struct {
		name    string
		config  Config
		want    error
		field   string
		item    int
		nearest string
	}{
		{"unknown tool", Config{Rules: []Rule{{Tools: []string{"file_raed"}}}}, ErrUnknownTool, "tools", 0, "file_read"},
		{"unknown tool, nothing near", Config{Rules: []Rule{{Tools: []string{"shell", "teleport"}}}}, ErrUnknownTool, "tools", 1, ""},
		{"pattern that matches no tool", Config{Rules: []Rule{{Tools: []string{"files_*"}}}}, ErrUnknownTool, "tools", 0, ""},
		{"bad alternative", Config{Rules: []Rule{{Tools: []string{"{file_read,file_wirte}"}}}}, ErrUnknownTool, "tools", 0, "file_write"},
		{"no tool pattern", Config{Rules: []Rule{{Tools: []string{"a/b"}}}}, ErrPattern, "tools", 0, ""},
		{"bad tool glob", Config{Rules: []Rule{{Tools: []string{"["}}}}, ErrPattern, "tools", 0, ""},
		{"empty tool", Config{Rules: []Rule{{Tools: []string{""}}}}, ErrEmpty, "tools", 0, ""},
		{"empty list of tools", Config{Rules: []Rule{{Tools: []string{}}}}, ErrEmpty, "tools", -1, ""},
		{"empty list of paths", Config{Rules: []Rule{{Paths: []string{}}}}, ErrEmpty, "paths", -1, ""},
		{"empty list of commands", Config{Rules: []Rule{{Commands: []string{}}}}, ErrEmpty, "commands", -1, ""},
		{"unknown key of the tool policy", Config{Tools: map[string]Action{"shel": Deny}}, ErrUnknownTool, "tool_policy", -1, "shell"},
		{"no action", Config{Rules: []Rule{{Action: 3}}}, ErrUnknownAction, "action", -1, ""},
		{"no action in the tool policy", Config{Tools: map[string]Action{"shell": 9}}, ErrUnknownAction, "tool_policy", -1, ""},
		{"no default action", Config{DefaultAction: 9}, ErrUnknownAction, "default_action", -1, ""},
		{"commands of a file tool", Config{Rules: []Rule{{Tools: []string{"shell", "file_read"}, Commands: []string{"ls"}}}}, ErrContradiction, "tools", 1, ""},
		{"commands and paths", Config{Rules: []Rule{{Paths: []string{"/a"}, Commands: []string{"ls"}}}}, ErrContradiction, "commands", -1, ""},
		{"empty command", Config{Rules: []Rule{{Commands: []string{"ls", " \t"}}}}, ErrEmpty, "commands", 1, ""},
		{"control character in a command", Config{Rules: []Rule{{Commands: []string{"ls\nrm"}}}}, ErrPattern, "commands", 0, ""},
		{"double star in a word of a command", Config{Rules: []Rule{{Commands: []string{"ls a**"}}}}, ErrPattern, "commands", 0, ""},
		{"paths of a tool without", Config{Rules: []Rule{{Tools: []string{"file_read", "memory_*"}, Paths: []string{"/a"}}}}, ErrContradiction, "tools", 1, ""},
		{"reserved name", Config{Rules: []Rule{{Name: "default_action"}}}, ErrReserved, "name", -1, ""},
		{"reserved prefix", Config{Rules: []Rule{{Name: "builtin:sensitive:.env"}}}, ErrReserved, "name", -1, ""},
		{"relative without a workspace", Config{Rules: []Rule{{Paths: []string{"a"}}}}, ErrPattern, "paths", 0, ""},
		{"home without a home", Config{Rules: []Rule{{Paths: []string{"~/a"}}}}, ErrPattern, "paths", 0, ""},
		{"relative workspace", Config{Workspace: []string{"ws"}}, ErrNotAbsolute, "workspace", -1, ""},
		{"unclean spelling", Config{Spellings: [][]string{{"/a", "/b/"}}}, ErrNotAbsolute, "spellings", -1, ""},
		{"relative home", Config{Home: "u"}, ErrNotAbsolute, "home", -1, ""},
		{"relative protected path", Config{Protected: []string{"x"}}, ErrNotAbsolute, "protected", -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.config.KnownTools = known
			_, err := Compile(c.config)
			found := mistakes(t, err)
			if len(found) != 1 {
				t.Fatalf("got %d mistakes: %v", len(found), err)
			}
			e := found[0]
			if !errors.Is(e, c.want) || e.Field != c.field || e.Item != c.item || e.Nearest != c.nearest {
				t.Errorf("got %+v", e)
			}
			if c.nearest != "" && !strings.Contains(e.Error(), `did you mean "`+c.nearest+`"?`) {
				t.Errorf("no hint in %q", e)
			}
		})
	}
}

func TestAllMistakesAreReported(t *testing.T) {
	_, err := Compile(Config{
		KnownTools: []string{"file_read"},
		Tools:      map[string]Action{"nope": Deny},
		Rules: []Rule{
			{Name: "a", Paths: []string{"[", "/ok", ".."}},
			{Name: "b", Tools: []string{"nope"}, Action: 7},
			{Name: "a"},
		},
	})
	var got []string
	for _, e := range mistakes(t, err) {
		got = append(got, e.Error())
	}
	want := []string{
		`tool_policy "nope": no such tool`,
		`rule "a": paths "[": malformed: unbalanced braces or brackets, or a backslash at the end`,
		`rule "a": paths "..": is relative, and there is no workspace`,
		`rule "b": action "action(7)": unknown action`,
		`rule "b": tools "nope": no such tool`,
		`rule "a": name "a": another rule has this name`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A configuration as the documentation of other products teaches it.
func TestValidRules(t *testing.T) {
	p := compile(t, Config{
		Rules: []Rule{
			{Name: "read", Tools: []string{"file_read"}, Paths: []string{"/ws/**"}},
			{Name: "write", Tools: []string{"file_write"}, Paths: []string{"/ws/**"}},
			{Name: "block", Action: Deny, Tools: []string{"file_read", "file_write"}, Paths: []string{"/etc/shadow", "/root/**", "**/.ssh/**", "**/.env"}},
			{Name: "push", Action: Deny, Commands: []string{"git push **"}},
			{Name: "any", Action: Deny, Tools: []string{"sh*"}, Commands: []string{"rm * /"}},
			{Action: Supervised, Paths: []string{"**/unnamed"}},
		},
		DefaultAction: Deny,
	})
	for path, rule := range map[string]string{
		"/ws/a": "read", "/ws/.env": "block", "/root/x": "block", "/srv/x": "default_action",
		"/ws/unnamed": "supervised **/unnamed",
	} {
		if v := p.Judge(Access{Tool: "file_read", Effect: Reveal, Real: path}); v.Rule != rule {
			t.Errorf("%s: got %s, want %s", path, v.Rule, rule)
		}
	}
	if len(p.commandRules) != 2 || p.commandRules[1].name != "push" || len(p.commandRules[1].commands[0].words) != 3 {
		t.Errorf("command rules: %+v", p.commandRules)
	}
}

func TestCommandRulesMatchNoPath(t *testing.T) {
	p := compile(t, Config{
		Tools: map[string]Action{"shell": Allow},
		Rules: []Rule{{Name: "r", Action: Deny, Commands: []string{"**"}}},
	})
	for tool, effect := range effects {
		if v := p.Judge(Access{Tool: tool, Effect: effect, Real: "/ws/a"}); v.Action != Allow {
			t.Errorf("%s: %+v", tool, v)
		}
	}
}

func TestVersion(t *testing.T) {
	base := func() Config {
		return Config{
			Workspace: []string{"/ws"}, Home: "/h", Tools: map[string]Action{"shell": Supervised},
			Rules: []Rule{{Name: "a", Paths: []string{"x", "y"}}, {Name: "b", Action: Deny, Message: "m"}},
		}
	}
	version := func(change func(*Config)) string {
		c := base()
		change(&c)
		p, err := Compile(c)
		if err != nil {
			t.Fatal(err)
		}
		return p.Version()
	}
	want := version(func(*Config) {})
	for name, change := range map[string]func(*Config){
		"order of rules": func(c *Config) { c.Rules[0], c.Rules[1] = c.Rules[1], c.Rules[0] },
		"order of paths": func(c *Config) { c.Rules[0].Paths = []string{"y", "x"} },
		"known tools":    func(c *Config) { c.KnownTools = []string{"shell"} },
	} {
		if got := version(change); got != want {
			t.Errorf("%s changes the version", name)
		}
	}
	seen := map[string]string{want: "nothing"}
	for name, change := range map[string]func(*Config){
		"workspace": func(c *Config) { c.Workspace = []string{"/ws", "/w"} },
		"spellings": func(c *Config) { c.Spellings = [][]string{{"/a", "/b"}} },
		"home":      func(c *Config) { c.Home = "/g" },
		"tool":      func(c *Config) { c.Tools["shell"] = Deny },
		"default":   func(c *Config) { c.DefaultAction = Deny },
		"tools":     func(c *Config) { c.ToolDefault = Deny },
		"action":    func(c *Config) { c.Rules[0].Action = Deny },
		"paths":     func(c *Config) { c.Rules[0].Paths = []string{"x y"} },
		"message":   func(c *Config) { c.Rules[1].Message = "n" },
		"commands":  func(c *Config) { c.Rules[1].Commands = []string{"ls"} },
		"protected": func(c *Config) { c.Protected = []string{"/ws/hooks"} },
	} {
		v := version(change)
		if other, ok := seen[v]; ok {
			t.Errorf("%s and %s have the same version", name, other)
		}
		seen[v] = name
	}
}

func TestParseAction(t *testing.T) {
	for a := Allow; a <= Deny; a++ {
		if got, err := ParseAction(a.String()); err != nil || got != a {
			t.Errorf("%v: got %v, %v", a, got, err)
		}
		text, err := a.MarshalText()
		var back Action
		if err != nil || back.UnmarshalText(text) != nil || back != a {
			t.Errorf("%v: does not survive as text %q", a, text)
		}
	}
	for text, nearest := range map[string]string{"alow": "allow", "DENY": "deny", "supervise": "supervised", "": "", "ask": ""} {
		_, err := ParseAction(text)
		var e *ActionError
		if !errors.As(err, &e) || !errors.Is(err, ErrUnknownAction) || e.Nearest != nearest {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if _, err := Action(3).MarshalText(); !errors.Is(err, ErrUnknownAction) {
		t.Errorf("got %v", err)
	}
}
