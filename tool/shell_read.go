package tool

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/shellscan"
)

// command is the command of a call and what is known of it.
type command struct {
	args      *shellArgs
	shell     string // real path of the shell that reads the text; "" for an argument list
	reading   *shellscan.Reading
	access    policy.CommandAccess
	dynamic   []string // why not all is known
	redirects []redirect
	scripts   []*target // files that the command names and executes
}

func newCommand(a *shellArgs) *command { return &command{args: a} }

func (m *command) text() string { return deref(m.args.Command) }

// close lets go of the objects.
func (m *command) close() { closeTargets(m.objects()) }

// objects are the targets beside the working directory.
func (m *command) objects() []*target {
	targets := slices.Clone(m.scripts)
	for _, r := range m.redirects {
		if r.target != nil {
			targets = append(targets, r.target)
		}
	}
	return targets
}

// resolveCommand reads the command and finds what it names, from its working
// directory on.
func (t *Toolbox) resolveCommand(ctx context.Context, c *call) error {
	m := c.command
	cwd := c.targets[0]
	if !cwd.isDir() {
		return fail(NotADirectory, shown(cwd.path)+" is not a directory; cwd must be one")
	}
	m.close()
	m.redirects, m.scripts = nil, nil
	m.read(t)
	m.access = policy.CommandAccess{Tool: c.spec.name}
	found := programs{box: t, cwd: cwd.Real(), seen: map[string]policy.Program{}}
	for i := range m.reading.Programs {
		p, err := found.judged(ctx, &m.reading.Programs[i])
		if err != nil {
			return err
		}
		m.access.Programs = append(m.access.Programs, p)
		if shellscan.Renamed(p.Name, p.Resolved) {
			m.dynamic = append(m.dynamic, p.Name+" is "+p.Resolved+", whose arguments may run other programs")
		}
	}
	if err := t.findRedirects(ctx, c, cwd.Real()); err != nil {
		return err
	}
	if len(m.dynamic) > 0 {
		m.access.Dynamic = m.dynamic[0]
	}
	return t.findScripts(ctx, m, cwd.Real())
}

// read takes the text apart in the dialect of the shell that would run it.
func (m *command) read(t *Toolbox) {
	in := shellscan.Input{
		Command: m.text(), Argv: m.args.Argv, Dialect: shellscan.POSIX,
		Env: slices.Sorted(maps.Keys(m.args.Env)), Stdin: m.args.Stdin != nil,
	}
	m.dynamic = nil
	if in.Argv == nil {
		m.shell = t.shellPath()
		if path.Base(m.shell) == "bash" {
			in.Dialect = shellscan.Bash
		}
		if t.writable(m.shell) {
			m.dynamic = append(m.dynamic, "the shell "+m.shell+" lies where commands can write")
		}
	}
	m.reading = shellscan.Scan(in)
	for _, r := range m.reading.Dynamic {
		m.dynamic = append(m.dynamic, r.Text)
	}
	for _, name := range in.Env {
		if shellscan.ChangesReading(name, m.args.Env[name]) {
			m.dynamic = append(m.dynamic, "the environment variable "+name+" may change the encoding in which the command is read")
		}
	}
}

// shellPath is the real path of the shell that runs command texts, "" if the
// host has none.
func (t *Toolbox) shellPath() string {
	if t.ShellPath != "" {
		return t.ShellPath
	}
	if bash := t.program("bash"); bash != "" {
		return bash
	}
	return t.program("sh")
}

func (t *Toolbox) program(name string) string {
	if t.Programs == nil {
		return ""
	}
	return t.Programs(name)
}

// writable reports whether a real path lies where the agent may write.
func (t *Toolbox) writable(real string) bool {
	for _, f := range t.Workspace.Jail().Folders() {
		if f.Mode == jail.ReadWrite && within(real, f.Real) {
			return true
		}
	}
	return false
}

// programs finds the files of programs, each name once.
type programs struct {
	box  *Toolbox
	cwd  string
	seen map[string]policy.Program
}

// judged is a program as the policy wants it.
func (p *programs) judged(ctx context.Context, from *shellscan.Program) (policy.Program, error) {
	to := policy.Program{
		Name: from.Name, Options: from.Options, Builtin: from.Builtin, Inert: from.Inert,
		Guess: from.Guess, Danger: string(from.Danger),
	}
	for _, a := range from.Args {
		to.Args = append(to.Args, wordOf(a))
	}
	if from.Builtin || from.Name == "" {
		return to, nil
	}
	found, known := p.seen[from.Name]
	if !known {
		var err error
		if found.Resolved, found.Writable, err = p.find(ctx, from.Name); err != nil {
			return to, err
		}
		p.seen[from.Name] = found
	}
	to.Resolved, to.Writable = found.Resolved, found.Writable
	return to, nil
}

func wordOf(a shellscan.Arg) policy.Word {
	switch a.Kind {
	case shellscan.Literal:
		return policy.Word{Kind: policy.KnownWord, Text: a.Text}
	case shellscan.One:
		return policy.Word{Kind: policy.OneWord}
	default:
		return policy.Word{Kind: policy.ManyWords}
	}
}

// find finds the file that runs under a name, and tells whether the agent could
// have a say in which one that is.
func (p *programs) find(ctx context.Context, name string) (real string, writable bool, err error) {
	if !strings.Contains(name, "/") {
		real = p.box.program(name)
		return real, p.box.writable(real), nil
	}
	if !path.IsAbs(name) {
		name = p.cwd + "/" + name
	}
	return p.box.leads(ctx, name)
}

// maxLinks is how many links Linux follows in one path.
const maxLinks = 40

// leads finds the file that a path leads to, also where links of the workspace
// lead out of it: what such a link runs is a program of the host, under a name
// that the agent has chosen.
func (t *Toolbox) leads(ctx context.Context, name string) (real string, writable bool, err error) {
	obj, err := t.Workspace.Jail().Resolve(ctx, name, jail.Existing)
	switch {
	case err == nil:
		defer obj.Close()
		return obj.Real(), t.writable(obj.Real()), nil
	case ctx.Err() != nil:
		return "", false, ctx.Err()
	case !errors.Is(err, jail.ErrEscape):
		return "", false, nil // nothing that runs is there
	}
	out, linked, err := t.leadsOut(ctx, name)
	if err != nil || out == "" {
		return "", false, err
	}
	real = t.program(path.Clean(out))
	return real, linked || t.writable(real), nil
}

// leadsOut follows the links of a path until it has left the allowed folders,
// and returns the path there. "" means that it leads nowhere.
func (t *Toolbox) leadsOut(ctx context.Context, name string) (out string, linked bool, err error) {
	rest := name
	at := ""
	for links := 0; rest != ""; {
		part, after, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		rest = after
		switch part {
		case "", ".":
			continue
		case "..":
			at = strings.TrimSuffix(path.Dir("/"+strings.TrimPrefix(at, "/")), "/")
			continue
		}
		obj, rerr := t.Workspace.Jail().Resolve(ctx, at+"/"+part, jail.Entry)
		if ctx.Err() != nil {
			return "", false, ctx.Err()
		}
		if rerr != nil || !obj.Info().IsLink() {
			if obj != nil {
				obj.Close()
			}
			at += "/" + part
			continue
		}
		to, lerr := obj.Readlink()
		obj.Close()
		if links++; lerr != nil || links > maxLinks {
			return "", false, nil //nolint:nilerr // a link that nobody can follow leads nowhere
		}
		linked = true
		if path.IsAbs(to) {
			at = ""
		}
		rest = to + "/" + rest
	}
	return at, linked, nil
}

// findScripts finds the files that the command names and executes, as far as
// they lie in an allowed folder. An approval is bound to what they hold.
func (t *Toolbox) findScripts(ctx context.Context, m *command, cwd string) error {
	seen := map[string]bool{}
	for i := range m.reading.Programs {
		for _, name := range m.reading.Programs[i].Scripts {
			if !path.IsAbs(name) {
				name = cwd + "/" + name
			}
			if seen[name] {
				continue
			}
			seen[name] = true
			obj, err := t.Workspace.Jail().Resolve(ctx, name, jail.Target)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil {
				m.scripts = append(m.scripts, &target{use: use{path: name, recursive: true}, obj: obj})
			}
		}
	}
	return nil
}
