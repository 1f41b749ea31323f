package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

type moveArgs struct {
	Source      string `json:"source" jsonschema:"file or directory, relative to the workspace or absolute"`
	Destination string `json:"destination" jsonschema:"the new path, name included; missing directories are made"`
	Overwrite   bool   `json:"overwrite,omitempty" jsonschema:"replace what is at destination; without it that is exists"`
}

type moveData struct {
	Source      string `json:"source" jsonschema:"the real path of the source"`
	Destination string `json:"destination" jsonschema:"the real path of the destination"`
	Replaced    bool   `json:"replaced" jsonschema:"something was at destination before"`
}

type copyData struct {
	Source      string `json:"source" jsonschema:"the real path of the source"`
	Destination string `json:"destination" jsonschema:"the real path of the destination"`
	Replaced    bool   `json:"replaced" jsonschema:"something was at destination before"`
	Files       int    `json:"files" jsonschema:"files that were copied"`
	Bytes       int64  `json:"bytes" jsonschema:"bytes that were copied"`
}

func fileMove() *spec {
	return define(spec{
		name: "file_move", title: "Move or rename", op: workspace.OpWrite,
		description: "Moves or renames a file, directory or symbolic link (the link itself). The destination is the whole new path, not a directory to move into.",
		hints:       Annotations{Destructive: true},
	}, func(a *moveArgs) []use {
		return []use{
			{path: a.Source, how: jail.Entry, effect: policy.Reveal | policy.Change, recursive: true},
			{path: a.Destination, how: jail.Target, effect: policy.Change},
		}
	}, func(ctx context.Context, c *call, a *moveArgs) (string, *moveData, error) {
		from, to := c.targets[0], c.targets[1]
		if err := checkEnds(from, to, a.Overwrite); err != nil {
			return "", nil, err
		}
		d := &moveData{Source: text.DisplayName(from.Real()), Destination: text.DisplayName(to.Real()), Replaced: to.exists()}
		if err := from.obj.MoveTo(ctx, to.obj, a.Overwrite, c.guard(ctx, from, to)); err != nil {
			return "", nil, err
		}
		return fmt.Sprintf("Moved: %s -> %s\n", text.VisibleControl(d.Source), text.VisibleControl(d.Destination)), d, nil
	})
}

func fileCopy() *spec {
	return define(spec{
		name: "file_copy", title: "Copy", op: workspace.OpWrite,
		description: "Copies a file, or a directory with all it holds. Symbolic links inside a directory are copied as links. The destination is the whole new path, not a directory to copy into.",
		hints:       Annotations{Destructive: true, Idempotent: true},
	}, func(a *moveArgs) []use {
		return []use{
			{path: a.Source, how: jail.Existing, effect: policy.Reveal, recursive: true},
			{path: a.Destination, how: jail.Target, effect: policy.Change},
		}
	}, func(ctx context.Context, c *call, a *moveArgs) (string, *copyData, error) {
		from, to := c.targets[0], c.targets[1]
		if err := checkEnds(from, to, a.Overwrite); err != nil {
			return "", nil, err
		}
		d := &copyData{Source: text.DisplayName(from.Real()), Destination: text.DisplayName(to.Real()), Replaced: to.exists()}
		var err error
		d.Files, d.Bytes, err = c.copy(ctx, from, to, a.Overwrite)
		c.rec.Bytes = d.Bytes
		if err != nil {
			return "", nil, err
		}
		return fmt.Sprintf("Copied: %s -> %s (%d files, %d bytes)\n", text.VisibleControl(d.Source), text.VisibleControl(d.Destination), d.Files, d.Bytes), d, nil
	})
}

// copy copies the source. Of a file that a human was shown, the very bytes that are
// copied must be those: it may be large, and is read a second time here.
func (c *call) copy(ctx context.Context, from, to *target, overwrite bool) (files int, bytes int64, err error) {
	guard := c.guard(ctx, from, to)
	if !c.waited || c.contents[0].SHA256 == "" {
		return from.obj.CopyTo(ctx, to.obj, overwrite, guard)
	}
	if err := guard(from.Real(), to.Real(), from.obj.Info()); err != nil {
		return 0, 0, err
	}
	f, err := from.obj.Open()
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	opts := jail.ReplaceOptions{Perm: f.Info().Mode().Perm(), Parents: true, Exclusive: !overwrite}
	_, err = to.obj.Replace(ctx, opts, func(w io.Writer) error {
		h := sha256.New()
		if bytes, err = io.Copy(io.MultiWriter(w, h), &patientReader{ctx, f}); err != nil {
			return err
		}
		if hex.EncodeToString(h.Sum(nil)) != c.contents[0].SHA256 {
			return conflictWith(from)
		}
		return nil
	})
	if err != nil {
		return 0, bytes, err
	}
	return 1, bytes, nil
}

// checkEnds refuses what could not end well at all.
func checkEnds(from, to *target, overwrite bool) error {
	switch {
	case from.Real() == to.Real():
		return fail(InvalidArgument, "source and destination are the same: "+shown(from.path))
	case from.isDir() && strings.HasPrefix(to.Real(), from.Real()+"/"):
		return fail(InvalidArgument, fmt.Sprintf("destination %s lies inside source %s", shown(to.path), shown(from.path)))
	case strings.HasPrefix(from.Real(), to.Real()+"/"):
		return fail(InvalidArgument, fmt.Sprintf("source %s lies inside destination %s, which would be replaced", shown(from.path), shown(to.path)))
	case to.exists() && !overwrite:
		return fail(Exists, shown(to.path)+" exists already; pass overwrite to replace it")
	default:
		return nil
	}
}
