package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

func (a *app) policyExplainCommand() *cobra.Command {
	var command, cwd string
	cmd := &cobra.Command{
		Use:   "explain PATH | --command TEXT",
		Short: "Tell what may be done with a path, or what a command would run, and why",
		Long: `With a path: the real path that it leads to, the links on the way, and for each
file tool what would become of a call and which rule is responsible. Calls with
two paths are for bailey policy check.

With --command: the programs that the text would run, the files that it opens,
and what is not known before it runs, each with the rule that decides; then the
verdict on the whole. Programs are looked up as a command would find them.`,
		Example: `  bailey policy explain src/.env
  bailey policy explain --command 'cd sub && git push origin main > log'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed("command")
			switch {
			case given && len(args) == 0:
				return a.explainCommand(cmd.Context(), command, cwd)
			case !given && len(args) == 1 && cwd == "":
				return a.explainPath(cmd.Context(), args[0])
			case cwd != "" && !given:
				return usage("--cwd goes with --command")
			}
			return usage("policy explain needs one path, or --command")
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	cmd.Flags().StringVar(&command, "command", "", "a shell's text to explain")
	cmd.Flags().StringVar(&cwd, "cwd", "", "the working directory of the command (default: the workspace)")
	return cmd
}

// pathView is what is to be known of a path.
type pathView struct {
	Path   string      `json:"path"`
	Real   string      `json:"real,omitempty"` // "" where it leads out of the allowed folders
	Type   string      `json:"type,omitempty"` // file, directory, symlink, other or absent
	Folder *folderView `json:"folder,omitempty"`
	Links  []pathLink  `json:"links"`
	Tools  []toolView  `json:"tools"`
}

// toolView is what would become of a call of one tool.
type toolView struct {
	Tool    string       `json:"tool"`
	Op      workspace.Op `json:"op"`
	Granted bool         `json:"granted"` // by the task type
	Task    string       `json:"task"`    // the task type that the verdict is for: another one where this one does not grant the operation
	checkAnswer
	Message string `json:"message,omitempty"`
}

// pathTools are the tools that take one path, with the arguments of a call.
var pathTools = []struct {
	name string
	op   workspace.Op
	args func(path string) map[string]any
}{
	{"file_read", workspace.OpRead, onlyPath},
	{"file_read_many", workspace.OpRead, func(p string) map[string]any { return map[string]any{"paths": []string{p}} }},
	{"file_grep", workspace.OpRead, func(p string) map[string]any { return map[string]any{"path": p, "pattern": "x"} }},
	{"file_list", workspace.OpList, onlyPath},
	{"file_tree", workspace.OpList, onlyPath},
	{"file_find", workspace.OpList, func(p string) map[string]any { return map[string]any{"path": p, "pattern": "**"} }},
	{"file_info", workspace.OpList, onlyPath},
	{"file_write", workspace.OpWrite, func(p string) map[string]any { return map[string]any{"path": p, "content": ""} }},
	{"file_edit", workspace.OpWrite, func(p string) map[string]any {
		return map[string]any{"path": p, "edits": []any{map[string]any{"old_text": "x", "new_text": "y"}}}
	}},
	{"dir_create", workspace.OpMkdir, onlyPath},
	{"file_delete", workspace.OpDelete, func(p string) map[string]any { return map[string]any{"path": p, "recursive": true} }},
}

func onlyPath(p string) map[string]any { return map[string]any{"path": p} }

func (a *app) explainPath(ctx context.Context, path string) error {
	path = text.DisplayName(path)
	i, err := a.inspect(ctx, a.options())
	if err != nil {
		return err
	}
	defer func() { _ = i.Close() }()
	v, err := i.explainObject(ctx, path)
	if err != nil {
		return err
	}
	tasks := taskInspectors{app: a, own: i, others: map[string]*inspector{}}
	defer tasks.close()
	for _, t := range pathTools {
		task, err := tasks.granting(ctx, t.op)
		if err != nil {
			return err
		}
		raw, err := json.Marshal(t.args(path))
		if err != nil {
			return err
		}
		judged := task.Check(ctx, t.name, raw)
		v.Tools = append(v.Tools, toolView{
			t.name, t.op, task == i, task.Workspace().Task().Name, checkAnswerOf(judged), judged.Message,
		})
	}
	if a.flags.json {
		return a.printJSON(v)
	}
	return a.printPath(v, i.origins())
}

// taskInspectors opens the workspace once for each task type that is needed.
type taskInspectors struct {
	app    *app
	own    *inspector
	others map[string]*inspector
}

// granting is the workspace under a task type that grants the operation: that of
// the session if it does. Where none does, what the session's says is all there is.
func (t *taskInspectors) granting(ctx context.Context, op workspace.Op) (*inspector, error) {
	space := t.own.Workspace()
	names := workspace.Granting(space.TaskTypes(), op)
	if space.Task().Has(op) || len(names) == 0 {
		return t.own, nil
	}
	return t.named(ctx, names[0])
}

// named is the workspace under a task type; "" is the session's.
func (t *taskInspectors) named(ctx context.Context, name string) (*inspector, error) {
	if name == "" {
		return t.own, nil
	}
	if i, ok := t.others[name]; ok {
		return i, nil
	}
	o := t.app.options()
	o.Task = name
	i, err := t.app.inspect(ctx, o)
	if err != nil {
		return nil, err
	}
	t.others[name] = i
	return i, nil
}

func (t *taskInspectors) close() {
	for _, i := range t.others {
		_ = i.Close()
	}
}

func (a *app) printPath(v *pathView, origin func(string) string) error {
	t := newTable()
	t.row("path", v.Path)
	for _, l := range v.Links {
		t.row("link", l.Path+" -> "+l.Target)
	}
	if v.Real == "" {
		t.row("real path", "none in the allowed folders")
	} else {
		t.row("real path", fmt.Sprintf("%s (%s)", v.Real, v.Type))
		t.row("folder", fmt.Sprintf("%s (%s)", v.Folder.Path, v.Folder.Mode))
	}
	err := t.print(a.stdout)
	t = newTable()
	t.row()
	var messages []string
	for n := 0; n < len(v.Tools); {
		first := &v.Tools[n]
		var tools []string
		for ; n < len(v.Tools) && v.Tools[n].same(first); n++ {
			tools = append(tools, v.Tools[n].Tool)
		}
		t.row(string(first.Op), strings.Join(tools, " "), first.line(origin))
		if m := first.Message; m != "" && first.Kind != tool.OpDenied && !slices.Contains(messages, m) {
			messages = append(messages, m)
		}
	}
	for _, m := range messages {
		t.row()
		t.row(m)
	}
	return errors.Join(err, t.print(a.stdout))
}

// line is the verdict, and under which task type it holds if not under this one.
func (t *toolView) line(origin func(string) string) string {
	line := verdictLine(&tool.Verdict{Verdict: t.Verdict, Rule: t.Rule, Kind: t.Kind}, origin)
	if !t.Granted {
		line = fmt.Sprintf("not granted here; by task type %s: %s", t.Task, line)
	}
	return line
}

func (t *toolView) same(o *toolView) bool {
	return t.Op == o.Op && t.Verdict == o.Verdict && t.Rule == o.Rule && t.Kind == o.Kind && t.Task == o.Task
}
