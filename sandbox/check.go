package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/baileyhq/bailey/sandbox/internal/system"
)

// check refuses what could not be meant.
func (s *Spec) check() error {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return refused("no program is named")
	}
	if s.Network != "" && s.Network != "off" {
		return refused("network " + s.Network + " is not available")
	}
	for _, words := range [][]string{s.Argv, s.Env, s.ReadOnly, s.Paths, s.Hidden, {s.Dir, s.Cache}} {
		for _, w := range words {
			if strings.IndexByte(w, 0) >= 0 {
				return refused(fmt.Sprintf("%q holds a NUL byte", w))
			}
		}
	}
	if err := absolute("the directory", s.Dir); err != nil {
		return err
	}
	for _, dir := range s.ReadOnly {
		if err := absolute("a read-only directory", dir); err != nil {
			return err
		}
	}
	if err := s.checkFolders(); err != nil {
		return err
	}
	return s.checkCovers()
}

func absolute(what, path string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path || strings.IndexByte(path, 0) >= 0 {
		return refused(fmt.Sprintf("%s, %q, is no clean absolute path", what, path))
	}
	return nil
}

// reserved are the places of the sandbox itself, at which no folder can be.
var reserved = []string{"/proc", "/sys", "/run/bailey"}

func (s *Spec) checkFolders() error {
	for i, f := range s.Folders {
		if err := absolute("a folder", f.Path); err != nil {
			return err
		}
		if f.Dir == nil {
			return refused(fmt.Sprintf("the folder %q is not open", f.Path))
		}
		for _, dir := range reserved {
			if f.Path == "/" || f.Path == "/dev" || f.Path == dir || isBelow(f.Path, dir) {
				return refused(fmt.Sprintf("%q can't be a folder", f.Path))
			}
		}
		for _, o := range s.Folders[:i] {
			if f.Path == o.Path {
				return refused(fmt.Sprintf("the folder %q comes twice", f.Path))
			}
		}
	}
	own := system.Account{}.OwnFiles()
	for _, f := range s.Files {
		if err := absolute("a file", f.Path); err != nil {
			return err
		}
		if _, ok := own[f.Path]; !ok && isBelow(f.Path, "/etc") {
			return refused(fmt.Sprintf("the file %q can't be made in /etc", f.Path))
		}
		for _, o := range s.Folders {
			if f.Path == o.Path || isBelow(f.Path, o.Path) {
				return refused(fmt.Sprintf("the file %q lies in a folder", f.Path))
			}
		}
	}
	return nil
}

func (s *Spec) checkCovers() error {
	for _, c := range s.Covers {
		switch {
		case c.Folder < 0 || c.Folder >= len(s.Folders):
			return refused(fmt.Sprintf("the cover %q is of no folder", c.Rel))
		case !filepath.IsLocal(c.Rel) || strings.IndexByte(c.Rel, 0) >= 0:
			return refused(fmt.Sprintf("the cover %q is not below its folder", c.Rel))
		case c.Kind > Link, (c.Kind == Link) != (c.Target != ""):
			return refused(fmt.Sprintf("the cover %q makes no sense", c.Rel))
		}
	}
	return nil
}

func isBelow(path, dir string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
