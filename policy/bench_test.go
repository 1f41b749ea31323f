package policy

import (
	"fmt"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// benchRules are a hundred rules as people write them.
func benchRules() []Rule {
	shapes := []Rule{
		{Action: Deny, Tools: []string{"file_read", "file_write"}, Paths: []string{"**/secrets%d/**"}},
		{Action: Supervised, Tools: []string{"file_write"}, Paths: []string{"services/svc%d/config/*.yaml"}},
		{Action: Allow, Tools: []string{"file_*"}, Paths: []string{"/home/user/workspace/pkg%d/**"}},
		{Action: Deny, Paths: []string{"**/*.key%d"}},
		{Action: Allow, Paths: []string{"**/src/**/mod%d/*.go"}},
	}
	var rules []Rule
	for i := range 100 {
		r := shapes[i%len(shapes)]
		r.Name = fmt.Sprintf("rule-%03d", i)
		r.Paths = []string{fmt.Sprintf(r.Paths[0], i)}
		rules = append(rules, r)
	}
	return rules
}

func benchPolicy(b *testing.B) *Policy {
	p, err := Compile(Config{
		Workspace:  []string{"/home/user/workspace"},
		Rules:      benchRules(),
		KnownTools: []string{"file_read", "file_write", "file_grep", "shell"},
	})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

const benchPath = "/home/user/workspace/src/deep/mod4/Handler/main_test.go"

var sink Verdict

func BenchmarkJudge(b *testing.B) {
	p := benchPolicy(b)
	for _, c := range []struct{ name, path string }{
		{"allowed", benchPath},
		{"denied", "/home/user/workspace/a/b/secrets5/d/e.txt"},
		{"sensitive", "/home/user/workspace/a/b/c/d/.env"},
		{"outside", "/srv/a/b/c/d/e/f/g"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = p.Judge(Access{Tool: "file_read", Effect: Reveal, Real: c.path})
			}
		})
	}
}

func BenchmarkCursor(b *testing.B) {
	c := benchPolicy(b).Cursor("file_grep", Reveal, "/home/user/workspace/src/deep/mod4")
	b.Run("judge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink = c.Judge("main_test.go", false, false)
		}
	})
	b.Run("enter", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.Enter("internal")
		}
	})
}

// BenchmarkLoop is the naive way: each rule's glob after the other.
func BenchmarkLoop(b *testing.B) {
	var globs []string
	for _, r := range benchRules() {
		glob := r.Paths[0]
		if !isAbsolute(glob) {
			glob = "/home/user/workspace/" + glob
		}
		globs = append(globs, glob)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, glob := range globs {
			if ok, err := doublestar.Match(glob, benchPath); ok && err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		benchPolicy(b)
	}
}
