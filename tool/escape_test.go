package tool_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/baileyhq/bailey/internal/config"
	"github.com/baileyhq/bailey/internal/filetree/escapes"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

// The corpus over both engines. internal/cli runs it over the command.
func TestEscapes(t *testing.T) {
	cases := escapes.Cases(t)
	engines(t, func(t *testing.T, e jail.Engine) {
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) { escape(t, c, e) })
		}
	})
}

func escape(t *testing.T, c *escapes.Case, e jail.Engine) {
	p := c.Lay(t)
	b := openCase(t, c, p, e)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	r := b.Call(ctx, tool.Request{Tool: c.Tool, Args: json.RawMessage(c.Arguments(p)), Session: "s1", Principal: "tester"})
	c.Check(t, p, encode(t, r))
	if b.Options.Audit == nil {
		return // a broken configuration: there is no log
	}
	if c.Tool == "file_read_many" && r.Success {
		return // its record tells of the paths that were refused
	}
	if rec := b.last(); rec.Tool != c.Tool || (rec.Result == "allow") != r.Success || rec.ErrorKind != string(r.ErrorKind) {
		t.Errorf("recorded as %+v", rec)
	}
}

func encode(t *testing.T, r *tool.Result) []byte {
	t.Helper()
	answer, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// openCase opens the workspace of a case as its configuration says.
func openCase(t *testing.T, c *escapes.Case, p *escapes.Place, e jail.Engine) *box {
	t.Helper()
	cfg, err := config.Parse("test.toml", []byte(c.Settings(p)))
	if err != nil {
		t.Fatal(err)
	}
	b := &box{t: t, root: p.Root, out: p.Out, log: p.Base + "/audit.log", vars: p.Vars}
	types := workspace.TaskTypes(taskTypes(cfg))
	name := c.TaskType()
	task, err := workspace.FindTask(types, name)
	if err == nil {
		name = "agent" // the harness knows no others
	}
	b.open(setup{
		task: name, opened: c.Opened(p),
		space: func(o *workspace.Options) {
			o.Engine, o.Task, o.TaskTypes = e, task, types
			o.DenyHardLinks = cfg.Workspace.HardLinks == config.HardLinksDeny
			o.CrossMounts = cfg.Workspace.CrossMounts
			for _, f := range cfg.Workspace.Allow {
				mode := jail.ReadOnly
				if f.Mode == config.Write {
					mode = jail.ReadWrite
				}
				o.Folders = append(o.Folders, jail.Folder{Given: f.Path, Mode: mode})
			}
		},
		policy: func(pc *policy.Config) {
			*pc = cfg.PolicyConfig(pc.Workspace, p.Base+"/home", pc.KnownTools, pc.Protected)
		},
	})
	return b
}

func taskTypes(cfg *config.Config) map[string][]workspace.Op {
	types := map[string][]workspace.Op{}
	for name, ops := range cfg.TaskOps() {
		for _, op := range ops {
			types[name] = append(types[name], workspace.Op(op))
		}
	}
	return types
}

// A refusal proves nothing if the call could not have done any harm.
func TestEscapeControls(t *testing.T) {
	for _, c := range escapes.Cases(t) {
		if !c.NeedsControl() && c.Control == nil {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			k := c.Controlled()
			if k == nil {
				if err := c.Naive(t, c.Lay(t)); err != nil {
					t.Errorf("the call does no harm without a guard either, so that its refusal proves nothing: %v", err)
				}
				return
			}
			p := k.Lay(t)
			b := openCase(t, k, p, jail.EngineAuto)
			c.CheckControl(t, p, encode(t, b.raw(k.Tool, k.Arguments(p))))
		})
	}
}

const marker = escapes.Marker

func (b *box) place() *escapes.Place { return &escapes.Place{Root: b.root, Out: b.out, Vars: b.vars} }

// check expects something of the files, in the corpus' words.
func (b *box) check(line string) {
	b.t.Helper()
	if !b.place().Holds(b.t, line) {
		b.t.Errorf("afterwards %q does not hold", line)
	}
}

// leftOver lists temporary files that a call forgot.
func (b *box) leftOver() []string {
	b.t.Helper()
	return b.place().LeftOver(b.t)
}
