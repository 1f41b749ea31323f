package tool

import "maps"

// Kind is the machine-readable reason of a failed call.
type Kind string

// The error kinds. They are part of what users rely on.
const (
	InvalidArgument    Kind = "invalid_argument"
	NotText            Kind = "not_text"
	TooLarge           Kind = "too_large"
	NotAFile           Kind = "not_a_file"
	NotADirectory      Kind = "not_a_directory"
	Exists             Kind = "exists"
	EditMismatch       Kind = "edit_mismatch"
	NotFound           Kind = "not_found"
	NoSandboxAvailable Kind = "no_sandbox_available"
	SandboxFailed      Kind = "sandbox_failed"
	Internal           Kind = "internal"
	IO                 Kind = "io"
	Conflict           Kind = "conflict"
	OpDenied           Kind = "op_denied"
	PolicyDenied       Kind = "policy_denied"
	SpecialPath        Kind = "special_path"
	ProtectedPath      Kind = "protected_path"
	MemoryACL          Kind = "memory_acl"
	PackageDenied      Kind = "package_denied"
	NetworkDenied      Kind = "network_denied"
	Config             Kind = "config"
	PathEscape         Kind = "path_escape"
	ApprovalDenied     Kind = "approval_denied"
	ApprovalTimeout    Kind = "approval_timeout"
	ApprovalPending    Kind = "approval_pending"
	AuditUnavailable   Kind = "audit_unavailable"
	LimitExceeded      Kind = "limit_exceeded"
	Timeout            Kind = "timeout"
	Cancelled          Kind = "cancelled"
)

var exitCodes = map[Kind]int{
	"":                 0,
	InvalidArgument:    64,
	NotText:            65,
	TooLarge:           65,
	NotAFile:           65,
	NotADirectory:      65,
	Exists:             65,
	EditMismatch:       65,
	NotFound:           66,
	NoSandboxAvailable: 69,
	SandboxFailed:      69,
	Internal:           70,
	IO:                 74,
	Conflict:           75,
	OpDenied:           77,
	PolicyDenied:       77,
	SpecialPath:        77,
	ProtectedPath:      77,
	MemoryACL:          77,
	PackageDenied:      77,
	NetworkDenied:      77,
	Config:             78,
	PathEscape:         79,
	ApprovalDenied:     80,
	ApprovalTimeout:    81,
	ApprovalPending:    81,
	AuditUnavailable:   82,
	LimitExceeded:      83,
	Timeout:            124,
	Cancelled:          130,
}

// ExitCode returns the exit code of a command that failed with this kind, and
// 0 for the empty kind. A kind that is not one of this package's is internal.
func (k Kind) ExitCode() int {
	if code, ok := exitCodes[k]; ok {
		return code
	}
	return exitCodes[Internal]
}

// Kinds returns every error kind with its exit code.
func Kinds() map[Kind]int {
	kinds := maps.Clone(exitCodes)
	delete(kinds, "")
	return kinds
}

// refusal reports whether a failure of this kind is a decision against the call
// (recorded as deny) rather than something that went wrong (recorded as error).
func (k Kind) refusal() bool {
	switch k {
	case OpDenied, PolicyDenied, SpecialPath, ProtectedPath, MemoryACL, PackageDenied, NetworkDenied,
		PathEscape, ApprovalDenied, ApprovalTimeout, ApprovalPending, AuditUnavailable, LimitExceeded:
		return true
	default:
		return false
	}
}

// Error is a failed call. It is what tools return and what Asker may return.
type Error struct {
	Kind    Kind
	Message string // for the model: what was refused, by which rule, what to do now
	Rule    string // the rule or invariant responsible, if one was
	Data    any    // structured detail for the answer, or nil
	Err     error  // the cause, for the operator; never shown to the model
}

func (e *Error) Error() string { return string(e.Kind) + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches an *Error of the same kind that has no message: a kind to test for.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Message == "" && t.Kind == e.Kind
}

func fail(kind Kind, message string) *Error { return &Error{Kind: kind, Message: message} }
