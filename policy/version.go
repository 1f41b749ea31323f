package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
)

// version digests what decides. Lists whose order means nothing are sorted;
// every text is quoted, so that no two configurations read the same.
func version(c *Config, p *Policy) string {
	h := sha256.New()
	fmt.Fprintf(h, "policy 2\nworkspace %q\nspellings %q\nhome %q\n", c.Workspace, c.Spellings, c.Home)
	fmt.Fprintf(h, "default %v\ntool default %v\n", c.DefaultAction, c.ToolDefault)
	for _, key := range sortedKeys(c.Tools) {
		fmt.Fprintf(h, "tool %q %v\n", key, c.Tools[key])
	}
	writeRules(h, c.Rules)
	for i := range p.builtins {
		b := &p.builtins[i]
		fmt.Fprintf(h, "builtin %q %q %q %d %v %v\n", b.name, b.text, b.except, b.only, b.exact, b.folder)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writeRules(w io.Writer, rules []Rule) {
	lines := make([]string, len(rules))
	for i := range rules {
		r := &rules[i]
		lines[i] = fmt.Sprintf("rule %q %v %q %q %q %q\n",
			ruleName(r), r.Action, sorted(r.Tools), sorted(r.Paths), sorted(r.Commands), r.Message)
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprint(w, line)
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }
