package sandbox

import (
	"context"
	"os"
)

// Names of back ends.
const (
	Auto       = "auto" // bubblewrap, else firejail
	Bubblewrap = "bubblewrap"
	Firejail   = "firejail"
)

// Options of a Sandbox.
type Options struct {
	Backend string // Auto, or one by its name: then no other is tried; "" is Auto
	TmpSize int64  // bytes of the session's /tmp; 0 is DefaultTmpSize
	Unsafe  bool   // run without walls where no back end can be used; each Report says so
}

// DefaultTmpSize is the size of /tmp if Options says none, in bytes.
const DefaultTmpSize = 1 << 30

// Sandbox runs commands of one session. It may be used by several goroutines.
type Sandbox struct {
	options Options
}

// Probe is what a back end offers on this host.
type Probe struct {
	Backend   string
	Path      string // of its program; "" if there is none to trust
	Version   string
	Usable    bool
	Guarantee string
	Layers    []string
	Gaps      []string
	SharedTmp bool  // the session's /tmp is the same for all runs and for Tmp
	Err       error // why it can't be used
}

// New finds the back ends. It runs none of them.
func New(ctx context.Context, o Options) (*Sandbox, error) {
	return &Sandbox{o}, ctx.Err()
}

// Close ends every command that still runs and removes the session's /tmp.
func (s *Sandbox) Close() error { return nil }

// Run runs a command and waits for its end.
func (s *Sandbox) Run(ctx context.Context, spec Spec) (*Report, error) {
	return nil, &Error{Err: ErrUnavailable}
}

// Probe tries each back end.
func (s *Sandbox) Probe(ctx context.Context) []Probe { return nil }

// Tmp is the session's /tmp.
func (s *Sandbox) Tmp(ctx context.Context) (dir *os.File, ok bool, err error) { return nil, false, nil }

// LookPath finds a program as a command would.
func (s *Sandbox) LookPath(name string, readOnly ...string) string { return "" }
