package jail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// resolveTree has the workspace ws, the folder ref and, inside each, a folder of
// the other mode; the rest is outside.
func resolveTree() []string {
	lines := []string{
		"out/secret = SECRET", "out/dir/", "ws-too/secret = SECRET", "lnk => ws",
		"ws/a.txt = inside", "ws/sub/b.txt = b", "ws/sub/deep/c.txt = c",
		"ws/abs => %/ws/a.txt", "ws/absgiven => %/lnk/a.txt", "ws/sub/rel => ../a.txt",
		"ws/comeback => ../ws/a.txt", "ws/sub/parent => ..", "ws/todir => sub", "ws/todirslash => sub/",
		"ws/via => sub/deep/../b.txt", "ws/viadir => todir/deep/../../a.txt", "ws/dotted => ./sub/./deep/.",
		"ws/esc => ../out/secret", "ws/escabs => %/out/secret", "ws/escdir => ../out", "ws/etc => /etc",
		"ws/escsibling => ../ws-too/secret", "ws/top => ..", "ws/slash => /", "ws/proc => /proc/self/root",
		"ws/dang => sub/new", "ws/dangesc => ../out/new", "ws/dangescabs => %/out/new", "ws/dangdeep => nodir/new",
		"ws/dangslash => newdir/", "ws/loop1 => loop2", "ws/loop2 => loop1", "ws/self => self",
		"ws/toref => %/ref/r.txt", "ws/refdir => ../ref", "ref/back => ../ws/a.txt", "ref/r.txt = r",
		"ref/w/x = x", "ws/ro/y = y", "ws/ro/z/y = y", "ws/intoro => ro/y", "ref/w/up => ..",
		"ws/p | fifo", "ws/s | socket", "ws/top2 => ../../../../../../../../../../../../../../../etc",
		"ws/new\nline = odd", "ws/back\\slash = odd", "ws/\xff\xfe = odd", "ws/~ = odd", "ws/$HOME = odd",
		"ws/%2e%2e = odd", "ws/ lead = odd", "ws/... = odd", "ws/..a = odd", "ws/-rf = odd", "ws/e\u0301 = odd",
	}
	for i := 1; i <= 41; i++ {
		lines = append(lines, fmt.Sprintf("ws/chain%d => chain%d", i, i-1))
	}
	return append(lines, "ws/chain0 = end")
}

// naive is what a program without a jail would get: the control of each case.
type naive int

const (
	naiveWorks naive = iota // so that a refusal is ours
	naiveFails              // the kernel refuses just so
)

type resolveCase struct {
	path  string // % stands for the directory above the workspace
	how   How
	real  string // below that directory; empty if refused
	err   error
	naive naive
	also  func(t *testing.T, o *Object)
}

func exists(want bool) func(*testing.T, *Object) {
	return func(t *testing.T, o *Object) {
		if o.Exists() != want {
			t.Errorf("Exists() = %v", o.Exists())
		}
	}
}

func absentDirs(want ...string) func(*testing.T, *Object) {
	return func(t *testing.T, o *Object) {
		if o.Exists() {
			t.Error("exists")
		}
		var got []string
		for _, p := range o.Absent() {
			got = append(got, strings.TrimPrefix(p, o.j.Root()+"/"))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("absent %q, want %q", got, want)
		}
	}
}

func mode(m Mode) func(*testing.T, *Object) {
	return func(t *testing.T, o *Object) {
		if o.Folder().Mode != m {
			t.Errorf("the folder is %s with mode %v", o.Folder().Real, o.Folder().Mode)
		}
	}
}

func isRoot(t *testing.T, o *Object) {
	if !o.IsRoot() {
		t.Error("is no root")
	}
}

func isLink(t *testing.T, o *Object) {
	if !o.Info().IsLink() {
		t.Errorf("is %v, no link", o.Info().Mode())
	}
}

var resolveCases = []resolveCase{
	// Spellings of what is inside.
	{path: "a.txt", real: "ws/a.txt", also: mode(ReadWrite)},
	{path: "./a.txt", real: "ws/a.txt"},
	{path: "sub//deep///c.txt", real: "ws/sub/deep/c.txt"},
	{path: "sub/./deep/./c.txt", real: "ws/sub/deep/c.txt"},
	{path: "sub/../a.txt", real: "ws/a.txt"},
	{path: "sub/deep/../../a.txt", real: "ws/a.txt"},
	{path: "%/ws/a.txt", real: "ws/a.txt"},
	{path: "%/lnk/a.txt", real: "ws/a.txt"},
	{path: "%/lnk/sub/../a.txt", real: "ws/a.txt"},
	{path: "/%/ws/a.txt", real: "ws/a.txt"},
	{path: "%/./ws/./a.txt", real: "ws/a.txt"},
	{path: "%/ws/../ws/a.txt", real: "ws/a.txt"},
	{path: "%/ref/../ws/a.txt", real: "ws/a.txt"},
	{path: "../ws/a.txt", real: "ws/a.txt"},
	{path: "../lnk/a.txt", real: "ws/a.txt"},
	{path: "../ref/r.txt", real: "ref/r.txt", also: mode(ReadOnly)},
	{path: "sub/../../ws/sub/b.txt", real: "ws/sub/b.txt"},
	{path: ".", real: "ws", also: isRoot},
	{path: "./", real: "ws", also: isRoot},
	{path: "sub/..", real: "ws", also: isRoot},
	{path: "../ws", real: "ws", also: isRoot},
	{path: "%/ws/", real: "ws", also: isRoot},
	{path: "%/lnk", real: "ws", also: isRoot},
	{path: "sub", real: "ws/sub"},
	{path: "sub/", real: "ws/sub"},
	{path: "sub/deep/..", real: "ws/sub"},
	{path: "new\nline", real: "ws/new\nline"},
	{path: "back\\slash", real: "ws/back\\slash"},
	{path: "\xff\xfe", real: "ws/\xff\xfe"},
	{path: "~", real: "ws/~"},
	{path: "$HOME", real: "ws/$HOME"},
	{path: "%2e%2e", real: "ws/%2e%2e"},
	{path: " lead", real: "ws/ lead"},
	{path: "...", real: "ws/..."},
	{path: "..a", real: "ws/..a"},
	{path: "-rf", real: "ws/-rf"},
	{path: "e\u0301", real: "ws/e\u0301"},

	// Names are not rewritten: the neighbours of those above are not there.
	{path: "\u00e9", err: fs.ErrNotExist, naive: naiveFails},
	{path: "lead", err: fs.ErrNotExist, naive: naiveFails},
	{path: "a.txt ", err: fs.ErrNotExist, naive: naiveFails},
	{path: "back/slash", err: fs.ErrNotExist, naive: naiveFails},

	// Links that stay inside.
	{path: "abs", real: "ws/a.txt"},
	{path: "absgiven", real: "ws/a.txt"},
	{path: "sub/rel", real: "ws/a.txt"},
	{path: "comeback", real: "ws/a.txt"},
	{path: "sub/parent/a.txt", real: "ws/a.txt"},
	{path: "sub/parent", real: "ws", also: isRoot},
	{path: "todir/b.txt", real: "ws/sub/b.txt"},
	{path: "todirslash/b.txt", real: "ws/sub/b.txt"},
	{path: "todir/../a.txt", real: "ws/a.txt"},
	{path: "todir/deep/../../a.txt", real: "ws/a.txt"},
	{path: "via", real: "ws/sub/b.txt"},
	{path: "viadir", real: "ws/a.txt"},
	{path: "dotted/c.txt", real: "ws/sub/deep/c.txt"},
	{path: "dotted", real: "ws/sub/deep"},
	{path: "toref", real: "ref/r.txt", also: mode(ReadOnly)},
	{path: "refdir/r.txt", real: "ref/r.txt", also: mode(ReadOnly)},
	{path: "refdir/back", real: "ws/a.txt", also: mode(ReadWrite)},
	{path: "refdir/../ws/a.txt", real: "ws/a.txt"},
	{path: "chain40", real: "ws/chain0"},
	{path: "chain41", err: ErrLoop, naive: naiveFails},
	{path: "loop1", err: ErrLoop, naive: naiveFails},
	{path: "self", err: ErrLoop, naive: naiveFails},
	{path: "self/x", err: ErrLoop, naive: naiveFails},

	// Ways out.
	{path: "..", err: ErrEscape},
	{path: "../", err: ErrEscape},
	{path: "/", err: ErrEscape},
	{path: "/etc/passwd", err: ErrEscape},
	{path: "%/out/secret", err: ErrEscape},
	{path: "%", err: ErrEscape},
	{path: "../out/secret", err: ErrEscape},
	{path: "../out", err: ErrEscape},
	{path: "sub/../../out/secret", err: ErrEscape},
	{path: "../ws-too/secret", err: ErrEscape},
	{path: "%/ws-too/secret", err: ErrEscape},
	{path: "%/ws/../out/secret", err: ErrEscape},
	{path: "%/lnk/../out/secret", err: ErrEscape},
	{path: "../../../../../../../../../../../../../../etc/passwd", err: ErrEscape},
	{path: "esc", err: ErrEscape},
	{path: "escabs", err: ErrEscape},
	{path: "escdir", err: ErrEscape},
	{path: "escdir/secret", err: ErrEscape},
	{path: "escdir/../ws/a.txt", err: ErrEscape},
	{path: "escsibling", err: ErrEscape},
	{path: "etc/passwd", err: ErrEscape},
	{path: "top", err: ErrEscape},
	{path: "top/out/secret", err: ErrEscape},
	{path: "top2/passwd", err: ErrEscape},
	{path: "slash", err: ErrEscape},
	{path: "slash/etc/passwd", err: ErrEscape},
	{path: "proc/etc/passwd", err: ErrEscape},
	{path: "todir/../../out/secret", err: ErrEscape},
	{path: "ro/../../out/secret", err: ErrEscape},
	{path: "../ref/w/../../out/secret", err: ErrEscape},
	// What is outside is not told apart from what is nowhere.
	{path: "../nowhere", err: ErrEscape, naive: naiveFails},
	{path: "../nowhere/../ws/a.txt", err: ErrEscape, naive: naiveFails},
	{path: "/nowhere", err: ErrEscape, naive: naiveFails},
	{path: "dangesc", err: ErrEscape, naive: naiveFails},

	// Folders inside folders.
	{path: "ro/y", real: "ws/ro/y", also: mode(ReadOnly)},
	{path: "ro/z/y", real: "ws/ro/z/y", also: mode(ReadOnly)},
	{path: "ro", real: "ws/ro", also: isRoot},
	{path: "ro/", real: "ws/ro", also: isRoot},
	{path: "intoro", real: "ws/ro/y", also: mode(ReadOnly)},
	{path: "%/ws/ro/y", real: "ws/ro/y", also: mode(ReadOnly)},
	{path: "%/lnk/ro/y", real: "ws/ro/y", also: mode(ReadOnly)},
	{path: "ro/../a.txt", real: "ws/a.txt", also: mode(ReadWrite)},
	{path: "ro/../ro/y", real: "ws/ro/y", also: mode(ReadOnly)},
	{path: "ro/..", real: "ws", also: isRoot},
	{path: "ro/z/../../sub/b.txt", real: "ws/sub/b.txt", also: mode(ReadWrite)},
	{path: "%/ref/w/x", real: "ref/w/x", also: mode(ReadWrite)},
	{path: "../ref/w/x", real: "ref/w/x", also: mode(ReadWrite)},
	{path: "../ref/w/../r.txt", real: "ref/r.txt", also: mode(ReadOnly)},
	{path: "../ref/w/up/r.txt", real: "ref/r.txt", also: mode(ReadOnly)},
	{path: "refdir/w/x", real: "ref/w/x", also: mode(ReadWrite)},
	{path: "ro/new", how: Target, real: "ws/ro/new", also: mode(ReadOnly)},
	{path: "../ref/w/new", how: Target, real: "ref/w/new", also: mode(ReadWrite)},
	{path: "ro", how: Entry, real: "ws/ro", also: isRoot},
	{path: "ro", how: Target, real: "ws/ro", also: isRoot},
	{path: "../ref/w", how: Entry, real: "ref/w", also: isRoot},

	// What is not there or not a directory.
	{path: "missing", err: fs.ErrNotExist, naive: naiveFails},
	{path: "missing/../a.txt", err: fs.ErrNotExist, naive: naiveFails},
	{path: "missing/../../out/secret", err: fs.ErrNotExist, naive: naiveFails},
	{path: "dang", err: fs.ErrNotExist, naive: naiveFails},
	{path: "a.txt/", err: ErrNotDirectory, naive: naiveFails},
	{path: "a.txt/.", err: ErrNotDirectory, naive: naiveFails},
	{path: "a.txt/..", err: ErrNotDirectory, naive: naiveFails},
	{path: "a.txt/x", err: ErrNotDirectory, naive: naiveFails},
	{path: "abs/", err: ErrNotDirectory, naive: naiveFails},
	{path: "abs/x", err: ErrNotDirectory, naive: naiveFails},
	{path: "p/x", err: ErrNotDirectory, naive: naiveFails},
	{path: "", err: ErrInvalid, naive: naiveFails},
	{path: "a\x00b", err: ErrInvalid, naive: naiveFails},
	{path: "a.txt\x00", err: ErrInvalid, naive: naiveFails},

	// Special files are found, not opened.
	{path: "p", real: "ws/p"},
	{path: "s", real: "ws/s"},

	// Entry: the name itself.
	{path: "a.txt", how: Entry, real: "ws/a.txt"},
	{path: "abs", how: Entry, real: "ws/abs", also: isLink},
	{path: "esc", how: Entry, real: "ws/esc", also: isLink},
	{path: "self", how: Entry, real: "ws/self", also: isLink},
	{path: "dang", how: Entry, real: "ws/dang", also: isLink},
	{path: "todir", how: Entry, real: "ws/todir", also: isLink},
	{path: "todir/", how: Entry, real: "ws/sub"},
	{path: "todir/b.txt", how: Entry, real: "ws/sub/b.txt"},
	{path: "todir/.", how: Entry, real: "ws/sub"},
	{path: "sub/../abs", how: Entry, real: "ws/abs", also: isLink},
	{path: "todir/parent", how: Entry, real: "ws/sub/parent", also: isLink},
	{path: ".", how: Entry, real: "ws", also: isRoot},
	{path: "%/ws", how: Entry, real: "ws", also: isRoot},
	{path: "%/lnk", how: Entry, real: "ws", also: isRoot},
	{path: "missing", how: Entry, err: fs.ErrNotExist, naive: naiveFails},
	{path: "escdir/secret", how: Entry, err: ErrEscape},
	{path: "..", how: Entry, err: ErrEscape},
	{path: "escdir/", how: Entry, err: ErrEscape},

	// Target: what is or will be there.
	{path: "a.txt", how: Target, real: "ws/a.txt", also: exists(true)},
	{path: "abs", how: Target, real: "ws/a.txt", also: exists(true)},
	{path: "toref", how: Target, real: "ref/r.txt", also: mode(ReadOnly)},
	{path: "new", how: Target, real: "ws/new", also: absentDirs()},
	{path: "../ws/new", how: Target, real: "ws/new", also: absentDirs()},
	{path: "%/lnk/new", how: Target, real: "ws/new", also: absentDirs()},
	{path: "n/e/w", how: Target, real: "ws/n/e/w", also: absentDirs("n", "n/e")},
	{path: "n/./e//w", how: Target, real: "ws/n/e/w", also: absentDirs("n", "n/e")},
	{path: "todir/n/w", how: Target, real: "ws/sub/n/w", also: absentDirs("sub/n")},
	{path: "n/w/", how: Target, real: "ws/n/w", also: absentDirs("n")},
	{path: "dang", how: Target, real: "ws/sub/new", also: absentDirs()},
	{path: "dangdeep", how: Target, real: "ws/nodir/new", also: absentDirs("nodir")},
	{path: "dangslash", how: Target, real: "ws/newdir", also: absentDirs()},
	{path: "dangdeep/x", how: Target, real: "ws/nodir/new/x", also: absentDirs("nodir", "nodir/new")},
	{path: "n/../a.txt", how: Target, err: fs.ErrNotExist, naive: naiveFails},
	{path: "n/../../out/x", how: Target, err: fs.ErrNotExist, naive: naiveFails},
	{path: "dangesc", how: Target, err: ErrEscape},
	{path: "dangescabs", how: Target, err: ErrEscape},
	{path: "../out/new", how: Target, err: ErrEscape},
	{path: "escdir/new", how: Target, err: ErrEscape},
	{path: "escdir/n/e/w", how: Target, err: ErrEscape, naive: naiveFails},
	{path: "%/new", how: Target, err: ErrEscape},
	{path: "self", how: Target, err: ErrLoop, naive: naiveFails},
	{path: "a.txt/x", how: Target, err: ErrNotDirectory, naive: naiveFails},
	{path: "", how: Target, err: ErrInvalid, naive: naiveFails},
}

func TestResolve(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, resolveTree()...)
		j := newJail(t, base+"/lnk", WithEngine(e), WithFolder(base+"/ref", ReadOnly),
			WithFolder(base+"/ws/ro", ReadOnly), WithFolder(base+"/ref/w", ReadWrite))
		for _, c := range resolveCases {
			t.Run(fmt.Sprintf("%v %q", c.how, c.path), func(t *testing.T) {
				c.path = strings.Replace(c.path, "%/", base+"/", 1)
				if c.path == "%" {
					c.path = base
				}
				c.control(t, base)
				c.run(t, j, base)
			})
		}
	})
}

// control does without a jail what the case is about.
func (c resolveCase) control(t *testing.T, base string) {
	t.Helper()
	full := c.path
	if !filepath.IsAbs(full) {
		full = base + "/ws/" + c.path // not cleaned
	}
	var err error
	switch {
	case c.path == "" || strings.ContainsRune(c.path, 0):
		err = fs.ErrInvalid
	case c.how == Existing:
		_, err = os.Stat(full)
	case c.how == Entry:
		_, err = os.Lstat(full)
	default:
		if c.err == nil {
			return // nothing is made
		}
		var f *os.File
		if f, err = os.OpenFile(full, os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			_ = f.Close()
			err = os.Remove(full)
		} else if errors.Is(err, fs.ErrExist) { // a dangling link: O_EXCL is too strict
			if err = os.WriteFile(full, nil, 0o644); err == nil {
				full, _ = filepath.EvalSymlinks(full)
				err = os.Remove(full)
			}
		}
	}
	if (err == nil) != (c.naive == naiveWorks) {
		t.Errorf("control: without a jail: %v", err)
	}
}

func (c resolveCase) run(t *testing.T, j *Jail, base string) {
	before := openDescriptors(t)
	o, err := j.Resolve(context.Background(), c.path, c.how)
	if c.err != nil {
		c.refused(t, j, err, base)
	} else if err != nil {
		t.Error(err)
	} else {
		c.found(t, j, o, base)
	}
	if after := openDescriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func (c resolveCase) refused(t *testing.T, j *Jail, err error, base string) {
	if !errors.Is(err, c.err) {
		t.Errorf("%v, want %v", err, c.err)
	}
	if c.err == ErrEscape && !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v is no fs.ErrPermission", err)
	}
	if text := err.Error(); !strings.Contains(text, c.path) && c.path != "" ||
		!strings.Contains(c.path, base) && strings.Contains(text, base) {
		t.Errorf("%q does not name the path as given, or names more", text)
	}
	if c.how != Existing {
		return
	}
	if _, err := j.Stat(c.path); !errors.Is(err, c.err) {
		t.Errorf("Stat: %v", err)
	}
	if f, err := j.Open(c.path); !errors.Is(err, c.err) {
		t.Errorf("Open: %v", err)
		if err == nil {
			_ = f.Close()
		}
	}
}

func (c resolveCase) found(t *testing.T, j *Jail, o *Object, base string) {
	want := filepath.Join(base, c.real)
	if o.Real() != want || o.Given() != c.path {
		t.Errorf("Real() = %q, want %q; Given() = %q", o.Real(), want, o.Given())
	}
	if o.Exists() && o.Info().Name() != filepath.Base(want) {
		t.Errorf("Name() = %q", o.Info().Name())
	}
	if c.also != nil {
		c.also(t, o)
	}
	if err := o.Verify(context.Background()); err != nil {
		t.Error(err)
	}
	if c.how == Existing {
		c.agrees(t, j, o)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if err := o.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// agrees compares the object with what Stat and Open find, and with the kernel.
func (c resolveCase) agrees(t *testing.T, j *Jail, o *Object) {
	info, err := j.Stat(c.path)
	if err != nil || info.ID() != o.Info().ID() || info.Name() != o.Info().Name() {
		t.Errorf("Stat: %v %v, not %v", info, err, o.Info())
	}
	truth, err := os.Lstat(o.Real())
	if err != nil || !fromFileInfo(truth).same(info) || truth.Mode() != info.Mode() || truth.Size() != info.Size() {
		t.Errorf("lstat of the real path: %v %v", truth, err)
	}
	f, err := j.Open(c.path)
	if !info.Mode().IsRegular() {
		if err == nil {
			t.Errorf("opened a %v", info.Mode())
		}
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	if f.Real() != o.Real() || f.Info().ID() != info.ID() {
		t.Errorf("Open found %s", f.Real())
	}
	check(t, f.Close())
}

// TestResolveLong goes beyond PATH_MAX, which binds the kernel's walk only.
func TestResolveLong(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "ws/d/", "ws/a.txt = a", "out/secret = s")
		j := newJail(t, base+"/ws", WithEngine(e))
		for _, c := range []struct {
			path string
			how  How
			err  error
		}{
			{path: strings.Repeat("d/../", 2000) + "a.txt"},
			{path: strings.Repeat("./", 4000) + "a.txt"},
			{path: strings.Repeat("/", 5000) + base + "/ws/a.txt"},
			{path: strings.Repeat("d/../", 2000) + "../out/secret", err: ErrEscape},
			{path: strings.Repeat("d/", 3000), err: fs.ErrNotExist},
			{path: strings.Repeat("./", 1<<19) + "a.txt", err: ErrInvalid},
			{path: strings.Repeat("n", 256), err: syscall.ENAMETOOLONG},
			{path: strings.Repeat("n", 256) + "/x", how: Target, err: syscall.ENAMETOOLONG},
		} {
			o, err := j.Resolve(context.Background(), c.path, c.how)
			if !errors.Is(err, c.err) {
				t.Errorf("%d bytes: %v, want %v", len(c.path), err, c.err)
			}
			if err != nil {
				continue
			}
			if o.Real() != base+"/ws/a.txt" {
				t.Errorf("Real() = %s", o.Real())
			}
			check(t, o.Close())
		}
	})
}
