package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// What can be wrong with a configuration. [Compile] wraps these in a
// [*RuleError] that says where.
var (
	ErrUnknownAction = errors.New("unknown action")
	ErrUnknownTool   = errors.New("no such tool")
	ErrPattern       = errors.New("malformed pattern")
	ErrEmpty         = errors.New("empty")
	ErrDuplicate     = errors.New("another rule has this name")
	ErrReserved      = errors.New("the name is reserved")
	ErrContradiction = errors.New("the rule contradicts itself")
	ErrNotAbsolute   = errors.New("not a clean absolute path")
)

// RuleError is one mistake in a [Config]. Compile joins all that it finds; take
// them apart with errors.As on each element of Unwrap() []error.
type RuleError struct {
	Rule    string // the rule's name, "" outside of rules or where it has none
	Index   int    // its place in Config.Rules, -1 outside of rules
	Field   string // the key as a configuration spells it: "name", "action", "tools", "paths", "commands", "tool_policy", "default_action", …
	Item    int    // the place within a list field, -1 where the field is no list
	Value   string // the value at fault
	Err     error  // matches one of the errors above
	Nearest string // the valid name that was probably meant, if one is close
}

func (e *RuleError) Error() string {
	var b strings.Builder
	switch {
	case e.Rule != "":
		fmt.Fprintf(&b, "rule %q: ", e.Rule)
	case e.Index >= 0:
		fmt.Fprintf(&b, "rule %d: ", e.Index+1)
	}
	b.WriteString(e.Field)
	if e.Value != "" {
		b.WriteString(" " + strconv.Quote(e.Value))
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	b.WriteString(suggestion(e.Nearest))
	return b.String()
}

func (e *RuleError) Unwrap() error { return e.Err }

// ActionError is a word that names no action. It matches [ErrUnknownAction].
type ActionError struct {
	Value   string
	Nearest string // "" where no valid name is close
}

func (e *ActionError) Error() string {
	return fmt.Sprintf("unknown action %q (one of allow, supervised, deny)%s", e.Value, suggestion(e.Nearest))
}

func (e *ActionError) Is(target error) bool { return target == ErrUnknownAction }

func suggestion(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}

// patternError explains what is wrong with a pattern; it matches [ErrPattern].
type patternError string

func (e patternError) Error() string        { return string(e) }
func (e patternError) Is(target error) bool { return target == ErrPattern }

// contradiction and emptyList explain such a mistake; they match
// [ErrContradiction] and [ErrEmpty].
type (
	contradiction string
	emptyList     string
)

func (e contradiction) Error() string        { return "the rule contradicts itself: " + string(e) }
func (e contradiction) Is(target error) bool { return target == ErrContradiction }

func (e emptyList) Error() string        { return "an empty list: " + string(e) }
func (e emptyList) Is(target error) bool { return target == ErrEmpty }
