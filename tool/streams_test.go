package tool_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

// typed is a call that the operator types.
func (b *box) typed(a args, streams *tool.Streams) *tool.Result {
	b.t.Helper()
	return b.Call(b.t.Context(), tool.Request{
		Tool: "shell", Args: rawArgs(b.t, a), Session: "s1", Principal: "tester", Operator: true, Streams: streams,
	})
}

func TestTypingIsApproval(t *testing.T) {
	asked := 0
	b := newBox(t, setup{tree: commandTree(), rules: commandRules(), runs: true, ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
		asked++
		return &tool.Approval{ID: "a1"}, nil
	}})
	for _, tt := range []struct {
		argv     []string
		kind     tool.Kind
		approval string
		rule     string
	}{
		{argv: []string{"make"}, approval: "operator", rule: "builtin:shell"},
		{argv: []string{"git", "fetch"}, approval: "operator", rule: "ask-fetch"},
		{argv: []string{"ls"}, rule: "look"}, // allowed anyway: nothing to approve
		{argv: []string{"git", "push"}, kind: tool.PolicyDenied, rule: "no-push"},
		{argv: []string{"sudo", "ls"}, kind: tool.PolicyDenied, rule: "builtin:dangerous"},
	} {
		r := b.typed(args{"argv": tt.argv}, nil)
		if r.ErrorKind != tt.kind {
			t.Errorf("%q: %s", tt.argv, r.Error)
		}
		records := b.records()
		got := records[len(records)-1]
		if got.Approval != tt.approval || !strings.HasPrefix(got.Rule, tt.rule) {
			t.Errorf("%q: approval %q by rule %q, want %q by %q", tt.argv, got.Approval, got.Rule, tt.approval, tt.rule)
		}
		if intent := records[len(records)-2]; tt.approval != "" && (intent.Phase != "intent" || intent.Approval != tt.approval) {
			t.Errorf("%q: the intent is recorded as %+v", tt.argv, intent)
		}
	}
	if asked != 0 || len(b.commands) != 3 || !b.commands[0].Operator {
		t.Errorf("asked %d times, ran %d commands", asked, len(b.commands))
	}
	if b.must("shell", args{"argv": []string{"make"}}); asked != 1 || b.commands[3].Operator {
		t.Errorf("an agent's call asked %d times", asked)
	}
}

// The task type and the tool policy hold for the operator too.
func TestTypingLiftsNothing(t *testing.T) {
	b := newBox(t, setup{task: "refactor", runs: true})
	if r := b.typed(args{"argv": []string{"ls"}}, nil); r.ErrorKind != tool.OpDenied {
		t.Errorf("without exec: %+v", r)
	}
	b = newBox(t, setup{runs: true, policy: func(c *policy.Config) { c.Tools = map[string]policy.Action{"shell": policy.Deny} }})
	if r := b.typed(args{"argv": []string{"ls"}}, nil); r.ErrorKind != tool.PolicyDenied {
		t.Errorf("with the tool denied: %+v", r)
	}
	if len(b.commands) != 0 {
		t.Errorf("ran %d commands", len(b.commands))
	}
}

// What an interpreter reads from a stream is not known when the command is judged.
func TestStreamIntoInterpreter(t *testing.T) {
	b := newBox(t, setup{rules: commandRules(), runs: true})
	streams := &tool.Streams{Stdin: strings.NewReader("git push\n")}
	for _, tt := range []struct {
		argv     []string
		streams  *tool.Streams
		approval string
	}{
		{[]string{"sh", "-c", "ls"}, streams, ""},
		{[]string{"cat", "a.txt"}, streams, ""},
		{[]string{"sh"}, streams, "operator"},
	} {
		if r := b.typed(args{"argv": tt.argv}, tt.streams); !r.Success {
			t.Fatal(r.Error)
		}
		records := b.records()
		if got := records[len(records)-1].Approval; got != tt.approval {
			t.Errorf("%q: approval %q, want %q", tt.argv, got, tt.approval)
		}
		if got := b.commands[len(b.commands)-1].Streams; got != tt.streams {
			t.Errorf("%q: the streams are %v", tt.argv, got)
		}
	}
}

// A face's streams and the operator's word are not for arguments.
func TestStreamsAreNoArguments(t *testing.T) {
	b := newBox(t, setup{runs: true})
	for _, raw := range []string{`{"argv":["ls"],"Operator":true}`, `{"argv":["ls"],"operator":true}`, `{"argv":["ls"],"streams":{}}`} {
		if r := b.raw("shell", raw); r.ErrorKind != tool.InvalidArgument {
			t.Errorf("%s: %+v", raw, r)
		}
	}
}

// A client that wants to know is told what a command prints, while it runs.
func TestCommandProgress(t *testing.T) {
	tool.ReportOutputEvery(t, time.Millisecond)
	told := make(chan tool.Progress)
	b := newBox(t, setup{policy: allowShell, shell: func(_ context.Context, c *tool.Command) (*tool.CommandResult, error) {
		if c.Streams == nil || c.Streams.Stdin != nil || c.Streams.Terminal != nil {
			t.Errorf("streams %+v", c.Streams)
			return &tool.CommandResult{}, nil
		}
		for _, step := range []struct {
			to          io.Writer
			text, shown string
		}{
			{c.Streams.Stdout, "compiling\nlinking", "linking"},
			{c.Streams.Stdout, " it\n\n  \n", "linking it"},
			{c.Streams.Stderr, "10 %\r20 %\r", "20 %"},
			{c.Streams.Stdout, "\x1b[31mred \xff\x00\n", `\x1b[31mred ` + "\ufffd" + `\x00`},
			{c.Streams.Stdout, strings.Repeat("x", 1<<20), strings.Repeat("x", 200)},
		} {
			io.WriteString(step.to, step.text)
			p := <-told
			if !strings.HasPrefix(p.Message, step.shown) || len(p.Message) > 300 || p.Unit != "bytes" {
				t.Errorf("%.60q is told as %+v", step.text, p)
			}
		}
		return &tool.CommandResult{}, nil
	}})
	last := int64(0)
	ctx := tool.WithProgress(t.Context(), func(p tool.Progress) {
		if p.Done <= last {
			t.Errorf("%d after %d", p.Done, last)
		}
		last = p.Done
		told <- p
	})
	if r := b.Call(ctx, tool.Request{Tool: "shell", Args: rawArgs(t, args{"command": "make"})}); !r.Success {
		t.Error(r.Error)
	}
}
