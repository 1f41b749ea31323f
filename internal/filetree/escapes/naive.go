package escapes

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Naive makes the call by plain system calls, without any guard, at a place that
// was laid for it. The error says why no harm was done: that the call failed and
// nothing outside changed.
func (c *Case) Naive(t testing.TB, p *Place) error {
	t.Helper()
	var a struct{ Path, Content, Source, Destination string }
	if err := json.Unmarshal([]byte(c.Arguments(p)), &a); err != nil {
		return err
	}
	var errs []error
	for _, place := range []func(string) string{p.kernel, p.lexical} {
		err := bare(c.Tool, place(a.Path), a.Content, place(a.Source), place(a.Destination))
		if err == nil || !maps.Equal(p.outside, p.around(t)) {
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (p *Place) kernel(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return p.Root + "/" + name
}

func (p *Place) lexical(name string) string { return filepath.Clean(p.kernel(name)) }

func bare(tool, path, content, source, destination string) error {
	var err error
	switch tool {
	case "file_read":
		_, err = os.ReadFile(path)
	case "file_list", "file_tree", "file_find":
		_, err = os.ReadDir(path)
	case "file_info":
		_, err = os.Stat(path)
	case "file_write":
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
	case "dir_create":
		err = os.MkdirAll(path, 0o755)
	case "file_move":
		err = syscall.Rename(source, destination) // os.Rename replaces no directory
	case "file_copy":
		var b []byte
		if b, err = os.ReadFile(source); err == nil {
			err = os.WriteFile(destination, b, 0o644)
		}
	case "file_delete":
		// What os.RemoveAll refuses, a shell loop over the entries does not.
		if err = os.RemoveAll(path); err != nil {
			err = os.RemoveAll(filepath.Clean(path))
		}
	default:
		err = syscall.ENOSYS
	}
	return err
}
