package tool_test

import (
	"testing"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

// A program that goes by a name of its own is read by that name, and an encoding
// of the call's may make another text of the command: no rule allows either.
func TestOtherNamesAreNotAllowed(t *testing.T) {
	b := newBox(t, setup{rules: []policy.Rule{{Name: "look", Action: policy.Allow, Commands: []string{"slogin **", "cat **", "mytool **", "rm **"}}}})
	b.host = map[string]string{"slogin": "/usr/bin/ssh", "mytool": "/usr/bin/mytool-1.2", "cat": "/usr/bin/busybox", "rm": "/usr/bin/coreutils"}
	for _, tt := range []struct {
		a    args
		want string
	}{
		{args{"command": "slogin -o ProxyCommand=x h"}, isAsked},
		{args{"argv": []string{"slogin", "h"}}, isAsked},
		{args{"command": "mytool x"}, isAllowed},
		{args{"command": "cat x; rm y"}, isAllowed},
		{args{"command": "cat 'a'", "env": map[string]string{"LC_ALL": "zh_CN.GBK"}}, isAsked},
		{args{"command": "cat 'a'", "env": map[string]string{"LANG": "ja_JP"}}, isAsked},
		{args{"command": "cat 'a'", "env": map[string]string{"LC_ALL": "C", "LANG": "de_DE.UTF-8"}}, isAllowed},
	} {
		if v := b.verdictOf(tt.a); v.Verdict != tt.want {
			t.Errorf("%v: %s by %s (%s), want %s", tt.a, v.Verdict, v.Rule, v.Message, tt.want)
		}
	}
}

// Whether a denied path exists is not told by what is wrong with another one.
func TestDeniedSourceIsNotTold(t *testing.T) {
	b := newBox(t, setup{
		tree:  []string{"file secrets/k key", "file open/k key"},
		rules: []policy.Rule{{Name: "closed", Action: policy.Deny, Paths: []string{"secrets/**"}}},
	})
	for _, name := range []string{"file_copy", "file_move"} {
		for _, destination := range []string{"a.txt/x", "../outside/x", "out/x"} {
			for _, source := range []string{"secrets/k", "secrets/absent"} {
				b.refused(tool.PolicyDenied, name, args{"source": source, "destination": destination})
			}
			if r := b.call(name, args{"source": "open/k", "destination": destination}); destination != "out/x" && (r.Success || r.ErrorKind == tool.PolicyDenied) {
				t.Errorf("%s to %s: %q", name, destination, r.ErrorKind)
			}
		}
	}
}
