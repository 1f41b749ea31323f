package cli

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/tool"
)

// pathLink is a symbolic link on the way of a path.
type pathLink struct {
	Path   string `json:"path"`
	Target string `json:"target"`
}

// maxLinks is how many links Linux follows in one path.
const maxLinks = 40

// explainObject finds what a path leads to, and how.
func (i *inspector) explainObject(ctx context.Context, given string) (*pathView, error) {
	v := &pathView{Path: given, Links: []pathLink{}}
	j := i.Workspace().Jail()
	name := text.ParseName(given)
	if !path.IsAbs(name) {
		name = j.Root() + "/" + name
	}
	if strings.IndexByte(name, 0) >= 0 || given == "" {
		return nil, usage("%q is no path", given)
	}
	var err error
	if v.Links, err = linksOf(ctx, j, name); err != nil {
		return nil, err
	}
	o, err := j.Resolve(ctx, name, jail.Target)
	switch {
	case ctx.Err() != nil:
		return nil, &tool.Error{Kind: tool.Cancelled, Message: "cancelled", Err: ctx.Err()}
	case err != nil:
		return v, nil // what is wrong with the path, the verdicts tell
	}
	defer o.Close()
	v.Real, v.Type = text.DisplayName(o.Real()), typeOf(o)
	for n, f := range j.Folders() {
		if f.Real == o.Folder().Real {
			folder := i.folder(n, f)
			v.Folder = &folder
		}
	}
	return v, nil
}

func typeOf(o *jail.Object) string {
	if !o.Exists() {
		return "absent"
	}
	switch mode := o.Info().Mode(); {
	case mode.IsDir():
		return "directory"
	case mode.IsRegular():
		return "file"
	case mode&fs.ModeSymlink != 0:
		return "symlink"
	default:
		return "other"
	}
}

// linksOf lists the links of the allowed folders that an absolute path leads
// through, in the order in which they are followed, and ends where it leaves them.
func linksOf(ctx context.Context, j *jail.Jail, name string) ([]pathLink, error) {
	links := []pathLink{}
	seen := map[string]bool{} // a link that is met again with the same rest leads round in a circle
	at := ""
	for rest := name; rest != "" && len(links) < maxLinks; {
		part, after, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		rest = after
		switch part {
		case "", ".":
			continue
		case "..":
			at = strings.TrimSuffix(path.Dir("/"+strings.TrimPrefix(at, "/")), "/")
			continue
		}
		to, err := readLink(ctx, j, at+"/"+part)
		switch {
		case err != nil:
			return nil, err
		case to == "":
			at += "/" + part
			continue
		}
		here := at + "/" + part + "\x00" + rest
		if seen[here] {
			return links, nil
		}
		seen[here] = true
		links = append(links, pathLink{text.DisplayName(at + "/" + part), text.DisplayName(to)})
		if path.IsAbs(to) {
			at = ""
		}
		rest = to + "/" + rest
	}
	return links, nil
}

// readLink is where a link in an allowed folder leads, "" for anything else.
func readLink(ctx context.Context, j *jail.Jail, name string) (string, error) {
	o, err := j.Resolve(ctx, name, jail.Entry)
	if ctx.Err() != nil {
		return "", &tool.Error{Kind: tool.Cancelled, Message: "cancelled", Err: errors.Join(err, ctx.Err())}
	}
	if err != nil {
		return "", nil // nothing that this could read lies there
	}
	defer o.Close()
	if !o.Exists() || !o.Info().IsLink() {
		return "", nil
	}
	return o.Readlink()
}
