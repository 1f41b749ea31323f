package covers_test

import (
	"fmt"
	"os"
	"testing"
)

// tree lays out files in directories of about eleven, each tenth with a .env.
func tree(b *testing.B, files int) *ground {
	g := lay(b, nil, "file .git/HEAD x", "file .git/config x", "file .vscode/x y")
	for i := range files {
		dir := g.path(fmt.Sprintf("p%d/q%d/r%d", i/1100, i/110%10, i/11%10))
		if i%11 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(fmt.Sprintf("%s/file%d.go", dir, i), nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	g.settle()
	return g
}

// BenchmarkScan measures what a call pays on a workspace that has not changed.
func BenchmarkScan(b *testing.B) {
	for _, files := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			g := tree(b, files)
			b.ReportMetric(float64(g.scanner.Directories()), "dirs")
			for b.Loop() {
				g.scan()
			}
		})
	}
}

// BenchmarkFirstScan measures a scan that knows nothing yet.
func BenchmarkFirstScan(b *testing.B) {
	for _, files := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			g := tree(b, files)
			for b.Loop() {
				g.scanner = freshScanner(g)
				g.scan()
			}
		})
	}
}
