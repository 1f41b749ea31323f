package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/search"
	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
)

// The table of the contract.
func TestExitCodes(t *testing.T) {
	want := map[int]string{
		64:  "invalid_argument",
		65:  "not_text too_large not_a_file not_a_directory exists edit_mismatch",
		66:  "not_found",
		69:  "no_sandbox_available sandbox_failed",
		70:  "internal",
		74:  "io",
		75:  "conflict",
		77:  "op_denied policy_denied special_path protected_path memory_acl package_denied network_denied",
		78:  "config",
		79:  "path_escape",
		80:  "approval_denied",
		81:  "approval_timeout approval_pending",
		82:  "audit_unavailable",
		83:  "limit_exceeded",
		124: "timeout",
		130: "cancelled",
	}
	n := 0
	for code, kinds := range want {
		for kind := range strings.FieldsSeq(kinds) {
			n++
			if got := Kind(kind).ExitCode(); got != code {
				t.Errorf("%s: exit code %d, want %d", kind, got, code)
			}
		}
	}
	if len(Kinds()) != n {
		t.Errorf("%d kinds, want %d", len(Kinds()), n)
	}
	if got := Kind("").ExitCode(); got != 0 {
		t.Errorf("success has exit code %d", got)
	}
	if got := Kind("nonsense").ExitCode(); got != 70 {
		t.Errorf("an unknown kind has exit code %d", got)
	}
}

func at(err error) error { return &fs.PathError{Op: "open", Path: "p/x", Err: err} }

func TestErrorsBecomeKinds(t *testing.T) {
	tests := []struct {
		err  error
		kind Kind
		says string
	}{
		{&jail.EscapeError{Op: "open", Path: "../x"}, PathEscape, "../x lies outside the workspace"},
		{&jail.EscapeError{Op: "open", Path: "m/x", Mount: true}, PathEscape, "m/x lies beyond a mount point"},
		{&jail.SpecialError{Op: "open", Path: "p", Kind: "FIFO"}, SpecialPath, "p is a special file (FIFO)"},
		{at(jail.ErrReadOnly), PolicyDenied, "p/x lies in a folder that may only be read"},
		{at(jail.ErrHardLink), PolicyDenied, "p/x has more than one hard link"},
		{at(jail.ErrRoot), ProtectedPath, "p/x is an allowed folder itself"},
		{at(jail.ErrChanged), Conflict, "p/x changed meanwhile; read it again"},
		{at(jail.ErrLoop), InvalidArgument, "p/x leads through too many"},
		{at(jail.ErrInvalid), InvalidArgument, "p/x is no valid path"},
		{at(jail.ErrNotEmpty), InvalidArgument, "pass recursive"},
		{at(jail.ErrNotRegular), NotAFile, "p/x is not a file"},
		{at(jail.ErrNotDirectory), NotADirectory, "p/x is not a directory"},
		{&text.NotTextError{Reason: "a NUL byte", Description: "an image", MediaType: "image/png", Offset: -1}, NotText, "an image"},
		{&text.TooLargeError{Size: 2, Max: 1, Hint: "use tail"}, TooLarge, "use tail"},
		{&text.MismatchError{}, EditMismatch, ""},
		{&text.RangeError{Reason: "head and tail"}, InvalidArgument, "head and tail"},
		{&search.PatternError{Kind: "glob", Pattern: "[", Reason: "no end"}, InvalidArgument, "["},
		{fmt.Errorf("log: %w", audit.ErrUnavailable), AuditUnavailable, "audit log"},
		{context.Canceled, Cancelled, "cancelled"},
		{at(context.DeadlineExceeded), Timeout, "deadline"},
		{at(syscall.ENAMETOOLONG), InvalidArgument, "too long"},
		{at(syscall.EFBIG), LimitExceeded, "largest file"},
		{at(syscall.EDQUOT), LimitExceeded, "quota"},
		{at(syscall.EMFILE), LimitExceeded, "too many files"},
		{at(syscall.ENFILE), LimitExceeded, "too many files"},
		{at(fs.ErrNotExist), NotFound, "p/x does not exist"},
		{at(fs.ErrExist), Exists, "p/x exists already"},
		{at(syscall.EACCES), IO, "p/x the operating system refused"},
		{at(syscall.ENOSPC), IO, "p/x no space left"},
		{syscall.EIO, IO, "input/output"},
		{errors.New("who knows"), Internal, "unexpected"},
		{fmt.Errorf("wrapped: %w", &Error{Kind: Exists, Message: "as it was"}), Exists, "as it was"},
	}
	for _, tt := range tests {
		e := asError(tt.err)
		if e.Kind != tt.kind || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%v: got %s: %s, want %s … %q", tt.err, e.Kind, e.Message, tt.kind, tt.says)
		}
		if strings.ContainsAny(e.Message, "\n\x00") {
			t.Errorf("%v: message of several lines: %q", tt.err, e.Message)
		}
	}
	for _, f := range failures {
		if e := asError(f.is); e.Kind != f.kind {
			t.Errorf("%v alone becomes %s, want %s: an entry before it matches too", f.is, e.Kind, f.kind)
		}
	}
}

// An unexpected error may name what lies outside: it is for the operator only.
func TestUnexpectedErrorsTellNothing(t *testing.T) {
	if e := asError(errors.New("/etc/shadow: strange")); strings.Contains(e.Error(), "shadow") {
		t.Errorf("the message tells %q", e.Message)
	}
}

func TestErrorIs(t *testing.T) {
	err := fmt.Errorf("call: %w", fail(NotFound, "x does not exist"))
	if !errors.Is(err, &Error{Kind: NotFound}) || errors.Is(err, &Error{Kind: Exists}) {
		t.Error("an error does not match its kind alone")
	}
	cause := errors.New("cause")
	if !errors.Is(&Error{Kind: IO, Err: cause}, cause) {
		t.Error("an error does not unwrap")
	}
}

func TestHostilePathsStayOnOneLine(t *testing.T) {
	e := asError(at2("a\n\x1b[31m\xff"))
	if strings.ContainsAny(e.Message, "\n\x1b") || !utf8.ValidString(e.Message) {
		t.Errorf("message %q", e.Message)
	}
}

func at2(path string) error { return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist} }
