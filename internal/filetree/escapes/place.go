package escapes

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/internal/filetree"
)

// Place is where a case happens: a directory of its own that holds the
// workspace, what no call may touch, and what the runner needs.
type Place struct {
	Base string // real path
	Root string // the workspace
	Out  string // beside the workspace
	Vars map[string]string

	outside map[string]string // before the call
	inside  map[string]string // nil where it can't be described
}

// own are the entries of a base directory that belong to the runner.
var own = []string{"ws", "ws-rw", "state", "config.toml", "home", "audit.log"}

// Fresh makes a place: not below /tmp, which belongs to sessions.
func Fresh(t testing.TB) *Place {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "escape")
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	p := &Place{Base: base, Root: base + "/ws", Out: base + "/outside"}
	p.Vars = map[string]string{"$ROOT": p.Root, "$OUT": p.Out, "$ALIAS": base + "/alias"}
	filetree.Make(t, p.Root, p.Vars, "file a.txt inside\n", "dir sub")
	filetree.Make(t, p.Out, p.Vars, "file secret TOPSECRET-7f3a\n", "file plain plain\n", "dir dir")
	return p
}

// Lay makes the place of a case and remembers what it looks like.
func (c *Case) Lay(t testing.TB) *Place {
	t.Helper()
	p := Fresh(t)
	filetree.Make(t, p.Root, p.Vars, c.Setup...)
	p.Remember(t, c)
	return p
}

// Remember notes how things are before the call.
func (p *Place) Remember(t testing.TB, c *Case) {
	t.Helper()
	p.outside, p.inside = p.around(t), nil
	if describable(c.Setup) {
		p.inside = filetree.Describe(t, p.Root)
	}
}

// describable reports whether a workspace can be described: other file systems
// and paths beyond the limit of the kernel can't.
func describable(setup []string) bool {
	return !slices.ContainsFunc(setup, func(line string) bool {
		verb, _, _ := strings.Cut(line, " ")
		return slices.Contains([]string{"mount", "bind", "deep"}, verb)
	})
}

// around describes all that lies beside the workspace.
func (p *Place) around(t testing.TB) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(p.Base)
	if err != nil {
		t.Fatal(err)
	}
	tree := map[string]string{}
	for _, e := range entries {
		if slices.Contains(own, e.Name()) {
			continue
		}
		for rel, is := range filetree.Describe(t, filepath.Join(p.Base, e.Name())) {
			tree[filepath.Join(e.Name(), rel)] = is
		}
	}
	return tree
}

func (p *Place) expand(s string) string { return filetree.Expand(s, p.Vars) }

// Check holds an answer and what the call left behind against the case.
func (c *Case) Check(t testing.TB, p *Place, answer []byte) *Result {
	t.Helper()
	r, err := Parse(answer)
	if err != nil {
		t.Error(err)
	}
	if r == nil {
		return &Result{}
	}
	if !slices.Contains(c.Expect, r.Outcome()) {
		t.Errorf("got %s, want one of %v\n%.500s%.500s", r.Outcome(), c.Expect, r.Error, r.Output)
	}
	if want := p.expand(c.Output); !strings.Contains(r.Output, want) {
		t.Errorf("output %.500q lacks %q", r.Output, want)
	}
	for _, want := range c.Answer {
		if want = p.expand(want); !bytes.Contains(answer, []byte(want)) {
			t.Errorf("the answer lacks %s: %.500s", want, answer)
		}
	}
	for _, secret := range append(c.Without, Marker) {
		if holds(answer, r, p.expand(secret)) {
			t.Errorf("the answer holds %q: %.500s", secret, answer)
		}
	}
	c.checkTrees(t, p, r)
	return r
}

// holds looks for a secret in an answer and in its texts.
func holds(answer []byte, r *Result, secret string) bool {
	return bytes.Contains(answer, []byte(secret)) || strings.Contains(r.Output+r.Error, secret)
}

func (c *Case) checkTrees(t testing.TB, p *Place, r *Result) {
	t.Helper()
	if after := p.around(t); !maps.Equal(p.outside, after) {
		t.Errorf("outside changed:\n%v\n%v", p.outside, after)
	}
	if p.inside != nil && (c.Keep || !r.Success && !c.Partly) {
		if after := filetree.Describe(t, p.Root); !maps.Equal(p.inside, after) {
			t.Errorf("the workspace changed:\n%v\n%v", p.inside, after)
		}
	}
	for _, line := range c.After {
		if !p.Holds(t, line) {
			t.Errorf("afterwards %q does not hold", line)
		}
	}
}

// CheckControl holds an answer to a control against it.
func (c *Case) CheckControl(t testing.TB, p *Place, answer []byte) {
	t.Helper()
	r, err := Parse(answer)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Success {
		t.Errorf("the control is refused as well: %s", r.Error)
	}
	if want := p.expand(c.Control.Output); !strings.Contains(r.Output, want) {
		t.Errorf("the control answers %.500q, which lacks %q", r.Output, want)
	}
	if c.Control.Leaks {
		for _, secret := range c.secrets() {
			if !holds(answer, r, p.expand(secret)) {
				t.Errorf("the control does not tell %q either: %.500s", secret, answer)
			}
		}
	}
	for _, line := range c.Control.After {
		if !p.Holds(t, line) {
			t.Errorf("after the control %q does not hold", line)
		}
	}
}

func (c *Case) secrets() []string {
	if len(c.Without) > 0 {
		return c.Without
	}
	return []string{Marker}
}

// Holds carries out one of the checks that corpus.json calls after.
func (p *Place) Holds(t testing.TB, line string) bool {
	t.Helper()
	verb, rest, _ := strings.Cut(p.expand(line), " ")
	name, want, _ := strings.Cut(rest, " ")
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Root, path)
	}
	info, err := os.Lstat(path)
	switch verb {
	case "absent":
		return os.IsNotExist(err)
	case "exists":
		return err == nil
	case "content":
		raw, err := os.ReadFile(path)
		return err == nil && string(raw) == strings.TrimPrefix(want, "= ")
	case "link":
		return err == nil && info.Mode()&fs.ModeSymlink != 0
	case "fifo":
		return err == nil && info.Mode()&fs.ModeNamedPipe != 0
	case "mode":
		mode, perr := strconv.ParseUint(want, 8, 32)
		return err == nil && perr == nil && info.Mode().Perm() == fs.FileMode(mode)
	case "nosuid":
		return err != nil || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) == 0
	case "notemp":
		return len(p.LeftOver(t)) == 0
	case "noleak":
		return true // the marker is looked for in every answer
	default:
		t.Fatalf("unknown check %q", line)
		return false
	}
}

// LeftOver lists temporary files in the workspace, which no case makes.
func (p *Place) LeftOver(t testing.TB) []string {
	t.Helper()
	var found []string
	for name := range filetree.Describe(t, p.Root) {
		if strings.HasPrefix(filepath.Base(name), ".bailey") || strings.Contains(name, ".tmp") {
			found = append(found, name)
		}
	}
	return found
}
