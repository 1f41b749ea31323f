package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A world is what a fuzz input describes: a small tree around two allowed
// folders, each with another one inside, and a path to resolve. Real paths are
// kept without the directory that holds the tree; "" is that directory.
type world struct {
	nodes map[string]string // path -> "/" for a directory, "=" for a file, else "=> target"
	path  string
	how   How
}

const (
	modelWorkspace = "/w" // also given as /g, a link
	modelGiven     = "/g"
)

var modelFolders = map[string]Mode{"/w": ReadWrite, "/w/n": ReadOnly, "/r": ReadOnly, "/r/m": ReadWrite}

// decodeWorld reads a world from any bytes at all.
func decodeWorld(input []byte) world {
	next := func(n int) int {
		if len(input) == 0 {
			return 0
		}
		b := input[0]
		input = input[1:]
		return int(b) % n
	}
	components := []string{"a", "b", "c", "..", "n", "m", ".", "w", "r", "o", "g", "..", ""}
	dirs := []string{"/w", "/w/n", "/r", "/r/m", "/o"}
	spell := func() string {
		var parts []string
		for range 1 + next(6) {
			parts = append(parts, components[next(len(components))])
		}
		p := strings.Join(parts, "/")
		switch next(12) {
		case 2, 3: // from a directory that is there
			p = "%" + dirs[next(len(dirs))] + "/" + p
		case 4, 5, 6:
			p = ".." + dirs[next(len(dirs))] + "/" + components[next(3)]
		case 7, 8:
			p = components[next(3)] + "/" + components[next(6)]
		case 9, 10:
			p = components[next(3)]
		case 0:
			p = "%/" + p // absolute
		case 1:
			p += "/"
		}
		return p
	}
	w := world{nodes: map[string]string{"/w": "/", "/w/n": "/", "/r": "/", "/r/m": "/", "/o": "/", "/o/a": "="}}
	for range next(16) {
		p := dirs[next(len(dirs))] + "/" + components[next(3)]
		if _, taken := w.nodes[p]; taken {
			continue
		}
		switch next(4) {
		case 0:
			w.nodes[p] = "="
		case 1:
			w.nodes[p], dirs = "/", append(dirs, p)
		default:
			target := spell()
			if target == "" {
				target = "."
			}
			w.nodes[p] = "=> " + target
		}
	}
	w.path, w.how = spell(), How(next(3))
	return w
}

// build makes the world below base.
func (w world) build(t checker, base string) {
	t.Helper()
	for p, kind := range w.nodes {
		if kind == "/" {
			check(t, os.MkdirAll(base+p, 0o755))
		}
	}
	for p, kind := range w.nodes {
		if target, ok := strings.CutPrefix(kind, "=> "); ok {
			check(t, os.Symlink(strings.ReplaceAll(target, "%", base), base+p))
		} else if kind == "=" {
			check(t, os.WriteFile(base+p, []byte(p), 0o644))
		}
	}
	check(t, os.Symlink("w", base+modelGiven))
}

func (w world) String() string {
	return fmt.Sprintf("%v %q in %q", w.how, w.path, w.nodes)
}

// An outcome is what a resolution must come to.
type modelOutcome struct {
	class  error // nil, or one of the errors
	real   string
	exists bool
	mode   Mode
}

// resolve is the rule, on strings: as the kernel goes, except that outside the
// folders only names that lead to one are known.
func (w world) resolve() modelOutcome {
	if w.path == "" {
		return modelOutcome{class: ErrInvalid}
	}
	var pending []string // next first
	cur, links := modelWorkspace, 0
	push := func(p string) {
		parts := strings.Split(p, "/")
		if strings.HasSuffix(p, "/") {
			parts[len(parts)-1] = "."
		}
		switch {
		case parts[0] == "%":
			cur, parts = "", parts[1:]
		case strings.HasPrefix(p, "/"):
			cur = "/" // nothing there leads to a folder
		}
		pending = append(parts, pending...)
	}
	push(w.path)
	for len(pending) > 0 {
		name := pending[0]
		pending = pending[1:]
		for len(pending) > 0 && pending[0] == "" { // "a//b"
			pending = pending[1:]
		}
		at := cur + "/" + name
		_, inside := folderOfModel(cur)
		switch {
		case cur == "/":
			return modelOutcome{class: ErrEscape}
		case name == "", name == ".":
			continue
		case name == "..":
			cur = strings.TrimSuffix(path.Dir(cur), "/")
			if cur == "." {
				return modelOutcome{class: ErrEscape} // above the tree: the way back has other names
			}
			continue
		case !inside && at == modelGiven:
			cur = modelWorkspace
			continue
		case !inside:
			if _, ok := modelFolders[at]; !ok {
				return modelOutcome{class: ErrEscape}
			}
			cur = at
			continue
		}
		last := len(pending) == 0
		kind := w.nodes[at]
		switch target, isLink := strings.CutPrefix(kind, "=> "); {
		case kind == "" && w.how == Target:
			for _, more := range pending {
				switch more {
				case "..":
					return modelOutcome{class: fs.ErrNotExist}
				case "", ".":
				default:
					at += "/" + more
				}
			}
			m, _ := folderOfModel(at)
			return modelOutcome{real: at, mode: m}
		case kind == "":
			return modelOutcome{class: fs.ErrNotExist}
		case isLink && last && w.how == Entry:
			return found(at)
		case isLink:
			if links++; links > 40 {
				return modelOutcome{class: ErrLoop}
			}
			push(target)
		case kind == "/":
			cur = at
		case !last:
			return modelOutcome{class: ErrNotDirectory}
		default:
			return found(at)
		}
	}
	if _, inside := folderOfModel(cur); !inside {
		return modelOutcome{class: ErrEscape}
	}
	return found(cur)
}

func found(at string) modelOutcome {
	m, _ := folderOfModel(at)
	return modelOutcome{real: at, exists: true, mode: m}
}

// folderOfModel finds the innermost folder.
func folderOfModel(p string) (m Mode, ok bool) {
	longest := ""
	for f, mode := range modelFolders {
		if (p == f || strings.HasPrefix(p, f+"/")) && len(f) > len(longest) {
			longest, m, ok = f, mode, true
		}
	}
	return m, ok
}

// agree compares both engines with the model, and what is found with the kernel.
func (w world) agree(t checker, base string) {
	t.Helper()
	w.build(t, base)
	want := w.resolve()
	name := strings.ReplaceAll(w.path, "%", base)
	for _, e := range []Engine{EngineOpenat2, EngineOSRoot} {
		j, err := New(base+modelGiven, WithEngine(e), WithFolder(base+"/r", ReadOnly), WithFolder(base+"/r/m", ReadWrite),
			WithFolder(base+"/w/n", ReadOnly), WithoutSync())
		check(t, err)
		o, err := j.Resolve(ctx, name, w.how)
		switch {
		case want.class != nil:
			if !errors.Is(err, want.class) {
				t.Errorf("%v: %v\n%v, the model says %v", e, w, err, want.class)
			}
		case err != nil:
			t.Errorf("%v: %v\n%v, the model says %s", e, w, err, want.real)
		case o.Real() != base+want.real || o.Exists() != want.exists || o.Folder().Mode != want.mode:
			t.Errorf("%v: %v\n%s exists %v %v, the model says %+v", e, w, strings.TrimPrefix(o.Real(), base), o.Exists(), o.Folder().Mode, want)
		default:
			w.truth(t, base, o)
		}
		if err == nil {
			check(t, o.Close())
		}
		w.short(t, j, name, want)
		check(t, j.Close())
	}
}

// short compares Stat and Open, which have ways of their own.
func (w world) short(t checker, j *Jail, name string, want modelOutcome) {
	t.Helper()
	if w.how != Existing {
		return
	}
	if _, err := j.Stat(name); !errors.Is(err, want.class) {
		t.Errorf("%v: %v\nStat: %v, the model says %v", j.Engine(), w, err, want.class)
	}
	f, err := j.Open(name)
	if want.class == nil && w.nodes[want.real] == "/" {
		want.class = ErrNotRegular
	}
	if !errors.Is(err, want.class) {
		t.Errorf("%v: %v\nOpen: %v, the model says %v", j.Engine(), w, err, want.class)
	}
	if err == nil {
		if b, err := f.ReadAll(); err != nil || string(b) != want.real {
			t.Errorf("%v: %v\nread %q %v, the model says %s", j.Engine(), w, b, err, want.real)
		}
		check(t, f.Close())
	}
}

// truth: the real path has no link in it, and is what the kernel would have found
// for the path as given, unless the other spelling of the workspace was left by
// "..": the kernel would not have gone through the link's own parent.
func (w world) truth(t checker, base string, o *Object) {
	t.Helper()
	if !o.Exists() {
		return
	}
	canonical, err := filepath.EvalSymlinks(filepath.Dir(o.Real()))
	if err != nil || canonical != filepath.Dir(o.Real()) {
		t.Errorf("%v: %s is not canonical: %s %v", w, o.Real(), canonical, err)
	}
	full := strings.ReplaceAll(w.path, "%", base)
	if !filepath.IsAbs(full) {
		full = base + modelWorkspace + "/" + full
	}
	look := os.Lstat
	if w.how != Entry {
		look = os.Stat
	}
	fi, err := look(full)
	if err != nil && w.how == Target && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if w.how == Entry && full == base+modelGiven {
		return // the spelling of a folder stands for the folder
	}
	if err != nil || !fromFileInfo(fi).same(o.Info()) {
		if w.how == Entry && strings.HasSuffix(full, "/g") {
			return
		}
		t.Errorf("%v: found %s, the kernel says %v", w, o.Real(), err)
	}
}

// FuzzResolve compares path resolution with the model.
func FuzzResolve(f *testing.F) {
	f.Add([]byte("a first world"))
	f.Add([]byte{3, 0, 0, 2, 1, 9, 3, 0, 1, 1, 0, 0, 2, 0, 0, 3, 2, 3, 3, 9, 0, 0})
	f.Add([]byte{15, 0, 1, 1, 3, 2, 2, 1, 0, 4, 4, 4, 4, 4, 4, 1, 1, 1, 1, 7, 7, 7, 255, 254, 12, 13, 14, 15, 16, 17, 18, 19})
	f.Fuzz(func(t *testing.T, input []byte) {
		decodeWorld(input).agree(t, fastDir(t))
	})
}

// TestResolveModel is the same over generated worlds.
func TestResolveModel(t *testing.T) {
	base := fastDir(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		w := decodeWorld(rapid.SliceOfN(rapid.Byte(), 0, 120).Draw(rt, "world"))
		n++
		dir := fmt.Sprintf("%s/%d", base, n)
		w.agree(rt, dir)
		if err := os.RemoveAll(dir); err != nil {
			rt.Fatal(err)
		}
	})
}
