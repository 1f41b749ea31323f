package tour

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/baileyhq/bailey/tool"
)

// work does what an agent does all day, on whatever the folder holds.
func (t *tour) work(ctx context.Context) error {
	t.print.section("It works for real")
	if _, err := t.must(ctx, "file_list", args{"path": ".", "limit": 10}); err != nil {
		return err
	}
	found, err := t.must(ctx, "file_find", args{"pattern": "**/*.{md,txt,go,py,js,ts,rs,c,java,toml,json}", "limit": 200})
	if err != nil {
		return err
	}
	if subject := t.subject(ctx, found); subject != nil {
		if err := t.workOn(ctx, subject); err != nil {
			return err
		}
	}
	const note = "tour/note.txt"
	if _, err := t.must(ctx, "file_write", args{"path": note, "content": "first line\nsecond line\n"}); err != nil {
		return err
	}
	edits := []any{args{"old_text": "second line", "new_text": "second line, edited"}}
	if _, err := t.must(ctx, "file_edit", args{"path": note, "edits": edits}); err != nil {
		return err
	}
	_, err = t.must(ctx, "file_read", args{"path": note})
	return err
}

// workOn reads, searches and edits a file of the folder itself.
func (t *tour) workOn(ctx context.Context, s *subject) error {
	if _, err := t.must(ctx, "file_read", args{"path": s.path, "head": 3}); err != nil {
		return err
	}
	if s.word != "" {
		if _, err := t.must(ctx, "file_grep", args{"pattern": s.word, "literal": true, "limit": 3}); err != nil {
			return err
		}
	}
	edits := []any{args{"old_text": s.line, "new_text": s.line + " (edited by the tour)"}}
	if _, err := t.must(ctx, "file_edit", args{"path": s.path, "edits": edits, "dry_run": true}); err != nil {
		return err
	}
	_, err := t.must(ctx, "file_edit", args{"path": s.path, "edits": edits})
	return err
}

// A subject is a text file with a line that stands in it once.
type subject struct{ path, line, word string }

var wordPattern = regexp.MustCompile(`[A-Za-z]{5,}`)

// subject looks for a file to work on, a README first.
func (t *tour) subject(ctx context.Context, found *tool.Result) *subject {
	var candidates []string
	for line := range strings.Lines(found.Output) {
		name := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(strings.ToLower(path.Base(name)), "readme") && !strings.Contains(name, "/") {
			candidates = append([]string{name}, candidates...)
			continue
		}
		candidates = append(candidates, name)
	}
	const attempts = 20
	for _, name := range candidates[:min(attempts, len(candidates))] {
		r, err := t.server.call(ctx, "file_read", args{"path": name})
		if err != nil || !r.Success {
			continue
		}
		if line := uniqueLine(r.Output); line != "" {
			return &subject{path: name, line: line, word: wordPattern.FindString(line)}
		}
	}
	return nil
}

func uniqueLine(content string) string {
	const shortest, longest = 12, 70
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) >= shortest && len(line) <= longest && strings.Count(content, line) == 1 && wordPattern.MatchString(line) {
			return line
		}
	}
	return ""
}

type args = map[string]any

// must makes a call that has to succeed, and shows it.
func (t *tour) must(ctx context.Context, name string, a args) (*tool.Result, error) {
	r, err := t.server.call(ctx, name, a)
	if err != nil {
		return nil, err
	}
	t.print.step(name, a, r)
	if !r.Success {
		return nil, fmt.Errorf("the tour could not go on: %s", r.Error)
	}
	return r, nil
}
