package bailey_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey"
)

// writerEnv makes the test binary a writer that never stops by itself.
const writerEnv = "BAILEY_TEST_WRITER"

func TestMain(m *testing.M) {
	if base := os.Getenv(writerEnv); base != "" {
		writeForEver(base)
	}
	os.Exit(m.Run())
}

func open(base string) (*bailey.Bailey, error) {
	return bailey.Open(context.Background(), bailey.Options{
		Workspace: filepath.Join(base, "ws"), Task: "agent", StateDir: filepath.Join(base, "state"),
		Env: func(string) string { return "" },
	})
}

// content is whole if all its lines are alike.
func content(n int) string { return strings.Repeat(fmt.Sprintf("generation %09d\n", n), 400) }

func writeForEver(base string) {
	b, err := open(base)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx := context.Background()
	for n := 1; ; n++ {
		b.Call(ctx, "file_write", map[string]any{"path": "written", "content": content(n)})
		b.Call(ctx, "file_edit", map[string]any{"path": "edited", "edits": []any{
			map[string]any{"old_text": fmt.Sprintf("generation %09d\n", n-1), "new_text": fmt.Sprintf("generation %09d\n", n), "replace_all": true},
		}})
		if n == 1 {
			fmt.Println("ready")
		}
	}
}

// TestKilledWriters kills a writer again and again. What it leaves is whole, and
// the next start takes its temporary files away.
func TestKilledWriters(t *testing.T) {
	rounds := 15
	if os.Getenv("BAILEY_LONG") != "" {
		rounds = 500
	}
	random := rand.New(rand.NewPCG(1, 2))
	leftOver := 0
	for range rounds {
		base := t.TempDir()
		ws := filepath.Join(base, "ws")
		if err := os.Mkdir(ws, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"written", "edited"} {
			if err := os.WriteFile(filepath.Join(ws, name), []byte(content(0)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		killWriter(t, base, time.Duration(random.IntN(40_000))*time.Microsecond)
		leftOver += temps(t, ws)
		b, err := open(base)
		if err != nil {
			t.Fatal(err)
		}
		if n := temps(t, ws); n != 0 {
			t.Errorf("%d temporary files are left after the next start", n)
		}
		for _, name := range []string{"written", "edited"} {
			checkWhole(t, filepath.Join(ws, name))
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d of %d kills left a temporary file", leftOver, rounds)
}

func killWriter(t *testing.T, base string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+base)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatalf("the writer did not start: %v", err)
	}
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

func temps(t *testing.T, ws string) (n int) {
	t.Helper()
	err := filepath.WalkDir(ws, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".bailey-tmp-") {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func checkWhole(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	if !bytes.Equal(raw, bytes.Repeat(append(line, '\n'), 400)) {
		t.Errorf("%s is neither old nor new", path)
	}
}

// TestLivingWriters: what a living writer holds is not taken for a left-over, and
// a session that ends leaves no mark.
func TestLivingWriters(t *testing.T) {
	base := t.TempDir()
	if err := os.Mkdir(filepath.Join(base, "ws"), 0o700); err != nil {
		t.Fatal(err)
	}
	first, err := open(base)
	if err != nil {
		t.Fatal(err)
	}
	// A left-over of nobody: no mark tells of a crash, so that nothing is swept.
	stray := filepath.Join(base, "ws", ".bailey-tmp-0123456789abcdef")
	if err := os.WriteFile(stray, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := open(base)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stray); err != nil {
		t.Error("a start swept although no writer had crashed")
	}
	for _, b := range []*bailey.Bailey{second, first} {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	marks, err := filepath.Glob(filepath.Join(base, "state", "writers", "*", "*"))
	if err != nil || len(marks) != 0 {
		t.Errorf("marks are left: %v %v", marks, err)
	}
}
