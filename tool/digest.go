package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
)

// digester digests lists of texts so that no two sequences of lists give the same
// text: a path is bytes, which JSON would replace where they are not UTF-8.
type digester struct{ hash hash.Hash }

func newDigester(what string) digester {
	d := digester{sha256.New()}
	d.add(what)
	return d
}

func (d digester) add(values ...string) { fmt.Fprintf(d.hash, "%q\n", values) }

func (d digester) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }

// bind fills in the digests of a request.
func (r *ApprovalRequest) bind(c *call) error {
	args, err := json.Marshal(c.args)
	if err != nil {
		return err
	}
	d, g := newDigester("call 1"), newDigester("grant 1")
	for _, both := range []digester{d, g} {
		r.bindBasis(both, c)
	}
	d.add(string(args))
	d.add(r.Fails)
	for i := range r.Contents {
		d.add(r.Contents[i].pinned()...)
	}
	if p := c.preview; p != nil {
		d.add(p.before.sha256, p.after)
	}
	if c.command != nil {
		g.add(string(args))
		for _, both := range []digester{d, g} {
			r.bindCommand(both, c.command)
		}
	}
	r.Digest, r.Grant = d.sum(), g.sum()
	return nil
}

// bindBasis is what a decision for a session covers: what is done, to which
// objects, why it is asked, and who asks.
func (r *ApprovalRequest) bindBasis(d digester, c *call) {
	d.add(r.Tool, string(r.Op), c.box.Policy.Version(), r.Workspace, r.Task, r.Principal, r.Group)
	for _, g := range c.targets {
		d.add("path", g.Real(), fmt.Sprint(g.how, g.effect, g.recursive, g.dir, g.dryRun, g.err != nil))
	}
	for _, a := range c.supervised {
		d.add("asks", a.real, a.verdict.Rule, a.verdict.Message)
	}
}

// bindCommand is what a command leads to beside its arguments.
func (r *ApprovalRequest) bindCommand(d digester, m *command) {
	d.add("shell", m.shell)
	for i := range m.access.Programs {
		d.add("program", m.access.Programs[i].Name, m.access.Programs[i].Resolved)
	}
	for i := range r.Scripts {
		d.add(append([]string{"script"}, r.Scripts[i].pinned()...)...)
	}
	for _, to := range m.redirects {
		real := to.path
		if to.target != nil {
			real = to.target.Real()
		}
		d.add("redirect", real, fmt.Sprint(to.Read, to.Write))
	}
}

// distinctRules lists the rules that ask, each once, in their order.
func distinctRules(supervised []asked) []RuleView {
	var rules []RuleView
	for _, a := range supervised {
		if v := (RuleView{a.verdict.Rule, a.verdict.Message}); !slices.Contains(rules, v) {
			rules = append(rules, v)
		}
	}
	return rules
}
