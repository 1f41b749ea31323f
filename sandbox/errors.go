package sandbox

import "errors"

// What an [*Error] is. With any of them nothing ran.
var (
	// ErrUnavailable: no isolation program can be used on this host. Error.Remedy
	// says what would help.
	ErrUnavailable = errors.New("no isolation program can be used")
	// ErrFailed: the walls could not be set up, or one of them was found missing.
	ErrFailed = errors.New("the sandbox could not be set up")
	// ErrChanged: an object that is to be covered or mounted is no longer the one
	// that the Spec speaks of. Such an error is ErrFailed as well; looking again
	// and another try may help.
	ErrChanged = errors.New("something was replaced during the set-up")
	// ErrSpec: the Spec asks for something that can't be done.
	ErrSpec = errors.New("this can't be run")
)

// An Error tells why nothing ran.
type Error struct {
	Err    error  // ErrUnavailable, ErrFailed, ErrChanged or ErrSpec
	Step   string // of the set-up, such as "covers" or "attestation"; may be empty
	Detail string
	Remedy string // what the operator can do; may be empty
}

func (e *Error) Error() string {
	s := e.Err.Error()
	if e.Step != "" {
		s += " (" + e.Step + ")"
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	s += "; nothing ran"
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap gives the kind of the error.
func (e *Error) Unwrap() error { return e.Err }

// Is lets what changed count as failed.
func (e *Error) Is(target error) bool { return target == ErrFailed && e.Err == ErrChanged }

func failed(step, detail string) error { return &Error{Err: ErrFailed, Step: step, Detail: detail} }

func refused(detail string) error { return &Error{Err: ErrSpec, Detail: detail} }
