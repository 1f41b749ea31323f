// Package filetree makes and compares trees of files for tests. A tree is
// described by lines:
//
//	dir P             a directory, parents included
//	file P CONTENT    a file; no newline is added; \uNNNN in P is that character
//	link P -> TARGET  a symbolic link
//	hard P -> TARGET  a hard link
//	fifo P            a FIFO
//	sock P            a listening socket's name
//	dev P TYPE MAJ MIN
//	chmod P MODE
//	chain N TARGET    chainN -> … -> chain1 -> TARGET
//	sparse P SIZE     a file of SIZE (8T, 20M, 512) without blocks
//	deep N LEN        N directories within each other, each name LEN bytes long
//	mount TYPE P      a new file system at P
//	bind SRC P        the directory SRC once more at P
//	bindfile SRC P    the file SRC once more at the file P
//
// Paths are relative to the root; variables such as $ROOT are replaced first.
// It is for tests only: it opens files by name.
package filetree

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Make builds a tree below root.
func Make(t testing.TB, root string, vars map[string]string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := step(t, root, Expand(line, vars)); err != nil {
			t.Fatalf("set-up %q: %v", line, err)
		}
	}
}

// Expand replaces the variables in a text, the longest names first.
func Expand(s string, vars map[string]string) string {
	for _, name := range []string{"$ALIAS", "$ROOT", "$OUT"} {
		if v, ok := vars[name]; ok {
			s = strings.ReplaceAll(s, name, v)
		}
	}
	return s
}

func step(t testing.TB, root, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "link", "hard":
		name, target, _ := strings.Cut(rest, " -> ")
		if verb == "link" {
			return os.Symlink(target, at(root, name))
		}
		return os.Link(at(root, target), at(root, name))
	case "file":
		name, content, _ := strings.Cut(rest, " ")
		return writeFile(at(root, name), content)
	case "dir":
		return os.MkdirAll(at(root, rest), 0o755)
	}
	f := strings.Fields(rest)
	switch verb {
	case "chmod":
		mode, err := strconv.ParseUint(f[1], 8, 32)
		if err != nil {
			return err
		}
		return syscall.Chmod(at(root, f[0]), uint32(mode)) // with setuid and setgid, which fs.FileMode places elsewhere
	case "chain":
		return chain(root, f[0], f[1])
	case "sparse":
		return sparse(at(root, f[0]), f[1])
	case "deep":
		return deep(root, f[0], f[1])
	default:
		return node(t, root, verb, f)
	}
}

// at places a relative name below root.
func at(root, name string) string {
	if unquoted, err := strconv.Unquote(`"` + name + `"`); err == nil {
		name = unquoted
	}
	if filepath.IsAbs(name) {
		return name
	}
	return root + "/" + name
}

func writeFile(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o644)
}

func chain(root, n, target string) error {
	count, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	for i := 1; i <= count; i++ {
		if err := os.Symlink(target, at(root, fmt.Sprintf("chain%d", i))); err != nil {
			return err
		}
		target = fmt.Sprintf("chain%d", i)
	}
	return nil
}

func sparse(path, size string) error {
	shift := map[byte]int{'K': 10, 'M': 20, 'G': 30, 'T': 40}[size[len(size)-1]]
	n, err := strconv.ParseInt(strings.TrimRight(size, "KMGT"), 10, 64)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(n << shift)
}

func deep(root, n, length string) error {
	count, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	size, err := strconv.Atoi(length)
	if err != nil {
		return err
	}
	r, err := os.OpenRoot(root)
	for range count {
		if err != nil {
			return err
		}
		name := strings.Repeat("d", size)
		if err := r.Mkdir(name, 0o755); err != nil {
			return err
		}
		inner, ierr := r.OpenRoot(name)
		r.Close()
		r, err = inner, ierr
	}
	return err
}

// Describe lists a tree: for each path its type, mode and a digest of its
// content or its link's target. Two equal trees have equal descriptions. Of
// files above 64 MiB only the size is told.
func Describe(t testing.TB, root string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode().IsRegular() && info.Size() > 64<<20:
			content = strconv.FormatInt(info.Size(), 10)
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = fmt.Sprintf("%x", sha256.Sum256(b))
		case info.Mode()&fs.ModeSymlink != 0:
			if content, err = os.Readlink(path); err != nil {
				return err
			}
		}
		tree[rel] = fmt.Sprintf("%v %s", info.Mode(), content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
