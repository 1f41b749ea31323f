package jail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestNewRefuses(t *testing.T) {
	home := fastDir(t)
	t.Setenv("HOME", home+"/people/me")
	makeTree(t, home, "people/me/.ssh/sub/", "people/me/project/", "people/me/.AWS/", "file = f", "alias => people/me", "loop => loop", "dang => nowhere")
	engines(t, func(t *testing.T, e Engine) {
		for _, c := range []struct {
			dir    string
			err    error
			forced error // with WithForceRoot
		}{
			{"/", ErrRefusedFolder, nil},
			{"/..", ErrRefusedFolder, nil},
			{home + "/people/me", ErrRefusedFolder, nil},
			{home + "/alias", ErrRefusedFolder, nil},
			{home + "/people/me/project/..", ErrRefusedFolder, nil},
			{home + "/people", ErrRefusedFolder, nil},
			{home + "/people/me/.ssh", ErrRefusedFolder, nil},
			{home + "/people/me/.ssh/sub", ErrRefusedFolder, nil},
			{home + "/people/me/.AWS", ErrRefusedFolder, nil},
			{home + "/people/me/project", nil, nil},
			{home + "/file", ErrNotDirectory, ErrNotDirectory},
			{home + "/nowhere", fs.ErrNotExist, fs.ErrNotExist},
			{home + "/dang", fs.ErrNotExist, fs.ErrNotExist},
			{"", ErrInvalid, ErrInvalid},
			{"a\x00b", ErrInvalid, ErrInvalid},
		} {
			for _, further := range []bool{false, true} {
				for force, want := range map[bool]error{false: c.err, true: c.forced} {
					before := openDescriptors(t)
					opts := []Option{WithEngine(e)}
					if force {
						opts = append(opts, WithForceRoot())
					}
					dir := c.dir
					if further {
						dir = home + "/people/me/project"
						opts = append(opts, WithFolder(c.dir, ReadOnly))
					}
					j, err := New(dir, opts...)
					if !errors.Is(err, want) {
						t.Errorf("%q, further %v, force %v: %v, want %v", c.dir, further, force, err, want)
					}
					if err == nil {
						check(t, j.Close())
					}
					if after := openDescriptors(t); after != before {
						t.Errorf("%q: %d descriptors before, %d after", c.dir, before, after)
					}
				}
			}
		}
		if _, err := New(home+"/loop", WithEngine(e)); err == nil {
			t.Error("a loop is a folder")
		}
		if _, err := New(home+"/people/me/project", WithEngine(e), WithCrossMounts(home)); !errors.Is(err, ErrEscape) {
			t.Errorf("a mount to be crossed outside: %v", err)
		}
	})
}

func TestNewFolders(t *testing.T) {
	base := fastDir(t)
	makeTree(t, base, "real/ws/a.txt = a", "lnk => real/ws/sub", "real/ws/sub/b = b", "ws/other = o", "ref/", "alias => real")
	engines(t, func(t *testing.T, e Engine) {
		// "lnk/.." is where the link leads, one up: not this directory.
		j := newJail(t, base+"/lnk/..", WithEngine(e))
		if j.Root() != base+"/real/ws" || j.Engine() != e {
			t.Errorf("Root() = %s", j.Root())
		}
		if _, err := j.ReadFile(base + "/ws/other"); !errors.Is(err, ErrEscape) {
			t.Error(err)
		}
		// A relative one, and one named twice.
		t.Chdir(base)
		k := newJail(t, "alias/ws", WithEngine(e), WithFolder("ref", ReadOnly), WithFolder(base+"/ref", ReadWrite), WithFolder("real/ws", ReadOnly))
		all := k.Folders()
		if len(all) != 2 || all[0] != (Folder{Real: base + "/real/ws", Given: base + "/alias/ws", Mode: ReadWrite}) ||
			all[1] != (Folder{Real: base + "/ref", Given: base + "/ref", Mode: ReadWrite}) {
			t.Errorf("%+v", all)
		}
		for _, name := range []string{"a.txt", base + "/alias/ws/a.txt", base + "/real/ws/a.txt"} {
			if b, err := k.ReadFile(name); err != nil || string(b) != "a" {
				t.Errorf("%s: %v", name, err)
			}
		}
		ro := newJail(t, base+"/ref", WithEngine(e), WithWorkspaceMode(ReadOnly))
		if err := ro.WriteFile("new", nil, 0o644); !errors.Is(err, ErrReadOnly) {
			t.Error(err)
		}
	})
}

// TestFolderHeld: the folder is the directory that was opened, wherever it went.
func TestFolderHeld(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "ws/a.txt = mine", "out/a.txt = other", "outer/in/a.txt = mine", "outer/not/a.txt = other")
		j := newJail(t, base+"/ws", WithEngine(e), WithFolder(base+"/outer", ReadOnly), WithFolder(base+"/outer/in", ReadWrite))
		check(t, os.Rename(base+"/ws", base+"/moved"))
		check(t, os.Symlink("out", base+"/ws"))
		check(t, os.Rename(base+"/outer/in", base+"/outer/went"))
		check(t, os.Rename(base+"/outer/not", base+"/outer/in"))
		for _, name := range []string{"a.txt", base + "/ws/a.txt", base + "/outer/in/a.txt", "../outer/in/a.txt", base + "/outer/./in/a.txt"} {
			if b, err := j.ReadFile(name); err != nil || string(b) != "mine" {
				t.Errorf("%s: %q %v", name, b, err)
			}
		}
		check(t, j.WriteFile(base+"/outer/./in/a.txt", []byte("new"), 0o644))
		wantContent(t, base+"/outer/in/a.txt", "other")
		wantContent(t, base+"/outer/went/a.txt", "new")
	})
}

func TestEngineNames(t *testing.T) {
	for e, want := range map[Engine]string{EngineAuto: "auto", EngineOpenat2: "openat2", EngineOSRoot: "os.Root"} {
		if e.String() != want {
			t.Errorf("%q", e)
		}
	}
	j := newJail(t, fastDir(t))
	if j.Engine() == EngineAuto {
		t.Error("no engine was chosen")
	}
	if filepath.Base(j.Root()) == "" {
		t.Error(j.Root())
	}
}
