package compat

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

// every has a call of each tool that succeeds and one that is refused, with
// Bailey's tools that carry it out.
var every = []struct {
	name     string
	good     args
	bad      args
	kind     tool.Kind
	native   []string
	decoding bool // bad can't be decoded
}{
	{"read_file", args{"path": "a.txt"}, args{"path": "../out/secret"}, tool.PathEscape, []string{"file_read"}, false},
	{"read_text_file", args{"path": "a.txt"}, args{"path": 5}, tool.InvalidArgument, []string{"file_read"}, true},
	{"read_media_file", args{"path": "a.txt"}, args{"path": "/etc/passwd"}, tool.PathEscape, []string{"file_read"}, false},
	{"read_multiple_files", args{"paths": []string{"a.txt"}}, args{"paths": []string{}}, tool.InvalidArgument, []string{"file_read_many"}, true},
	{"write_file", args{"path": "w.txt", "content": "w"}, args{"path": "../out/w", "content": "w"}, tool.PathEscape, []string{"file_write"}, false},
	{"edit_file", args{"path": "a.txt", "edits": []args{{"oldText": "one", "newText": "1"}}}, args{"path": "a.txt", "edits": []args{{"oldText": "none", "newText": "1"}}}, tool.EditMismatch, []string{"file_edit"}, false},
	{"create_directory", args{"path": "d/e"}, args{"path": "C:\\x"}, tool.InvalidArgument, []string{"dir_create"}, false},
	{"list_directory", args{"path": "."}, args{"path": ".."}, tool.PathEscape, []string{"file_list"}, false},
	{"list_directory_with_sizes", args{"path": "."}, args{"path": ".", "sortBy": "age"}, tool.InvalidArgument, []string{"file_list"}, true},
	{"directory_tree", args{"path": "."}, args{"path": ".", "excludePatterns": []string{"+(a)"}}, tool.InvalidArgument, []string{"file_tree"}, false},
	{"move_file", args{"source": "w.txt", "destination": "m.txt"}, args{"source": "m.txt", "destination": "a.txt"}, tool.Exists, []string{"file_move"}, false},
	{"search_files", args{"path": ".", "pattern": "*.txt"}, args{"path": ".", "pattern": "[x"}, tool.InvalidArgument, []string{"file_info", "file_find"}, false},
	{"get_file_info", args{"path": "a.txt"}, args{"path": "none"}, tool.NotFound, []string{"file_info"}, false},
	{"list_allowed_directories", args{}, nil, "", []string{"file_info"}, false},
}

// TestEveryCallIsRecorded checks that each call, refused ones too, is in the log
// under the name of Bailey's tool, whatever refused it.
func TestEveryCallIsRecorded(t *testing.T) {
	o := newOffer(t, setup{})
	if len(every) != len(o.tools) {
		t.Errorf("%d tools are tested, %d offered", len(every), len(o.tools))
	}
	for _, tc := range every {
		mark := len(o.results(0))
		o.must(tc.name, tc.good)
		var names []string
		for _, r := range o.results(mark) {
			names = append(names, r.Tool)
			if r.Result != audit.ResultAllow {
				t.Errorf("%s: %+v", tc.name, r)
			}
		}
		if !slices.Equal(names, tc.native) {
			t.Errorf("%s is recorded as %v, want %v", tc.name, names, tc.native)
		}
		if tc.bad == nil {
			continue
		}
		mark = len(o.results(0))
		told := o.refused(tc.kind, tc.name, tc.bad)
		recs := o.results(mark)
		if len(recs) == 0 {
			t.Errorf("%s: a refused call is not in the log", tc.name)
			continue
		}
		last := recs[len(recs)-1]
		if last.Result == audit.ResultAllow || last.ErrorKind != string(tc.kind) || last.Tool != tc.native[len(tc.native)-1] {
			t.Errorf("%s refused: record %+v", tc.name, last)
		}
		if tc.decoding && !strings.Contains(told, tc.name+": ") {
			t.Errorf("%q does not name the tool that was called", told)
		}
	}
}

func TestRulesCoverTheNames(t *testing.T) {
	o := newOffer(t, setup{
		tree: []string{"file secrets/k.png MARKER\n", "file open.txt x\n"},
		rules: []policy.Rule{
			{Name: "no-reading", Action: policy.Deny, Tools: []string{"file_read"}, Paths: []string{"secrets/**"}},
			{Name: "no-names", Action: policy.Deny, Tools: []string{"file_list", "file_tree", "file_find", "file_info"}, Paths: []string{"secrets"}},
			{Name: "no-writing", Action: policy.Deny, Tools: []string{"file_write"}, Paths: []string{"open.txt"}},
		},
	})
	for name, a := range map[string]args{
		"read_text_file": {"path": "secrets/k.png"}, "read_media_file": {"path": "secrets/k.png"},
		"move_file": {"source": "secrets/k.png", "destination": "k.png"},
		"edit_file": {"path": "open.txt", "edits": []args{{"oldText": "x", "newText": "y"}}}, "write_file": {"path": "open.txt", "content": ""},
		"list_directory": {"path": "secrets"}, "directory_tree": {"path": "secrets"}, "get_file_info": {"path": "secrets"},
		"search_files": {"path": "secrets", "pattern": "*"},
	} {
		o.refused(tool.PolicyDenied, name, a)
	}
	for name, a := range map[string]args{
		"read_multiple_files": {"paths": []string{"a.txt", "secrets/k.png"}},
		"list_directory":      {"path": "."}, "directory_tree": {"path": "."}, "list_directory_with_sizes": {"path": "."},
		"search_files": {"path": ".", "pattern": "**"},
	} {
		got := o.must(name, a)
		if strings.Contains(got, "MARKER") || name != "read_multiple_files" && strings.Contains(got, "secrets") {
			t.Errorf("%s tells of what is denied: %s", name, got)
		}
		if !strings.Contains(got, "a.txt") {
			t.Errorf("control: %s: %s", name, got)
		}
	}
}

func TestOfferedByTask(t *testing.T) {
	writing := []string{"edit_file", "create_directory", "move_file"}
	o := newOffer(t, setup{task: "code_review"})
	for _, name := range writing {
		if _, ok := o.tools[name]; ok {
			t.Errorf("code_review grants no writing, but %s is offered", name)
		}
	}
	o.must("read_text_file", args{"path": "a.txt"})
	o.refused(tool.OpDenied, "write_file", args{"path": "x", "content": ""})
	o = newOffer(t, setup{tool: map[string]policy.Action{"file_find": policy.Deny}})
	if _, ok := o.tools["search_files"]; ok {
		t.Error("the tool policy denies file_find, but search_files is offered")
	}
	for _, name := range writing {
		if _, ok := o.tools[name]; !ok {
			t.Errorf("%s is not offered", name)
		}
	}
}

func TestBrokenToolboxAnswers(t *testing.T) {
	broken := tool.Broken(&tool.Error{Kind: tool.Config, Message: "broken"})
	tools := Tools(Options{Tools: broken, Request: func(name string, a json.RawMessage) tool.Request { return tool.Request{Tool: name, Args: a} }})
	if len(tools) == 0 {
		t.Fatal("nothing is offered, so that nobody learns what is wrong")
	}
	for _, tl := range tools {
		for _, raw := range []string{`{"path":"a","content":""}`, `{"path":"a"}`, `junk`} {
			if got := tl.Call(t.Context(), json.RawMessage(raw)); got.Kind != tool.Config {
				t.Errorf("%s %s: %+v", tl.Definition.Name, raw, got)
			}
		}
	}
}

func TestPathsOfTheCommandLine(t *testing.T) {
	o := newOffer(t, setup{tree: []string{"file ~name tilde\n"}})
	o.refused(tool.PathEscape, "read_text_file", args{"path": "~/h.txt"})
	o.refused(tool.PathEscape, "write_file", args{"path": "~/new", "content": ""})
	if got := o.must("read_text_file", args{"path": "~name"}); got != "tilde\n" {
		t.Errorf("a name that begins with ~: %q", got)
	}
	o.must("write_file", args{"path": o.more + "/x.txt", "content": "x"})
	want := fmt.Sprintf("Allowed directories:\n%s\n%s", o.root, o.more)
	if got := o.must("list_allowed_directories", args{"random_string": 1}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := o.must("search_files", args{"path": o.more, "pattern": "*"}); got != o.more+"/x.txt" {
		t.Errorf("found in the second folder: %q", got)
	}
}

func TestManyEntries(t *testing.T) {
	lower(t, &pageSize, 3)
	lower(t, &maxBatch, 2)
	lower(t, &maxFound, 7)
	o := newOffer(t, setup{tree: []string{"dir many"}})
	var want, paths []string
	for i := range 7 {
		name := fmt.Sprintf("f%d", i)
		if err := os.WriteFile(o.root+"/many/"+name, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		want = append(want, "[FILE] "+name)
		paths = append(paths, "many/"+name)
	}
	if got := o.must("list_directory", args{"path": "many"}); got != strings.Join(want, "\n") {
		t.Errorf("over several pages: %q", got)
	}
	if got := o.must("list_directory_with_sizes", args{"path": "many"}); !strings.HasSuffix(got, "\n\nTotal: 7 files, 0 directories\nCombined size: 14 B") {
		t.Errorf("over several pages: %q", got)
	}
	if got := o.must("read_multiple_files", args{"paths": paths}); strings.Count(got, "\n---\n") != 6 || !strings.HasSuffix(got, "many/f6:\nf6\n") {
		t.Errorf("over several calls: %q", got)
	}
	o.must("search_files", args{"path": "many", "pattern": "*"})
	o.refused(tool.TooLarge, "search_files", args{"path": ".", "pattern": "**"})
}

func lower(t *testing.T, bound *int, to int) {
	was := *bound
	*bound = to
	t.Cleanup(func() { *bound = was })
}

func TestDeepTree(t *testing.T) {
	o := newOffer(t, setup{})
	deep := strings.Repeat("d/", maxDepth-1)
	o.must("create_directory", args{"path": deep})
	o.must("directory_tree", args{"path": "."})
	o.must("create_directory", args{"path": deep + "d"})
	o.refused(tool.TooLarge, "directory_tree", args{"path": "."})
	o.must("directory_tree", args{"path": "d"})
	o.must("directory_tree", args{"path": ".", "excludePatterns": []string{"d/d"}})
}

func TestTextIsUntouched(t *testing.T) {
	o := newOffer(t, setup{})
	for _, s := range []string{"<b>&amp;\u2028</b>", "\x00\x01\t\"\\", "é\U0001F600", strings.Repeat("x", 1<<20)} {
		o.must("write_file", args{"path": "t", "content": s})
		if got, err := os.ReadFile(o.root + "/t"); err != nil || string(got) != s {
			t.Errorf("%.20q was written as %.20q, %v", s, got, err)
		}
	}
	tl := o.tools["write_file"]
	if got := tl.Call(t.Context(), json.RawMessage(`{"path":"t","content":"\ud800"}`)); got.Kind != tool.InvalidArgument {
		t.Errorf("half of a surrogate pair would be written as another character: %+v", got)
	}
}

func TestEditedDiff(t *testing.T) {
	o := newOffer(t, setup{tree: []string{"file f.txt ```\n````\n"}})
	got := o.must("edit_file", args{"path": "f.txt", "dryRun": true, "edits": []args{{"oldText": "````\n", "newText": "`````\n"}}})
	head := "``````diff\nIndex: " + o.root + "/f.txt\n" + strings.Repeat("=", 67) + "\n--- " + o.root + "/f.txt\toriginal\n+++ " + o.root + "/f.txt\tmodified\n@@ "
	if !strings.HasPrefix(got, head) || !strings.HasSuffix(got, "\n``````\n\n") {
		t.Errorf("the fence must be longer than any in the diff: %q", got)
	}
	if b, err := os.ReadFile(o.root + "/f.txt"); err != nil || string(b) != "```\n````\n" {
		t.Errorf("a dry run wrote %q, %v", b, err)
	}
}
