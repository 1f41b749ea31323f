package gitguard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey/internal/covers"
)

// cutOff is what a kill does to a run: its files stay, its locks end.
func cutOff(r *Run) {
	r.journal.file.Close()
	if r.Copies != nil {
		r.Copies.Close()
	}
}

func TestRunCutOff(t *testing.T) {
	s := newStage(t)
	s.write("a/.vscode/tasks.json", "the operator's")
	s.open()
	r := s.begin()
	s.write(".git/commondir", "../evil\n")
	s.write("b/.vscode/tasks.json", "planted")
	s.write(".git/index.lock", "")
	cutOff(r)
	report := s.run(func() {})
	if got := strings.Join(s.names(report), " "); got != ".git/commondir b/.vscode" || len(report.LeftLocks) != 1 {
		t.Errorf("%v", report)
	}
	if !s.exists("a/.vscode/tasks.json") || s.exists("b/.vscode") || s.exists(".git/commondir") {
		t.Error("not what was planted is gone")
	}
	if again := s.run(func() {}); len(again.Quarantined) != 0 {
		t.Errorf("a second time: %v", again)
	}
	if left, _ := filepath.Glob(s.state + "/runs/*"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// TestRunThatGoesOn: a run that another one overlaps is not taken for cut off.
func TestRunThatGoesOn(t *testing.T) {
	s := newStage(t).open()
	long := s.begin()
	s.git(".", "init", "-q", "new")
	s.write("x/.vscode/a", "planted")
	if report := s.finish(s.begin()); len(report.Quarantined) != 0 {
		t.Errorf("the other run reports %v", report.Quarantined)
	}
	if got := s.names(s.finish(long)); len(got) != 1 || got[0] != "x/.vscode" {
		t.Errorf("%v", got)
	}
}

func TestDamagedJournal(t *testing.T) {
	s := newStage(t).open()
	r := s.begin()
	cutOff(r)
	files, _ := filepath.Glob(s.state + "/runs/*")
	if len(files) != 1 {
		t.Fatal(files)
	}
	os.Truncate(files[0], 40)
	s.finish(s.begin())
	if left, _ := filepath.Glob(s.state + "/runs/*"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestJournalText(t *testing.T) {
	s := &covers.Scan{
		Guarded: []covers.Guarded{{Place: covers.Place{Folder: 1, Rel: "a\nb\xff", Real: "/w/a\nb\xff"}, Reason: covers.GitDir, Dir: true}, {Place: covers.Place{Rel: "x", Real: "/x"}}},
		Locks:   []covers.Place{{Rel: "l", Real: "/l"}}, Sealed: []covers.Place{{Rel: "s", Real: "/s"}},
	}
	began := time.Unix(5, 7)
	text := encodeJournal(s, began, "/copies")
	got, start, copies, ok := decodeJournal(text)
	if !ok || !start.Equal(began) || copies != "/copies" || len(got.Guarded) != 2 || got.Guarded[0] != s.Guarded[0] || got.Locks[0] != s.Locks[0] || got.Sealed[0] != s.Sealed[0] {
		t.Errorf("%+v %q %v", got, copies, ok)
	}
	for n := range text {
		if _, _, _, ok := decodeJournal(text[:n]); ok {
			t.Errorf("cut to %d bytes it is taken", n)
		}
	}
}
