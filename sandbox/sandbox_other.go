//go:build !linux

package sandbox

import (
	"context"
	"os"
	"runtime"
)

// keeper is nothing on this system.
type keeper struct{ tmp *os.File }

func (*keeper) close() {}

func unavailable() error {
	return &Error{Err: ErrUnavailable, Detail: "there are no isolation programs for " + runtime.GOOS, Remedy: "use Linux, in a virtual machine for example"}
}

func (s *Sandbox) keeperOf(context.Context) (*keeper, error) { return nil, unavailable() }

func (s *Sandbox) run(_ context.Context, spec *Spec) (*Report, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	return nil, unavailable()
}

func findTrusted(string) (string, error) { return "", unavailable() }

func duplicate(*os.File) (*os.File, error) { return nil, unavailable() }

// Probe says that there is none.
func (s *Sandbox) Probe(context.Context) []Probe {
	return []Probe{{Backend: Bubblewrap, Err: unavailable()}}
}
