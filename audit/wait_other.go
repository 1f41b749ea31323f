//go:build !linux

package audit

import (
	"context"
	"time"
)

func wait(ctx context.Context, pause time.Duration) error { return waitTimer(ctx, pause) }
