package tool_test

import "time"

func time0(seconds int64) time.Time { return time.Unix(1_700_000_000+seconds, 0) }
