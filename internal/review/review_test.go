package review_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/review"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

var noon = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// entry is a request that waits, with the details of call.
func entry(call tool.ApprovalRequest) approval.Entry {
	call.Workspace, call.Task, call.Session, call.Principal, call.Group = "/home/u/ws", "agent", "5e55", "alice", "team"
	details, err := json.Marshal(call)
	if err != nil {
		panic(err)
	}
	return approval.Entry{
		ID: "k7pq2mxa", State: approval.Pending, Created: noon, Expires: noon.Add(5 * time.Minute),
		Request: approval.Request{
			Grant: "g", Session: call.Session, Principal: call.Principal, Group: call.Group, Workspace: call.Workspace,
			Task: call.Task, Tool: call.Tool, Op: string(call.Op), Rule: call.Rule, Message: call.Message,
			Command: call.Command, Paths: call.Paths, Details: details,
		},
	}
}

func edit() approval.Entry {
	return entry(tool.ApprovalRequest{
		Tool: "file_edit", Op: "write", Paths: []string{"/home/u/ws/src/a.go"}, Objects: []string{"/home/u/ws/src/a.go"},
		Rule: "ask-src", Message: "Look at the tests first.",
		Args: json.RawMessage(`{"path":"src/a.go","edits":[{"old_text":"x","new_text":"y"}],"if_match":"00"}`),
		Diff: "--- src/a.go\n+++ src/a.go\n@@ -1,3 +1,3 @@\n package a\n-\treturn x\n+\treturn y\n",
		Contents: []tool.ContentView{{
			Path: "/home/u/ws/src/a.go", Type: "file", Size: 31, SHA256: strings.Repeat("ab", 32), MTime: "2027-02-01T08:00:00Z",
		}},
	})
}

func command() approval.Entry {
	return entry(tool.ApprovalRequest{
		Tool: "shell", Op: "exec", Rule: "tool_policy:shell",
		Rules:   []tool.RuleView{{Rule: "tool_policy:shell"}, {Rule: "ask-push", Message: "Which branch?"}},
		Args:    json.RawMessage(`{"command":"x","timeout":"90s","env":{"A":"1"},"stdin":"x"}`),
		Command: "git push origin main |\n  xargs -n1 $TOOL >out.txt", Cwd: "/home/u/ws", Network: "full",
		Env:   map[string]string{"LD_PRELOAD": "./x.so", "A": "1"},
		Stdin: &tool.StdinView{Size: 8, SHA256: strings.Repeat("cd", 32), Text: "one\ntwo\n"},
		Programs: []tool.ProgramView{
			{Name: "git", Args: []string{"push", "origin", "main"}, Resolved: "/usr/bin/git"},
			{Name: "cd", Args: []string{"src"}, Builtin: true},
			{Args: []string{"it's"}, Via: []string{"sh", "xargs"}, Note: "its name is not literal"},
		},
		Dynamic:   []string{"the program is a variable", "LD_PRELOAD changes what runs"},
		Redirects: []tool.RedirectView{{Path: "/home/u/ws/out.txt", Write: true}, {Path: "in", Read: true}, {Path: "b", Read: true, Write: true}},
		Scripts: []tool.ContentView{
			{Path: "/home/u/ws/run.sh", Type: "file", Size: 1, SHA256: strings.Repeat("ef", 32), Mode: "0755"},
			{Path: "/home/u/ws/link.sh", Type: "symlink", Target: "run.sh"},
			{Path: "/home/u/ws/gone.sh", Type: "absent"},
		},
		Background: true,
		Fails:      "not_found: gone.sh does not exist",
	})
}

// hostile is a call whose every part tries to pass for something else.
func hostile() approval.Entry {
	e := entry(tool.ApprovalRequest{
		Tool: "file_write", Op: "write", Paths: []string{"/home/u/ws/\x1b[2Ja\u202egpj.exe\nRequest zzzz: harmless"},
		Rule: "r", Message: "m",
		Args:    json.RawMessage(`{"path":"x","content":"a\u200bb\n","mode":"\u009b0m"}`),
		DiffCut: true,
		Diff:    "--- a\n+++ a\n+" + strings.Repeat(" ", 59) + "once      covers nothing of importance\n+\ra\u0301\u0301\u0301\u0301\u0301\u0301\u0301\xff\x00\n\\ The diff goes on for 7 more lines\n",
	})
	e.Session, e.Principal = "s\x07", "eve\r\nroot"
	return e
}

func deletion() approval.Entry {
	e := entry(tool.ApprovalRequest{
		Tool: "file_delete", Op: "delete", Paths: []string{"/home/u/ws/build"}, Rule: "ask-keep",
		Objects: []string{"/home/u/ws/build/keep/a", "/home/u/ws/build/keep/b"},
		Args:    json.RawMessage(`{"path":"build","recursive":true}`),
		Contents: []tool.ContentView{{
			Path: "/home/u/ws/build", Type: "directory", Entries: 12, State: "x",
		}},
	})
	e.Grant, e.State, e.By, e.Reason, e.Decided = "", approval.Denied, "bob (terminal)", "keep it", noon.Add(time.Minute)
	e.Joined = 2
	return e
}

func unreadable() approval.Entry {
	e := edit()
	e.Details = json.RawMessage("{\"tool\":\x1b")
	e.Expires = time.Time{}
	return e
}

// TestWrite compares whole pages with those under testdata.
func TestWrite(t *testing.T) {
	for name, c := range map[string]struct {
		e approval.Entry
		o review.Options
	}{
		"edit":          {edit(), review.Options{Width: 80}},
		"edit-color":    {edit(), review.Options{Width: 80, Color: true}},
		"edit-cut":      {edit(), review.Options{Width: 80, Lines: 6, More: "type d"}},
		"command":       {command(), review.Options{Width: 60}},
		"hostile":       {hostile(), review.Options{Width: 64}},
		"hostile-color": {hostile(), review.Options{Color: true}},
		"deletion":      {deletion(), review.Options{}},
		"unreadable":    {unreadable(), review.Options{Width: 50}},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			complete, err := review.Write(&out, c.e, c.o)
			if err != nil || complete != (c.o.Lines == 0) {
				t.Errorf("complete %v, %v", complete, err)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(out.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWholeContent: where the diff does not hold all that would be written, the
// page does, and where it does, the page does not repeat it.
func TestWholeContent(t *testing.T) {
	for _, c := range []struct {
		name, diff string
		cut        bool
		times      int
	}{
		{"a whole diff", "--- a\n+++ a\n@@ -0,0 +1 @@\n+the content\n", false, 1},
		{"no newline at the end", "--- a\n+++ a\n@@ -0,0 +1 @@\n+the content\n\\ No newline at end of file\n", false, 1},
		{"no diff", "", false, 1},
		{"a cut diff", "--- a\n+++ a\n@@ -0,0 +1 @@\n\\ The diff goes on for 1 more lines\n", true, 1},
		{"a sum", "--- a\n+++ a\n\\ Only the encoding changes\n", false, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := entry(tool.ApprovalRequest{
				Tool: "file_write", Args: json.RawMessage(`{"path":"a","content":"the content"}`), Diff: c.diff, DiffCut: c.cut,
			})
			if got := strings.Count(page(t, e, review.Options{}), "the content"); got != c.times {
				t.Errorf("the content is there %d times, want %d", got, c.times)
			}
		})
	}
}

// TestBytes: what an encoding hides is on the page, behind the margin, with a warning.
func TestBytes(t *testing.T) {
	e := entry(tool.ApprovalRequest{
		Tool: "file_write", Args: json.RawMessage(`{"path":"a","content":"x"}`),
		Diff: "--- a\n+++ a\n+漢\n", Bytes: "--- a\n+++ a\n+rm -r *\n",
	})
	out := page(t, e, review.Options{})
	if !strings.Contains(out, "\n  beware    the bytes hold another text") || !strings.Contains(out, "\n  | +rm -r *\n") {
		t.Error(out)
	}
	e.Details = json.RawMessage(`{"diff":"+x"}`)
	if out := page(t, e, review.Options{}); strings.Contains(out, "beware") {
		t.Error(out)
	}
}

// TestBlanksAtTheEnd: a blank that a reader could not see at the end of a row is
// marked, so that "a b" is not taken for "ab", nor "\\ " for a continued line.
func TestBlanksAtTheEnd(t *testing.T) {
	c := command()
	c.Details = json.RawMessage(`{"tool":"shell","command":"aaaaaaaaaaaaaaaaaaa /etc \\ \nb","cwd":"/x ","diff":"--- a\n+++ a\n \n-a\n+a \n"}`)
	out := page(t, c, review.Options{Width: 24})
	for _, want := range []string{"  | aaaaaaaaaaaaaaaaaaa␣\n  : /etc \\␣\n  | b\n", "  in        /x␣\n", "  |\n  | -a\n  | +a␣\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 24 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}

// TestSpelledOut: what is spelled out is told in words of Bailey's, since an agent
// can write the same letters.
func TestSpelledOut(t *testing.T) {
	const letters = `{"tool":"file_write","diff":"--- a\n+++ a\n+# no\\rcode\n"}`
	for _, c := range []struct {
		name, details, want string
	}{
		{"the letters", letters, ""},
		{"the character", strings.ReplaceAll(letters, `\\r`, `\r`), `spelled out, since they would not be seen as themselves: \r (1)`},
		{"several", `{"tool":"shell","command":"a\u200b\u200b\u2028b","cwd":"\u200b"}`, `as themselves: \u200b (3), \u2028 (1)`},
	} {
		e := edit()
		e.Details = json.RawMessage(c.details)
		out := page(t, e, review.Options{})
		if got := strings.Contains(out, "spelled out"); got != (c.want != "") || !strings.Contains(out, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.name, c.want, out)
		}
		var cut strings.Builder
		if _, err := review.Write(&cut, e, review.Options{Lines: 1}); err != nil || !strings.Contains(cut.String(), c.want) {
			t.Errorf("%s: %q is not in what is cut\n%s", c.name, c.want, cut.String())
		}
	}
	many := edit()
	many.Details, _ = json.Marshal(map[string]string{"command": "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u200b\u200e\u200f"})
	if out := page(t, many, review.Options{}); !strings.Contains(out, `\u2068 (1), and 4 others`) {
		t.Error(out)
	}
}

// TestUnknownCharacters: of a character that no font shows a reader sees nothing, or
// whatever the terminal makes of it.
func TestUnknownCharacters(t *testing.T) {
	for s, want := range map[string]string{
		"\ue000": `\ue000`, "\U000f0000": `\U000f0000`, "\u0378": `\u0378`, "\U0002fffe": `\U0002fffe`, "\ufdd0": `\ufdd0`,
		"é漢ع\U0001F600→─": "é漢ع\U0001F600→─",
	} {
		e := edit()
		e.Paths = []string{s}
		if out := page(t, e, review.Options{}); !strings.Contains(out, "  on        "+want+"\n") {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestQuoting: what words hold is told from what the words spell.
func TestQuoting(t *testing.T) {
	for word, want := range map[string]string{
		"a": "a", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, `a\nb`: `'a\nb'`,
		"a\nb": `$'a\nb'`, "\t'\\\x1b\r": `$'\t\'\\\x1b\r'`, "\x7f": `$'\x7f'`,
	} {
		e := command()
		e.Details, _ = json.Marshal(tool.ApprovalRequest{Tool: "shell", Argv: []string{word}})
		if out := page(t, e, review.Options{}); !strings.Contains(out, "  | "+want+"\n") {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestLines: whatever the limit, the rows that are shown and those that are counted
// are all rows.
func TestLines(t *testing.T) {
	all := strings.Count(page(t, command(), review.Options{Width: 40}), "\n")
	for limit := 1; limit <= all+1; limit++ {
		var out strings.Builder
		complete, err := review.Write(&out, command(), review.Options{Width: 40, Lines: limit, More: "M"})
		if err != nil || complete != (limit >= all) {
			t.Fatalf("limit %d: complete %v, %v", limit, complete, err)
		}
		rows := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if complete {
			continue
		}
		if !strings.Contains(strings.Join(rows[limit:], ""), "M") {
			t.Errorf("limit %d: %q does not say how to see all", limit, rows[limit:])
		}
	}
}

func TestSummary(t *testing.T) {
	move := entry(tool.ApprovalRequest{Tool: "file_move", Rule: "r", Paths: []string{"/home/u/ws/a", "/srv/b"}})
	many := entry(tool.ApprovalRequest{Tool: "file_read_many", Rule: "r", Paths: []string{"/home/u/ws/a", "b", "c", "d", "e"}})
	long := entry(tool.ApprovalRequest{Tool: "shell", Rule: "r", Command: strings.Repeat("é", 5000)})
	full := entry(tool.ApprovalRequest{Tool: "shell", Rule: "r", Command: strings.Repeat("\U0001F600", 200)})
	bytes := entry(tool.ApprovalRequest{Tool: "shell", Rule: "r"})
	bytes.Command = strings.Repeat("\xff", 5000)
	for _, c := range []struct {
		e    approval.Entry
		want string
	}{
		{edit(), `file_edit src/a.go (rule "ask-src")`},
		{move, `file_move a to /srv/b (rule "r")`},
		{many, `file_read_many a and 4 more (rule "r")`},
		{command(), `shell git push origin main |\n  xargs -n1 $TOOL >out.txt (rule "tool_policy:shell")`},
		{hostile(), `file_write \x1b[2Ja\u202egpj.exe\nRequest zzzz: harmless (rule "r")`},
		{long, "shell " + strings.Repeat("é", 200) + `… (rule "r")`},
		{full, "shell " + strings.Repeat("\U0001F600", 200) + ` (rule "r")`},
		{bytes, "shell " + strings.Repeat(`\xff`, 50) + `… (rule "r")`},
		{approval.Entry{}, ` (no path) (rule "")`},
	} {
		if got := review.Summary(c.e); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func page(t *testing.T, e approval.Entry, o review.Options) string {
	t.Helper()
	var out strings.Builder
	if _, err := review.Write(&out, e, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var styles = strings.NewReplacer(
	"\x1b[0m", "", "\x1b[1m", "", "\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[36m", "", "\x1b[7m", "",
)

// FuzzWrite: whatever an agent asks for, nothing on the page steers the terminal or
// is unseen, and no line is wider than asked for or begins with the agent's words.
func FuzzWrite(f *testing.F) {
	f.Add("a", "b\nc", "+x\n\x1b[2J", 40, false)
	f.Add("\u202e\u200d\u2066", strings.Repeat("漢\t", 99), "--- a\n+++ b\n\xff\u0301\u0301", 0, true)
	f.Add("\u00a0\u3000\ufe0f\u034f\U000e0101", "\r\n\x00\x7f\u009b", "\\", -3, true)
	f.Fuzz(func(t *testing.T, path, content, diff string, width int, color bool) {
		args, err := json.Marshal(map[string]string{"path": path, "content": content, content: path})
		if err != nil {
			t.Skip()
		}
		call := tool.ApprovalRequest{
			Tool: "shell", Args: args, Diff: diff, Command: content, Cwd: path, Env: map[string]string{path: content},
			Objects: []string{path, diff}, Dynamic: []string{diff}, Network: path, Rules: []tool.RuleView{{Rule: path, Message: content}},
			Programs: []tool.ProgramView{{Name: path, Args: []string{content, diff}, Via: []string{diff}, Note: content, Resolved: diff}},
			Stdin:    &tool.StdinView{Text: content},
		}
		e := entry(call)
		e.Paths, e.Principal, e.Reason, e.State = []string{path, content}, diff, content, approval.Denied
		check := func(e approval.Entry) {
			out := page(t, e, review.Options{Width: width, Color: color})
			if color {
				out = styles.Replace(out)
			}
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				if text.VisibleControl(line) != line || !utf8.ValidString(line) {
					t.Errorf("not all is visible: %q", line)
				}
				for _, r := range line {
					if unicode.Is(unicode.Zs, r) && r != ' ' || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r) {
						t.Errorf("%U is taken for nothing: %q", r, line)
					}
				}
				// An ASCII line has a column a byte.
				if most := max(width, 24); width > 0 && len(line) > most && utf8.RuneCountInString(line) == len(line) {
					t.Errorf("%d columns, want %d at most: %q", len(line), most, line)
				}
				if !strings.HasPrefix(line, "  ") && !ours(line) {
					t.Errorf("at the margin: %q", line)
				}
			}
		}
		check(e)
		e.Details = json.RawMessage(content)
		check(e)
	})
}

// ours tells whether a line begins with words of Bailey's.
func ours(line string) bool {
	for _, begin := range []string{
		"Request k7pq2mxa: shell", "Command", "It would run", "Its shell", "Scripts that", "Environment that", "Standard input:",
		"Change", "What is there", "The rules ask", "Arguments", "Details",
	} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return line == ""
}
