package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/search"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
)

// failures maps the errors of the packages below to kinds. The first entry
// that matches counts: an escape also matches fs.ErrPermission, for instance.
// Each message is for the model: what, why, and what to do now. It never tells
// what lies outside.
var failures = []struct {
	is   error
	kind Kind
	rule string
	say  string // after the path; "" shows the error's own text
}{
	{jail.ErrEscape, PathEscape, "jail", "lies outside the workspace; use a path inside it"},
	{jail.ErrSpecial, SpecialPath, "special", "is a special file (device, FIFO, socket or kernel object), which no tool opens"},
	{jail.ErrReadOnly, PolicyDenied, "folder:read-only", "lies in a folder that may only be read; write to the workspace instead"},
	{jail.ErrHardLink, PolicyDenied, "hard_links", "has more than one hard link and the configuration refuses to read such files"},
	{jail.ErrRoot, ProtectedPath, "folder:root", "is an allowed folder itself, which can't be removed, moved or replaced; name something in it"},
	{jail.ErrChanged, Conflict, "", "changed meanwhile; read it again and retry"},
	{jail.ErrLoop, InvalidArgument, "", "leads through too many symbolic links"},
	{jail.ErrInvalid, InvalidArgument, "", "is no valid path: a path must not be empty, hold a NUL byte or be too long"},
	{jail.ErrNotEmpty, InvalidArgument, "", "is a directory that is not empty; pass recursive to delete it with what it holds"},
	{jail.ErrNotRegular, NotAFile, "", "is not a file; use file_list to see what a directory holds"},
	{jail.ErrNotDirectory, NotADirectory, "", "is not a directory, or leads through something that is none"},

	{text.ErrNotText, NotText, "", ""},
	{text.ErrTooLarge, TooLarge, "", ""},
	{text.ErrMismatch, EditMismatch, "", ""},
	{text.ErrInvalid, InvalidArgument, "", ""},
	{search.ErrPattern, InvalidArgument, "", ""},

	{audit.ErrUnavailable, AuditUnavailable, "audit", "the audit log can't be written, so that no call is carried out; tell the operator"},
	{context.Canceled, Cancelled, "", "the call was cancelled"},
	{context.DeadlineExceeded, Timeout, "", "the call took longer than its deadline"},

	{syscall.ENAMETOOLONG, InvalidArgument, "", "has a name that is too long for the file system"},
	{syscall.EFBIG, LimitExceeded, "", "would exceed the largest file that is allowed"},
	{syscall.EDQUOT, LimitExceeded, "", "would exceed the disk quota"},
	{syscall.EMFILE, LimitExceeded, "", "too many files are open; retry"},
	{syscall.ENFILE, LimitExceeded, "", "too many files are open on this host; retry"},
	{fs.ErrNotExist, NotFound, "", "does not exist"},
	{fs.ErrExist, Exists, "", "exists already"},
	{fs.ErrPermission, IO, "", "the operating system refused access"},
}

// asError turns whatever went wrong into an *Error. It is the one place where
// errors of other packages become kinds.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	for _, f := range failures {
		if errors.Is(err, f.is) {
			return &Error{Kind: f.kind, Message: phrase(err, f.say), Rule: f.rule, Err: err}
		}
	}
	var op *fs.PathError
	if errors.As(err, &op) {
		return &Error{Kind: IO, Message: phrase(err, op.Err.Error()), Err: err}
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return &Error{Kind: IO, Message: errno.Error(), Err: err}
	}
	return &Error{Kind: Internal, Message: "something unexpected went wrong; the operator finds it in the audit log", Err: err}
}

// phrase puts the path as the caller gave it before what is said of it.
func phrase(err error, say string) string {
	path, ok := pathOf(err)
	switch {
	case say == "":
		return clip(err.Error(), maxDetail)
	case !ok:
		return say
	}
	var escape *jail.EscapeError
	if errors.As(err, &escape) && escape.Mount {
		say = "lies beyond a mount point that may not be entered"
	}
	var special *jail.SpecialError
	if errors.As(err, &special) {
		say = fmt.Sprintf("is a special file (%s), which no tool opens", special.Kind)
	}
	return shown(path) + " " + say
}

func pathOf(err error) (string, bool) {
	var (
		escape  *jail.EscapeError
		special *jail.SpecialError
		op      *fs.PathError
	)
	switch {
	case errors.As(err, &escape):
		return escape.Path, true
	case errors.As(err, &special):
		return special.Path, true
	case errors.As(err, &op):
		return op.Path, true
	default:
		return "", false
	}
}

// shown is a path as a message shows it: on one line and valid UTF-8.
func shown(path string) string {
	return clip(text.VisibleControl(text.DisplayName(path)), 4096)
}
