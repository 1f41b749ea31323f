package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

type readManyArgs struct {
	Paths []string `json:"paths" min:"1" max:"256" jsonschema:"the files, each relative to the workspace or absolute"`
}

type readManyData struct {
	Files []readManyFile `json:"files" jsonschema:"one for each path, in order"`
	Read  int            `json:"read" jsonschema:"files that were read"`
	Fails int            `json:"failed" jsonschema:"files that could not be read"`
}

type readManyFile struct {
	Path        string    `json:"path" jsonschema:"as it was asked for"`
	Success     bool      `json:"success"`
	Error       string    `json:"error,omitempty"`
	ErrorKind   Kind      `json:"error_kind,omitempty"`
	OutputStart int       `json:"output_start,omitempty" jsonschema:"first byte of the file's text in output"`
	OutputEnd   int       `json:"output_end,omitempty" jsonschema:"byte behind the file's text in output"`
	File        *readData `json:"file,omitempty"`
}

func fileReadMany() *spec {
	return define(spec{
		name: "file_read_many", title: "Read several files", op: workspace.OpRead,
		description: "Reads several text files at once. Each is headed by a line \"==> path <==\". A file that can't be read is answered with its error and does not fail the others.",
		hints:       Annotations{ReadOnly: true, Idempotent: true},
	}, func(a *readManyArgs) []use {
		uses := make([]use, len(a.Paths))
		for i, p := range a.Paths {
			uses[i] = use{path: p, how: jail.Existing, effect: policy.Reveal, lenient: true}
		}
		return uses
	}, func(ctx context.Context, c *call, _ *readManyArgs) (string, *readManyData, error) {
		var out strings.Builder
		data := &readManyData{Files: []readManyFile{}}
		for i, g := range c.targets {
			if i > 0 {
				out.WriteByte('\n')
			}
			file, err := c.readOne(ctx, g, &out)
			if err != nil {
				return "", nil, err
			}
			data.Files = append(data.Files, file)
			if file.Success {
				data.Read++
			} else {
				data.Fails++
			}
		}
		return out.String(), data, nil
	})
}

// readOne appends one file to the output. It fails only if the whole call must.
func (c *call) readOne(ctx context.Context, g *target, out *strings.Builder) (readManyFile, error) {
	fmt.Fprintf(out, "==> %s <==\n", shown(g.path))
	content, data := "", (*readData)(nil)
	if g.err == nil {
		var err error
		left := int64(text.DefaultMaxBytes - out.Len())
		content, data, err = c.readWithin(ctx, g, left)
		if ctx.Err() != nil {
			return readManyFile{}, ctx.Err()
		}
		if err != nil {
			g.err = asError(err)
		}
	}
	file := readManyFile{Path: text.DisplayName(g.path), Success: g.err == nil, File: data}
	if g.err != nil {
		file.Error, file.ErrorKind = g.err.Error(), g.err.Kind
		fmt.Fprintf(out, "error: %s\n", file.Error)
		return file, nil //nolint:nilerr // one path that fails does not fail the others
	}
	file.OutputStart = out.Len()
	out.WriteString(content)
	file.OutputEnd = out.Len()
	if content != "" && !strings.HasSuffix(content, "\n") {
		out.WriteByte('\n')
	}
	return file, nil
}

// readWithin reads a file whole, if that keeps the answer within bounds.
func (c *call) readWithin(ctx context.Context, g *target, left int64) (string, *readData, error) {
	if size := g.obj.Info().Size(); size > left {
		return "", nil, fail(TooLarge, fmt.Sprintf("%s: %d bytes do not fit into what one answer may hold; read it by itself with file_read", shown(g.path), size))
	}
	return c.readFile(ctx, g, &readArgs{})
}
