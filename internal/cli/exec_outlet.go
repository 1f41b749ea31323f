package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/baileyhq/bailey/tool"
)

// outlet passes output on and remembers why it could not. It is written by one
// goroutine and asked by another.
type outlet struct {
	name string
	w    io.Writer

	mu  sync.Mutex
	err error
}

func (o *outlet) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// failure is what the operator has to be told. That a reader has gone is how
// pipelines end.
func (o *outlet) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil || errors.Is(o.err, syscall.EPIPE) {
		return nil
	}
	return &tool.Error{Kind: tool.IO, Message: fmt.Sprintf("%s: %v", o.name, o.err), Err: o.err}
}
