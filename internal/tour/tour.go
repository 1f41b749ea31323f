// Package tour shows Bailey at work: a scripted MCP client starts the real
// server on a copy of a folder, works in it, and then tries to get out.
//
// Nothing is staged. The server is this same program in a process of its own,
// the client is the official SDK's, and what is printed is what came back. An
// attempt that is not refused as it should be ends the tour with an error.
package tour

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/baileyhq/bailey/internal/clients"
)

// Options say what to show.
type Options struct {
	Source     string   // the folder to copy; it is only read
	Executable string   // the program whose "mcp" command is the server
	Env        []string // of the server
	Out        io.Writer
}

// ErrNotRefused says that an attempt to get out was not refused as it should have been.
var ErrNotRefused = errors.New("an attempt was not refused as it should be")

// Run goes through the tour. Everything that it made is removed in the end.
func Run(ctx context.Context, o Options) error {
	stage, err := newStage(ctx, o.Source)
	if err != nil {
		return err
	}
	defer stage.close()
	p := &printer{w: o.Out}
	p.opening(o.Source, stage)
	server, err := connect(ctx, o, stage)
	if err != nil {
		return err
	}
	t := &tour{stage: stage, server: server, print: p}
	err = t.run(ctx)
	if cerr := server.close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err := p.auditLog(stage.auditLog()); err != nil {
		return err
	}
	source, err := filepath.Abs(o.Source)
	if err != nil {
		return err
	}
	p.closing(t.refused, clients.Snippets(clients.Launch{Command: o.Executable, Workspace: source}))
	return p.err
}

// tour is one run.
type tour struct {
	stage   *stage
	server  *server
	print   *printer
	refused int
}

func (t *tour) run(ctx context.Context) error {
	if err := t.work(ctx); err != nil {
		return err
	}
	if err := t.escape(ctx); err != nil {
		return err
	}
	if err := t.race(ctx); err != nil {
		return err
	}
	return t.stage.untouched()
}

// stage is the directory that the tour plays in: the workspace beside things
// that nobody in it should reach.
type stage struct {
	base, workspace, outside, state string
	files                           int
	more                            bool // the source holds more than was copied
}

// marker is in every file outside, and must be in no answer.
const marker = "TOP-SECRET-4711"

func newStage(ctx context.Context, source string) (*stage, error) {
	base, err := os.MkdirTemp("", "bailey-tour-")
	if err != nil {
		return nil, err
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return nil, err
	}
	s := &stage{
		base: base, workspace: filepath.Join(base, "workspace"),
		outside: filepath.Join(base, "outside"), state: filepath.Join(base, "state"),
	}
	if err := s.build(ctx, source); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *stage) build(ctx context.Context, source string) error {
	for _, dir := range []string{s.workspace, s.outside, s.state} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(s.outside, "secret"), []byte(marker+"\n"), 0o600); err != nil {
		return err
	}
	var err error
	if s.files, s.more, err = copyFolder(ctx, source, s.workspace); err != nil {
		return fmt.Errorf("copy %s: %w", source, err)
	}
	return s.plant()
}

// untouched makes sure that the outside is as it was.
func (s *stage) untouched() error {
	entries, err := os.ReadDir(s.outside)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(s.outside, "secret"))
	if err != nil || len(entries) != 1 || string(content) != marker+"\n" {
		return fmt.Errorf("%w: the outside was changed", ErrNotRefused)
	}
	return nil
}

func (s *stage) auditLog() string { return filepath.Join(s.state, "audit.log") }

func (s *stage) close() { _ = os.RemoveAll(s.base) }
