package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"bailey": func() {
			detach()
			os.Exit(Main())
		},
	})
}

// detach takes the terminal that the tests are run from away from a command.
var detach = func() {}

// commands are those that scripts have beside testscript's own.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exit": exitCode,
}

// TestScripts runs the command as a user would, one process a line.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(home, ".local/state"))
			env.Setenv("NO_COLOR", "1")
			return os.MkdirAll(home, 0o700)
		},
		Cmds: commands,
	})
}
