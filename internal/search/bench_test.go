package search

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/baileyhq/bailey/jail"
)

// benchTree makes 100,000 source-like files of 1 to 4 KiB, once a run.
func benchTree(b *testing.B) string {
	b.Helper()
	treeOnce.Do(func() {
		base := os.TempDir()
		if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
			base = "/dev/shm"
		}
		tree, treeErr = os.MkdirTemp(base, "search-bench-")
		if treeErr == nil {
			treeErr = fillTree(tree, 100_000)
		}
	})
	if treeErr != nil {
		b.Fatal(treeErr)
	}
	return tree
}

var (
	treeOnce sync.Once
	tree     string
	treeErr  error
)

func TestMain(m *testing.M) {
	code := m.Run()
	if tree != "" {
		os.RemoveAll(tree)
	}
	os.Exit(code)
}

var benchWords = strings.Fields(`if err != nil { return nil, err } for i := range len(items) package import "fmt" "context"
	// the caller closes it func (s *Server) handle(w http.ResponseWriter, r *http.Request) type Options struct { Name string }
	count += 1 var total int64 switch case default: break continue value, ok := table[key] defer mu.Unlock() mu.Lock()
	snake_case another_name max_value x_1 buffer.WriteString("text") log.Printf("%v", err) const limit = 4096 append(out, item...)`)

func fillTree(root string, files int) error {
	rng := rand.New(rand.NewPCG(7, 7))
	var text strings.Builder
	for i := range files {
		dir := filepath.Join(root, fmt.Sprintf("pkg%02d", i/5000), fmt.Sprintf("sub%02d", i/100%50))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		text.Reset()
		for size := 1024 + rng.IntN(3072); text.Len() < size; {
			text.WriteByte('\t')
			for range 3 + rng.IntN(8) {
				text.WriteString(benchWords[rng.IntN(len(benchWords))])
				text.WriteByte(' ')
			}
			switch rng.IntN(2000) {
			case 0:
				fmt.Fprintf(&text, "func New%dHandler(", i)
			case 1:
				fmt.Fprintf(&text, "order_%d", 1000+i)
			case 2:
				text.WriteString([]string{"barbaz", "quux", "qux"}[i%3])
			}
			text.WriteByte('\n')
		}
		if i%5000 == 77 {
			text.WriteString("\ta RareMarker here\n")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%03d.go", i%100)), []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkGrep compares with `rg -uuu` over the same tree, in turns; both
// write the matching lines to a file. The metric ours/rg is the ratio of the
// fastest runs.
func BenchmarkGrep(b *testing.B) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("needs ripgrep (rg)")
	}
	for _, bb := range []struct {
		name, pattern string
		opts          PatternOptions
		args          []string
	}{
		{"rare-literal", "RareMarker", PatternOptions{Literal: true}, []string{"-F"}},
		{"common-literal", "http.Request", PatternOptions{Literal: true}, []string{"-F"}},
		{"literal-ignoring-case", "raremarker", PatternOptions{Literal: true, IgnoreCase: true}, []string{"-F", "-i"}},
		{"inner-literal", `func \w+Handler\(`, PatternOptions{}, nil},
		{"alternation", `foo|barbaz|qux`, PatternOptions{}, nil},
		{"no-literal", `[a-z]+_[0-9]{3,}`, PatternOptions{}, nil},
		{"no-literal-classes", `[A-Z][a-z]+[0-9]+[A-Z]`, PatternOptions{}, nil},
	} {
		b.Run(bb.name, func(b *testing.B) {
			root := benchTree(b)
			m := mustCompile(b, bb.pattern, bb.opts)
			out, err := os.Create(filepath.Join(b.TempDir(), "out"))
			if err != nil {
				b.Fatal(err)
			}
			defer out.Close()
			args := append([]string{"-uuu", "-n", "--no-heading", "--color=never"}, bb.args...)
			args = append(args, "-e", bb.pattern, root)
			ours, theirs := time.Duration(1<<62), time.Duration(1<<62)
			var lines, rgLines int64
			for b.Loop() {
				rewind(b, out)
				from := time.Now()
				lines = grepTo(b, root, m, out)
				ours = min(ours, time.Since(from))

				rewind(b, out)
				from = time.Now()
				cmd := exec.Command(rg, args...)
				cmd.Stdout = out
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				theirs = min(theirs, time.Since(from))
				rgLines = countLines(b, out)
			}
			if lines != rgLines {
				b.Fatalf("%d matching lines, rg finds %d", lines, rgLines)
			}
			b.ReportMetric(float64(ours)/float64(theirs), "ours/rg")
			b.ReportMetric(float64(ours.Milliseconds()), "ours-ms")
			b.ReportMetric(float64(theirs.Milliseconds()), "rg-ms")
			b.ReportMetric(float64(lines), "lines")
		})
	}
}

func rewind(b *testing.B, f *os.File) {
	b.Helper()
	if err := f.Truncate(0); err != nil {
		b.Fatal(err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		b.Fatal(err)
	}
}

func countLines(b *testing.B, f *os.File) (n int64) {
	b.Helper()
	if _, err := f.Seek(0, 0); err != nil {
		b.Fatal(err)
	}
	for s := bufio.NewScanner(f); s.Scan(); {
		n++
	}
	return n
}

func grepTo(b *testing.B, root string, m *Matcher, out *os.File) int64 {
	b.Helper()
	j, err := jail.New(root)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	start, err := j.Resolve(b.Context(), ".", jail.Existing)
	if err != nil {
		b.Fatal(err)
	}
	defer start.Close()
	w := bufio.NewWriterSize(out, 64<<10)
	stats, err := Grep(b.Context(), start, GrepOptions{Jail: j, Matcher: m}, func(f *FileMatches) error {
		for _, l := range f.Lines {
			if _, err := fmt.Fprintf(w, "%s:%d:%s\n", f.Real, l.Number, l.Text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return stats.Matches
}
