package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// tree makes "dir/" and "link -> target" below a fresh directory.
func tree(t *testing.T, lines ...[2]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		path := filepath.Join(root, line[0])
		if line[1] == "" {
			err = os.MkdirAll(path, 0o700)
		} else {
			err = os.Symlink(line[1], path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestCheckOutside(t *testing.T) {
	root := tree(t,
		[2]string{"ws/deep", ""},
		[2]string{"state", ""},
		[2]string{"more", ""},
		[2]string{"ws-link", "ws"},
		[2]string{"into", "ws/deep"},
		[2]string{"absent-into", "ws/not-yet/state"},
		[2]string{"ws/out", "../state"},
		[2]string{"chain", "ws/out"},
		[2]string{"loop", "loop"},
		[2]string{"out", "state"},
		[2]string{"up", "ws/deep/../../state"},
	)
	if err := os.Symlink(filepath.Join(root, "ws"), filepath.Join(root, "absolute")); err != nil {
		t.Fatal(err)
	}
	for path, inside := range map[string]bool{
		"state":                        false,
		"state/not/yet":                false,
		"out":                          false,
		"ws-neighbour":                 false, // a prefix by letters only
		"wsx/state":                    false,
		"ws/../state":                  false,
		"up":                           false,
		"":                             false, // holds the folder, does not lie in it
		"ws":                           true,
		"ws/deep":                      true,
		"ws/not/yet/config.toml":       true,
		"ws-link/deep":                 true,
		"into":                         true,
		"into/x":                       true,
		"absent-into":                  true,
		"absolute/state":               true,
		"ws/out":                       true, // leads out, but the agent can turn the link
		"chain":                        true,
		"more/state":                   true,
		"state/../more/x/../../ws/x/y": true,
	} {
		err := CheckOutside(root+"/"+path, []string{filepath.Join(root, "ws-link"), filepath.Join(root, "more")})
		if errors.Is(err, ErrInside) != inside || !inside && err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := CheckOutside(filepath.Join(root, "state"), []string{filepath.Join(root, "gone")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v", err)
	}
	if err := CheckOutside(filepath.Join(root, "loop"), []string{root + "/ws"}); err == nil {
		t.Error("a loop of links is accepted")
	}
	if err := CheckOutside(filepath.Join(root, "state"), nil); err != nil {
		t.Errorf("no folders: %v", err)
	}

	var e *InsideError
	err := CheckOutside(root+"/chain", []string{root + "/ws"})
	if !errors.As(err, &e) || e.Folder != root+"/ws" || e.Path != root+"/chain" || e.Via != root+"/ws/out" {
		t.Errorf("got %#v", e)
	}
}

func TestCheckOutsideOfEverything(t *testing.T) {
	if err := CheckOutside(t.TempDir(), []string{"/"}); !errors.Is(err, ErrInside) {
		t.Errorf("got %v", err)
	}
}

func TestUnescapeMount(t *testing.T) {
	for in, want := range map[string]string{`/a\040b\134`: `/a b\`, `/a\9`: `/a\9`, `/\011`: "/\t", `/\999`: `/\999`, "/": "/"} {
		if got := unescapeMount(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
