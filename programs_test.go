package bailey

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHostPrograms(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "text": 0o644, "bin/deep": 0o755, "sh": 0o755} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("tool", filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	// A program at a place that no command sees.
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(outside+"/tool", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	find := hostPrograms(nil)
	if got := find("tool"); got != "" {
		t.Errorf("the process's PATH counts: %s", got)
	}
	sh, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	added := hostPrograms([]string{dir})
	for name, want := range map[string]string{
		"tool": dir + "/tool", "linked": dir + "/tool", "deep": dir + "/bin/deep", "text": "", "bin": "", "none": "",
		"": "", "./tool": "", "bin/deep": "", dir + "/linked": dir + "/tool", dir + "/text": "", dir + "/../" + filepath.Base(dir) + "/tool": dir + "/tool",
		"sh": sh, "/bin/sh": sh, // the system's own comes first
		outside + "/tool": "", dir + "/../" + filepath.Base(outside) + "/tool": "",
	} {
		if got := added(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
