package jail_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/baileyhq/bailey/jail"
)

// TestHandle is the folder that the jail holds, and no other that has its path.
func TestHandle(t *testing.T) {
	for _, engine := range []jail.Engine{jail.EngineOpenat2, jail.EngineOSRoot} {
		t.Run(engine.String(), func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			ws := filepath.Join(dir, "ws")
			if err := os.MkdirAll(filepath.Join(ws, "sub"), 0o755); err != nil {
				t.Fatal(err)
			}
			j, err := jail.New(ws, jail.WithEngine(engine))
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			h, err := j.Tree(0).Handle()
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			if err := unix.Faccessat(int(h.Fd()), "sub", unix.F_OK, 0); err != nil {
				t.Errorf("what lies in the folder: %v", err)
			}
			if err := errors.Join(os.Rename(ws, ws+".old"), os.Mkdir(ws, 0o755)); err != nil {
				t.Fatal(err)
			}
			again, err := j.Tree(0).Handle()
			switch {
			case err == nil:
				defer again.Close()
				if err := unix.Faccessat(int(again.Fd()), "sub", unix.F_OK, 0); err != nil {
					t.Errorf("it is another folder: %v", err)
				}
			case engine != jail.EngineOSRoot || !errors.Is(err, jail.ErrChanged):
				t.Errorf("when another folder has its name: %v", err)
			}
		})
	}
}
