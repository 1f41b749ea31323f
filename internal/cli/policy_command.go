package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

// commandView is what is to be known of a command.
type commandView struct {
	Command string        `json:"command"`
	Granted bool          `json:"granted"` // by the task type
	Task    string        `json:"task"`    // the task type that the verdict is for
	Reading *tool.Reading `json:"reading"` // null where the call is refused before the command is read
	checkAnswer
	Message string `json:"message,omitempty"`
}

func (a *app) explainCommand(ctx context.Context, command, cwd string) error {
	i, err := a.inspect(ctx, a.options())
	if err != nil {
		return err
	}
	defer func() { _ = i.Close() }()
	tasks := taskInspectors{app: a, own: i, others: map[string]*inspector{}}
	defer tasks.close()
	task, err := tasks.granting(ctx, workspace.OpExec)
	if err != nil {
		return err
	}
	args := map[string]any{"command": command}
	if cwd != "" {
		args["cwd"] = text.DisplayName(cwd)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	judged, reading := task.Explain(ctx, "shell", raw)
	v := commandView{command, task == i, task.Workspace().Task().Name, reading, checkAnswerOf(judged), judged.Message}
	if a.flags.json {
		return a.printJSON(v)
	}
	p := policyPrinter{to: a.stdout}
	if reading != nil {
		p.reading(reading, i.origins())
	}
	p.section("THE WAY", func(*table) {})
	p.err = errors.Join(p.err, a.printWay(judged, i.origins()))
	end := "VERDICT"
	if !v.Granted {
		end = fmt.Sprintf("VERDICT by task type %s; %s does not grant commands", v.Task, i.Workspace().Task().Name)
	}
	p.section(end, func(*table) {})
	return errors.Join(p.err, a.printVerdict(judged, i.origins()))
}

// reading prints what a command was read as, part by part.
func (p *policyPrinter) reading(r *tool.Reading, origin func(string) string) {
	reader := "PROGRAMS, no shell reads it, in " + r.Cwd
	if r.Shell != "" {
		reader = fmt.Sprintf("PROGRAMS, as %s reads it in %s", r.Shell, r.Cwd)
	}
	p.section(text.VisibleControl(reader), func(t *table) {
		for i := range r.Programs {
			program := &r.Programs[i]
			t.row("  "+programLine(program), programSays(program, origin))
			for _, note := range programNotes(program) {
				t.under("    " + note)
			}
		}
		if len(r.Programs) == 0 {
			t.row("  none")
		}
	})
	p.list("FILES THAT THE SHELL OPENS", len(r.Redirects), func(t *table, i int) {
		f := &r.Redirects[i]
		says := f.Verdict + " by " + placed(f.Rule, origin)
		if f.Outside {
			says = "outside of the allowed folders: up to the sandbox"
		}
		t.row("  "+openedFor(f), f.Path, says)
	})
	p.list("FILES THAT ARE EXECUTED; what they do is not read here", len(r.Scripts), func(t *table, i int) {
		t.row("  " + r.Scripts[i])
	})
	p.list("NOT KNOWN BEFORE IT RUNS, so that no rule allows it", len(r.Dynamic), func(t *table, i int) {
		at, d := "", &r.Dynamic[i]
		if d.Line > 0 {
			at = fmt.Sprintf("%d:%d: ", d.Line, d.Column)
		}
		t.row("  " + at + d.Text)
	})
}

// list prints a section of n rows, or nothing where there are none.
func (p *policyPrinter) list(title string, n int, row func(t *table, i int)) {
	if n == 0 {
		return
	}
	p.section(title, func(t *table) {
		for i := range n {
			row(t, i)
		}
	})
}

func programLine(p *tool.ProgramPart) string {
	name := p.Name
	if name == "" {
		name = "?"
	}
	return strings.Join(append([]string{name}, p.Args...), " ")
}

// programSays is what the policy says of a program.
func programSays(p *tool.ProgramPart, origin func(string) string) string {
	switch {
	case p.Rule != "":
		return p.Verdict + " by " + placed(p.Rule, origin)
	case p.Needs:
		return "no rule allows it"
	default:
		return "needs no rule"
	}
}

func programNotes(p *tool.ProgramPart) []string {
	var notes []string
	if len(p.Via) > 0 {
		notes = append(notes, "run by "+strings.Join(p.Via, ", "))
	}
	if p.Resolved != "" && p.Resolved != p.Name {
		notes = append(notes, "is "+p.Resolved)
	}
	if p.Note != "" {
		notes = append(notes, p.Note)
	}
	return notes
}

func openedFor(f *tool.RedirectPart) string {
	switch {
	case f.Read && f.Write:
		return "reads and writes"
	case f.Write:
		return "writes"
	default:
		return "reads"
	}
}
