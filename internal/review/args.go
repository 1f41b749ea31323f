package review

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/baileyhq/bailey/tool"
)

// writeArgs shows the arguments that nothing above has shown. Where they can't be
// read as an object, they are shown as they are.
func (r request) writeArgs(p *page) {
	if r.raw {
		p.section("Details")
		p.block(string(r.Details), unstyled)
		return
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(r.call.Args, &args); err != nil {
		if len(r.call.Args) > 0 {
			p.section("Arguments")
			p.block(string(r.call.Args), unstyled)
		}
		return
	}
	begun := false
	for _, key := range slices.Sorted(maps.Keys(args)) {
		if r.shown(key) {
			continue
		}
		if !begun {
			p.section("Arguments")
			begun = true
		}
		writeArg(p, key, args[key])
	}
}

// shown tells whether an argument is on the page already, in a better form.
func (r request) shown(key string) bool {
	c := r.call
	switch key {
	case "content", "edits":
		return wholeDiff(c)
	case "command", "argv":
		return c.Command != "" || len(c.Argv) > 0
	case "env":
		return len(c.Env) > 0
	case "stdin":
		return c.Stdin != nil
	default:
		return false
	}
}

// wholeDiff tells whether the diff holds all of a change. A line that begins with a
// backslash sums something up: of a final line without a newline, nothing is left out.
func wholeDiff(c tool.ApprovalRequest) bool {
	if c.Diff == "" || c.DiffCut {
		return false
	}
	for line := range strings.Lines(c.Diff) {
		if strings.HasPrefix(line, `\`) && !strings.HasPrefix(line, `\ No newline`) {
			return false
		}
	}
	return true
}

func writeArg(p *page, key string, raw json.RawMessage) {
	var s string
	if err := json.Unmarshal(raw, &s); err == nil {
		if strings.Contains(s, "\n") {
			p.put("  ", "    ", plain, key+":")
			p.block(s, unstyled)
			return
		}
		p.put(margin, folded, plain, key+"="+s)
		return
	}
	var flat bytes.Buffer
	if err := json.Compact(&flat, raw); err != nil {
		flat.Reset()
		flat.Write(raw)
	}
	p.put(margin, folded, plain, key+"="+flat.String())
}
