package tool

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// maxRead bounds what max_bytes may ask for.
const maxRead = 64 << 20

// maxDevice bounds what is read from /dev/urandom, which has no end.
const maxDevice = 4 << 10

type readArgs struct {
	Path       string `json:"path" jsonschema:"the file, relative to the workspace or absolute"`
	Offset     *int64 `json:"offset,omitempty" min:"1" jsonschema:"first line to read, counted from 1"`
	Limit      *int64 `json:"limit,omitempty" min:"1" jsonschema:"number of lines to read from offset on"`
	Head       *int64 `json:"head,omitempty" min:"1" jsonschema:"read only the first lines, this many"`
	Tail       *int64 `json:"tail,omitempty" min:"1" jsonschema:"read only the last lines, this many"`
	ByteOffset *int64 `json:"byte_offset,omitempty" min:"0" jsonschema:"first byte to read, counted from 0"`
	MaxBytes   *int64 `json:"max_bytes,omitempty" min:"1" jsonschema:"read at most this many bytes, up to 64 MiB; without it more than 10 MiB is too_large"`
	Encoding   string `json:"encoding,omitempty" jsonschema:"text (the default: UTF-8, or UTF-16 with a byte order mark), base64 for the bytes of any file, or a charset label such as shift_jis or windows-1252"`
}

func (a *readArgs) ranges() text.Range {
	return text.Range{
		Offset: a.Offset, Limit: a.Limit, Head: a.Head, Tail: a.Tail,
		ByteOffset: a.ByteOffset, MaxBytes: a.MaxBytes,
	}
}

type readData struct {
	Path           string `json:"path" jsonschema:"the real path of the file"`
	Size           int64  `json:"size" jsonschema:"bytes of the whole file"`
	SHA256         string `json:"sha256,omitempty" jsonschema:"of the whole file, for if_match; absent where a file is too large to be read whole"`
	MTime          string `json:"mtime" jsonschema:"time of the last change, RFC 3339"`
	Encoding       string `json:"encoding" jsonschema:"as which the file was read"`
	MediaType      string `json:"media_type,omitempty" jsonschema:"of the file's content, with encoding base64"`
	LineEndings    string `json:"line_endings,omitempty" jsonschema:"lf, crlf, cr, mixed or none"`
	TotalLines     *int64 `json:"total_lines,omitempty" jsonschema:"lines of the whole file, where known"`
	StartLine      int64  `json:"start_line,omitempty" jsonschema:"first line of the output"`
	EndLine        int64  `json:"end_line,omitempty" jsonschema:"last line of the output"`
	Truncated      bool   `json:"truncated" jsonschema:"the file goes on behind the output"`
	NextOffset     int64  `json:"next_offset,omitempty" jsonschema:"line to continue at"`
	NextByteOffset int64  `json:"next_byte_offset,omitempty" jsonschema:"byte to continue at"`
}

func fileRead() *spec {
	return define(spec{
		name: "file_read", title: "Read a file", op: workspace.OpRead,
		description: "Reads a text file, whole or a range of lines (offset and limit, head, tail) or bytes (byte_offset and max_bytes). " +
			"Text comes back exactly as it is, without line numbers. A binary file needs encoding base64.",
		hints: Annotations{ReadOnly: true, Idempotent: true},
	}, func(a *readArgs) []use {
		return []use{{path: a.Path, how: jail.Existing, effect: policy.Reveal}}
	}, func(ctx context.Context, c *call, a *readArgs) (string, *readData, error) {
		return c.readFile(ctx, c.targets[0], a)
	})
}

// readFile reads the file of a target.
func (c *call) readFile(ctx context.Context, g *target, a *readArgs) (string, *readData, error) {
	enc, err := text.Lookup(a.Encoding)
	if err != nil {
		return "", nil, err
	}
	f, err := g.obj.Open()
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	src, err := source(f, a.MaxBytes)
	if err != nil {
		return "", nil, err
	}
	src.Encoding = enc
	if a.MaxBytes != nil {
		src.MaxBytes = max(text.DefaultMaxBytes, min(*a.MaxBytes, maxRead))
	}
	src.Reader = c.meter.reader(src.Reader, src.Size)
	r, err := text.Read(ctx, src, a.ranges())
	if err != nil {
		return "", nil, inFile(g.path, err)
	}
	d := &readData{
		Path: text.DisplayName(f.Real()), Size: src.Size, SHA256: r.SHA256, MTime: stamp(f.Info().ModTime()),
		Encoding: r.Encoding.Name(), LineEndings: r.LineEndings, StartLine: r.StartLine, EndLine: r.EndLine,
		Truncated: r.Truncated, NextOffset: r.NextOffset, NextByteOffset: r.NextByteOffset,
	}
	if r.LinesKnown {
		d.TotalLines = &r.TotalLines
	}
	if enc == text.Base64 {
		d.MediaType = mediaType(src.Reader)
	}
	c.rec.Bytes += r.ByteEnd - r.ByteStart
	return r.Text, d, nil
}

// source is a file for reading; of a device, which has no size, its first bytes.
func source(f *jail.File, maxBytes *int64) (text.Source, error) {
	if !f.Info().IsSpecial() {
		return text.Source{Reader: f, Size: f.Info().Size()}, nil
	}
	n := int64(maxDevice)
	if maxBytes != nil {
		n = min(*maxBytes, text.DefaultMaxBytes)
	}
	b, err := io.ReadAll(io.LimitReader(f, n))
	return text.Source{Reader: bytes.NewReader(b), Size: int64(len(b))}, err
}

func mediaType(r io.ReaderAt) string {
	prefix := make([]byte, 3072)
	n, _ := r.ReadAt(prefix, 0) // a short file is no error here
	return text.MediaType(prefix[:n])
}

// inFile names the file in an error of the text package, which knows no paths.
func inFile(path string, err error) error {
	e := *asError(err)
	switch e.Kind {
	case NotText, TooLarge, EditMismatch, InvalidArgument:
		e.Message = shown(path) + ": " + e.Message
	}
	return &e
}

// stamp is a time as answers show it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
