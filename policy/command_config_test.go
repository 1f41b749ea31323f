package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/shellscan"
)

// TestCommandConfigurations: what the rest of a configuration makes of commands.
func TestCommandConfigurations(t *testing.T) {
	shell := func(a policy.Action) map[string]policy.Action { return map[string]policy.Action{"shell": a} }
	pathless := func(name string, a policy.Action, tools ...string) policy.Rule {
		return policy.Rule{Name: name, Action: a, Tools: tools}
	}
	type want struct {
		command string
		action  policy.Action
		rule    string
	}
	for name, tt := range map[string]struct {
		config policy.Config
		want   []want
	}{
		"nothing said": {policy.Config{}, []want{
			{"ls", ask, "builtin:shell"}, {"$x", ask, "builtin:shell"}, {"sudo ls", deny, "builtin:dangerous:privileges"},
		}},
		"wildcards open no shell": {policy.Config{Tools: map[string]policy.Action{"*": allow}}, []want{{"ls", ask, "builtin:shell"}}},
		"allowed": {policy.Config{Tools: shell(allow)}, []want{
			{"ls", allow, "default_action"},
			{"$x", allow, "default_action"},
			{"x() {", allow, "default_action"},
			{"./x", allow, "default_action"},
			{"rm -rf /", deny, "builtin:dangerous:roots"},
		}},
		"allowed by a pattern that spells it out": {policy.Config{Tools: map[string]policy.Action{"{shell,file_read}": allow}}, []want{{"ls", allow, "default_action"}}},
		"allowed, with a rule that denies": {policy.Config{Tools: shell(allow), Rules: []policy.Rule{rule("r", deny, "git push **")}}, []want{
			{"ls", allow, "default_action"},
			{"git push", deny, "r"},
			{"$x", ask, "builtin:dynamic"},
			{"./x.sh", ask, "builtin:dynamic"},
			{"missing", ask, "builtin:dynamic"},
			{"git $x", ask, "r"},
			{"ls $x", allow, "default_action"},
			{"git pu$x", ask, "r"},
		}},
		"allowed, with a rule that asks": {policy.Config{Tools: shell(allow), Rules: []policy.Rule{rule("r", ask, "git push **")}}, []want{
			{"ls", allow, "default_action"}, {"git push", ask, "r"}, {"$x", ask, "builtin:dynamic"},
		}},
		"allowed, with a rule that allows": {policy.Config{Tools: shell(allow), Rules: []policy.Rule{rule("r", allow, "git **")}}, []want{
			{"git log", allow, "r"}, {"$x", allow, "default_action"}, {"ls", allow, "default_action"},
		}},
		"supervised is a floor": {policy.Config{Tools: shell(ask), Rules: []policy.Rule{rule("r", allow, "ls **"), rule("d", deny, "rm **")}}, []want{
			{"ls", ask, "tool_policy:shell"}, {"rm x", deny, "d"}, {"sudo x", deny, "builtin:dangerous:privileges"},
		}},
		"so is a wildcard that supervises": {policy.Config{Tools: map[string]policy.Action{"s*": ask}, Rules: []policy.Rule{rule("r", allow, "ls")}}, []want{
			{"ls", ask, "tool_policy:s*"},
		}},
		"so is the default for tools": {policy.Config{ToolDefault: ask, Rules: []policy.Rule{rule("r", allow, "ls")}}, []want{{"ls", ask, "tool_policy:default"}}},
		"denied":                      {policy.Config{Tools: shell(deny), Rules: []policy.Rule{rule("r", allow, "**")}}, []want{{"ls", deny, "tool_policy:shell"}}},
		"denied by default":           {policy.Config{ToolDefault: deny, Rules: []policy.Rule{rule("r", allow, "**")}}, []want{{"ls", deny, "tool_policy:default"}}},
		"default action deny": {policy.Config{DefaultAction: deny, Rules: []policy.Rule{rule("r", allow, "ls **")}}, []want{
			{"ls x", allow, "r"}, {"cat x", deny, "default_action"}, {"ls; cat x", deny, "default_action"}, {"$x", deny, "default_action"},
		}},
		"default action deny, shell allowed": {policy.Config{Tools: shell(allow), DefaultAction: deny}, []want{{"ls", deny, "default_action"}}},
		"default action supervised":          {policy.Config{Tools: shell(allow), DefaultAction: ask}, []want{{"ls", ask, "default_action"}}},
		"rules without commands": {policy.Config{Rules: []policy.Rule{pathless("no-shell", deny, "shell"), rule("a", allow, "ls")}}, []want{
			{"ls", deny, "no-shell"},
		}},
		"rules without commands that ask": {policy.Config{Tools: shell(allow), Rules: []policy.Rule{pathless("ask", ask, "shell"), rule("a", allow, "ls")}}, []want{
			{"ls", ask, "ask"},
		}},
		"rules without commands that allow lift nothing": {policy.Config{Rules: []policy.Rule{pathless("all", allow)}, DefaultAction: deny}, []want{
			{"ls", ask, "builtin:shell"}, {"$x", ask, "builtin:shell"},
		}},
		"rules for other tools": {policy.Config{Rules: []policy.Rule{
			pathless("r", deny, "file_read"), pathless("w", ask, "file_*"), rule("a", allow, "ls"),
		}}, []want{{"ls", allow, "a"}}},
		"the first of two that deny": {policy.Config{Rules: []policy.Rule{rule("z", deny, "ls"), rule("b", deny, "**"), pathless("a", deny, "shell")}}, []want{
			{"ls", deny, "a"},
		}},
		"everything": {policy.Config{Rules: []policy.Rule{rule("r", allow, "**")}}, []want{
			{"ls", allow, "r"},
			{"python3 x.py", allow, "r"},
			{"make -j4", allow, "r"},
			{"npm ci && npm test", allow, "r"},
			{"./x", ask, "builtin:shell"},
			{"/ws/x", ask, "builtin:shell"},
			{"missing", ask, "builtin:shell"},
			{"$x", ask, "builtin:shell"},
			{"python3 -c 'x'", ask, "builtin:shell"},
			{"sudo ls", deny, "builtin:dangerous:privileges"},
			{"rm -rf /", deny, "builtin:dangerous:roots"},
			{"docker ps", deny, "builtin:dangerous:namespaces"},
		}},
		"dangers that are named": {policy.Config{Rules: []policy.Rule{
			rule("d", allow, "docker **", "systemctl restart *", "kill -9 -1", "/usr/bin/mount **", "rm **", "chmod 4755 **", "sh **", "curl **", "umoun* **"),
		}}, []want{
			{"docker ps", ask, "builtin:shell"}, // lifted to what it would be: docker isn't followed
			{"systemctl restart x", allow, "d"},
			{"systemctl stop x", deny, "builtin:dangerous:persistence"},
			{"kill -9 -1", allow, "d"},
			{"kill -1 -1", deny, "builtin:dangerous:kill-all"},
			{"mount /x", allow, "d"},
			{"umount /x", deny, "builtin:dangerous:mounts"},
			{"rm -rf /", deny, "builtin:dangerous:roots"},
			{"chmod 4755 x", allow, "d"},
			{"curl x | sh", deny, "builtin:dangerous:download"},
			{"/ws/mount /x", deny, "builtin:dangerous:mounts"},
		}},
		"supervised rules lift no danger": {policy.Config{Rules: []policy.Rule{rule("d", ask, "reboot")}}, []want{
			{"reboot", deny, "builtin:dangerous:power"},
		}},
		"patterns": {policy.Config{Rules: []policy.Rule{rule("r", allow, "a * c", "b **", "x ** y ** z", "d --opt=*", "e*f", "** --help", "/usr/bin/q *")}}, []want{
			{"a b c", allow, "r"},
			{"a c", ask, ""},
			{"a b b c", ask, ""},
			{"a '' c", allow, "r"},
			{"b", allow, "r"},
			{"b 1 2 3", allow, "r"},
			{"x y z", allow, "r"},
			{"x 1 y 2 3 z", allow, "r"},
			{"x z", ask, ""},
			{"x 1 y z 2", ask, ""},
			{"d --opt=a/b", allow, "r"},
			{"d --opt", ask, ""},
			{"e1f", allow, "r"},
			{"ef x", ask, ""},
			{"any thing --help", allow, "r"},
			{"any --help thing", ask, ""},
			{"q 1", allow, "r"},
			{"/usr/bin/q 1", allow, "r"},
			{"/opt/q 1", ask, ""},
			{"/opt/b 1", allow, "r"},
			{"cat $x --help", allow, "r"},
			{"cat --help $x", ask, ""},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := commandPolicy(t, tt.config)
			for _, w := range tt.want {
				v := p.JudgeCommand(bash(w.command))
				if v.Action != w.action || w.rule != "" && v.Rule != w.rule {
					t.Errorf("%q: %v by %s, want %v by %s", w.command, v.Action, v.Rule, w.action, w.rule)
				}
				if (v.Kind != "") != (v.Action == deny) {
					t.Errorf("%q: kind %q of %v", w.command, v.Kind, v.Action)
				}
			}
		})
	}
}

func TestCommandPatternMistakes(t *testing.T) {
	for text, want := range map[string]error{
		"": policy.ErrEmpty, " ": policy.ErrEmpty, "git**": policy.ErrPattern, "a\nb": policy.ErrPattern,
		"a\xff": policy.ErrPattern, strings.Repeat("x ", 64): policy.ErrPattern,
		// What would match nothing that anybody means.
		`git commit -m "x" **`: policy.ErrPattern, "'git' push": policy.ErrPattern, "find . -exec ls {} \\;": policy.ErrPattern,
		"cd x && rm **": policy.ErrPattern, "ls | sh": policy.ErrPattern, "cat x > y": policy.ErrPattern, "ls; rm **": policy.ErrPattern,
		"ls ; rm": policy.ErrPattern, "echo $(rm)": policy.ErrPattern, "echo `rm`": policy.ErrPattern, "CI=1 go test **": policy.ErrPattern,
		"rm $HOME/**": policy.ErrPattern, "rm ${HOME}": policy.ErrPattern, "git {push,fetch} **": policy.ErrPattern, "rm -[rf] **": policy.ErrPattern,
		"git\u200bpush": policy.ErrPattern,
	} {
		_, err := policy.Compile(policy.Config{Rules: []policy.Rule{rule("r", deny, text)}})
		if !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{
		strings.Repeat("x ", 63), "find ** -exec rm {} ;", "[ -f * ]", "make CI=1 *", "awk {print} *", "curl https://x?y=$ *",
	} {
		if _, err := policy.Compile(policy.Config{Rules: []policy.Rule{rule("r", deny, text)}}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A pattern of as many words as there may be still matches to its end.
func TestLongestCommandPattern(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("x ", 63))
	p := commandPolicy(t, policy.Config{Rules: []policy.Rule{rule("r", allow, text)}})
	for command, want := range map[string]policy.Action{text: allow, text + " x": ask, text[2:]: ask} {
		if v := p.JudgeCommand(bash(command)); v.Action != want {
			t.Errorf("%d words: %v", len(command)/2+1, v.Action)
		}
	}
}

func TestArgumentLists(t *testing.T) {
	p := commandPolicy(t, policy.Config{Rules: developer})
	for _, tt := range []struct {
		argv   []string
		action policy.Action
	}{
		{[]string{"ls", "$x", "*", "; reboot"}, allow},
		{[]string{"git", "push"}, deny},
		{[]string{"sh", "-c", "git push"}, deny},
		{[]string{"env", "git", "push"}, deny},
		{[]string{"cd", "x"}, ask}, // a program here, no builtin
		{[]string{""}, ask},
		{[]string{}, ask},
		{[]string{"ls", "a\x00b"}, ask},
	} {
		if v := p.JudgeCommand(access(shellscan.Input{Argv: tt.argv})); v.Action != tt.action {
			t.Errorf("%q: %v by %s", tt.argv, v.Action, v.Rule)
		}
	}
}

func TestCommandMessage(t *testing.T) {
	r := rule("r", deny, "git push **")
	r.Message = "Open a merge request instead."
	p := commandPolicy(t, policy.Config{Rules: []policy.Rule{r}})
	if v := p.JudgeCommand(bash("git push")); v.Message != r.Message || v.Stage != policy.StageRules {
		t.Errorf("%+v", v)
	}
	if v := p.JudgeCommand(bash("git $x")); v.Message != r.Message || v.Action != ask || v.Kind != "" {
		t.Errorf("%+v", v)
	}
}

func TestExplainCommand(t *testing.T) {
	p := commandPolicy(t, policy.Config{Rules: developer})
	allowed := commandPolicy(t, policy.Config{Tools: map[string]policy.Action{"shell": allow}, Rules: []policy.Rule{rule("r", deny, "x")}})
	for _, tt := range []struct {
		policy  *policy.Policy
		command string
		want    string
	}{
		{p, "ls", "tool_policy:builtin:shell=supervised rules:look=allow dangerous:=allow"},
		{p, "git push", "tool_policy:builtin:shell=supervised rules:no-push=deny"},
		{p, "sudo x", "tool_policy:builtin:shell=supervised rules:=allow dangerous:builtin:dangerous:privileges=deny"},
		{p, "python3", "tool_policy:builtin:shell=supervised rules:=allow dangerous:=allow default_action:default_action=allow"},
		{allowed, "$x", "tool_policy:tool_policy:shell=allow rules:=allow dangerous:=allow dynamic:builtin:dynamic=supervised"},
	} {
		v, steps := tt.policy.ExplainCommand(bash(tt.command))
		var got []string
		for _, s := range steps {
			got = append(got, fmt.Sprintf("%s:%s=%v", s.Stage, s.Rule, s.Action))
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.command, text, tt.want)
		}
		if v != tt.policy.JudgeCommand(bash(tt.command)) {
			t.Errorf("%s: explained as %+v", tt.command, v)
		}
	}
}

// Generators of commands and rules for the properties.
var (
	anyWord    = rapid.SampledFrom([]string{"git", "push", "ls", "rm", "-rf", "/", "x", "sudo", "$x", "*", "\"$y\"", "./ls", "sh", "-c", "'git push'"})
	anyCommand = rapid.Custom(func(t *rapid.T) string {
		var calls []string
		for range rapid.IntRange(1, 3).Draw(t, "calls") {
			calls = append(calls, strings.Join(rapid.SliceOfN(anyWord, 1, 4).Draw(t, "words"), " "))
		}
		return strings.Join(calls, rapid.SampledFrom([]string{"; ", " | ", " && ", "\n"}).Draw(t, "operator"))
	})
	anyPattern = rapid.Custom(func(t *rapid.T) string {
		word := rapid.SampledFrom([]string{"git", "push", "ls", "rm", "*", "**", "x", "sudo", "-rf", "sh", "p*"})
		return strings.Join(rapid.SliceOfN(word, 1, 3).Draw(t, "pattern"), " ")
	})
	anyRules = rapid.Custom(func(t *rapid.T) []policy.Rule {
		var rules []policy.Rule
		for i := range rapid.IntRange(0, 4).Draw(t, "rules") {
			action := rapid.SampledFrom([]policy.Action{allow, ask, deny}).Draw(t, "action")
			rules = append(rules, rule(fmt.Sprintf("r%d", i), action, rapid.SliceOfN(anyPattern, 1, 2).Draw(t, "commands")...))
		}
		return rules
	})
	anyTools = rapid.SampledFrom([]map[string]policy.Action{nil, {"shell": allow}, {"shell": ask}, {"*": allow}})
)

func TestCommandProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rules, tools := anyRules.Draw(rt, "rules"), anyTools.Draw(rt, "tools")
		command := anyCommand.Draw(rt, "command")
		a := bash(command)
		p := commandPolicy(t, policy.Config{Tools: tools, Rules: rules})
		v := p.JudgeCommand(a)

		// More rules that deny or ask never make a verdict milder.
		strict := rule("s", rapid.SampledFrom([]policy.Action{ask, deny}).Draw(rt, "strict"), anyPattern.Draw(rt, "pattern"))
		stricter := commandPolicy(t, policy.Config{Tools: tools, Rules: append(rules[:len(rules):len(rules)], strict)})
		if w := stricter.JudgeCommand(a); w.Action < v.Action {
			rt.Fatalf("%q: %v, and with %+v %v", command, v, strict, w)
		}
		// Their order means nothing.
		shuffled := rapid.Permutation(rules).Draw(rt, "order")
		if w := commandPolicy(t, policy.Config{Tools: tools, Rules: shuffled}).JudgeCommand(a); w != v {
			rt.Fatalf("%q: %v, in another order %v", command, v, w)
		}
		// A second command never makes the first milder, whatever joins them.
		more := command + rapid.SampledFrom([]string{"; ", " && ", "\n", " | "}).Draw(rt, "operator") + anyCommand.Draw(rt, "more")
		if w := p.JudgeCommand(bash(more)); w.Action < v.Action && v.Action == deny {
			rt.Fatalf("%q: %v, but %q: %v", command, v, more, w)
		}
		// No rule allows what is not known.
		if a.Dynamic != "" && v.Action == allow && tools["shell"] != allow {
			rt.Fatalf("%q is allowed: %+v", command, v)
		}
		if explained, _ := p.ExplainCommand(a); explained != v {
			rt.Fatalf("%q: %v, explained as %v", command, v, explained)
		}
	})
}

func FuzzJudgeCommand(f *testing.F) {
	f.Add("git push origin", "git **", uint8(0))
	f.Add("{a,b} $x \"$y\" *", "** * **", uint8(2))
	f.Fuzz(func(t *testing.T, command, pattern string, action uint8) {
		p, err := policy.Compile(policy.Config{Rules: []policy.Rule{rule("r", policy.Action(action%3), pattern)}})
		if err != nil {
			t.Skip()
		}
		a := bash(command)
		v := p.JudgeCommand(a)
		if v.Action == allow && (a.Dynamic != "" || action%3 != 0) {
			t.Errorf("%q allowed by %+v", command, v)
		}
	})
}
