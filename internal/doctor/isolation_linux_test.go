package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindTrusted: a program counts only if root alone could have put it there.
func TestFindTrusted(t *testing.T) {
	if _, err := findTrusted("sh", []string{"/usr/bin", "/bin"}); err != nil {
		t.Errorf("the host's own shell is not trusted: %v", err)
	}
	if _, err := findTrusted("no-such-program", []string{"/usr/bin"}); err == nil {
		t.Error("found what is not there")
	}

	for _, c := range []struct {
		name    string
		prepare func(dir, program string) error
		why     string // "" = trusted, if root made it
	}{
		{"root's own", func(string, string) error { return nil }, ""},
		{"others may write it", func(_, p string) error { return os.Chmod(p, 0o757) }, "can be written"},
		{"a group may write it", func(_, p string) error { return os.Chmod(p, 0o775) }, "can be written"},
		{"others may write its directory", func(d, _ string) error { return os.Chmod(d, 0o777) }, "can be written"},
		{"its directory is sticky", func(d, _ string) error { return os.Chmod(d, 0o777|os.ModeSticky) }, ""},
		{"another's", func(_, p string) error { return os.Chown(p, 4711, 4711) }, "not owned by root"},
		{"in another's directory", func(d, _ string) error { return os.Chown(d, 4711, 4711) }, "not owned by root"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Below /var/tmp: t.TempDir may lie in a directory of an ordinary user's.
			base, err := os.MkdirTemp("/var/tmp", "doctor-")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(base) })
			dir := filepath.Join(base, "bin")
			program := filepath.Join(dir, "bwrap")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			prepared := c.prepare(dir, program)
			want := c.why
			if os.Geteuid() != 0 {
				want = "not owned by root" // whatever else: this user made it
			} else if prepared != nil {
				t.Fatal(prepared)
			}
			for _, where := range []string{dir, linkTo(t, program)} {
				_, err := findTrusted("bwrap", []string{where})
				switch {
				case want == "" && err != nil:
					t.Errorf("refused: %v", err)
				case want != "" && (err == nil || !(strings.Contains(err.Error(), want) || os.Geteuid() != 0)):
					t.Errorf("%v, want %q", err, want)
				}
			}
		})
	}
}

// linkTo makes a directory with a link to the program: what counts is where it
// leads.
func linkTo(t *testing.T, program string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "doctor-link-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Symlink(program, filepath.Join(dir, "bwrap")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestUnsafeSwitch(t *testing.T) {
	for value, want := range map[string]Status{"": OK, "1": Fail, "0": Fail} {
		if c := unsafeSwitch(func(string) string { return value }); c.Status != want {
			t.Errorf("%q: %s, want %s", value, c.Status, want)
		}
	}
}
