package tool

import "context"

type waitingKey struct{}

// WithWaiting has the calls under ctx tell when they begin to wait for a human,
// and when they go on: a face that bounds its calls can let others pass. It is
// called with true before a call asks, and with false when the answer is there,
// before the call takes its turn again.
func WithWaiting(ctx context.Context, notify func(waiting bool)) context.Context {
	return context.WithValue(ctx, waitingKey{}, notify)
}

// wait calls f with the face told that the call waits.
func wait(ctx context.Context, f func()) {
	if notify, ok := ctx.Value(waitingKey{}).(func(bool)); ok {
		notify(true)
		defer notify(false)
	}
	f()
}
