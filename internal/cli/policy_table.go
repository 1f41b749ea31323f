package cli

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/baileyhq/bailey/internal/text"
)

// table lines up cells in columns, and leaves no blanks at the end of a line.
type table struct {
	buf   bytes.Buffer
	w     *tabwriter.Writer
	rows  int
	below map[int]string // lines below a row, which no column is as wide as
}

func newTable() *table {
	t := &table{below: map[int]string{}}
	t.w = tabwriter.NewWriter(&t.buf, 0, 0, 2, ' ', 0)
	return t
}

// row adds a line. No cell can steer a terminal.
func (t *table) row(cells ...string) {
	for i, cell := range cells {
		if i > 0 {
			_, _ = t.w.Write([]byte("\t"))
		}
		_, _ = t.w.Write([]byte(text.VisibleControl(cell)))
	}
	_, _ = t.w.Write([]byte("\n"))
	t.rows++
}

// under adds a line below the last row.
func (t *table) under(line string) { t.below[t.rows] += text.VisibleControl(line) + "\n" }

func (t *table) print(to io.Writer) error {
	if err := t.w.Flush(); err != nil {
		return err
	}
	var out strings.Builder
	row := 0
	for line := range strings.Lines(t.buf.String()) {
		row++
		out.WriteString(strings.TrimRight(line, " \n") + "\n" + t.below[row])
	}
	_, err := io.WriteString(to, out.String())
	return err
}

// placed is a rule with the place that it comes from, where a file says it.
func placed(rule string, origin func(string) string) string {
	if at := shortOrigin(origin(rule)); at != "" && rule != "" {
		return rule + " (" + at + ")"
	}
	return rule
}

// shortOrigin leaves out the directory of the one configuration file there is. A
// built-in and a default say what they are by their name.
func shortOrigin(at string) string {
	switch at {
	case "", "built-in", "default":
		return ""
	}
	return filepath.Base(at)
}
