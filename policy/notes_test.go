package policy

import (
	"fmt"
	"strings"
	"testing"
)

// TestNotes: each rule stands beside one that does what it seems to, and of which
// nothing is said.
func TestNotes(t *testing.T) {
	deny := func(r Rule) Rule { r.Action = Deny; return r }
	for name, tt := range map[string]struct {
		config Config
		want   []string // FIELD ITEM: beginning of the text
	}{
		"nothing": {Config{}, nil},
		"top of the workspace": {Config{Rules: []Rule{
			deny(Rule{Paths: []string{"*.key", "**/*.key", "secrets", "secrets/", "a/b", ".", "*", "/ws/x"}}),
			{Paths: []string{"*.go"}},
		}}, []string{
			"paths 0: is about the top of the workspace only; **/*.key is",
			"paths 2: is about the top of the workspace only; **/secrets is",
			"paths 3: is about the top of the workspace only; **/secrets/ is",
		}},
		"outside": {Config{Spellings: [][]string{{"/srv/Ref", "/mnt/ref"}}, Rules: []Rule{
			deny(Rule{Paths: []string{"/secrets/**", "/ws/secrets/**", "/w*/x", "/srv", "/srv/ref/x", "/mnt/ref/x", "/**/x", "{/etc,/ws}/y", "~/x", "/"}}),
			{Paths: []string{"/data/**"}},
		}}, []string{
			"paths 0: lies outside of the allowed folders, where no call gets; below the workspace it would be secrets/**",
			"paths 0: lies outside",
		}},
		"lifting": {Config{Rules: []Rule{
			{Paths: []string{"**/.env*", "**/.env", "src/**", "**/*", "**/id_*", "**/*.pem"}},
			{Action: Supervised, Paths: []string{"**/.s?h/**", "**/.en?"}},
		}}, []string{
			"paths 0: does not lift builtin:sensitive:.env: only a pattern that spells the name out does, such as **/.env",
			"paths 4: does not lift builtin:sensitive:id_rsa",
			"paths 1: does not lift builtin:sensitive:.env",
		}},
		"commands": {Config{Rules: []Rule{
			deny(Rule{Commands: []string{"git push", "git push **", "/bin/rm **", "rm *"}}),
			{Commands: []string{"make test"}},
			{Action: Supervised, Commands: []string{"ls"}},
		}}, []string{
			"commands 0: denies this very call only; with ** at the end",
			"commands 2: denies the file of this path only; by rm alone",
			"commands 3: denies this very call only",
			"commands 0: asks about this very call only",
		}},
		"denied anyway": {Config{Rules: []Rule{
			{Name: "a", Tools: []string{"file_read"}, Paths: []string{"docs/x"}},
			{Name: "b", Action: Supervised, Paths: []string{"docs/y"}},
			{Name: "c", Tools: []string{"file_write"}, Paths: []string{"docs/x"}},
			{Name: "cmd", Commands: []string{"ls"}},
			deny(Rule{Name: "no", Tools: []string{"file_read"}, Paths: []string{"docs/x", "docs/y"}}),
		}}, []string{`action -1: rule "no" denies all that this one is about`}},
		"message": {Config{Rules: []Rule{
			{Name: "a", Message: "m"},
			{Name: "b", Action: Supervised, Message: "m"},
		}}, []string{"message -1: "}},
		"tools that are denied": {Config{Tools: map[string]Action{"file_w*": Deny}, Rules: []Rule{
			{Tools: []string{"file_read", "file_write"}},
			deny(Rule{Tools: []string{"file_write"}}),
		}}, []string{"tools 1: tool_policy:file_w* denies this tool"}},
		"a floor under the shell": {Config{Tools: map[string]Action{"shell": Supervised}, Rules: []Rule{
			{Commands: []string{"ls"}},
		}}, []string{"commands -1: tool_policy:shell is supervised, and no rule lifts that"}},
		"a shell that is open":  {Config{Tools: map[string]Action{"shell": Allow}, Rules: []Rule{{Commands: []string{"ls"}}}}, nil},
		"what does not compile": {Config{Rules: []Rule{deny(Rule{Paths: []string{"["}})}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := tt.config
			c.Workspace, c.Home, c.KnownTools = []string{"/ws"}, "/home/u", knownTools()
			got := Notes(c, "/ws", "/srv/Ref")
			for i, n := range got {
				text := fmt.Sprintf("%s %d: %s", n.Field, n.Item, n.Text)
				if i >= len(tt.want) || !strings.HasPrefix(text, tt.want[i]) {
					t.Errorf("got %q", text)
				}
			}
			if len(got) != len(tt.want) {
				t.Errorf("got %d notes, want %d", len(got), len(tt.want))
			}
			for _, n := range Notes(c) {
				if strings.Contains(n.Text, "outside") {
					t.Errorf("without folders: %+v", n)
				}
			}
		})
	}
}
