package audit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/baileyhq/bailey/audit"
)

func Example() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "audit.log")

	ctx := context.Background()
	log, err := audit.Open(ctx, audit.Options{Path: path, Enabled: true})
	if err != nil {
		panic(err)
	}
	defer log.Close()
	for _, rec := range []*audit.Record{
		{ID: "1", Phase: audit.PhaseResult, Tool: "file_read", Path: "notes.md", Result: audit.ResultAllow},
		{ID: "2", Phase: audit.PhaseResult, Tool: "file_read", Path: "../secret", Result: audit.ResultDeny, ErrorKind: "path_escape"},
		{ID: "3", Phase: audit.PhaseResult, Tool: "file_read", Path: "todo.md", Result: audit.ResultAllow},
	} {
		// No answer before the record: if it can't be written, the call is refused.
		if err := log.Append(ctx, rec); errors.Is(err, audit.ErrUnavailable) {
			panic(err)
		}
	}

	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(audit.Verify(strings.NewReader(string(data))))
	fmt.Println(audit.Verify(strings.NewReader(strings.Replace(string(data), "../secret", "notes.md", 1))))
	// Output:
	// 3 <nil>
	// 1 audit log corrupt: line 2, record 2: edited: its bytes do not have the hash that it carries
}
