package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
)

const (
	maxDiffed = 10 << 20 // bytes of a file of which a write shows a diff
	maxHashed = 64 << 20 // bytes of a file that is hashed for the record alone
)

// snapshot is a file as it was when it was read.
type snapshot struct {
	exists  bool
	size    int64
	content []byte // nil if it was only hashed, or too large
	sha256  string // "" if the file was too large to be hashed
}

// rewrite is what a call would make of a file. It is worked out to be shown to
// the operator, and once more, under the file's lock, to be done.
type rewrite struct {
	name     string // as shown in the diff
	before   snapshot
	content  []byte
	after    string // SHA-256 of content
	encoding text.Encoding
	exact    bool // only the file in before may be replaced
	applied  []text.Applied
}

// diff compares the file before and after. It is "" where nothing changes.
func (r *rewrite) diff() (diff string, cut bool) {
	if r.before.exists && r.before.content == nil {
		return "", false
	}
	from, to := "a/"+r.name, "b/"+r.name
	if !r.before.exists {
		from = "/dev/null"
	}
	return text.Unified(from, to, r.readable(r.before.content), r.readable(r.content))
}

// readable is content in a form that a diff can show: a charset that was named
// is decoded, all else Unified knows by itself.
func (r *rewrite) readable(content []byte) []byte {
	if r.encoding == text.Detect {
		return content
	}
	if decoded, _, err := text.Decode(content, r.encoding); err == nil {
		return []byte(decoded)
	}
	return content
}

// disguised compares the bytes before and after as they are, if they hold other
// ASCII than the text that diff shows: an interpreter that knows nothing of the
// encoding takes what it finds, such as a command in what looks like Chinese. It is
// "" where they don't.
func (r *rewrite) disguised() (diff string, cut bool) {
	shown := r.readable(r.content)
	if s, enc, err := text.Decode(shown, text.Detect); err == nil && enc != text.Detect {
		shown = []byte(s)
	}
	if bytes.Equal(asciiOf(shown), asciiOf(r.content)) || r.before.exists && r.before.content == nil {
		return "", false
	}
	spelled := func(b []byte) []byte { return []byte(text.VisibleText(string(b))) }
	return text.Unified("a/"+r.name, "b/"+r.name, spelled(r.before.content), spelled(r.content))
}

// asciiOf is what is left of a text without all that is not ASCII, and without NUL.
func asciiOf(b []byte) []byte {
	left := make([]byte, 0, len(b))
	for _, c := range b {
		if c != 0 && c < 0x80 {
			left = append(left, c)
		}
	}
	return left
}

// snapshot reads the file of a target, as far as limit, and hashes it as far as
// hashLimit.
func (c *call) snapshot(ctx context.Context, g *target, limit, hashLimit int64) (snapshot, error) {
	if !g.exists() {
		return snapshot{}, nil
	}
	f, err := g.obj.Open()
	if err != nil {
		return snapshot{}, err
	}
	defer f.Close()
	return readSnapshot(ctx, f, limit, hashLimit)
}

func readSnapshot(ctx context.Context, f *jail.File, limit, hashLimit int64) (snapshot, error) {
	s := snapshot{exists: true, size: f.Info().Size()}
	if s.size > max(limit, hashLimit) {
		return s, nil
	}
	var content bytes.Buffer
	hash := sha256.New()
	var to io.Writer = hash
	if s.size <= limit {
		content.Grow(int(s.size) + bytes.MinRead)
		to = io.MultiWriter(hash, &content)
	}
	// A file that grows while it is read ends at the bound all the same.
	n, err := io.Copy(to, &patientReader{ctx, io.LimitReader(f, max(limit, hashLimit)+1)})
	if err != nil {
		return s, err
	}
	s.size = n
	s.sha256 = hex.EncodeToString(hash.Sum(nil))
	if s.size <= limit {
		s.content = content.Bytes()
	}
	return s, nil
}

// patientReader ends a long read when the call does.
type patientReader struct {
	ctx context.Context
	r   io.Reader
}

func (p *patientReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// conflictWith is the answer when a file is not what the caller takes it for.
func conflictWith(g *target) *Error {
	return fail(Conflict, shown(g.path)+" changed since it was read; read it again and retry")
}

// commit replaces the file of a target. What is swapped out is looked at once
// more: where the rewrite is exact it must be what the rewrite was made from,
// else it is put back.
func (c *call) commit(ctx context.Context, g *target, r *rewrite, opts jail.ReplaceOptions) (jail.Info, error) {
	if c.preview != nil && (c.preview.before.sha256 != r.before.sha256 || c.preview.after != r.after) {
		return jail.Info{}, conflictWith(g)
	}
	opts.Verify = func(old *jail.File) error {
		swapped, err := readSwapped(ctx, old, r.before)
		if err != nil {
			return err
		}
		if swapped.exists == r.before.exists && swapped.sha256 == r.before.sha256 {
			return nil
		}
		if r.exact || c.waited {
			return conflictWith(g)
		}
		r.before = swapped // the answer tells of the file that was replaced
		return nil
	}
	info, err := g.obj.Replace(ctx, opts, func(w io.Writer) error {
		_, err := w.Write(r.content)
		return err
	})
	if err != nil {
		return info, err
	}
	c.rec.SHA256Before, c.rec.SHA256After, c.rec.Bytes = r.before.sha256, r.after, int64(len(r.content))
	return info, nil
}

func readSwapped(ctx context.Context, old *jail.File, before snapshot) (snapshot, error) {
	if old == nil {
		return snapshot{}, nil
	}
	hashLimit := int64(maxHashed)
	if before.sha256 != "" {
		hashLimit = max(hashLimit, before.size)
	}
	return readSnapshot(ctx, old, maxDiffed, hashLimit)
}

// parseMode reads the mode of a new file. What would let a file act with
// another's rights is dropped.
func parseMode(mode string) (fs.FileMode, error) {
	var bits uint32
	digits := strings.TrimPrefix(strings.TrimPrefix(mode, "0o"), "0")
	if mode == "" || len(digits) > 4 {
		return 0, fail(InvalidArgument, fmt.Sprintf("mode: want an octal mode such as \"0644\", got %q", clip(mode, 20)))
	}
	for _, d := range digits {
		if d < '0' || d > '7' {
			return 0, fail(InvalidArgument, fmt.Sprintf("mode: want an octal mode such as \"0644\", got %q", clip(mode, 20)))
		}
		bits = bits<<3 | uint32(d-'0')
	}
	return fs.FileMode(bits & 0o777), nil
}
