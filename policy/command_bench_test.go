package policy_test

import (
	"fmt"
	"testing"

	"github.com/baileyhq/bailey/policy"
)

// BenchmarkJudgeCommand: reading and judging a command of typical length by a
// hundred rules.
func BenchmarkJudgeCommand(b *testing.B) {
	var rules []policy.Rule
	for i := range 25 {
		rules = append(
			rules, rule(fmt.Sprintf("a%d", i), allow, fmt.Sprintf("tool%d run **", i), "git status **"), rule(fmt.Sprintf("d%d", i), deny, fmt.Sprintf("git push origin%d **", i)),
			rule(fmt.Sprintf("s%d", i), ask, fmt.Sprintf("npm publish%d *", i)), rule(fmt.Sprintf("g%d", i), allow, "go test **", "grep **", "head **"),
		)
	}
	p := commandPolicy(b, policy.Config{Rules: rules})
	const command = "cd sub && go test -race -run 'TestX|TestY' ./internal/... 2>&1 | grep -v '^ok' | head -n 50"
	a := bash(command)
	if v := p.JudgeCommand(a); v.Action != allow {
		b.Fatalf("%+v", v)
	}
	b.Run("judge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.JudgeCommand(a)
		}
	})
	b.Run("read and judge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.JudgeCommand(bash(command))
		}
	})
}
