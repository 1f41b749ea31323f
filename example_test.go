package bailey_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/baileyhq/bailey"
)

// A platform opens a workspace for an agent and passes its calls on.
func Example() {
	base, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(base) }()
	ws := filepath.Join(base, "ws")
	if err := os.Mkdir(ws, 0o700); err != nil {
		panic(err)
	}
	ctx := context.Background()
	b, err := bailey.Open(ctx, bailey.Options{
		Workspace: ws, Task: "refactor", StateDir: filepath.Join(base, "state"),
		Env: func(string) string { return "" }, // nothing of this process's environment
	})
	if err != nil {
		panic(err)
	}
	defer func() { _ = b.Close() }()

	r := b.Call(ctx, "file_write", map[string]any{"path": "notes/a.txt", "content": "hello\n"})
	fmt.Println(r.Success)
	r = b.Call(ctx, "file_read", map[string]any{"path": "notes/a.txt"})
	fmt.Print(r.Output)
	r = b.Call(ctx, "file_read", map[string]any{"path": "../state/audit.log"})
	fmt.Println(r.ErrorKind, r.ErrorKind.ExitCode())
	// Output:
	// true
	// hello
	// path_escape 79
}
