package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/policy"
)

func TestExplainPrograms(t *testing.T) {
	p := commandPolicy(t, policy.Config{Rules: developer})
	for command, want := range map[string][]string{
		"ls; git push; sudo x":   {"ls allow look", "git deny no-push", "sudo deny builtin:dangerous:privileges", "x open"},
		"cd x && git fetch":      {"cd", "git supervised ask-fetch"},
		"git $x":                 {"git supervised ask-fetch"},
		"./ls; missing; python3": {"./ls open doubt", "missing open doubt", "python3 open"},
		"sudo git push":          {"sudo deny builtin:dangerous:privileges", "git deny no-push"},
	} {
		a := bash(command)
		a.Dynamic = "" // what is not known of the whole is no doubt of a single program
		var got []string
		for i, v := range p.ExplainPrograms(a) {
			line := a.Programs[i].Name
			if v.Rule != "" {
				line += fmt.Sprintf(" %v %s", v.Action, v.Rule)
			}
			if v.Open {
				line += " open"
			}
			if v.Doubt != "" {
				line += " doubt"
			}
			got = append(got, line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", command, got, want)
		}
	}
}

func TestLabelAndCovers(t *testing.T) {
	for _, tt := range []struct {
		rule          policy.Rule
		label, covers string
	}{
		{policy.Rule{Name: "n", Action: deny, Tools: []string{"file_read"}}, "n", "reveals content"},
		{policy.Rule{Action: ask, Tools: []string{"file_w*"}, Paths: []string{"a", "b"}}, "supervised file_w* a,b", "changes anything"},
		{policy.Rule{Action: deny, Tools: []string{"file_*"}}, "deny file_*", "reveals content or changes anything"},
		{policy.Rule{Action: allow, Tools: []string{"file_*"}}, "allow file_*", ""},
		{policy.Rule{Action: deny, Tools: []string{"file_grep"}}, "deny file_grep", ""},
		{policy.Rule{Action: deny}, "deny", ""}, // every tool is what it says
		{policy.Rule{Action: deny, Commands: []string{"ls"}}, "deny ls", ""},
	} {
		if got := tt.rule.Label(); got != tt.label {
			t.Errorf("%+v is called %q", tt.rule, got)
		}
		if got := tt.rule.Covers(); got != tt.covers {
			t.Errorf("%+v covers %q", tt.rule, got)
		}
	}
}

// TestBuiltinsAreWhatVerdictsName: each entry denies what its own pattern spells.
func TestBuiltinsAreWhatVerdictsName(t *testing.T) {
	p, err := policy.Compile(policy.Config{Workspace: []string{"/ws"}, Protected: []string{"/ws/hooks"}})
	if err != nil {
		t.Fatal(err)
	}
	all := p.Builtins()
	for _, b := range all {
		real := strings.NewReplacer("/**/", "/x/", "/**", "", "*", "x").Replace(b.Pattern)
		if !strings.HasPrefix(real, "/") {
			real = "/ws/" + real
		}
		v := p.Judge(policy.Access{Tool: "file_write", Effect: policy.Change, Real: real, Link: b.Only == "link"})
		if v.Action != deny || v.Stage != b.Stage && v.Stage != policy.StageSensitive { // .envrc is in both
			t.Errorf("%+v: %s is %+v", b, real, v)
		}
		if len(b.Except) > 0 {
			if v := p.Judge(policy.Access{Tool: "file_write", Effect: policy.Change, Real: real + b.Except[0]}); v.Action != allow {
				t.Errorf("%+v: %s is %+v", b, real+b.Except[0], v)
			}
		}
	}
	if last := all[len(all)-1]; last.Pattern != "/ws/hooks" || last.Kind != policy.KindProtected {
		t.Errorf("the configuration's own come last, got %+v", last)
	}
}
