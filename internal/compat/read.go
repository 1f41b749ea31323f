package compat

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

type readArgs struct {
	Path string `json:"path" jsonschema:"the file"`
	Tail *int64 `json:"tail,omitempty" min:"0" jsonschema:"only the last lines"`
	Head *int64 `json:"head,omitempty" min:"0" jsonschema:"only the first lines"`
}

// readText reads a file. What the reference server counts as lines differs
// between its ends: the first lines come without the newline behind them, and of
// the last lines a final newline starts one more, which is empty.
func (t *translator) readText(ctx context.Context, a *readArgs) (*Answer, *tool.Result) {
	if fail := t.paths(ctx, readTool, &a.Path); fail != nil {
		return nil, fail
	}
	args := map[string]any{"path": a.Path}
	head, tail := count(a.Head), count(a.Tail)
	if head > 0 {
		args["head"] = head
	}
	if tail > 0 {
		args["tail"] = tail // with head too: file_read refuses both
	}
	out, fail := t.call(ctx, readTool, args, nil)
	switch {
	case fail != nil:
		return nil, fail
	case head > 0:
		out = strings.TrimSuffix(out, "\n")
	case tail > 0:
		out = lastPieces(out, tail)
	}
	return success(out), nil
}

// count takes an absent number for zero, as the reference server does zero for absent.
func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// lastPieces returns what lies behind the n-th newline from the end.
func lastPieces(s string, n int64) string {
	for i := len(s); ; n-- {
		i = strings.LastIndexByte(s[:i], '\n')
		if i < 0 {
			return s
		}
		if n == 1 {
			return s[i+1:]
		}
	}
}

type pathArgs struct {
	Path string `json:"path" jsonschema:"the path"`
}

// mediaTypes go by the extension, as the reference server's.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".bmp": "image/bmp", ".svg": "image/svg+xml",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac",
}

func (t *translator) readMedia(ctx context.Context, a *pathArgs) (*Answer, *tool.Result) {
	if fail := t.paths(ctx, readTool, &a.Path); fail != nil {
		return nil, fail
	}
	var data struct {
		Path string `json:"path"`
	}
	out, fail := t.call(ctx, readTool, map[string]any{"path": a.Path, "encoding": "base64"}, &data)
	if fail != nil {
		return nil, fail
	}
	return media(text.ParseName(data.Path), out), nil
}

// media is a whole file in base64.
func media(real, content string) *Answer {
	mime := mediaTypes[strings.ToLower(path.Ext(real))]
	if kind, _, known := strings.Cut(mime, "/"); known {
		return &Answer{
			Text: content, MediaType: mime,
			Before: fmt.Appendf(nil, `{"content":[{"type":%q,"data":`, kind),
			After:  fmt.Appendf(nil, `,"mimeType":%q}]}`, mime),
		}
	}
	// A URI holds nothing that JSON would have to escape.
	uri, mime := fileURI(real), "application/octet-stream"
	return &Answer{
		Text: content, MediaType: mime, URI: uri,
		Before: fmt.Appendf(nil, `{"content":[{"type":"resource","resource":{"uri":%q,"mimeType":%q,"blob":`, uri, mime),
		After:  []byte(`}}]}`),
	}
}

// fileURI spells an absolute path as a URI: all bytes but those that can't be
// taken for anything else in a path are percent-encoded.
func fileURI(real string) string {
	var b strings.Builder
	b.WriteString("file://")
	for _, c := range []byte(real) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"#%<>?[\\]^`{|}~", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

type readManyArgs struct {
	Paths []string `json:"paths" min:"1" jsonschema:"the files"`
}

// maxBatch is how many files one call of file_read_many takes. Tests lower it.
var maxBatch = 256

func (t *translator) readMany(ctx context.Context, a *readManyArgs) (*Answer, *tool.Result) {
	parts := make([]string, 0, len(a.Paths))
	for start := 0; start < len(a.Paths); start += maxBatch {
		batch := a.Paths[start:min(start+maxBatch, len(a.Paths))]
		texts, fail := t.readBatch(ctx, batch)
		if fail != nil {
			return nil, fail
		}
		parts = append(parts, texts...)
	}
	return success(strings.Join(parts, "\n---\n")), nil
}

func (t *translator) readBatch(ctx context.Context, batch []string) ([]string, *tool.Result) {
	paths := make([]string, len(batch))
	for i, p := range batch {
		paths[i] = p
		if fail := t.paths(ctx, readManyTool, &paths[i]); fail != nil {
			return nil, fail
		}
	}
	var data struct {
		Files []struct {
			Success bool   `json:"success"`
			Error   string `json:"error"`
			Start   int    `json:"output_start"`
			End     int    `json:"output_end"`
		} `json:"files"`
	}
	out, fail := t.call(ctx, readManyTool, map[string]any{"paths": paths}, &data)
	if fail != nil {
		return nil, fail
	}
	texts := make([]string, len(batch))
	for i, f := range data.Files {
		if f.Success {
			texts[i] = batch[i] + ":\n" + out[f.Start:f.End] + "\n"
		} else {
			texts[i] = batch[i] + ": Error - " + f.Error
		}
	}
	return texts, nil
}
