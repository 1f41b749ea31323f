package bailey_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/tool"
)

// TestStateDir: whatever the state directory was before, others can't enter it,
// and a directory that is made for sharing is neither used nor changed.
func TestStateDir(t *testing.T) {
	for _, c := range []struct {
		name string
		mode fs.FileMode // 0: it is not there
		kind tool.Kind
		then fs.FileMode
	}{
		{"absent", 0, "", 0o700},
		{"its own", 0o700, "", 0o700},
		{"open to others", 0o755, "", 0o700},
		{"open to a group", 0o770, "", 0o700},
		{"shared", 0o777 | fs.ModeSticky, tool.Config, 0o777},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := t.TempDir()
			ws, state := filepath.Join(base, "ws"), filepath.Join(base, "state")
			if err := os.Mkdir(ws, 0o700); err != nil {
				t.Fatal(err)
			}
			if c.mode != 0 {
				if err := errors.Join(os.Mkdir(state, 0o700), os.Chmod(state, c.mode)); err != nil {
					t.Fatal(err)
				}
			}
			b, err := bailey.Open(context.Background(), bailey.Options{
				Workspace: ws, StateDir: state, Env: func(string) string { return "" },
			})
			if err == nil {
				err = b.Close()
			}
			var own *tool.Error
			if errors.As(err, &own) != (c.kind != "") || own != nil && own.Kind != c.kind {
				t.Errorf("%v, want kind %q", err, c.kind)
			}
			info, err := os.Stat(state)
			if err != nil || info.Mode().Perm() != c.then {
				t.Errorf("mode %v, %v, want %v", info.Mode(), err, c.then)
			}
		})
	}
}
