package search

import "errors"

// ErrPattern is matched (errors.Is) by every *PatternError.
var ErrPattern = errors.New("invalid pattern")

// PatternError says why a regular expression or a glob was refused before
// anything was searched. Its text is fit to be shown to whoever sent it.
type PatternError struct {
	Kind    string // "regular expression" or "glob"
	Pattern string // as given
	Reason  string
	Err     error // the parser's error, may be nil
}

func (e *PatternError) Error() string {
	return "invalid " + e.Kind + " " + quote(e.Pattern) + ": " + e.Reason
}

// Is makes errors.Is(err, ErrPattern) true.
func (e *PatternError) Is(target error) bool { return target == ErrPattern }

// Unwrap returns the parser's own error.
func (e *PatternError) Unwrap() error { return e.Err }

// quote keeps a message readable when the pattern is absurdly long.
func quote(pattern string) string {
	const most = 200
	if len(pattern) > most {
		pattern = pattern[:most] + "…"
	}
	return "`" + pattern + "`"
}
