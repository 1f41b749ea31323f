package covers

import (
	"path"
	"strings"
)

// parentOf is the directory that holds a path below a folder; "." holds itself.
func parentOf(rel string) string { return path.Dir(rel) }

// below cuts a folder's real path off an absolute one.
func below(folder, real string) (rel string, ok bool) {
	switch {
	case real == folder:
		return ".", true
	case folder == "/":
		return real[1:], true
	}
	rest, ok := strings.CutPrefix(real, folder+"/")
	return rest, ok
}

// compareRel orders paths so that a directory comes directly before what lies in
// it.
func compareRel(x, y string) int {
	if x == "." || y == "." {
		switch {
		case x == y:
			return 0
		case x == ".":
			return -1
		default:
			return 1
		}
	}
	n := min(len(x), len(y))
	for i := range n {
		if x[i] == y[i] {
			continue
		}
		switch {
		case x[i] == '/':
			return -1
		case y[i] == '/':
			return 1
		case x[i] < y[i]:
			return -1
		default:
			return 1
		}
	}
	return len(x) - len(y)
}
