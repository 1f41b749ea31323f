package covers

import (
	"errors"
	"fmt"
)

// MaxCovers is the most covers of one scan. Mounting them takes a command's start
// about 10 µs each, and the kernel permits 100,000 mounts in a namespace.
const MaxCovers = 20_000

// ErrTooMany says that more than MaxCovers objects would have to be covered. The
// error is a *[LimitError].
var ErrTooMany = errors.New("too many files to cover")

// A LimitError tells why a scan was given up.
type LimitError struct {
	Limit int
	Rule  string // the rule that asks for the most of them
	Real  string // one of the objects that it is about
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("more than %d files would have to be covered one by one before a command can run, most of them because of %s (such as %s); let the rule name directories as a whole",
		e.Limit, e.Rule, e.Real)
}

// Is matches ErrTooMany.
func (e *LimitError) Is(target error) bool { return target == ErrTooMany }
