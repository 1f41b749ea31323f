package policy_test

import (
	"fmt"

	"github.com/baileyhq/bailey/policy"
)

func Example() {
	p, err := policy.Compile(policy.Config{
		Workspace: []string{"/srv/project"},
		Rules: []policy.Rule{
			{Name: "no-secrets", Action: policy.Deny, Paths: []string{"**/secrets/**"}, Message: "Use the test data instead."},
			{Name: "ask-for-ci", Action: policy.Supervised, Tools: []string{"file_write"}, Paths: []string{".github/"}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"main.go", "Secrets/key", ".github/workflows/ci.yml", ".env", ".git/hooks/pre-commit"} {
		v := p.Judge(policy.Access{Tool: "file_write", Effect: policy.Change, Real: "/srv/project/" + path})
		fmt.Println(path, "→", v.Action, "by", v.Rule)
	}
	// Output:
	// main.go → allow by default_action
	// Secrets/key → deny by no-secrets
	// .github/workflows/ci.yml → supervised by ask-for-ci
	// .env → deny by builtin:sensitive:.env
	// .git/hooks/pre-commit → deny by builtin:protected:.git/hooks/**
}

func ExamplePolicy_Cursor() {
	p, err := policy.Compile(policy.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	src := p.Cursor("file_list", policy.List, "/srv/project").Enter("src")
	for _, name := range []string{"main.go", ".env"} {
		fmt.Println(name, src.Judge(name, false, false).Action)
	}
	// Output:
	// main.go allow
	// .env deny
}

func ExampleCompile_mistake() {
	_, err := policy.Compile(policy.Config{
		KnownTools: []string{"file_read", "file_write", "shell"},
		Rules:      []policy.Rule{{Name: "r", Tools: []string{"file_raed"}, Paths: []string{"/a/../b"}}},
	})
	fmt.Println(err)
	// Output:
	// rule "r": tools "file_raed": no such tool; did you mean "file_read"?
	// rule "r": paths "/a/../b": holds .., which no real path does
}

func ExampleNotes() {
	for _, n := range policy.Notes(policy.Config{
		Workspace: []string{"/srv/project"},
		Rules: []policy.Rule{
			{Name: "keys", Action: policy.Deny, Paths: []string{"*.key"}},
			{Name: "push", Action: policy.Deny, Commands: []string{"git push"}},
		},
	}) {
		fmt.Println(n.Rule, n.Value, n.Text)
	}
	// Output:
	// keys *.key is about the top of the workspace only; **/*.key is about every depth
	// push git push denies this very call only; with ** at the end it denies those with more arguments too
}
