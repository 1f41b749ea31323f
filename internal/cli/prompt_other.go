//go:build !linux

package cli

import "context"

// terminal asks nothing where terminals are not known: requests are decided with
// bailey approvals.
type terminal struct{}

func openTerminal() (*terminal, error) { return nil, errNoTerminal }

func (*terminal) shield() func()                               { return func() {} }
func (*terminal) close()                                       {}
func (*terminal) Write([]byte) (int, error)                    { return 0, errNoTerminal }
func (*terminal) printf(string, ...any)                        {}
func (*terminal) interrupt()                                   {}
func (*terminal) size() (width, height int)                    { return 80, 24 }
func (*terminal) awaitForeground(context.Context) error        { return errNoTerminal }
func (*terminal) question(string) (string, error)              { return "", errNoTerminal }
func (*terminal) cook() func()                                 { return func() {} }
func (*terminal) turn(context.Context, string) (func(), error) { return nil, errNoTerminal }
func promptLock(string) string                                 { return "" }
