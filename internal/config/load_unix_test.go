//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestLoadRefusesWhatOthersCanWrite(t *testing.T) {
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o644: false, 0o444: false, 0o664: false, 0o602: true, 0o666: true} {
		path := write(t, filepath.Join(t.TempDir(), "c"), "")
		if err := os.Chmod(path, mode); err != nil { // WriteFile's mode is subject to umask
			t.Fatal(err)
		}
		_, err := Load(path)
		if got := err != nil && strings.Contains(err.Error(), "every user"); got != refused || !refused && err != nil {
			t.Errorf("%v: %v", mode, err)
		}
	}
}

// TestLoadRefusesSecondLink: the directories are apart, and yet the file could
// be changed from the workspace.
func TestLoadRefusesSecondLink(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "config.toml"), "")
	if _, err := Load(path); err != nil {
		t.Fatalf("one link: %v", err)
	}
	if err := os.Link(path, filepath.Join(dir, "workspace.toml")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "hard link") {
		t.Errorf("two links: %v", err)
	}
}

func TestLoadDoesNotWaitForFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
