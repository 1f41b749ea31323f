package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// put lays out files: "dir/", "file" with its path as content, "link -> target".
func (b *box) put(names ...string) {
	b.t.Helper()
	for _, name := range names {
		name, target, isLink := strings.Cut(name, " -> ")
		path := filepath.Join(b.ws, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		var err error
		switch {
		case isLink:
			err = os.Symlink(target, path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, []byte(name), 0o644)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

// cover is a cover of what is there now.
func (b *box) cover(rel string, kind CoverKind, target ...string) Cover {
	b.t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(filepath.Join(b.ws, rel), &st); err != nil {
		b.t.Fatal(err)
	}
	return Cover{Rel: rel, Kind: kind, Dev: st.Dev, Ino: st.Ino, Target: strings.Join(target, "")}
}

func TestCovers(t *testing.T) {
	b := newBox(t)
	b.put("a/b/secret", "a/b/open", "a/dir/secret", "hooks/pre", "config", "copy/config", "plain", "gone -> nowhere")
	covers := []Cover{
		b.cover("a", Pin), b.cover("a/b", Pin), b.cover("a/b/secret", Mask), b.cover("a/dir", Mask),
		b.cover("hooks", ReadOnly), b.cover("config", Link, filepath.Join(b.ws, "copy/config")), b.cover("gone", Mask),
	}
	cases := []struct{ attack, errors string }{ // no error: it must come off
		{"read a/b/secret", "permission denied"},
		{"write a/b/secret", "permission denied|read-only"},
		{"chmod a/b/secret", "read-only|not permitted"},
		{"remove a/b/secret", "busy"},
		{"rename a/b/secret a/b/other", "busy"},
		{"rename plain a/b/secret", "busy|cross-device"},
		{"exchange plain a/b/secret", "busy|cross-device"},
		{"link a/b/secret other", "cross-device|not permitted"},
		{"umount a/b/secret", "not permitted"},
		{"mount-attr a/b/secret", "not permitted"},
		{"list a/dir", "permission denied"},
		{"read a/dir/secret", "permission denied"},
		{"chmod a/dir", "read-only|not permitted"},
		{"rename a/b other", "busy|cross-device"},
		{"rename a other", "busy"},
		{"exchange a copy", "busy|cross-device"},
		{"write hooks/pre", "read-only"},
		{"write hooks/new", "read-only"},
		{"rename hooks other", "busy"},
		{"remount hooks", "not permitted"},
		{"umount hooks", "not permitted"},
		{"remove config", "busy"},
		{"rename config other", "busy"},
		{"rename plain config", "busy"},
		{"read gone", "permission denied"},
		{"remove gone", "busy"},
		{"read a/b/open", ""},
		{"write a/b/open", ""},
		{"write a/b/new", ""},
		{"read hooks/pre", ""},
		{"list hooks", ""},
		{"write config", ""},
		{"rename plain other", ""},
	}
	attacks := make([]string, len(cases))
	for i, c := range cases {
		words := strings.Fields(c.attack)
		for j, rel := range words[1:] {
			words[j+1] = filepath.Join(b.ws, rel)
		}
		attacks[i] = strings.Join(words, " ")
	}
	for i, came := range b.attackAll(covers, attacks)[:len(cases)] {
		if c := cases[i]; c.errors == "" && came != "" || c.errors != "" && !containsAny(came, c.errors) {
			t.Errorf("%s: %q, want %q", c.attack, came, c.errors)
		}
	}
	for file, want := range map[string]string{"a/b/secret": "a/b/secret", "hooks/pre": "hooks/pre", "config": "config", "copy/config": "attacked\n", "a/b/new": "attacked\n"} {
		if got, err := os.ReadFile(filepath.Join(b.ws, file)); err != nil || string(got) != want {
			t.Errorf("%s holds %q afterwards, want %q (%v)", file, got, want, err)
		}
	}
}

// What is not the object that was judged is not covered, and nothing runs.
func TestCoverOfSomethingElse(t *testing.T) {
	b := newBox(t)
	b.put("secret", "other", "dir/secret")
	for name, change := range map[string]func(){
		"replaced":      func() { _ = os.Rename(filepath.Join(b.ws, "other"), filepath.Join(b.ws, "secret")) },
		"removed":       func() { _ = os.Remove(filepath.Join(b.ws, "secret")) },
		"behind a link": func() { _ = os.Rename(filepath.Join(b.ws, "dir"), filepath.Join(b.ws, "d2")); b.put("dir -> d2") },
	} {
		rel := "secret"
		if name == "behind a link" {
			rel = "dir/secret"
		}
		if name == "removed" {
			b.put("secret")
		}
		spec := b.spec()
		spec.Covers = []Cover{b.cover(rel, Mask)}
		change()
		if err := b.refuses(t.Context(), spec); !errors.Is(err, ErrChanged) || !errors.Is(err, ErrFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestManyCovers(t *testing.T) {
	b := newBox(t)
	spec := b.spec("/bin/sh", "-c", "cat f0 f1499 f2999; echo $?; cat open")
	b.put("open")
	for i := range 3000 {
		name := fmt.Sprintf("f%d", i)
		b.put(name)
		spec.Covers = append(spec.Covers, b.cover(name, Mask))
	}
	r := b.do(spec)
	if r.wantOK(t) != "1\nopen" || strings.Count(r.errs, "ermission denied") != 3 {
		t.Errorf("%q %q", r.out, r.errs)
	}
}

// A folder that is read-only, and folders in folders.
func TestFolders(t *testing.T) {
	b := newBox(t)
	b.put("in/file", "in/rw/file")
	spec := b.spec("/bin/sh", "-c", "echo x > new; echo y > in/new; echo z > in/rw/new; mv in in2; cat in/file")
	in := filepath.Join(b.ws, "in")
	spec.Folders = append(spec.Folders, folder(t, in, false), folder(t, filepath.Join(in, "rw"), true))
	r := b.do(spec)
	if r.out != "in/file" || strings.Count(r.errs, "ead-only") != 1 || strings.Count(r.errs, "busy") != 1 {
		t.Errorf("%q %q", r.out, r.errs)
	}
	for name, want := range map[string]bool{"new": true, "in/new": false, "in/rw/new": true} {
		if _, err := os.Stat(filepath.Join(b.ws, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFolderReplaced: the folder is the open directory, not what the path leads to.
func TestFolderReplaced(t *testing.T) {
	b := newBox(t)
	b.put("ws/", "other/")
	ws := filepath.Join(b.ws, "ws")
	f := folder(t, ws, true)
	if err := os.Rename(ws, ws+"2"); err != nil {
		t.Fatal(err)
	}
	b.put("ws -> other")
	spec := Spec{Argv: []string{"/bin/sh", "-c", "echo x > " + ws + "/made"}, Dir: ws, Folders: []Folder{f}}
	b.do(spec).wantOK(t) // it has followed the directory
	if _, err := os.Stat(filepath.Join(b.ws, "ws2", "made")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(b.ws, "other", "made")); err == nil {
		t.Error("it followed the link")
	}
}

// TestPlantedParents is CVE-2026-87766 in the session's own /tmp: an earlier command
// puts links where a later set-up must make directories.
func TestPlantedParents(t *testing.T) {
	b := newBox(t)
	outside := realTempDir(t)
	if !strings.HasPrefix(b.ws, "/tmp/") {
		t.Skip("needs a temporary directory below /tmp")
	}
	top := strings.Split(b.ws, "/")[2]
	spec := b.spec("/bin/sh", "-c", "ln -s /oldroot"+outside+" /tmp/"+top)
	spec.Folders, spec.Dir = nil, "/tmp"
	b.do(spec).wantOK(t)
	spec = b.spec("/bin/true")
	_, err := b.Run(t.Context(), spec)
	if !errors.Is(err, ErrFailed) {
		t.Errorf("Run: %v", err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("it made %v outside", entries)
	}
}

// TestParentsInTmp: a command can't make the next one impossible by moving what is
// above the folder in the session's /tmp.
func TestParentsInTmp(t *testing.T) {
	b := newBox(t)
	if !strings.HasPrefix(b.ws, "/tmp/") {
		t.Skip("needs a temporary directory below /tmp")
	}
	top := "/tmp/" + strings.Split(b.ws, "/")[2]
	if r := b.do(b.attacker("rename", top, top+"2")); r.ExitCode != 1 || !strings.Contains(r.out, "busy") {
		t.Errorf("%d %s", r.ExitCode, r.out)
	}
	b.sh("echo x > " + top + "/beside; mkdir " + top + "/d; mv " + top + "/beside " + top + "/d").wantOK(t)
}
