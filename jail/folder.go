package jail

import (
	"path"
	"strings"
)

// A Mode says what may be done below a folder.
type Mode uint8

const (
	// ReadOnly folders can be read and listed.
	ReadOnly Mode = iota
	// ReadWrite folders can be changed as well.
	ReadWrite
)

func (m Mode) String() string {
	if m == ReadWrite {
		return "write"
	}
	return "read"
}

// A Folder is a directory beneath which access is allowed.
type Folder struct {
	Real  string // absolute, without links
	Given string // absolute, as the caller spelled it
	Mode  Mode
}

type folder struct {
	Folder
	root dir // open for the jail's life; shared, so never moved or closed by a call
}

// join makes the real path of rel, which may hold "." and ".." that the kernel
// has already resolved without meeting a link.
func (f *folder) join(rel string) string {
	if rel == "." || rel == "" {
		return f.Real
	}
	if f.Real == "/" {
		return path.Join("/", rel)
	}
	if isClean(rel) {
		return f.Real + "/" + rel
	}
	return path.Join(f.Real, rel)
}

// isClean tells whether a relative path has no empty, "." or ".." component.
func isClean(rel string) bool {
	for start := 0; start <= len(rel); {
		end := strings.IndexByte(rel[start:], '/')
		if end < 0 {
			end = len(rel) - start
		}
		switch rel[start : start+end] {
		case "", ".", "..":
			return false
		}
		start += end + 1
	}
	return true
}

// below cuts the folder's real path off an absolute clean path.
func (f *folder) below(real string) (rel string, ok bool) {
	return cutFolder(real, f.Real)
}

// cutFolder tells whether p is root or lies below it, by name.
func cutFolder(p, root string) (rel string, ok bool) {
	if root == "/" {
		return strings.TrimLeft(p, "/"), strings.HasPrefix(p, "/")
	}
	rest, ok := strings.CutPrefix(p, root)
	if !ok || (rest != "" && rest[0] != '/') {
		return "", false
	}
	return strings.TrimLeft(rest, "/"), true
}

// folderOf finds the innermost folder that holds an absolute clean path.
func (j *Jail) folderOf(real string) (*folder, string) {
	var (
		best *folder
		rest string
	)
	for _, f := range j.folders {
		if rel, ok := f.below(real); ok && (best == nil || len(f.Real) > len(best.Real)) {
			best, rest = f, rel
		}
	}
	return best, rest
}

// folderNamed finds the folder with exactly this real path or spelling.
func (j *Jail) folderNamed(p string) *folder {
	for _, f := range j.folders {
		if f.Real == p {
			return f
		}
	}
	for _, f := range j.folders {
		if f.Given == p {
			return f
		}
	}
	return nil
}

// leadsToFolder tells whether a folder lies below p, by real path or spelling.
func (j *Jail) leadsToFolder(p string) bool {
	for _, f := range j.folders {
		if _, ok := cutFolder(f.Real, p); ok {
			return true
		}
		if _, ok := cutFolder(f.Given, p); ok {
			return true
		}
	}
	return false
}

// spelled finds the folder that an absolute path starts with, by its real path
// or by its spelling, and what follows.
func (j *Jail) spelled(name string) (*folder, string) {
	var (
		best *folder
		rest string
		size int
	)
	for _, f := range j.folders {
		for _, root := range [...]string{f.Real, f.Given} {
			if rel, ok := cutFolder(name, root); ok && (best == nil || len(root) > size) {
				best, rest, size = f, rel, len(root)
			}
		}
	}
	return best, rest
}
