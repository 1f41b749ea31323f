package jail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Each benchmark compares with what a user would write instead, in the same run:
// batches of the one and the other take turns, and the ratio of the medians is
// reported (x_ is how many times as long the jail takes). A noisy machine then
// disturbs both alike.

// A rival is another way to do the same.
type rival struct {
	name string
	do   func() error
}

// batchTime is how long a batch lasts: long enough for the clock, short enough
// that few batches are interrupted.
const batchTime = 300 * time.Microsecond

// compare measures rounds of batches, one round an iteration of b.
func compare(b *testing.B, ours func() error, rivals ...rival) {
	b.Helper()
	all := append([]rival{{"", ours}}, rivals...)
	size := make([]int, len(all))
	took := make([][]time.Duration, len(all))
	for i, r := range all {
		size[i] = batchSize(b, r.do)
	}
	allocs := testing.AllocsPerRun(10, func() { must(b, ours()) })
	b.ResetTimer()
	for round := 0; b.Loop(); round++ {
		for i := range all {
			at := (i + round) % len(all) // everybody goes first now and then
			took[at] = append(took[at], batch(b, size[at], all[at].do)/time.Duration(size[at]))
		}
	}
	own := median(took[0])
	for i, r := range rivals {
		b.ReportMetric(float64(own)/float64(median(took[i+1])), "x_"+r.name)
	}
	b.ReportMetric(float64(own), "ns/call")
	b.ReportMetric(allocs, "allocs/call")
	b.ReportMetric(0, "ns/op") // of a round: tells nothing
}

func batchSize(b *testing.B, do func() error) int {
	for size := 1; ; size *= 2 {
		if batch(b, size, do) >= batchTime {
			return size
		}
	}
}

func batch(b *testing.B, size int, do func() error) time.Duration {
	start := time.Now()
	for range size {
		must(b, do())
	}
	return time.Since(start)
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func must(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

// benchDepths are how many components the path has.
var benchDepths = []int{1, 4, 10}

// benchName is a path of that many components, and the directories above exist.
func benchName(b *testing.B, root string, depth int) string {
	dirs := make([]string, depth-1)
	for i := range dirs {
		dirs[i] = fmt.Sprintf("directory%d", i)
	}
	dir := filepath.Join(dirs...)
	must(b, os.MkdirAll(filepath.Join(root, dir), 0o755))
	return filepath.Join(dir, "file.txt")
}

func benchJail(b *testing.B, dir string, opts ...Option) *Jail {
	j, err := New(dir, opts...)
	must(b, err)
	b.Cleanup(func() { _ = j.Close() })
	return j
}

// BenchmarkOpen opens a file of 4 KiB, reads it and closes it.
func BenchmarkOpen(b *testing.B) {
	for _, depth := range benchDepths {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			dir := b.TempDir()
			name := benchName(b, dir, depth)
			full := filepath.Join(dir, name)
			must(b, os.WriteFile(full, make([]byte, 4096), 0o644))
			j := benchJail(b, dir)
			root, err := os.OpenRoot(dir)
			must(b, err)
			defer root.Close()
			buf := make([]byte, 8192)
			readAll := func(f io.ReadCloser, err error) error {
				if err != nil {
					return err
				}
				n, err := f.Read(buf)
				if n != 4096 {
					return fmt.Errorf("read %d bytes: %w", n, err)
				}
				return f.Close()
			}
			compare(b,
				func() error { f, err := j.Open(name); return readAll(f, err) },
				rival{"os.Open", func() error { f, err := os.Open(full); return readAll(f, err) }},
				rival{"os.Root", func() error { f, err := root.Open(name); return readAll(f, err) }},
			)
		})
	}
}

func BenchmarkStat(b *testing.B) {
	for _, depth := range benchDepths {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			dir := b.TempDir()
			name := benchName(b, dir, depth)
			full := filepath.Join(dir, name)
			must(b, os.WriteFile(full, nil, 0o644))
			j := benchJail(b, dir)
			root, err := os.OpenRoot(dir)
			must(b, err)
			defer root.Close()
			compare(b,
				func() error { _, err := j.Stat(name); return err },
				rival{"os.Stat", func() error { _, err := os.Stat(full); return err }},
				rival{"os.Root", func() error { _, err := root.Stat(name); return err }},
			)
		})
	}
}

// BenchmarkResolve is what a judged call costs before its act, to one os.Open
// and close.
func BenchmarkResolve(b *testing.B) {
	for _, how := range []How{Existing, Entry, Target} {
		for _, depth := range []int{1, 10} {
			b.Run(fmt.Sprintf("how=%d/depth=%d", how, depth), func(b *testing.B) {
				dir := b.TempDir()
				name := benchName(b, dir, depth)
				full := filepath.Join(dir, name)
				must(b, os.WriteFile(full, nil, 0o644))
				j := benchJail(b, dir)
				ctx := context.Background()
				compare(b, func() error {
					o, err := j.Resolve(ctx, name, how)
					if err != nil {
						return err
					}
					return o.Close()
				}, rival{"os.Open", func() error {
					f, err := os.Open(full)
					if err != nil {
						return err
					}
					return f.Close()
				}})
			})
		}
	}
	b.Run("through a link", func(b *testing.B) {
		dir := b.TempDir()
		must(b, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
		must(b, os.Symlink("file", filepath.Join(dir, "link")))
		j := benchJail(b, dir)
		compare(b, func() error {
			f, err := j.Open("link")
			if err != nil {
				return err
			}
			return f.Close()
		}, rival{"os.Open", func() error {
			f, err := os.Open(filepath.Join(dir, "link"))
			if err != nil {
				return err
			}
			return f.Close()
		}})
	})
}

// benchPlaces are a file system in memory, where the system calls are all that
// counts, and the one of the temporary directory.
func benchPlaces(b *testing.B, bench func(b *testing.B, dir string)) {
	b.Run("fs=memory", func(b *testing.B) {
		dir, err := os.MkdirTemp("/dev/shm", "bailey-bench-")
		if err != nil {
			b.Skip("needs /dev/shm")
		}
		defer func() { _ = os.RemoveAll(dir) }()
		bench(b, dir)
	})
	b.Run("fs=disk", func(b *testing.B) { bench(b, b.TempDir()) })
}

// naiveWrite is the usual atomic write.
func naiveWrite(full string, data []byte, sync, syncDirectory bool) error {
	f, err := os.CreateTemp(filepath.Dir(full), "tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if sync && err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close(), os.Chmod(f.Name(), 0o644), os.Rename(f.Name(), full))
	if err != nil || !syncDirectory {
		return err
	}
	d, err := os.Open(filepath.Dir(full))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// BenchmarkWrite replaces a file of 4 KiB.
func BenchmarkWrite(b *testing.B) {
	data := bytes.Repeat([]byte("0123456789abcde\n"), 256)
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%v", sync), func(b *testing.B) {
			benchPlaces(b, func(b *testing.B, dir string) {
				for _, depth := range benchDepths {
					b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
						benchWrite(b, dir, depth, sync, data)
					})
				}
			})
		})
	}
}

func benchWrite(b *testing.B, dir string, depth int, sync bool, data []byte) {
	name := benchName(b, dir, depth)
	full := filepath.Join(dir, name)
	must(b, os.WriteFile(full, data, 0o644))
	var opts []Option
	if !sync {
		opts = append(opts, WithoutSync())
	}
	j := benchJail(b, dir, opts...)
	compare(b,
		func() error { return j.WriteFile(name, data, 0o644) },
		rival{"naive", func() error { return naiveWrite(full, data, sync, sync) }},
	)
}

// BenchmarkEdit reads a file of 4 KiB and replaces it, if it is still the same;
// the rival does not look.
func BenchmarkEdit(b *testing.B) {
	data := bytes.Repeat([]byte("0123456789abcde\n"), 256)
	ctx := context.Background()
	for _, depth := range benchDepths {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			benchPlaces(b, func(b *testing.B, dir string) {
				name := benchName(b, dir, depth)
				full := filepath.Join(dir, name)
				must(b, os.WriteFile(full, data, 0o644))
				j := benchJail(b, dir, WithoutSync())
				compare(b, func() error {
					o, err := j.Resolve(ctx, name, Target)
					if err != nil {
						return err
					}
					defer o.Close()
					f, err := o.Open()
					if err != nil {
						return err
					}
					old, err := f.ReadAll()
					_ = f.Close()
					if err != nil {
						return err
					}
					_, err = o.Replace(ctx, ReplaceOptions{Verify: func(now *File) error {
						content, err := now.ReadAll()
						if err == nil && !bytes.Equal(content, old) {
							err = ErrChanged
						}
						return err
					}}, func(w io.Writer) error {
						_, err := w.Write(data)
						return err
					})
					return err
				}, rival{"naive", func() error {
					if _, err := os.ReadFile(full); err != nil {
						return err
					}
					return naiveWrite(full, data, false, false)
				}})
			})
		})
	}
}

// walkTree makes 100,000 files in 1,000 directories, once a run.
func walkTree(b *testing.B, dir string) {
	for i := range 1000 {
		sub := filepath.Join(dir, strconv.Itoa(i/50), "directory"+strconv.Itoa(i))
		must(b, os.MkdirAll(sub, 0o755))
		for k := range 100 {
			must(b, os.WriteFile(filepath.Join(sub, "some_file_"+strconv.Itoa(k)+".go"), nil, 0o644))
		}
	}
}

func BenchmarkWalk(b *testing.B) {
	benchPlaces(b, func(b *testing.B, dir string) {
		walkTree(b, dir)
		benchWalk(b, dir)
	})
}

func benchWalk(b *testing.B, dir string) {
	j := benchJail(b, dir)
	ctx := context.Background()
	count := func(opts WalkOptions) (n int, err error) {
		o, err := j.Resolve(ctx, ".", Existing)
		if err != nil {
			return 0, err
		}
		defer o.Close()
		err = o.Walk(ctx, opts, func(e *WalkEntry) error {
			if !e.IsDir() && strings.HasSuffix(e.Name(), ".go") {
				n++
			}
			return e.Err()
		})
		return n, err
	}
	all := func(n int, err error) error {
		if err == nil && n != 100_000 {
			err = fmt.Errorf("%d files", n)
		}
		return err
	}
	walkDir := rival{"WalkDir", func() error {
		n := 0
		err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(d.Name(), ".go") {
				n++
			}
			return err
		})
		return all(n, err)
	}}
	for _, opts := range []WalkOptions{
		{},
		{Ahead: true},
		{Sorted: true},
		{Sorted: true, Ahead: true},
		{Sorted: true, Stat: true},
	} {
		b.Run(fmt.Sprintf("sorted=%v,stat=%v,ahead=%v", opts.Sorted, opts.Stat, opts.Ahead), func(b *testing.B) {
			rivals := []rival{walkDir}
			if opts.Stat {
				rivals[0] = rival{"WalkDir+Info", func() error {
					n := 0
					err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
						if err == nil {
							_, err = d.Info()
						}
						if err == nil && !d.IsDir() {
							n++
						}
						return err
					})
					return all(n, err)
				}}
			}
			compare(b, func() error { return all(count(opts)) }, rivals...)
		})
	}
}
