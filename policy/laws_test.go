package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

// drawExtra is a configuration with and without one more rule.
func drawExtra(t *rapid.T, action Action) (without, with *Policy) {
	c := genConfig.Draw(t, "config")
	more := c
	extra := genRule.Draw(t, "extra")
	extra.Action, extra.Name = action, "extra"
	more.Rules = append(slices.Clone(c.Rules), extra)
	return compileFor(t, c), compileFor(t, more)
}

// A supervised rule may lift a built-in, and take the place of a default that
// denies; it never lets through what was denied, nor what was asked about.
func TestAddingASupervisedRuleAllowsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawExtra(t, Supervised)
		for range 5 {
			a := genAccess.Draw(t, "access")
			v, w := p.Judge(a), q.Judge(a)
			if w.Action < min(v.Action, Supervised) {
				t.Errorf("%+v: %+v, with one more supervised rule %+v", a, v, w)
			}
			if w.Action < v.Action && v.Stage != StageDefault && v.Stage != StageSensitive && v.Stage != StageProtected {
				t.Errorf("%+v: %+v was lifted to %+v", a, v, w)
			}
		}
	})
}

func TestAddingAnAllowRuleNeverTightens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawExtra(t, Allow)
		for range 5 {
			a := genAccess.Draw(t, "access")
			v, w := p.Judge(a), q.Judge(a)
			if w.Action > v.Action {
				t.Errorf("%+v: %+v, with one more allow rule %+v", a, v, w)
			}
			if v.Action == Deny && v.Stage == StageRules && w.Action != Deny {
				t.Errorf("%+v: the allow rule beat %+v: %+v", a, v, w)
			}
		}
	})
}

// spelled are folders with all their names: the workspace, another folder, and one
// inside the workspace that is known by an outer name too.
var spelled = [][]string{{"/data/ws", "/home/u/link"}, {"/srv/ref", "/mnt/ref"}, {"/data/ws/a", "/short"}}

// respell puts another name of the innermost folder into a path, if one is known.
func respell(t *rapid.T, path string) string {
	inner := slices.Clone(spelled)
	slices.Reverse(inner)
	for _, names := range inner {
		for _, name := range names {
			if rest, ok := strings.CutPrefix(path, name); ok && (rest == "" || rest[0] == '/') {
				return rapid.SampledFrom(names).Draw(t, "name of "+names[0]) + rest
			}
		}
	}
	return path
}

// TestSpellingsAreOne: whatever name of a folder a path or a pattern has, and
// whatever dots it goes by, the verdict is the same.
func TestSpellingsAreOne(t *testing.T) {
	genFolder := rapid.SampledFrom(slices.Concat(spelled...))
	rapid.Check(t, func(t *rapid.T) {
		c := genConfig.Draw(t, "config")
		c.Workspace, c.Spellings = spelled[0], spelled[1:]
		c.DefaultAction = Allow
		other := c
		other.Rules = slices.Clone(c.Rules)
		for i := range other.Rules {
			paths := make([]string, len(other.Rules[i].Paths))
			for j, glob := range c.Rules[i].Paths {
				if !isAbsolute(glob) {
					glob = genFolder.Draw(t, "folder") + "/" + glob
				}
				c.Rules[i].Paths[j], paths[j] = glob, respell(t, glob)
			}
			other.Rules[i].Paths = paths
		}
		p, q := compileFor(t, c), compileFor(t, other)
		for range 5 {
			a := genAccess.Draw(t, "access")
			a.Requested, a.GitDir = "", nil
			a.Real = rapid.SampledFrom(spelled).Draw(t, "in")[0] + strings.TrimPrefix(a.Real, "/ws")
			want := p.Judge(a)
			for what, b := range map[string]Access{
				"real path":      {Real: respell(t, a.Real)},
				"requested path": {Real: a.Real, Requested: respell(t, a.Real)},
				"dots":           {Real: a.Real, Requested: a.Real + "/./x/../."},
			} {
				b.Tool, b.Effect, b.Dir, b.Link = a.Tool, a.Effect, a.Dir, a.Link
				if got := p.Judge(b); got != want {
					t.Errorf("%+v: %+v, with another %s %+v: %+v", a, want, what, b, got)
				}
			}
			// A directory whose name differs in case is not the folder, though a
			// strict rule that names the folder in full is about it too.
			if got := q.Judge(a); got.Action != want.Action && !strings.HasPrefix(a.Real, "/data/ws/A") {
				t.Errorf("%+v: %+v, with other spellings in the rules %+v", a, want, got)
			}
		}
	})
}

// TestToolPolicyAgainstDoublestar: of all entries that match the strictest counts.
func TestToolPolicyAgainstDoublestar(t *testing.T) {
	keys := rapid.SampledFrom([]string{"*", "file_*", "*_read", "file_read", "file_{read,write}", "file_?ead", "shell", "[fs]*", "{shell,memory_get}"})
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Tools: map[string]Action{}, ToolDefault: Action(rapid.IntRange(0, 2).Draw(t, "default"))}
		for _, key := range rapid.SliceOfN(keys, 0, 4).Draw(t, "keys") {
			c.Tools[key] = Action(rapid.IntRange(0, 2).Draw(t, key))
		}
		p := compileFor(t, c)
		for _, tool := range []string{"file_read", "file_write", "dir_create", "memory_get", "shell"} {
			want, matched := Allow, false
			for key, action := range c.Tools {
				if doublestar.MatchUnvalidated(key, tool) {
					want, matched = max(want, action), true
				}
			}
			if !matched {
				want = c.ToolDefault
			}
			got := p.Tool(tool).Action
			// The shell asks unless it is named.
			if got != want && (tool != shellTool || want != Allow || got != Supervised) {
				t.Errorf("%s by %v: got %v, want %v", tool, c.Tools, got, want)
			}
		}
	})
}

// TestAllocations: what a decision allocates does not grow with the rules.
func TestAllocations(t *testing.T) {
	measure := func(rules int) (path, cursor, command float64) {
		var c Config
		for i := range rules {
			c.Rules = append(c.Rules,
				Rule{Name: fmt.Sprintf("p%d", i), Action: Action(i % 3), Paths: []string{fmt.Sprintf("**/d%d/**", i), fmt.Sprintf("src/*.x%d", i)}},
				Rule{Name: fmt.Sprintf("c%d", i), Action: Action(i % 3), Commands: []string{fmt.Sprintf("tool%d run **", i)}})
		}
		p := compile(t, c)
		access := Access{Tool: "file_read", Effect: Reveal, Real: "/ws/src/deep/er/main.go"}
		walk := p.Cursor("file_grep", Reveal, "/ws/src/deep")
		program := CommandAccess{Tool: "shell", Programs: []Program{{Name: "go", Resolved: "/usr/bin/go", Args: []Word{{Text: "test"}}}}}
		return testing.AllocsPerRun(100, func() { p.Judge(access) }),
			testing.AllocsPerRun(100, func() { walk.Judge("main.go", false, false) }),
			testing.AllocsPerRun(100, func() { p.JudgeCommand(program) })
	}
	for _, rules := range []int{1, 100, 1000} {
		if path, cursor, command := measure(rules); path+cursor+command != 0 {
			t.Errorf("%d rules: %v allocations for a path, %v for an entry, %v for a command", rules, path, cursor, command)
		}
	}
}
