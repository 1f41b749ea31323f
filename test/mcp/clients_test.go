// Package mcp runs the MCP clients of others against bailey: the official
// inspector and the TypeScript SDK, from npm.
package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/baileyhq/bailey/internal/cli"
)

// TestMain lets this binary be the command, by its name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "bailey" {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// TestClients runs the node tests beside this file.
func TestClients(t *testing.T) {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	node, err := filepath.Abs("node_modules/node-linux-" + arch + "/bin/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(node); err != nil {
		t.Skip("needs the clients: run npm ci in test/mcp")
	}
	scripts, err := filepath.Glob("*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--test", "--test-timeout=60000"}
	for _, name := range append(scripts, "package-lock.json") {
		if _, err := os.ReadFile(name); err != nil { // a change of it makes a cached result void
			t.Fatal(err)
		}
		if ok, _ := filepath.Match("*.test.mjs", name); ok {
			args = append(args, name)
		}
	}
	if len(args) < 3 {
		t.Fatalf("the tests are gone: %v", scripts)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bailey := filepath.Join(t.TempDir(), "bailey")
	if err := os.Symlink(self, bailey); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, args...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "BAILEY="+bailey, "HOME="+home, "XDG_CONFIG_HOME="+home, "NO_COLOR=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
