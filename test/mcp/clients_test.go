// Package mcp runs the MCP clients of others against bailey: the official
// inspector and the TypeScript SDK, from npm.
package mcp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestClients runs the node tests beside this file with a binary made for it.
func TestClients(t *testing.T) {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	node, err := filepath.Abs("node_modules/node-linux-" + arch + "/bin/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(node); err != nil {
		t.Skip("needs the clients: run npm ci in test/mcp")
	}
	tests, err := filepath.Glob("*.test.mjs")
	if err != nil || len(tests) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{"--test"}, tests...)...)
	cmd.Env = append(os.Environ(), "BAILEY="+build(t), "NO_COLOR=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "bailey")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", binary, "../../cmd/bailey")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}
