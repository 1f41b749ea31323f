package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error is one thing that is wrong with a configuration.
type Error struct {
	File    string `json:"file"`           // as it was given
	Line    int    `json:"line"`           // from 1; 0 where the whole file is meant
	Column  int    `json:"column"`         // in characters, from 1
	Key     string `json:"key"`            // path of the key, such as security.policy.rules[2].paths[0]
	Message string `json:"message"`        // what is wrong
	Hint    string `json:"hint,omitempty"` // what would be right, "" where that is not known
	Err     error  `json:"-"`              // the cause, nil where there is none
}

// Error has the form file:line:col: message; hint.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Line, e.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Errors is everything that is wrong with a configuration, in the order of the
// file. [errors.As] finds the first *Error in it.
type Errors []*Error

// Error has one line for each error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, one := range e {
		out[i] = one
	}
	return out
}

// maxErrors keeps the report of a file that is something else altogether short.
const maxErrors = 100

// report sorts and shortens, and is nil where nothing is wrong.
func (e Errors) report() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if more := len(e) - maxErrors; more > 0 {
		e = append(e[:maxErrors:maxErrors], &Error{File: e[0].File, Message: strconv.Itoa(more) + " more errors"})
	}
	return e
}

// Position returns where the value of a key was written. The path is the one
// that [Error] carries in Key; ok is false where the default holds.
func (c *Config) Position(key string) (line, column int, ok bool) {
	m, ok := c.marks[key]
	return m.value.line, m.value.column, ok
}

// Fault gives an error that was found later, such as a folder that does not
// exist, the position of the key it is about. A key that the file does not give
// takes the position of the table around it.
func (c *Config) Fault(key string, err error) *Error {
	return c.fault(key, err.Error(), "", err)
}

func (c *Config) fault(key, message, hint string, err error) *Error {
	out := &Error{File: c.file, Key: key, Message: message, Hint: hint, Err: err}
	for at := key; at != ""; at = parentPath(at) {
		if m, ok := c.marks[at]; ok {
			out.Line, out.Column = m.value.line, m.value.column
			break
		}
	}
	return out
}
