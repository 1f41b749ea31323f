package bailey_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
)

// A platform puts what the policy supervises to its own user.
func ExampleApprover() {
	base, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(base) }()
	ws, file := filepath.Join(base, "ws"), filepath.Join(base, "bailey.toml")
	if err := os.Mkdir(ws, 0o700); err != nil {
		panic(err)
	}
	if err := os.WriteFile(file, []byte("[security.tool_policy.tools]\nfile_write = \"supervised\"\n"), 0o600); err != nil {
		panic(err)
	}
	ctx := context.Background()
	b, err := bailey.Open(ctx, bailey.Options{
		Workspace: ws, Task: "refactor", ConfigFile: file, StateDir: filepath.Join(base, "state"),
		Env: func(string) string { return "" },
		Approver: &bailey.Approver{Ask: func(_ context.Context, e approval.Entry) (approval.Decision, error) {
			name := filepath.Base(e.Paths[0])
			fmt.Println("asked about", e.Tool, name)
			if name != "harmless.txt" {
				return approval.Decision{By: "carol", Reason: "not that one"}, nil
			}
			return approval.Decision{Approve: true, Scope: approval.Once, By: "carol"}, nil
		}},
	})
	if err != nil {
		panic(err)
	}
	defer func() { _ = b.Close() }()

	for _, path := range []string{"harmless.txt", "payroll.txt"} {
		r := b.Call(ctx, "file_write", map[string]any{"path": path, "content": "hello\n"})
		fmt.Println(r.Success, r.ErrorKind.ExitCode())
	}
	// Output:
	// asked about file_write harmless.txt
	// true 0
	// asked about file_write payroll.txt
	// false 80
}
