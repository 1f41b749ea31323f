package tool_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/tool"
)

// Two local edits of different parts of one file both succeed: they take turns.
func TestEditsTakeTurns(t *testing.T) {
	const editors = 8
	var lines []string
	for i := range editors {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	b := newBox(t, setup{tree: []string{"file f.txt " + strings.Join(lines, "\n") + "\n", "link l -> f.txt"}})
	var all sync.WaitGroup
	for i := range editors {
		all.Go(func() {
			path := []string{"f.txt", "l"}[i%2]
			r := b.call("file_edit", args{"path": path, "edits": []args{{"old_text": fmt.Sprintf("line %d\n", i), "new_text": fmt.Sprintf("edited %d\n", i)}}})
			if !r.Success {
				t.Errorf("edit %d: %s", i, r.Error)
			}
		})
	}
	all.Wait()
	if got := b.content("f.txt"); strings.Contains(got, "line") || strings.Count(got, "edited") != editors {
		t.Errorf("an edit is lost:\n%s", got)
	}
}

// A second edit of a file waits for the first and then sees what it wrote.
func TestSecondEditWaits(t *testing.T) {
	b := newBox(t, setup{tree: []string{"file f.txt one\ntwo\n", "link l -> f.txt"}})
	second := make(chan *tool.Result, 1)
	b.AddSlowEdit("slow_edit", func() {
		go func() {
			second <- b.call("file_edit", args{"path": "l", "edits": []args{{"old_text": "two", "new_text": "2"}}})
		}()
		for b.Turns(b.root+"/f.txt") < 2 {
			select {
			case r := <-second:
				t.Errorf("the second edit did not wait: %+v", r)
				second <- r
				return
			default:
				runtime.Gosched()
			}
		}
	})
	b.must("slow_edit", args{"path": "f.txt", "edits": []args{{"old_text": "one", "new_text": "1"}}})
	if r := <-second; !r.Success {
		t.Errorf("the second edit: %s", r.Error)
	}
	if got := b.content("f.txt"); got != "1\n2\n" {
		t.Errorf("%q", got)
	}
	if n := b.Turns(b.root + "/f.txt"); n != 0 {
		t.Errorf("%d turns are left", n)
	}
}

// Another program that writes into the file in place, after an edit has read it
// and before it writes, is noticed, and its content stays.
func TestForeignWriteDuringEdit(t *testing.T) {
	for name, during := range map[string]func(path string) error{
		"in place":  func(path string) error { return os.WriteFile(path, []byte("two\nforeign\n"), 0o644) },
		"same size": func(path string) error { return os.WriteFile(path, []byte("ONE\ntwo\n"), 0o644) },
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte("foreign\n"), 0o644), os.Rename(path+".new", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, setup{tree: []string{"file f.txt one\ntwo\n"}})
			foreign := ""
			b.AddSlowEdit("slow_edit", func() {
				if err := during(b.root + "/f.txt"); err != nil {
					t.Error(err)
				}
				foreign = b.content("f.txt")
			})
			b.refused(tool.Conflict, "slow_edit", args{"path": "f.txt", "edits": []args{{"old_text": "two", "new_text": "2"}}})
			if got := b.content("f.txt"); got != foreign {
				t.Errorf("%q, want %q", got, foreign)
			}
			if left := b.leftOver(); left != nil {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

// Editors in several processes: each adds its own lines; whatever edit was
// answered with success is in the file at the end.
func TestEditorsInSeveralProcesses(t *testing.T) {
	if dir := os.Getenv("TOOL_TEST_EDITOR"); dir != "" {
		editor(t, dir, os.Getenv("TOOL_TEST_NAME"))
		return
	}
	b := newBox(t, setup{tree: []string{"file f.txt START\n"}})
	const processes = 3
	outputs := make([]bytes.Buffer, processes)
	var all sync.WaitGroup
	for i := range processes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestEditorsInSeveralProcesses$", "-test.count=1")
		cmd.Env = append(os.Environ(), "TOOL_TEST_EDITOR="+b.root, fmt.Sprintf("TOOL_TEST_NAME=p%d", i))
		cmd.Stdout = &outputs[i]
		all.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("editor: %v", err)
			}
		})
	}
	all.Wait()
	final, successes := b.content("f.txt"), 0
	for i := range outputs {
		for line := range strings.Lines(outputs[i].String()) {
			if done, ok := strings.CutPrefix(line, "done "); ok {
				successes++
				if !strings.Contains(final, strings.TrimSpace(done)+"\n") {
					t.Errorf("%q was answered with success and is not in the file", strings.TrimSpace(done))
				}
			}
		}
	}
	if successes < processes {
		t.Errorf("only %d edits succeeded", successes)
	}
	if got := strings.Count(final, "\n") - 1; got != successes {
		t.Errorf("%d lines were added, %d edits succeeded", got, successes)
	}
}

// editor prepends lines of its own, again and again.
func editor(t *testing.T, root, name string) {
	b := &box{t: t, root: root, log: root + "/../audit-" + name + ".log"}
	b.open(setup{})
	for i := range 25 {
		line := fmt.Sprintf("%s-%d", name, i)
		r := b.call("file_edit", args{"path": "f.txt", "edits": []args{{"old_text": "START\n", "new_text": "START\n" + line + "\n"}}})
		switch {
		case r.Success:
			fmt.Println("done " + line)
		case r.ErrorKind != tool.Conflict:
			t.Errorf("edit %s: %s", line, r.Error)
		}
	}
}

// A writer that looked first and says so never overwrites what came meanwhile.
func TestIfMatch(t *testing.T) {
	b := newBox(t, setup{})
	read := func() string {
		return data[struct{ SHA256 string }](t, b.must("file_read", args{"path": "a.txt"})).SHA256
	}
	was := read()
	b.must("file_write", args{"path": "a.txt", "content": "by somebody else\n"})
	r := b.refused(tool.Conflict, "file_write", args{"path": "a.txt", "content": "mine\n", "if_match": was})
	if !strings.Contains(r.Error, "read it again") {
		t.Error(r.Error)
	}
	b.refused(tool.Conflict, "file_edit", args{"path": "a.txt", "edits": []args{{"old_text": "by", "new_text": "x"}}, "if_match": was})
	b.refused(tool.Conflict, "file_write", args{"path": "nothing", "content": "x", "if_match": was})
	b.refused(tool.InvalidArgument, "file_write", args{"path": "a.txt", "content": "x", "if_match": "abc"})
	if b.content("a.txt") != "by somebody else\n" {
		t.Error("it was overwritten")
	}
	b.must("file_write", args{"path": "a.txt", "content": "mine\n", "if_match": strings.ToUpper(read())})
	b.must("file_edit", args{"path": "a.txt", "edits": []args{{"old_text": "mine", "new_text": "x"}}, "if_match": read()})
}

// Readers see whole contents while writers are at work.
func TestReadersSeeWholeFiles(t *testing.T) {
	b := newBox(t, setup{})
	contents := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 50_000)}
	b.must("file_write", args{"path": "big", "content": contents[0]})
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			for range 10 {
				if r := b.call("file_write", args{"path": "big", "content": contents[i]}); !r.Success && r.ErrorKind != tool.Conflict {
					t.Errorf("write: %s", r.Error)
				}
			}
		})
		all.Go(func() {
			for range 20 {
				r := b.must("file_read", args{"path": "big"})
				if r.Output != contents[0] && r.Output != contents[1] {
					t.Errorf("a reader sees %d bytes", len(r.Output))
				}
			}
		})
	}
	all.Wait()
}

// A directory that is moved while a file is written in it does not take the file
// to where the policy denies it.
func TestWriteIntoAMovedDirectory(t *testing.T) {
	for range 5 {
		b := newBox(t, setup{rules: []policy.Rule{{
			Name: "no", Action: policy.Deny, Tools: []string{"file_write"}, Paths: []string{"deploy/*.yaml"},
		}}, tree: []string{"dir q"}})
		writing := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			defer close(writing)
			b.call("file_write", args{"path": "q/prod.yaml", "content": strings.Repeat("x: y\n", 1<<21)})
		})
		for begun := false; !begun; {
			names, _ := os.ReadDir(b.root + "/q")
			select {
			case <-writing:
				begun = true
			default:
				begun = len(names) > 0
			}
		}
		b.call("file_move", args{"source": "q", "destination": "deploy"})
		all.Wait()
		if b.exists("deploy/prod.yaml") {
			t.Fatal("the file lies where the policy denies it")
		}
	}
}
