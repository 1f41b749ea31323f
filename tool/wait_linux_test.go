package tool_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/tool"
)

// descriptors counts those that are open below a directory, itself not included.
func descriptors(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && strings.HasPrefix(to, dir+"/") {
			n++
		}
	}
	return n
}

// While a call waits for a human, only what it would change is kept open; at its
// end, nothing is.
func TestWaitingDescriptors(t *testing.T) {
	for _, c := range []struct {
		tool    string
		args    args
		waiting int // at the most
	}{
		{"file_read", args{"path": "d/x.txt"}, 0},
		{"file_read_many", args{"paths": []string{"d/x.txt", "d/y.txt"}}, 0},
		{"shell", args{"command": "d/x.txt < d/y.txt", "cwd": "."}, 0},
		{"file_write", args{"path": "d/x.txt", "content": "z"}, 2},
		{"file_copy", args{"source": "d/y.txt", "destination": "e/new.txt"}, 3},
		{"file_delete", args{"path": "d", "recursive": true}, 2},
	} {
		waiting := -1
		var b *box
		b = newBox(t, setup{
			tree: []string{"file d/x.txt x\n", "file d/y.txt y\n", "file e/z.txt z\n"}, policy: askForAll("file_*", "shell"), runs: true,
			ask: func(context.Context, *tool.ApprovalRequest) (*tool.Approval, error) {
				waiting = descriptors(t, b.root)
				return &tool.Approval{ID: "1"}, nil
			},
		})
		b.must(c.tool, c.args)
		if waiting > c.waiting || waiting < 0 {
			t.Errorf("%s: %d are open while it waits", c.tool, waiting)
		}
		if n := descriptors(t, b.root); n != 0 {
			t.Errorf("%s: %d are open at the end", c.tool, n)
		}
	}
}
