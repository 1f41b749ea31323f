package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadMaxBytes: max_bytes raises the bound on an answer as well as it lowers it.
func TestReadMaxBytes(t *testing.T) {
	b := layout(t)
	b.open(setup{})
	const size = 12 << 20
	if err := os.WriteFile(filepath.Join(b.root, "big"), []byte(strings.Repeat("0123456789abcde\n", size/16)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want int
		kind string
	}{
		{`{"path":"big"}`, 0, "too_large"},
		{`{"path":"big","max_bytes":1000}`, 1000, ""},
		{`{"path":"big","max_bytes":12582912}`, size, ""},
		{`{"path":"big","max_bytes":9000000000000000000}`, size, ""},
	} {
		r := b.raw("file_read", c.args)
		if string(r.ErrorKind) != c.kind || len(r.Output) != c.want {
			t.Errorf("%s: %q, %d bytes, want %q, %d", c.args, r.ErrorKind, len(r.Output), c.kind, c.want)
		}
	}
}
