package tool_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/tool"
)

// expectation is one call and what it answers.
type expectation struct {
	tool   string
	args   args
	kind   tool.Kind // "" for success
	output string    // a part of the output, or of the error
}

func (b *box) expect(tests []expectation) {
	b.t.Helper()
	for _, tt := range tests {
		r := b.call(tt.tool, tt.args)
		if r.ErrorKind != tt.kind || !strings.Contains(r.Output+r.Error, tt.output) {
			b.t.Errorf("%s %v:\n got %q %s%s\nwant %q … %q", tt.tool, tt.args, r.ErrorKind, r.Output, r.Error, tt.kind, tt.output)
		}
	}
}

func TestFileRead(t *testing.T) {
	b := newBox(t, setup{tree: []string{
		"file five.txt 1\n2\n3\n4\n5\n", "file bin GIF89a\x00\x01\x02", "file empty ", "sparse big 11M", "link out -> $OUT/secret", "file sjis \x93\xfa\x96\x7b\n",
	}})
	b.expect([]expectation{
		{"file_read", args{"path": "five.txt"}, "", "1\n2\n3\n4\n5\n"},
		{"file_read", args{"path": "five.txt", "offset": 2, "limit": 2}, "", "2\n3\n"},
		{"file_read", args{"path": "five.txt", "head": 1}, "", "1\n"},
		{"file_read", args{"path": "five.txt", "tail": 2}, "", "4\n5\n"},
		{"file_read", args{"path": "five.txt", "byte_offset": 2, "max_bytes": 3}, "", "2\n3"},
		{"file_read", args{"path": "five.txt", "head": 1, "tail": 1}, tool.InvalidArgument, "head"},
		{"file_read", args{"path": "five.txt", "head": 0}, tool.InvalidArgument, "head: the number must be at least 1"},
		{"file_read", args{"path": "bin"}, tool.NotText, "GIF image"},
		{"file_read", args{"path": "bin", "encoding": "base64"}, "", base64.StdEncoding.EncodeToString([]byte("GIF89a\x00\x01\x02"))},
		{"file_read", args{"path": "five.txt", "encoding": "klingon"}, tool.InvalidArgument, "klingon"},
		{"file_read", args{"path": "sjis"}, tool.NotText, "sjis"},
		{"file_read", args{"path": "sjis", "encoding": "shift_jis"}, "", "日本\n"},
		{"file_read", args{"path": "empty"}, "", ""},
		{"file_read", args{"path": "big", "encoding": "base64"}, tool.TooLarge, "max_bytes"},
		{"file_read", args{"path": "sub"}, tool.NotAFile, "sub is not a file"},
		{"file_read", args{"path": "five.txt/x"}, tool.NotADirectory, "five.txt/x is not a directory"},
		{"file_read", args{"path": "nothing"}, tool.NotFound, "nothing does not exist"},
		{"file_read", args{"path": "out"}, tool.PathEscape, "out lies outside the workspace"},
	})
	d := data[struct {
		Size                   int64
		SHA256, Encoding, Path string
		LineEndings            string `json:"line_endings"`
		TotalLines             int64  `json:"total_lines"`
		Truncated              bool
		NextOffset             int64 `json:"next_offset"`
	}](t, b.must("file_read", args{"path": "five.txt", "limit": 2}))
	if d.Size != 10 || d.SHA256 != sum("1\n2\n3\n4\n5\n") || d.Encoding != "utf-8" || d.LineEndings != "lf" || d.TotalLines != 5 || !d.Truncated || d.NextOffset != 3 || d.Path != b.root+"/five.txt" {
		t.Errorf("%+v", d)
	}
}

func TestFileWrite(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file x.sh old\n", "chmod x.sh 0750", "dir d", "link dangling -> sub/made", "file f x"}})
	b.expect([]expectation{
		{"file_write", args{"path": "new/deep/n.txt", "content": "hello\n"}, "", "File written: " + b.root + "/new/deep/n.txt\ncreated, 6 bytes"},
		{"file_write", args{"path": "x.sh", "content": "new\n"}, "", "-old\n+new\n"},
		{"file_write", args{"path": "x.sh", "content": "again\n", "create_only": true}, tool.Exists, "create_only"},
		{"file_write", args{"path": "only.txt", "content": "1", "create_only": true}, "", "created"},
		{"file_write", args{"path": "only.txt", "content": "1", "create_only": true, "if_match": sum("1")}, tool.Exists, ""},
		{"file_write", args{"path": "d", "content": ""}, tool.NotAFile, "d is not a file"},
		{"file_write", args{"path": "f/x", "content": ""}, tool.NotADirectory, "f/x"},
		{"file_write", args{"path": ".", "content": ""}, tool.NotAFile, ""},
		{"file_write", args{"path": "dangling", "content": "in\n"}, "", b.root + "/sub/made"},
		{"file_write", args{"path": "b.bin", "content": "AAEC", "encoding": "base64"}, "", "created, 3 bytes"},
		{"file_write", args{"path": "b.bin", "content": "%%%", "encoding": "base64"}, tool.InvalidArgument, "base64"},
		{"file_write", args{"path": "j.txt", "content": "日本", "encoding": "shift_jis"}, "", "created, 4 bytes"},
		{"file_write", args{"path": "j.txt", "content": "€", "encoding": "shift_jis"}, tool.InvalidArgument, "can't hold"},
		{"file_write", args{"path": "m.sh", "content": "", "mode": "6755"}, "", "File written"},
		{"file_write", args{"path": "m.sh", "content": "", "mode": "rwx"}, tool.InvalidArgument, "octal"},
		{"file_write", args{"path": "m.sh", "content": "", "mode": "9"}, tool.InvalidArgument, "octal"},
		{"file_write", args{"path": "m.sh", "content": "", "mode": ""}, "", ""},
		{"file_write", args{"path": "m.sh", "content": "", "mode": "12345"}, tool.InvalidArgument, "octal"},
	})
	for _, line := range []string{"mode x.sh 0750", "mode m.sh 0755", "nosuid m.sh", "content x.sh = new\n", "content b.bin = \x00\x01\x02", "content j.txt = \x93\xfa\x96\x7b", "link dangling", "content sub/made = in\n"} {
		b.check(line)
	}
	b.must("file_write", args{"path": "x.sh", "content": "new\n", "mode": "600"})
	b.check("mode x.sh 0600")
	if left := b.leftOver(); left != nil {
		t.Errorf("left over: %v", left)
	}
}

func TestFileEdit(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file crlf.txt one\r\ntwo\r\n", "chmod crlf.txt 0700", "file twice.txt x x\n", "file raw caf\xe9 one\n", "file bin \x00\x01"}})
	change := func(path, from, to string, more args) args {
		a := args{"path": path, "edits": []args{{"old_text": from, "new_text": to}}}
		for k, v := range more {
			a[k] = v
		}
		return a
	}
	b.expect([]expectation{
		{"file_edit", change("crlf.txt", "one\ntwo", "one\n2", args{"dry_run": true}), "", "Dry run, nothing written: " + b.root + "/crlf.txt"},
		{"file_edit", change("crlf.txt", "one\ntwo", "1\n2\n3", nil), "", "File edited: " + b.root + "/crlf.txt (1 replacements)\n--- a/crlf.txt"},
		{"file_edit", change("twice.txt", "x", "y", nil), tool.EditMismatch, "twice.txt"},
		{"file_edit", change("twice.txt", "z", "y", nil), tool.EditMismatch, "twice.txt"},
		{"file_edit", args{"path": "twice.txt", "edits": []args{{"old_text": "x x", "new_text": "y y"}, {"old_text": "gone", "new_text": ""}}}, tool.EditMismatch, ""},
		{"file_edit", args{"path": "twice.txt", "edits": []args{{"old_text": "x", "new_text": "y", "replace_all": true}}}, "", "(2 replacements)"},
		{"file_edit", change("raw", "one", "two", nil), "", "File edited"},
		{"file_edit", change("raw", "two", "zwö", nil), tool.NotText, "raw"},
		{"file_edit", change("nothing", "a", "b", nil), tool.NotFound, "nothing does not exist"},
		{"file_edit", change("sub", "a", "b", nil), tool.NotAFile, "sub is not a file"},
		{"file_edit", args{"path": "raw", "edits": []args{}}, tool.InvalidArgument, "edits"},
		{"file_edit", change("raw", "", "b", nil), tool.InvalidArgument, ""},
	})
	for _, line := range []string{"content crlf.txt = 1\r\n2\r\n3\r\n", "mode crlf.txt 0700", "content twice.txt = y y\n", "content raw = caf\xe9 two\n"} {
		b.check(line)
	}
}

func TestFileList(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file l/b.txt 22", "file l/a.txt 1", "dir l/d", "link l/s -> a.txt", "fifo l/p", "file l/c.txt 333"}})
	for name, when := range map[string]int64{"a.txt": 3000, "b.txt": 1000, "c.txt": 2000} {
		if err := os.Chtimes(b.root+"/l/"+name, time0(when), time0(when)); err != nil {
			t.Fatal(err)
		}
	}
	if r := b.must("file_list", args{"path": "l"}); r.Output != "a.txt\nb.txt\nc.txt\nd/\np|\ns@\n" {
		t.Errorf("%q", r.Output)
	}
	names := func(a args) string {
		b.t.Helper()
		d := data[struct {
			Entries []struct{ Name, Type string }
			Total   int
		}](t, b.must("file_list", a))
		var s []string
		for _, e := range d.Entries {
			if e.Type == "file" {
				s = append(s, e.Name)
			}
		}
		return strings.Join(s, " ")
	}
	if got := names(args{"path": "l", "sort": "size"}); got != "c.txt b.txt a.txt" {
		t.Errorf("by size: %s", got)
	}
	if got := names(args{"path": "l", "sort": "mtime"}); got != "a.txt c.txt b.txt" {
		t.Errorf("by time: %s", got)
	}
	if got := names(args{"path": "l", "limit": 2, "page": 2}); got != "c.txt" {
		t.Errorf("page 2: %s", got)
	}
	b.expect([]expectation{
		{"file_list", args{"path": "l", "limit": 2, "page": 2}, "", "(page 2 of 3, 6 entries in all)"},
		{"file_list", args{"path": "l", "limit": 2, "page": 9}, "", "(no entries on page 9 of 3)"},
		{"file_list", args{"path": "sub"}, "", "(empty)"},
		{"file_list", args{"path": "l", "sizes": true}, "", "           3  2023-11-14T22:46:40  c.txt\n"},
		{"file_list", args{"path": "a.txt"}, tool.NotADirectory, "a.txt is not a directory"},
		{"file_list", args{"path": "l", "sort": "colour"}, tool.InvalidArgument, "known are name, size, mtime"},
		{"file_list", args{"path": "l", "page": 1 << 40}, tool.InvalidArgument, "page"},
		{"file_list", args{"path": ".."}, tool.PathEscape, ".. lies outside"},
	})
}

// A page of a big directory needs memory for the page, and the order is right.
func TestFileListPages(t *testing.T) {
	b := newBox(t, setup{})
	for i := range 500 {
		if err := os.WriteFile(fmt.Sprintf("%s/sub/f%03d", b.root, i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	for page := 1; page <= 8; page++ {
		r := b.must("file_list", args{"path": "sub", "limit": 70, "page": page})
		for line := range strings.Lines(r.Output) {
			if !strings.HasPrefix(line, "(") {
				all = append(all, strings.TrimSpace(line))
			}
		}
	}
	if len(all) != 500 {
		t.Fatalf("%d entries", len(all))
	}
	for i, name := range all {
		if want := fmt.Sprintf("f%03d", i); name != want {
			t.Fatalf("entry %d is %s, want %s", i, name, want)
		}
	}
}

func TestFileTree(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file t/x/y/z/deep.txt 1", "file t/x/f.txt 1", "file t/node_modules/m/i.js 1", "link t/up -> .."}})
	if r := b.must("file_tree", args{"path": "t", "exclude": []string{"node_modules"}}); r.Output != "t/\n  up@\n  x/\n    f.txt\n    y/\n      z/\n" {
		t.Errorf("%q", r.Output)
	}
	if r := b.must("file_tree", args{"path": "t", "depth": 1, "exclude": []string{"x"}}); r.Output != "t/\n  node_modules/\n  up@\n" {
		t.Errorf("%q", r.Output)
	}
	if r := b.must("file_tree", args{"path": "t", "depth": 9, "exclude": []string{"x/y/**", "node_modules/**"}}); strings.Contains(r.Output, "deep") || !strings.Contains(r.Output, "f.txt") {
		t.Errorf("%q", r.Output)
	}
	type node struct {
		Name, Type string
		Children   []node
	}
	d := data[struct {
		Children           []node
		Files, Directories int
		Excluded           int
	}](t, b.must("file_tree", args{"path": "t", "depth": 9}))
	if len(d.Children) != 3 || d.Children[2].Children[1].Children[0].Children[0].Name != "deep.txt" || d.Files != 4 || d.Directories != 5 {
		t.Errorf("%+v", d)
	}
	b.expect([]expectation{
		{"file_tree", args{"path": "t", "exclude": []string{"["}}, tool.InvalidArgument, "["},
		{"file_tree", args{"path": "a.txt"}, tool.NotADirectory, ""},
		{"file_tree", args{"path": "t", "depth": 0}, tool.InvalidArgument, "depth"},
	})
}

func TestFileTreeIsBounded(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file t/a/1 x", "file t/a/2 x", "file t/b/3 x", "file t/b/4 x"}})
	tool.LimitTree(t, 6)
	if d := data[searchCounts](t, b.must("file_tree", args{"path": "t"})); d.Truncated {
		t.Error("a tree that fits is cut")
	}
	tool.LimitTree(t, 5)
	r := b.must("file_tree", args{"path": "t"})
	if d := data[searchCounts](t, r); !d.Truncated || r.Output != "t/\n  a/\n    1\n    2\n  b/\n    3\n(cut at 5 entries; name a directory below, or a smaller depth)\n" {
		t.Errorf("%+v %q", d, r.Output)
	}
}

func TestFileFind(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file s/a.go 1", "file s/b/c.go 1", "file s/b/d.txt 1", "file s/out/e.go 1", "file s/.gitignore out/\n", "dir .git"}})
	b.expect([]expectation{
		{"file_find", args{"pattern": "**/*.go", "path": "s"}, "", "s/a.go\ns/b/c.go\n(1 more ignored by .gitignore)\n"},
		{"file_find", args{"pattern": "**/*.go", "gitignore": false}, "", "s/out/e.go\n"},
		{"file_find", args{"pattern": "**/*.go", "exclude": []string{"b"}}, "", "s/a.go\n"},
		{"file_find", args{"pattern": "*.go"}, "", "(nothing found)\n("},
		{"file_find", args{"pattern": "**/*.go", "limit": 1}, "", "there is more"},
		{"file_find", args{"pattern": "s/*/"}, "", "s/b/\n"},
		{"file_find", args{"pattern": "[", "path": "s"}, tool.InvalidArgument, "["},
		{"file_find", args{"pattern": "/etc/*"}, tool.InvalidArgument, ""},
		{"file_find", args{"pattern": "*", "path": "nothing"}, tool.NotFound, "nothing"},
		{"file_find", args{"path": "s"}, tool.InvalidArgument, "pattern: is required"},
	})
}

func TestFileGrep(t *testing.T) {
	b := newBox(t, setup{tree: []string{
		"file g/a.txt one\ntwo\nthree\nfour\nfive\n", "file g/b.md TWO a.b\n", "file g/bin two\x00", "file g/.gitignore ign\n", "file g/ign two\n", "dir .git", "link g/l -> a.txt",
	}})
	b.expect([]expectation{
		{"file_grep", args{"pattern": "two", "path": "g"}, "", "g/a.txt:2:two\ng/bin: binary file matches\n(1 more ignored"},
		{"file_grep", args{"pattern": "two", "path": "g", "ignore_case": true, "glob": "*.md"}, "", "g/b.md:1:TWO a.b\n"},
		{"file_grep", args{"pattern": "two|five", "path": "g", "context": 1, "glob": "*.txt"}, "", "g/a.txt-1-one\ng/a.txt:2:two\ng/a.txt-3-three\ng/a.txt-4-four\ng/a.txt:5:five\n"},
		{"file_grep", args{"pattern": "one|five", "path": "g", "context": 1, "glob": "*.txt"}, "", "g/a.txt-2-two\n--\ng/a.txt-4-four\n"},
		{"file_grep", args{"pattern": "a.b", "path": "g", "literal": true}, "", "g/b.md:1:TWO a.b\n"},
		{"file_grep", args{"pattern": "axb", "path": "g", "literal": true}, "", "(no matches in "},
		{"file_grep", args{"pattern": "two", "path": "g/ign"}, "", "g/ign:1:two\n"},
		{"file_grep", args{"pattern": "two", "path": "g/l"}, "", ":2:two\n"},
		{"file_grep", args{"pattern": "o", "path": "g", "limit": 1}, "", "there is more"},
		{"file_grep", args{"pattern": "(", "path": "g"}, tool.InvalidArgument, "("},
		{"file_grep", args{"pattern": "x", "path": "../outside"}, tool.PathEscape, "outside"},
	})
	d := data[struct {
		Matches []struct {
			Path, Text   string
			Line, Column int
		}
		MatchedFiles int `json:"matched_files"`
	}](t, b.must("file_grep", args{"pattern": "wo", "path": "g/a.txt"}))
	if len(d.Matches) != 1 || d.Matches[0].Line != 2 || d.Matches[0].Column != 2 || d.Matches[0].Text != "two" || d.MatchedFiles != 1 {
		t.Errorf("%+v", d)
	}
}

func TestFileInfo(t *testing.T) {
	b := newBox(t, setup{tree: []string{"link in -> a.txt", "link gone -> nothing", "link out -> $OUT/secret", "fifo p", "chmod a.txt 0640"}})
	b.expect([]expectation{
		{"file_info", args{"path": "a.txt"}, "", "type: file\nsize: 7\nmode: 0640\n"},
		{"file_info", args{"path": "sub"}, "", "type: directory\n"},
		{"file_info", args{"path": "."}, "", "type: directory\n"},
		{"file_info", args{"path": "in"}, "", "target: " + b.root + "/a.txt (file)\n"},
		{"file_info", args{"path": "gone"}, "", "target: none that can be reached\n"},
		{"file_info", args{"path": "out"}, "", "target: none that can be reached\n"},
		{"file_info", args{"path": "nothing"}, tool.NotFound, ""},
	})
	if r := b.must("file_info", args{"path": "out"}); strings.Contains(r.Output, "outside") {
		t.Errorf("%q", r.Output)
	}
}

func TestFileCopyAndMove(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file d/x.txt x\n", "file d/e/y.txt y\n", "link d/l -> x.txt", "file b.txt b\n", "link a.lnk -> a.txt", "chmod d/x.txt 0741"}})
	b.expect([]expectation{
		{"file_copy", args{"source": "a.txt", "destination": "new/c.txt"}, "", "Copied: " + b.root + "/a.txt -> " + b.root + "/new/c.txt (1 files, 7 bytes)"},
		{"file_copy", args{"source": "a.txt", "destination": "b.txt"}, tool.Exists, "overwrite"},
		{"file_copy", args{"source": "a.txt", "destination": "b.txt", "overwrite": true}, "", "Copied"},
		{"file_copy", args{"source": "d", "destination": "copy"}, "", "(3 files, 4 bytes)"},
		{"file_copy", args{"source": "d", "destination": "d/inner"}, tool.InvalidArgument, "lies inside source"},
		{"file_copy", args{"source": "a.lnk", "destination": "followed"}, "", "Copied"},
		{"file_copy", args{"source": "a.txt", "destination": "a.txt"}, tool.InvalidArgument, "the same"},
		{"file_copy", args{"source": "nothing", "destination": "n"}, tool.NotFound, "nothing"},
		{"file_copy", args{"source": "a.txt", "destination": "../outside/x"}, tool.PathEscape, ""},
		{"file_move", args{"source": "d", "destination": "far/away"}, "", "Moved: " + b.root + "/d -> " + b.root + "/far/away"},
		{"file_move", args{"source": "a.lnk", "destination": "b.lnk"}, "", "Moved"},
		{"file_move", args{"source": "b.txt", "destination": "new/c.txt"}, tool.Exists, "overwrite"},
		{"file_move", args{"source": "b.txt", "destination": "new/c.txt", "overwrite": true}, "", "Moved"},
		{"file_move", args{"source": "far", "destination": "far/away/x"}, tool.InvalidArgument, "lies inside source"},
		{"file_move", args{"source": "far/away", "destination": "far", "overwrite": true}, tool.InvalidArgument, "lies inside destination"},
		{"file_move", args{"source": "sub", "destination": "."}, tool.InvalidArgument, ""},
		{"file_move", args{"source": ".", "destination": "x"}, tool.ProtectedPath, "allowed folder itself"},
	})
	for _, line := range []string{
		"content copy/x.txt = x\n", "mode copy/x.txt 0741", "content copy/e/y.txt = y\n", "link copy/l", "content followed = inside\n",
		"content far/away/e/y.txt = y\n", "absent d", "link b.lnk", "absent a.lnk", "content new/c.txt = inside\n", "absent b.txt",
	} {
		b.check(line)
	}
}

func TestDirCreateAndDelete(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file d/x.txt x", "link l -> d", "link out -> $OUT", "dir empty"}})
	b.expect([]expectation{
		{"dir_create", args{"path": "n/m"}, "", "Directory created: " + b.root + "/n/m"},
		{"dir_create", args{"path": "n/m"}, "", "Directory exists already"},
		{"dir_create", args{"path": "a.txt"}, tool.Exists, "a.txt"},
		{"dir_create", args{"path": "."}, "", "exists already"},
		{"file_delete", args{"path": "d"}, tool.InvalidArgument, "recursive"},
		{"file_delete", args{"path": "l", "recursive": true}, "", "Deleted: " + b.root + "/l (1 entries)"},
		{"file_delete", args{"path": "out", "recursive": true}, "", "Deleted"},
		{"file_delete", args{"path": "empty"}, "", "Deleted"},
		{"file_delete", args{"path": "a.txt"}, "", "Deleted"},
		{"file_delete", args{"path": "a.txt"}, "", "Nothing to delete: " + b.root + "/a.txt"},
		{"file_delete", args{"path": "no/such/dir"}, "", "Nothing to delete"},
		{"file_delete", args{"path": "."}, tool.ProtectedPath, "allowed folder itself"},
		{"file_delete", args{"path": b.root, "recursive": true}, tool.ProtectedPath, ""},
		{"file_delete", args{"path": "sub/..", "recursive": true}, tool.ProtectedPath, ""},
	})
	b.check("content d/x.txt = x")
	b.must("file_delete", args{"path": "d", "recursive": true})
	b.check("absent d")
}

func TestUnknownTool(t *testing.T) {
	b := newBox(t, setup{})
	b.expect([]expectation{
		{"file_raed", args{}, tool.InvalidArgument, `did you mean "file_read"?`},
		{"shel", args{}, tool.InvalidArgument, `did you mean "shell"?`},
		{"", args{}, tool.InvalidArgument, "unknown tool"},
	})
}
