package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/baileyhq/bailey/internal/doctor"
)

// TestDoctor: the exit code is 0 only if a command could run isolated, a broken
// configuration is reported and not in the way, and so is the unsafe switch.
func TestDoctor(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.toml")
	if err := os.WriteFile(broken, []byte("nonsense = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		env    map[string]string
		check  string
		status doctor.Status
	}{
		{nil, nil, "configuration", doctor.Info},
		{nil, nil, "jail engine", doctor.OK},
		{[]string{"--config", broken}, nil, "configuration", doctor.Fail},
		{nil, map[string]string{doctor.UnsafeVariable: "1"}, "unsafe switch", doctor.Fail},
		{nil, nil, "unsafe switch", doctor.OK},
	} {
		var out, errs bytes.Buffer
		a := &app{stdin: &bytes.Buffer{}, stdout: &out, stderr: &errs, env: func(name string) string {
			if name == "HOME" {
				return dir
			}
			return c.env[name]
		}}
		code := a.run(t.Context(), append([]string{"doctor", "--json"}, c.args...))
		var r doctor.Report
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
		}
		if (code == 0) != r.Isolation || code != 0 && code != 69 {
			t.Errorf("exit code %d, isolation %v", code, r.Isolation)
		}
		found := false
		for _, check := range r.Checks {
			if check.Name == c.check {
				found = true
				if check.Status != c.status {
					t.Errorf("%v: %s is %s, want %s: %s", c.args, c.check, check.Status, c.status, check.Detail)
				}
			}
		}
		if !found {
			t.Errorf("no check %q", c.check)
		}
	}
}
