package gitguard

import (
	"os"
	"slices"
	"testing"
)

// TestPointers: what ties work trees and repositories together may stay only where
// both ends agree, whether or not the other end runs anything now.
func TestPointers(t *testing.T) {
	for _, c := range []struct {
		name     string
		before   func(s *stage)
		command  func(s *stage)
		reported []string
	}{
		{name: "both ends agree", command: func(s *stage) { s.git(".", "worktree", "add", "-q", "wt") }},
		{name: "a .git file to a repository that knows nothing of it", command: func(s *stage) {
			s.write("sub/.git", "gitdir: ../.git\n")
		}, reported: []string{"sub/.git"}},
		{name: "a .git file into a place that is not looked into", before: func(s *stage) { s.repository(".idea/r", "") }, command: func(s *stage) {
			s.write("sub/.git", "gitdir: ../.idea/r\n")
		}, reported: []string{"sub/.git"}},
		{name: "a .git file by way of a link", command: func(s *stage) {
			s.git(".", "init", "-q", "--bare", "x.git")
			os.Symlink("x.git", s.path("link"))
			s.write("sub/.git", "gitdir: ../link\n")
		}, reported: []string{"sub/.git"}},
		{name: "a .git file with more to it", command: func(s *stage) {
			s.git(".", "init", "-q", "--bare", "x.git")
			s.write("sub/.git", "gitdir: ../x.git\nx\n")
		}, reported: []string{"sub/.git"}},
		{name: "a work tree of another repository", command: func(s *stage) {
			s.git(".", "init", "-q", "--bare", "x.git")
			s.git(".", "worktree", "add", "-q", "wt")
			s.write(".git/worktrees/wt/commondir", s.path("x.git")+"\n")
		}, reported: []string{".git/worktrees/wt", "wt/.git"}},
		{name: "a work tree that leads elsewhere", command: func(s *stage) {
			s.git(".", "worktree", "add", "-q", "wt")
			s.write(".git/worktrees/wt/gitdir", s.home+"/.git\n")
		}, reported: []string{".git/worktrees/wt", "wt/.git"}},
		{name: "a work tree that leads to another's", command: func(s *stage) {
			s.git(".", "worktree", "add", "-q", "a")
			s.git(".", "worktree", "add", "-q", "b")
			s.write(".git/worktrees/a/gitdir", s.path("b/.git")+"\n")
		}, reported: []string{".git/worktrees/a", "a/.git"}},
		{name: "objects from outside", before: func(s *stage) { s.elsewhere() }, command: func(s *stage) {
			s.git(".", "init", "-q", "new")
			s.write("new/.git/objects/info/alternates", s.home+"/evil/objects\n")
		}, reported: []string{"new/.git/objects/info/alternates"}},
		{name: "core.worktree elsewhere", command: func(s *stage) {
			s.git(".", "init", "-q", "new")
			s.git("new", "config", "core.worktree", s.home)
		}, reported: []string{"new/.git/config"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if c.before != nil {
				c.before(s)
			}
			s.open()
			got := s.names(s.run(func() { c.command(s) }))
			slices.Sort(got)
			if !slices.Equal(got, c.reported) {
				t.Errorf("reported %v, want %v", got, c.reported)
			}
			for _, rel := range got {
				if s.exists(rel) && rel != "new/.git/config" {
					t.Errorf("%s is there", rel)
				}
			}
		})
	}
}
