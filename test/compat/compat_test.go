// Package compat runs bailey beside the reference filesystem server, from npm.
package compat

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestBesideReference runs the node tests beside this file with a binary made for
// it, and with the node that the tests of other clients bring along.
func TestBesideReference(t *testing.T) {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	node, err := filepath.Abs("../mcp/node_modules/node-linux-" + arch + "/bin/node")
	if err != nil {
		t.Fatal(err)
	}
	for _, needed := range []string{node, "node_modules"} {
		if _, err := os.Stat(needed); err != nil {
			t.Skip("needs the reference server: run npm ci in test/mcp and test/compat")
		}
	}
	binary := filepath.Join(t.TempDir(), "bailey")
	compile := exec.CommandContext(context.Background(), "go", "build", "-o", binary, "../../cmd/bailey")
	compile.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), node, "--test")
	cmd.Env = append(os.Environ(), "BAILEY="+binary, "NO_COLOR=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
