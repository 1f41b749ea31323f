package tool

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/shellscan"
)

// redirect is a file that the shell opens for a command.
type redirect struct {
	shellscan.Redirect
	path   string  // as it would be opened, absolute
	target *target // nil where it lies in no allowed folder
}

// findRedirects finds the files of the command's redirects. One that lies outside
// of the allowed folders is the sandbox's own: it is left to the walls, and keeps
// the command from being allowed by a rule. /tmp is the session's.
func (t *Toolbox) findRedirects(ctx context.Context, c *call, cwd string) error {
	m := c.command
	for _, r := range m.reading.Redirects {
		at := redirect{Redirect: r, path: r.Path}
		switch {
		case r.Home && t.Home == "":
			m.dynamic = append(m.dynamic, "a redirect's target lies in the home directory")
			m.redirects = append(m.redirects, at)
			continue
		case r.Home:
			at.path = t.Home + strings.TrimPrefix(r.Path, "~")
		case !path.IsAbs(r.Path):
			at.path = cwd + "/" + r.Path
		}
		var err error
		if at.target, err = t.redirectTarget(ctx, &at); err != nil {
			return err
		}
		m.redirects = append(m.redirects, at)
		if at.target == nil && !ownDevice(at.path) && (c.foreign || !t.ownFile(at.path)) {
			m.dynamic = append(m.dynamic, "a redirect's target "+shown(at.path)+" lies outside of the allowed folders")
		}
	}
	return nil
}

// redirectTarget finds the object of a redirect, nil if it lies outside.
func (t *Toolbox) redirectTarget(ctx context.Context, r *redirect) (*target, error) {
	if ownDevice(r.path) {
		return nil, nil //nolint:nilnil // nothing to judge is no error
	}
	g := &target{use: use{path: r.Path, how: jail.Target}, name: r.path, requested: path.Clean(r.path)}
	if r.Read {
		g.effect |= policy.Reveal
	}
	if r.Write {
		g.effect |= policy.Change
	}
	obj, err := t.Workspace.Jail().Resolve(ctx, r.path, jail.Target)
	switch {
	case err == nil:
		g.obj, g.id = obj, obj.Info().ID()
		if g.exists() && obj.Info().IsSpecial() {
			g.err = asError(&jail.SpecialError{Op: "open", Path: r.Path, Kind: typeName(obj.Info().Mode())})
		}
		return g, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, jail.ErrEscape):
		return nil, nil //nolint:nilnil // it is left to the walls
	case errors.Is(err, jail.ErrNotDirectory), errors.Is(err, fs.ErrNotExist):
		// The shell will fail to open it; if something comes to be there, it is
		// by this name.
		g.real = g.requested
		return g, nil
	default:
		g.err, g.real = asError(err), g.requested // told only where the policy does not deny the path
		return g, nil
	}
}

// ownDevice reports whether a path names a device or descriptor that every
// command has and that holds nothing.
func ownDevice(name string) bool {
	switch name {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	number, ok := strings.CutPrefix(name, "/dev/fd/")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// ownFile reports whether a path that lies in no allowed folder is the session's
// own. One that leads out of a folder by a link is not.
func (t *Toolbox) ownFile(name string) bool {
	clean := path.Clean(name)
	for _, f := range t.Workspace.Jail().Folders() {
		if within(clean, f.Real) || within(clean, f.Given) {
			return false
		}
	}
	return strings.HasPrefix(name, "/tmp/") && clean == strings.TrimSuffix(name, "/")
}

// within reports whether a clean path is a directory or lies below it.
func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}
