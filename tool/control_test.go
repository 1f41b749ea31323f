package tool_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/baileyhq/bailey/internal/filetree"
	"github.com/baileyhq/bailey/jail"
)

// A refusal proves nothing if the call could not have done any harm. So each
// case that must be refused has a control: the same call made by plain system
// calls goes through, or, for the cases listed here, a harmless variant of it
// succeeds with the tools.
var variants = map[string]struct {
	setup []string // in place of the case's own
	args  string   // "" for the case's own
	task  string
}{
	"T11": {args: `{"path":"a.txt"}`},
	"T13": {setup: []string{"file .../x here"}},
	"A08": {setup: []string{"file file:/etc/passwd here"}},
	"S08": {setup: []string{"link l -> $ROOT/a.txt"}},
	"S09": {setup: []string{"link l1 -> l2", "link l2 -> a.txt"}},
	"S11": {setup: []string{"chain 40 a.txt"}, args: `{"path":"chain40"}`},
	"S15": {setup: []string{"link a -> b/c", "link b -> sub", "file sub/c here"}},
	"W05": {args: `{"path":"nodir/x/y"}`},
	"W07": {setup: []string{}},
	"P01": {setup: []string{"file fifo here"}},
	"P02": {setup: []string{"file fifo here"}},
	"P05": {setup: []string{"file mem here"}},
	"P06": {setup: []string{"file sock here"}},
	"P07": {args: `{"path":"sub/../a.txt"}`},
	"E01": {args: `{"path":"a.txt"}`},
	"E02": {setup: []string{"file %2e%2e/outside/secret here"}},
	"E03": {setup: []string{"file ..%2foutside%2fsecret here"}},
	"E04": {setup: []string{`file ..\outside\secret here`}},
	"E05": {setup: []string{"file ~/notes here"}, args: `{"path":"~/notes"}`},
	"E06": {setup: []string{"file $HOME/notes here"}, args: `{"path":"$HOME/notes"}`},
	"E08": {setup: []string{"file ‥/outside/secret here"}},
	"E09": {setup: []string{"file ．．／outside／secret here"}},
	"E10": {args: `{"path":"e\u0301.txt"}`},
	"E13": {setup: []string{`file a.txt\u000a../outside here`}},
	"L01": {args: `{"path":"xxx","content":"x\n"}`},
	"L03": {args: `{"path":"sub/../sub/../a.txt"}`},
	"L04": {setup: []string{"file big here"}},
	"I07": {args: `{"source":"sub","destination":"x"}`},
}

func TestEscapeControls(t *testing.T) {
	for _, c := range loadCases(t) {
		if slices.Contains(c.Expect, "ok") {
			continue // a variant that must succeed itself
		}
		t.Run(c.ID, func(t *testing.T) {
			v, listed := variants[c.ID]
			if !listed {
				c.naive(t)
				return
			}
			if v.setup != nil {
				c.Setup = v.setup
			}
			if v.args != "" {
				c.Args = json.RawMessage(v.args)
			}
			b := c.open(t, jail.EngineAuto)
			if r := b.raw(c.Tool, string(c.Args)); !r.Success {
				t.Errorf("the harmless variant is refused as well: %s", r.Error)
			}
		})
	}
}

// naive makes the call without any guard and expects it to go through.
func (c *escapeCase) naive(t *testing.T) {
	b := layout(t)
	filetree.Make(t, b.root, b.vars, c.Setup...)
	before := filetree.Describe(t, b.out)
	var a struct{ Path, Content, Source, Destination string }
	if err := json.Unmarshal([]byte(filetree.Expand(string(c.Args), b.vars)), &a); err != nil {
		t.Fatal(err)
	}
	var errs []error
	for _, place := range []func(root, name string) string{kernelPlace, lexicalPlace} {
		err := b.bare(c.Tool, func(name string) string { return place(b.root, name) }, a.Path, a.Content, a.Source, a.Destination)
		if err == nil || !maps.Equal(before, filetree.Describe(t, b.out)) {
			return
		}
		errs = append(errs, err)
	}
	t.Errorf("the call does no harm without a guard either, so that its refusal proves nothing: %v", errs)
}

func kernelPlace(root, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return root + "/" + name
}

func lexicalPlace(root, name string) string { return filepath.Clean(kernelPlace(root, name)) }

func (b *box) bare(tool string, place func(string) string, path, content, source, destination string) error {
	var err error
	switch tool {
	case "file_read":
		_, err = os.ReadFile(place(path))
	case "file_list":
		_, err = os.ReadDir(place(path))
	case "file_info":
		_, err = os.Stat(place(path))
	case "file_write":
		if err = os.MkdirAll(filepath.Dir(place(path)), 0o755); err == nil {
			err = os.WriteFile(place(path), []byte(content), 0o644)
		}
	case "dir_create":
		err = os.MkdirAll(place(path), 0o755)
	case "file_move":
		err = os.Rename(place(source), place(destination))
	case "file_delete":
		// What os.RemoveAll refuses, a shell loop over the entries does not.
		if err = os.RemoveAll(place(path)); err != nil {
			err = os.RemoveAll(lexicalPlace("", place(path)))
		}
	default:
		err = syscall.ENOSYS
	}
	return err
}
