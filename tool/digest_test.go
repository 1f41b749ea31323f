package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
	"github.com/baileyhq/bailey/workspace"
)

// refuser notes what it is asked and refuses it.
type refuser struct{ seen []*tool.ApprovalRequest }

func (r *refuser) ask(_ context.Context, q *tool.ApprovalRequest) (*tool.Approval, error) {
	r.seen = append(r.seen, q)
	return nil, &tool.Error{Kind: tool.ApprovalDenied, Message: "no"}
}

// request is what the operator is asked about a call.
func (r *refuser) request(b *box, q tool.Request) *tool.ApprovalRequest {
	b.t.Helper()
	if answer := b.Call(b.t.Context(), q); answer.ErrorKind != tool.ApprovalDenied {
		b.t.Fatalf("%s %s: %q %s", q.Tool, q.Args, answer.ErrorKind, answer.Error)
	}
	return r.seen[len(r.seen)-1]
}

func (r *refuser) call(b *box, name string, a args) *tool.ApprovalRequest {
	b.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		b.t.Fatal(err)
	}
	return r.request(b, tool.Request{Tool: name, Args: raw, Session: "s1", Principal: "tester"})
}

// variant is an argument with two values, and what must be given beside it. Nil
// stands for leaving it out.
type variant struct {
	with args
	a, b any
}

var digestBases = map[string]args{
	"file_read":      {"path": "x.txt"},
	"file_read_many": {},
	"file_write":     {"path": "x.txt", "content": "QUJD"},
	"file_edit":      {"path": "x.txt"},
	"file_list":      {},
	"file_tree":      {},
	"file_find":      {"pattern": "*"},
	"file_grep":      {"pattern": "x"},
	"file_info":      {"path": "x.txt"},
	"file_copy":      {"source": "x.txt", "destination": "n"},
	"file_move":      {"source": "x.txt", "destination": "n"},
	"dir_create":     {"path": "n"},
	"file_delete":    {"path": "d"},
	"shell":          {},
}

var (
	oneEdit      = args{"edits": []args{{"old_text": "one", "new_text": "two"}}}
	digestValues = map[string]map[string]variant{
		"file_read": {
			"path": {nil, "x.txt", "y.txt"}, "offset": {nil, nil, 1}, "limit": {nil, nil, 1}, "head": {nil, nil, 1}, "tail": {nil, nil, 1},
			"byte_offset": {nil, nil, 0}, "max_bytes": {nil, 5, 6}, "encoding": {nil, nil, "base64"},
		},
		"file_read_many": {"paths": {nil, []string{"x.txt"}, []string{"x.txt", "y.txt"}}},
		"file_write": {
			"path": {nil, "x.txt", "y.txt"}, "content": {nil, "QUJD", "QUJE"}, "encoding": {nil, nil, "base64"}, "mode": {nil, "0600", "0644"},
			"create_only": {args{"path": "n"}, nil, true}, "if_match": {nil, nil, sum("one\n")},
		},
		"file_edit": {
			"path": {oneEdit, "x.txt", "y.txt"}, "dry_run": {oneEdit, nil, true}, "if_match": {oneEdit, nil, sum("one\n")}, "encoding": {oneEdit, nil, "utf-8"},
			"edits":             {nil, []args{{"old_text": "one", "new_text": "two"}}, []args{{"old_text": "one", "new_text": "2"}, {"old_text": "2", "new_text": "two"}}},
			"edits.old_text":    {nil, []args{{"old_text": "one", "new_text": "x"}}, []args{{"old_text": "on", "new_text": "x"}}},
			"edits.new_text":    {nil, []args{{"old_text": "one", "new_text": "x"}}, []args{{"old_text": "one", "new_text": "y"}}},
			"edits.replace_all": {nil, []args{{"old_text": "one", "new_text": "x"}}, []args{{"old_text": "one", "new_text": "x", "replace_all": true}}},
		},
		"file_list": {
			"path": {nil, "d", "."}, "sizes": {nil, nil, true}, "sort": {nil, "name", "size"}, "page": {nil, 1, 2}, "limit": {nil, 1, 2},
		},
		"file_tree": {"path": {nil, "d", "."}, "depth": {nil, 1, 2}, "exclude": {nil, []string{"a"}, []string{"b"}}},
		"file_find": {
			"pattern": {nil, "a", "b"}, "path": {nil, "d", "."}, "exclude": {nil, nil, []string{"b"}}, "gitignore": {nil, nil, false}, "limit": {nil, 1, 2},
		},
		"file_grep": {
			"pattern": {nil, "a", "b"}, "path": {nil, "d", "."}, "glob": {nil, "a", "b"}, "literal": {nil, nil, true}, "ignore_case": {nil, nil, true},
			"context": {nil, 1, 2}, "gitignore": {nil, nil, false}, "limit": {nil, 1, 2},
		},
		"file_info":   {"path": {nil, "x.txt", "y.txt"}},
		"file_copy":   {"source": {nil, "x.txt", "y.txt"}, "destination": {nil, "n", "m"}, "overwrite": {nil, nil, true}},
		"file_move":   {"source": {nil, "x.txt", "y.txt"}, "destination": {nil, "n", "m"}, "overwrite": {nil, nil, true}},
		"dir_create":  {"path": {nil, "n", "m"}},
		"file_delete": {"path": {nil, "x.txt", "y.txt"}, "recursive": {nil, nil, true}},
		"shell": {
			"command": {nil, "ls", "ls "}, "argv": {nil, []string{"ls", "a b"}, []string{"ls", "a", "b"}}, "cwd": {args{"command": "ls"}, ".", "d"},
			"env": {args{"command": "ls"}, args{"A": "1"}, args{"A": "2"}}, "stdin": {args{"command": "ls"}, nil, ""},
			"timeout": {args{"command": "ls"}, 1, 2}, "network": {args{"command": "ls"}, nil, "off"}, "background": {args{"command": "ls"}, nil, true},
		},
	}
	grantIgnores = map[string]bool{ // what a decision for the session leaves free: not the tool, nor what it does to which object
		"file_write.content": true, "file_write.encoding": true, "file_write.mode": true, "file_write.create_only": true, "file_write.if_match": true,
		"file_edit.if_match": true, "file_edit.encoding": true, "file_edit.edits": true,
		"file_edit.edits.old_text": true, "file_edit.edits.new_text": true, "file_edit.edits.replace_all": true,
		"file_read.offset": true, "file_read.limit": true, "file_read.head": true, "file_read.tail": true, "file_read.byte_offset": true,
		"file_read.max_bytes": true, "file_read.encoding": true,
		"file_list.sizes": true, "file_list.sort": true, "file_list.page": true, "file_list.limit": true, "file_tree.depth": true, "file_tree.exclude": true,
		"file_find.pattern": true, "file_find.exclude": true, "file_find.gitignore": true, "file_find.limit": true,
		"file_grep.pattern": true, "file_grep.glob": true, "file_grep.literal": true, "file_grep.ignore_case": true, "file_grep.context": true,
		"file_grep.gitignore": true, "file_grep.limit": true, "file_copy.overwrite": true, "file_move.overwrite": true,
	}
)

// argumentNames are all that a tool takes, those in arrays of objects included.
func argumentNames(at string, s *jsonschema.Schema) []string {
	var names []string
	for name, p := range s.Properties {
		names = append(names, at+name)
		if p.Items != nil {
			names = append(names, argumentNames(at+name+".", p.Items)...)
		}
	}
	slices.Sort(names)
	return names
}

// digestBox asks before each tool; whether file_read is one of them decides what a
// write may tell.
func digestBox(t *testing.T, r *refuser, asksToRead bool) *box {
	return newBox(t, setup{
		tree: []string{"file x.txt one\n", "file y.txt one\n", "dir d"},
		ask:  r.ask, runs: true,
		policy: func(c *policy.Config) {
			askForAll("dir_create", "shell")(c)
			for _, name := range tool.Names() {
				c.Tools[name] = policy.Supervised
			}
			if !asksToRead {
				c.Tools["file_read"] = policy.Allow
			}
		},
	})
}

// No argument of any tool can change without the digest. A new argument has to be
// added here.
func TestDigestHoldsEveryArgument(t *testing.T) {
	r := &refuser{}
	b := digestBox(t, r, true)
	open := digestBox(t, r, false)
	for _, d := range b.List() {
		if digestBases[d.Name] == nil {
			t.Errorf("%s is not tried", d.Name)
			continue
		}
		names := argumentNames("", d.Input)
		for name := range digestValues[d.Name] {
			if !slices.Contains(names, name) {
				t.Errorf("%s has no argument %s", d.Name, name)
			}
		}
		for _, name := range names {
			v, known := digestValues[d.Name][name]
			if !known {
				t.Errorf("the argument %s of %s is not tried", name, d.Name)
				continue
			}
			given := func(value any) *tool.ApprovalRequest {
				a := maps.Clone(digestBases[d.Name])
				maps.Copy(a, v.with)
				key, _, _ := cut(name)
				delete(a, key)
				if value != nil {
					a[key] = value
				}
				if d.Name == "file_write" && name == "if_match" {
					return r.call(open, d.Name, a)
				}
				return r.call(b, d.Name, a)
			}
			first, again, other := given(v.a), given(v.a), given(v.b)
			if first.Digest != again.Digest || first.Grant != again.Grant {
				t.Errorf("%s %s: the same call has another digest", d.Name, name)
			}
			if first.Digest == other.Digest {
				t.Errorf("%s: another %s has the same digest", d.Name, name)
			}
			if same := first.Grant == other.Grant; same != grantIgnores[d.Name+"."+name] {
				t.Errorf("%s: another %s is covered by the same decision for the session: %v", d.Name, name, same)
			}
		}
	}
}

func cut(name string) (before, after string, found bool) {
	for i := range name {
		if name[i] == '.' {
			return name[:i], name[i+1:], true
		}
	}
	return name, "", false
}

// What is no argument counts, too, but for the session.
func TestDigestHoldsWhatIsAround(t *testing.T) {
	r := &refuser{}
	b := digestBox(t, r, true)
	put := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(b.root+"/"+name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("run.sh", "echo\n")
	base := tool.Request{Tool: "file_delete", Args: []byte(`{"path":"x.txt"}`), Session: "s1", Principal: "p", Group: "g"}
	script := tool.Request{Tool: "shell", Args: []byte(`{"command":"./run.sh; sh run.sh"}`), Session: "s1", Principal: "p", Group: "g"}
	program := tool.Request{Tool: "shell", Args: []byte(`{"command":"make"}`), Session: "s1", Principal: "p", Group: "g"}
	reader := tool.Request{Tool: "shell", Args: []byte(`{"command":"cat < x.txt"}`), Session: "s1", Principal: "p", Group: "g"}
	dir := tool.Request{Tool: "file_delete", Args: []byte(`{"path":"d","recursive":true}`), Session: "s1", Principal: "p", Group: "g"}
	for _, tt := range []struct {
		what          string
		request       tool.Request
		change        func(*tool.Request)
		digest, grant bool // whether it differs
	}{
		{"session", base, func(q *tool.Request) { q.Session = "s2" }, false, false},
		{"time of the file", base, func(*tool.Request) { put("x.txt", "one\n") }, false, false},
		{"principal", base, func(q *tool.Request) { q.Principal = "eve" }, true, true},
		{"group", base, func(q *tool.Request) { q.Group = "h" }, true, true},
		{"content", base, func(*tool.Request) { put("x.txt", "uno\n") }, true, false},
		{"script", script, func(*tool.Request) { put("run.sh", "echo 2\n") }, true, true},
		{"program", program, func(*tool.Request) { b.host = map[string]string{"make": "/opt/make"} }, true, true},
		{"shell", program, func(*tool.Request) { b.host["bash"] = "/opt/bash" }, true, true},
		{"file that is read", reader, func(*tool.Request) { put("x.txt", "two\n") }, true, false},
		{"something beneath", dir, func(*tool.Request) { put("d/new", "") }, true, true},
		{"content beneath", dir, func(*tool.Request) { put("d/new", "1") }, true, false},
	} {
		before := r.request(b, tt.request)
		tt.change(&tt.request)
		after := r.request(b, tt.request)
		if (before.Digest != after.Digest) != tt.digest {
			t.Errorf("%s: the digest differs: %v", tt.what, !tt.digest)
		}
		if (before.Grant != after.Grant) != tt.grant {
			t.Errorf("%s: the grant differs: %v", tt.what, !tt.grant)
		}
	}
	task := func(name string) func(*workspace.Options) {
		return func(o *workspace.Options) { o.Task = workspace.TaskType{Name: name, Ops: workspace.Ops()} }
	}
	another := func(c *policy.Config) { askForAll("file_*")(c); c.Tools["dir_create"] = policy.Deny }
	b.open(setup{policy: askForAll("file_*"), ask: r.ask, space: task("agent")})
	was := r.request(b, base)
	for what, s := range map[string]setup{
		"task":   {policy: askForAll("file_*"), ask: r.ask, space: task("cleanup")},
		"policy": {policy: another, ask: r.ask, space: task("agent")},
	} {
		b.open(s)
		if is := r.request(b, base); was.Digest == is.Digest || was.Grant == is.Grant {
			t.Errorf("another %s has the same digest", what)
		}
	}
	b.open(setup{policy: askForAll("file_*"), ask: r.ask, space: task("agent")})
	if is := r.request(b, base); was.Digest != is.Digest || was.Grant != is.Grant {
		t.Error("the same call has another digest")
	}
}

// What nobody is asked about is a part of what is approved, too: a decision about
// where a copy goes is none about where it comes from.
func TestDigestHoldsWhatIsNotAskedAbout(t *testing.T) {
	r := &refuser{}
	b := newBox(t, setup{
		tree: []string{"file a/x one\n", "file b/x one\n", "dir vault", "link l -> a/x"}, ask: r.ask, runs: true,
		rules: []policy.Rule{{Name: "ask-me", Action: policy.Supervised, Paths: []string{"vault/**"}}},
		policy: func(c *policy.Config) {
			c.Tools = map[string]policy.Action{"shell": policy.Supervised}
		},
	})
	one := r.call(b, "file_copy", args{"source": "a/x", "destination": "vault/x"})
	other := r.call(b, "file_copy", args{"source": "b/x", "destination": "vault/x"})
	if one.Digest == other.Digest || one.Grant == other.Grant {
		t.Error("another source has the same digest")
	}
	to := r.call(b, "shell", args{"command": "ls > l"})
	if err := errors.Join(os.Remove(b.root+"/l"), os.Symlink("b/x", b.root+"/l")); err != nil {
		t.Fatal(err)
	}
	elsewhere := r.call(b, "shell", args{"command": "ls > l"})
	if to.Digest == elsewhere.Digest || to.Grant == elsewhere.Grant {
		t.Error("a redirect to another file has the same digest")
	}
}

// Names that differ in bytes that are not UTF-8 differ.
func TestDigestHoldsNamesAsBytes(t *testing.T) {
	r := &refuser{}
	b := digestBox(t, r, true)
	var digests, grants []string
	for _, name := range []string{"a\xff", "a\xfe", `a\xff`} {
		if err := os.WriteFile(b.root+"/"+name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{`a\xff`, `a\xfe`} {
		q := r.call(b, "file_delete", args{"path": name})
		digests, grants = append(digests, q.Digest), append(grants, q.Grant)
	}
	if digests[0] == digests[1] || grants[0] == grants[1] {
		t.Error("two names have one digest")
	}
	// Links, whose names alone tell them apart, as a tree.
	for _, name := range []string{"d/b\xff", "d/b\xfe"} {
		if err := os.Symlink("x", b.root+"/"+name); err != nil {
			t.Fatal(err)
		}
		q := r.call(b, "file_delete", args{"path": "d", "recursive": true})
		if slices.Contains(digests, q.Digest) {
			t.Error("two trees have one digest")
		}
		digests = append(digests, q.Digest)
		if err := os.Remove(b.root + "/" + name); err != nil {
			t.Fatal(err)
		}
	}
}

// A large file is pinned by what the system tells of it.
func TestLargeFilesArePinned(t *testing.T) {
	r := &refuser{}
	b := digestBox(t, r, true)
	big := b.root + "/big"
	if err := os.WriteFile(big, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 65<<20); err != nil {
		t.Fatal(err)
	}
	was := r.call(b, "file_delete", args{"path": "big"})
	if c := was.Contents[0]; c.SHA256 != "" || c.State == "" || c.Size != 65<<20 {
		t.Errorf("%+v", c)
	}
	if again := r.call(b, "file_delete", args{"path": "big"}); again.Digest != was.Digest {
		t.Error("the same file has another digest")
	}
	f, err := os.OpenFile(big, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("x"), 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if is := r.call(b, "file_delete", args{"path": "big"}); is.Digest == was.Digest {
		t.Error("another content has the same digest")
	}
}
