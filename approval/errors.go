package approval

import (
	"errors"
	"fmt"
	"time"
)

// Errors of a Store. Details are wrapped around them.
var (
	ErrNotFound    = errors.New("there is no such request")
	ErrAmbiguous   = errors.New("more than one request begins so")
	ErrDecided     = errors.New("the request is decided already") // a *DecidedError
	ErrExpired     = errors.New("the request has expired")
	ErrUsed        = errors.New("the approval is used up")
	ErrMismatch    = errors.New("the approval is for another call")
	ErrNotApproved = errors.New("the request is not approved")
	ErrNoGrant     = errors.New("the request can't be approved for a session")
	ErrFull        = errors.New("too many requests wait for a human already")
	ErrJoined      = errors.New("other calls wait for the same request")
	ErrStore       = errors.New("the approvals can't be read or written")
)

// DecidedError tells who was first. It is ErrDecided, and ErrExpired where time
// decided.
type DecidedError struct{ Entry Entry }

func (e *DecidedError) Error() string {
	when := e.Entry.Decided.Format(time.RFC3339)
	if e.Entry.By == "" {
		return fmt.Sprintf("request %s is %s since %s", e.Entry.ID, e.Entry.State, when)
	}
	return fmt.Sprintf("request %s is %s since %s, by %s", e.Entry.ID, e.Entry.State, when, e.Entry.By)
}

// Is matches ErrDecided, and ErrExpired for an expired request.
func (e *DecidedError) Is(target error) bool {
	return target == ErrDecided || target == ErrExpired && e.Entry.State == Expired
}

func broken(err error) error { return fmt.Errorf("approval: %w: %w", ErrStore, err) }
