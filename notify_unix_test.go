//go:build unix

package bailey_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/tool"
)

// TestNotifier: the notifier is run from an absolute place, once for a request, and
// never from a place that PATH or the working directory chooses.
func TestNotifier(t *testing.T) {
	for _, c := range []struct {
		name, notify string // DIR stands for where the program is
		runs         bool
	}{
		{"absolute", "DIR/bailey-test-tell", true},
		{"of PATH", "bailey-test-tell", false},
		{"relative", "./bailey-test-tell", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			program, told := filepath.Join(dir, "bailey-test-tell"), filepath.Join(dir, "told")
			script := fmt.Sprintf("#!/bin/sh\necho >>'%s'\n", told)
			if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			t.Chdir(dir)
			notify := c.notify
			if filepath.Dir(notify) == "DIR" {
				notify = program
			}
			h := newHouse(t, supervised+fmt.Sprintf("[approval]\nnotify = [%q]\n", notify))
			b, err := bailey.Open(context.Background(), bailey.Options{
				Workspace: h.ws, Task: "refactor", ConfigFile: h.config, StateDir: h.state, Env: noEnv,
				Approver: &bailey.Approver{Ask: func(ctx context.Context, _ approval.Entry) (approval.Decision, error) {
					for c.runs && ctx.Err() == nil { // closing would end it
						if info, err := os.Stat(told); err == nil && info.Size() > 0 {
							break
						}
						time.Sleep(time.Millisecond)
					}
					return approval.Decision{}, bailey.ErrLater
				}},
				ApprovalWait: time.Minute, // for a test that fails
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second call joins the request
				if r := write(context.Background(), b, "new"); r.ErrorKind != tool.ApprovalPending {
					t.Errorf("%+v", r)
				}
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			got, _ := os.ReadFile(told)
			if want := map[bool]string{true: "\n", false: ""}[c.runs]; string(got) != want {
				t.Errorf("it ran %d times", len(got))
			}
		})
	}
}
