package bailey

import (
	"io"

	"github.com/baileyhq/bailey/internal/gitguard"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/sandbox"
	"github.com/baileyhq/bailey/tool"
)

// output keeps what a command prints, and passes it on to who watches.
type output struct {
	keptOut, keptErr *clip
	stdout, stderr   io.Writer
}

func newOutput(s *tool.Streams, size int64) *output {
	o := &output{keptOut: newClip(size), keptErr: newClip(size)}
	o.stdout, o.stderr = o.keptOut, o.keptErr
	if s != nil && s.Stdout != nil {
		o.stdout = io.MultiWriter(o.keptOut, s.Stdout)
	}
	if s != nil && s.Stderr != nil {
		o.stderr = io.MultiWriter(o.keptErr, s.Stderr)
	}
	return o
}

// result tells of a command that has run.
func (o *output) result(cmd *tool.Command, r *sandbox.Report) *tool.CommandResult {
	out, plainOut := textOf(o.keptOut.String())
	errs, plainErr := textOf(o.keptErr.String())
	return &tool.CommandResult{
		ExitCode: r.ExitCode, Signal: r.Signal,
		Stdout: out, Stderr: errs, Truncated: o.keptOut.cut() || o.keptErr.cut(), NotUTF8: !plainOut || !plainErr,
		DurationMS: r.Duration.Milliseconds(), Shell: cmd.Shell,
		Backend: r.Backend, Guarantee: r.Guarantee, Layers: r.Layers, Network: "off",
	}
}

// note adds what the clean-up found. Where it keeps things is the operator's
// business.
func note(result *tool.CommandResult, report gitguard.Report) {
	for _, item := range report.Quarantined {
		result.Quarantined = append(result.Quarantined, tool.Quarantined{Path: text.DisplayName(item.Path), Reason: item.Reason})
	}
	for _, lock := range report.LeftLocks {
		result.LeftLocks = append(result.LeftLocks, text.DisplayName(lock))
	}
}
