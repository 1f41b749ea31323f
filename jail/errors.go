package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Errors that the calls of this package match by [errors.Is]. Everything else
// that goes wrong is a [*fs.PathError] with the path as the caller gave it.
var (
	// ErrEscape: the path leads outside every allowed folder, or across a mount
	// that may not be entered. The error is an [*EscapeError].
	ErrEscape = errors.New("lies outside the allowed folders")
	// ErrSpecial: the object is a FIFO, socket, device or kernel object. The
	// error is a [*SpecialError].
	ErrSpecial = errors.New("is a special file")
	// ErrReadOnly: the folder was opened with mode ReadOnly.
	ErrReadOnly = errors.New("folder is read-only")
	// ErrHardLink: the file has more than one link and that is not permitted.
	ErrHardLink = errors.New("file has more than one hard link")
	// ErrNotRegular: a regular file is needed and this is none.
	ErrNotRegular = errors.New("not a regular file")
	// ErrNotDirectory: a directory is needed and this is none.
	ErrNotDirectory = errors.New("not a directory")
	// ErrRoot: the act would remove, move or replace an allowed folder itself,
	// or the path ends in "." or "..".
	ErrRoot = errors.New("an allowed folder itself can't be removed, moved or replaced")
	// ErrChanged: the object is not the one that was resolved any more.
	ErrChanged = errors.New("changed meanwhile")
	// ErrLoop: more than 40 symbolic links.
	ErrLoop = errors.New("too many symbolic links")
	// ErrInvalid: the path is empty or holds a NUL byte, or is too long.
	ErrInvalid = errors.New("invalid path")
	// ErrNotEmpty: the directory still has entries.
	ErrNotEmpty = errors.New("directory not empty")
	// ErrRefusedFolder: the folder is too wide to be an allowed one (the file
	// system root, a home directory, a directory of keys).
	ErrRefusedFolder = errors.New("refused as an allowed folder")
)

// An EscapeError reports a path that leads outside. It never tells whether
// anything exists there.
type EscapeError struct {
	Op   string
	Path string // as the caller gave it
	// Mount is set if the path is inside by name but beyond a mount point that
	// may not be entered.
	Mount bool
}

func (e *EscapeError) Error() string {
	if e.Mount {
		return fmt.Sprintf("%s %s: lies beyond a mount point that may not be entered", e.Op, e.Path)
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Path, ErrEscape)
}

// Is matches [ErrEscape] and [fs.ErrPermission].
func (e *EscapeError) Is(target error) bool {
	return target == ErrEscape || target == fs.ErrPermission
}

// A SpecialError reports an object that is neither file nor directory nor link.
type SpecialError struct {
	Op   string
	Path string
	Kind string // "FIFO", "socket", "device", "kernel file system"
}

func (e *SpecialError) Error() string {
	return fmt.Sprintf("%s %s: is a %s", e.Op, e.Path, e.Kind)
}

// Is matches [ErrSpecial] and [fs.ErrPermission].
func (e *SpecialError) Is(target error) bool {
	return target == ErrSpecial || target == fs.ErrPermission
}

// cause pairs one of this package's errors with the standard one that it is a
// case of, so that both match.
type cause struct{ err, std error }

func (c *cause) Error() string   { return c.err.Error() }
func (c *cause) Unwrap() []error { return []error{c.err, c.std} }

var (
	errInvalid      = &cause{ErrInvalid, fs.ErrInvalid}
	errReadOnly     = &cause{ErrReadOnly, fs.ErrPermission}
	errHardLink     = &cause{ErrHardLink, fs.ErrPermission}
	errRoot         = &cause{ErrRoot, fs.ErrPermission}
	errNotDirectory = &cause{ErrNotDirectory, syscall.ENOTDIR}
	errLoop         = &cause{ErrLoop, syscall.ELOOP}
	errNotEmpty     = &cause{ErrNotEmpty, syscall.ENOTEMPTY}
	errIsDirectory  = &cause{ErrNotRegular, syscall.EISDIR}

	// Signals between the layers; report turns them into exported errors.
	errMount  = errors.New("mount point")
	errIsLink = &cause{errors.New("is a symbolic link"), ErrNotRegular}
	errAbove  = errors.New("leaves the folder")
)

// A callersError is what a function of the caller returned: it goes back to the
// caller as it is.
type callersError struct{ err error }

func (c *callersError) Error() string { return c.err.Error() }
func (c *callersError) Unwrap() error { return c.err }

// report gives err the operation and the path that the caller used. Errors of
// the kernel are translated, names that the layers below used are dropped.
func report(op, path string, err error) error {
	if err == nil {
		return nil
	}
	switch err := bare(err).(type) { //nolint:errorlint // bare left the plain error
	case *callersError:
		return err.err
	case *EscapeError:
		return &EscapeError{Op: op, Path: path, Mount: err.Mount}
	case *SpecialError:
		return &SpecialError{Op: op, Path: path, Kind: err.Kind}
	default:
		switch err {
		case errAbove:
			return &EscapeError{Op: op, Path: path}
		case errMount:
			return &EscapeError{Op: op, Path: path, Mount: true}
		}
		return &fs.PathError{Op: op, Path: path, Err: translate(err)}
	}
}

// bare takes off the outer wrappers that carry paths of their own. What a
// caller's function has wrapped itself stays whole.
func bare(err error) error {
	for {
		switch wrapper := err.(type) { //nolint:errorlint // only the outermost one
		case *fs.PathError:
			err = wrapper.Err
		case *os.LinkError:
			err = wrapper.Err
		case *os.SyscallError:
			err = wrapper.Err
		default:
			return err
		}
	}
}

// translate maps the errno values that have a name in this package.
func translate(err error) error {
	errno, ok := err.(syscall.Errno) //nolint:errorlint // bare left the plain errno
	if !ok {
		return err
	}
	switch errno {
	case syscall.ENOTDIR:
		return errNotDirectory
	case syscall.EISDIR:
		return errIsDirectory
	case syscall.ELOOP:
		return errLoop
	case syscall.ENOTEMPTY:
		return errNotEmpty
	case syscall.EAGAIN:
		return ErrChanged
	default:
		return err
	}
}
