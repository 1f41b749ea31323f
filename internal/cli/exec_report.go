package cli

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

// report is the file that a result is written to. Its directory is opened before
// the command runs: what the command does to names leads the report nowhere else.
// The file appears whole or not at all, and never is one of an earlier run.
type report struct {
	name   string
	dir    *os.Root
	device *os.File // in place of dir
}

// openReport prepares a report. What can't be written is refused before anything
// has run.
func openReport(name string) (*report, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, reportError(name, err)
	}
	if strings.HasPrefix(path, "/dev/") { // /dev/fd/3, /dev/stderr, /dev/null: nothing to be replaced
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, reportError(name, err)
		}
		return &report{name: name, device: f}, nil
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, reportError(name, err)
	}
	r := &report{name: filepath.Base(path), dir: dir}
	if err := r.clear(); err != nil {
		_ = dir.Close()
		return nil, reportError(name, err)
	}
	return r, nil
}

// clear removes the report of an earlier run, and nothing that is none.
func (r *report) clear() error {
	info, err := r.dir.Lstat(r.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f, err := r.temporary() // can one be written at all?
		if err != nil {
			return err
		}
		f.Close()
		return r.dir.Remove(filepath.Base(f.Name()))
	case err != nil:
		return err
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return errors.New("is there already and no file")
	}
	return r.dir.Remove(r.name)
}

// temporary makes a file next to the report.
func (r *report) temporary() (*os.File, error) {
	return r.dir.OpenFile(".bailey-"+rand.Text(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (r *report) write(result *tool.Result) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return reportError(r.name, err)
	}
	content := text.VisibleJSON(line.String())
	if r.device != nil {
		if _, err := r.device.WriteString(content); err != nil {
			return reportError(r.name, err)
		}
		return nil
	}
	if err := r.replace(content); err != nil {
		return reportError(r.name, err)
	}
	return nil
}

func (r *report) replace(content string) error {
	f, err := r.temporary()
	if err != nil {
		return err
	}
	temporary := filepath.Base(f.Name())
	_, err = f.WriteString(content)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = r.dir.Rename(temporary, r.name)
	}
	if err != nil {
		return errors.Join(err, r.dir.Remove(temporary))
	}
	return nil
}

func (r *report) close() {
	if r.device != nil {
		r.device.Close()
		return
	}
	_ = r.dir.Close()
}

func reportError(name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return &tool.Error{Kind: tool.IO, Message: fmt.Sprintf("--report %s: %v", text.DisplayName(name), err), Err: err}
}
