package tour

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/clients"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

const (
	lineWidth  = 100 // what is shown of a line
	shownLines = 6   // what is shown of an answer
)

// printer shows the tour. It keeps the first error of the writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) section(title string) { p.printf("\n== %s ==\n", title) }

func (p *printer) opening(source string, s *stage) {
	p.printf("Bailey's tour: an MCP client works in a copy of %s (%d files%s).\n", text.VisibleControl(source), s.files, more(s.more))
	p.printf("Workspace: %s, task type %s. Beside it lies a secret that no call may reach.\n", s.workspace, taskType)
}

func more(yes bool) string {
	if yes {
		return ", the first ones only"
	}
	return ""
}

func (p *printer) step(name string, a args, r *tool.Result) {
	p.printf("\n> %s %s\n", name, words(a))
	answer := r.Output
	if !r.Success {
		answer = r.Error
	}
	p.block(answer)
}

func (p *printer) attempt(a attempt, r *tool.Result) {
	p.printf("\n> %s: %s %s\n", a.what, a.tool, words(a.args))
	if r.Success {
		p.block("NOT REFUSED: " + r.Output)
		return
	}
	p.block(r.Error)
}

func (p *printer) race(tries, read, leaks, flips int, took time.Duration) {
	p.printf("\n> a race: %d reads while a directory and a link to the outside change places (%d times)\n", tries, flips)
	p.printf("    %d leaks; %d reads got the file inside, %d were refused; %d ms\n", leaks, read, tries-read-leaks, took.Milliseconds())
}

// block shows an answer, indented and cut to what the eye takes in.
func (p *printer) block(answer string) {
	lines := strings.Split(strings.TrimRight(answer, "\n"), "\n")
	for _, line := range lines[:min(len(lines), shownLines)] {
		p.printf("    %s\n", clip(text.VisibleControl(line)))
	}
	if rest := len(lines) - shownLines; rest > 0 {
		p.printf("    ... and %d more lines\n", rest)
	}
}

func clip(line string) string {
	if runes := []rune(line); len(runes) > lineWidth {
		return string(runes[:lineWidth]) + "..."
	}
	return line
}

// words shows arguments as bailey call takes them.
func words(a args) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(a)) {
		value, ok := a[key].(string)
		if !ok {
			raw, err := json.Marshal(a[key])
			if err != nil {
				raw = []byte("?")
			}
			value = string(raw)
		}
		list = append(list, key+"="+clip(text.VisibleControl(value)))
	}
	return strings.Join(list, " ")
}

// auditLog shows what the log says of the refusals, and checks its chain.
func (p *printer) auditLog(path string) error {
	p.section("What the audit log says")
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nSEQ\tTOOL\tPATH AS ASKED\tRESULT\tKIND\tRULE")
	for r, err := range audit.Records(f) {
		if err != nil {
			return err
		}
		if r.Result == audit.ResultDeny && !strings.HasPrefix(r.Path, "tour-flip") {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", r.Seq, r.Tool, clip(text.VisibleControl(r.Path)), r.Result, r.ErrorKind, r.Rule)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := audit.Verify(f)
	if err != nil {
		return errors.Join(errors.New("the audit log does not verify"), err)
	}
	p.printf("\n%d records, each with the hash of the one before: the chain holds.\n", n)
	return nil
}

func (p *printer) closing(refused int, snippets []clients.Snippet) {
	p.section("Plug it into your client")
	for _, s := range snippets {
		p.printf("\n%s (%s)\n", s.Client, s.Where)
		for line := range strings.Lines(s.Text) {
			p.printf("    %s\n", text.VisibleControl(strings.TrimSuffix(line, "\n")))
		}
	}
	p.printf("\n%d attempts refused, nothing outside was read or changed.\n", refused)
}
