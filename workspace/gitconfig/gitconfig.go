// Package gitconfig finds out from which directories git would run hooks.
//
// It reads the operator's own git configuration files, and through a function
// of the caller's those of a repository. It understands as much of the format
// as that needs: sections, quoted values, continued lines, comments, and
// include.path. A conditional include is taken as if its condition held: to
// protect one directory too many does no harm.
//
// It opens no file that an agent can write: for those the caller supplies Read.
package gitconfig

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxFile  = 1 << 20 // bytes of one file that are read
	maxDepth = 10      // nested includes, the limit of git itself
)

// Reader reads configuration files.
type Reader struct {
	Home string // what ~ stands for
	Read func(name string) ([]byte, error)
}

// Operator returns a Reader for the operator's own files.
func Operator(home string) Reader {
	return Reader{Home: home, Read: ReadOperatorFile}
}

// OperatorFiles returns the absolute paths at which git looks for the system's
// and the user's configuration. xdg is $XDG_CONFIG_HOME, or "".
func OperatorFiles(home, xdg string) []string {
	files := []string{"/etc/gitconfig"}
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	if xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "config"))
	}
	if home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	return files
}

// ReadOperatorFile reads a file of the operator's. Only what its configuration
// means must be made known of it: a work tree that was laid out by an agent may
// have named it.
func ReadOperatorFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, os.ErrInvalid // the opening of a FIFO would wait
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// HooksPaths returns the values of core.hooksPath in a file and in those that
// it includes, with ~ expanded. A file that can't be read has none.
func (r Reader) HooksPaths(file string) []string {
	return r.hooksPaths(file, 0)
}

func (r Reader) hooksPaths(file string, depth int) []string {
	if depth > maxDepth {
		return nil
	}
	data, err := r.Read(file)
	if err != nil {
		return nil
	}
	var paths []string
	for _, e := range parse(data) {
		switch {
		case e.section == "core" && e.key == "hookspath" && e.value != "":
			paths = append(paths, r.expand(e.value))
		case (e.section == "include" || e.section == "includeif") && e.key == "path" && e.value != "":
			included := r.expand(e.value)
			if !filepath.IsAbs(included) {
				included = filepath.Join(filepath.Dir(file), included)
			}
			paths = append(paths, r.hooksPaths(included, depth+1)...)
		}
	}
	return paths
}

func (r Reader) expand(value string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok && r.Home != "" {
		return filepath.Join(r.Home, rest)
	}
	return value
}

// Repository finds the work tree that a directory is or lies in, and the files in
// which git looks for that repository's configuration. A work tree of its own
// (git worktree, a submodule) has a file .git that names the repository. Without
// any, tree is the directory itself.
func (r Reader) Repository(dir string) (tree string, files []string) {
	for tree = dir; ; tree = filepath.Dir(tree) {
		git := filepath.Join(tree, ".git")
		if link, err := r.Read(git); err == nil {
			target, ok := bytes.CutPrefix(link, []byte("gitdir:"))
			if !ok {
				return tree, nil // git refuses it
			}
			git = beneath(tree, target)
		}
		if common, err := r.Read(filepath.Join(git, "commondir")); err == nil {
			return tree, []string{filepath.Join(beneath(git, common), "config"), filepath.Join(git, "config.worktree")}
		}
		files := []string{filepath.Join(git, "config"), filepath.Join(git, "config.worktree")}
		for _, file := range append(files, filepath.Join(git, "HEAD")) {
			if _, err := r.Read(file); err == nil {
				return tree, files
			}
		}
		if tree == filepath.Dir(tree) {
			return dir, nil
		}
	}
}

// beneath is a path as a file of git's names it, relative to dir.
func beneath(dir string, name []byte) string {
	target := string(bytes.TrimSpace(name))
	if filepath.IsAbs(target) {
		return filepath.Clean(target)
	}
	return filepath.Join(dir, target)
}

type entry struct{ section, key, value string }

// parse reads the entries of a configuration file. Names of sections and keys
// are case-insensitive; the name of a subsection is not kept.
func parse(data []byte) []entry {
	var entries []entry
	section := ""
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxFile+1)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if rest, ok := strings.CutPrefix(line, "["); ok {
			name, after, _ := cutSection(rest)
			section, line = name, strings.TrimSpace(after)
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		for continued(line) && lines.Scan() {
			line = line[:len(line)-1] + lines.Text()
		}
		key, value, _ := strings.Cut(line, "=")
		entries = append(entries, entry{section, strings.ToLower(strings.TrimSpace(key)), unquote(value)})
	}
	return entries
}

// cutSection splits `core] rest` or `includeIf "gitdir:x"] rest`; a ] may stand
// in the quoted name.
func cutSection(s string) (name, after string, ok bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ']' && !quoted:
			name, _, _ = strings.Cut(s[:i], " ")
			name, _, _ = strings.Cut(name, "\t")
			return strings.ToLower(name), s[i+1:], true
		}
	}
	return "", "", false
}

// continued reports whether a line ends in a backslash that is not itself escaped.
func continued(line string) bool {
	n := len(line) - len(strings.TrimRight(line, `\`))
	return n%2 == 1
}

// unquote takes off quotes, escapes, comments and the blanks around a value.
func unquote(raw string) string {
	var b strings.Builder
	quoted, keep := false, 0 // keep: length up to which blanks belong to the value
	raw = strings.TrimLeft(raw, " \t")
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
			keep = b.Len()
		case c == '\\' && i+1 < len(raw):
			i++
			b.WriteByte(unescape(raw[i]))
			keep = b.Len()
		case !quoted && (c == '#' || c == ';'):
			return b.String()[:keep]
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				keep = b.Len()
			}
		}
	}
	return b.String()[:keep]
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	default:
		return c
	}
}
