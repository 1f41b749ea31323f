package gitconfig_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/workspace/gitconfig"
)

func reader(files map[string]string) gitconfig.Reader {
	return gitconfig.Reader{Home: "/home/op", Read: func(name string) ([]byte, error) {
		if content, ok := files[name]; ok {
			return []byte(content), nil
		}
		return nil, fs.ErrNotExist
	}}
}

func TestHooksPaths(t *testing.T) {
	for text, want := range map[string]string{
		"":                                           "",
		"[core]\n\thooksPath = hooks\n":              "hooks",
		"[CORE]\nHOOKSPATH=hooks":                    "hooks",
		"[core] hooksPath = hooks":                   "hooks",
		"[core]hooksPath=~/h # no":                   "/home/op/h",
		"[core]\nhooksPath = \"a b\" ; no":           "a b",
		"[core]\nhooksPath = a b  ":                  "a b",
		"[core]\nhooksPath = \"a#b\\\"c\"":           `a#b"c`,
		"[core]\nhooksPath = a\\\nb":                 "ab",
		"[core]\nhooksPath = a\\\\\nx = b":           `a\`,
		"# [core]\nhooksPath = no":                   "",
		"[other]\nhooksPath = no":                    "",
		"[core \"sub\"]\nhooksPath = sub":            "sub",
		"[core]\nhooksPath":                          "",
		"[core]\nhooksPath = a\nhooksPath=b":         "a b",
		"[include]\npath = more\n":                   "included",
		"[includeIf \"gitdir:[x]/\"]\npath = ~/cond": "conditional",
		"[include]\npath = self":                     "",
		"[core\nhooksPath = no":                      "",
	} {
		r := reader(map[string]string{
			"/etc/g":        text,
			"/etc/more":     "[core]\nhooksPath = included",
			"/home/op/cond": "[core]\nhooksPath = conditional",
			"/etc/self":     "[include]\npath = self",
		})
		if got := strings.Join(r.HooksPaths("/etc/g"), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestOperatorFiles(t *testing.T) {
	want := []string{"/etc/gitconfig", "/home/op/.config/git/config", "/home/op/.gitconfig"}
	if got := gitconfig.OperatorFiles("/home/op", ""); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := gitconfig.OperatorFiles("/home/op", "/x"); got[1] != "/x/git/config" {
		t.Errorf("%v", got)
	}
	if got := gitconfig.OperatorFiles("", ""); !slices.Equal(got, want[:1]) {
		t.Errorf("%v", got)
	}
}

func TestOperatorFilesOnDisk(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(home+"/.gitconfig", []byte("[core]\nhooksPath = ~/hooks"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := gitconfig.Operator(home).HooksPaths(home + "/.gitconfig"); !slices.Equal(got, []string{home + "/hooks"}) {
		t.Errorf("%v", got)
	}
	if got := gitconfig.Operator(home).HooksPaths(home); got != nil {
		t.Errorf("a directory: %v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[core]\n\thooksPath = \"a\\\nb\" # c\n[includeIf \"x\\]\"]path=y")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range reader(map[string]string{"/g": text}).HooksPaths("/g") {
			if p == "" {
				t.Fatal("an empty path")
			}
		}
	})
}
