package config

import (
	"math"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"none": 0, "90s": 90 * time.Second, "5m": 5 * time.Minute, "400d": 400 * 24 * time.Hour,
		"1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond, "99999d": 99999 * 24 * time.Hour,
	} {
		d, err := ParseDuration(in)
		if err != nil || d.Std() != want {
			t.Errorf("%s: %v, %v", in, d.Std(), err)
		}
		if back, err := ParseDuration(d.String()); err != nil || back != d {
			t.Errorf("%s is written as %s, read as %v, %v", in, d, back, err)
		}
	}
	for _, in := range []string{
		"", "0s", "5", "-5m", "5 m", "1.5h", "30m1h", "5M", "1m1m", "1w", "99999d1ms", "100000d",
		"99999999999999999999s", "٣s", "None", "5m\n",
	} {
		if d, err := ParseDuration(in); err == nil {
			t.Errorf("%q was read as %v", in, d.Std())
		}
	}
}

func TestSize(t *testing.T) {
	for in, want := range map[string]Size{
		"1B": 1, "256KiB": 256 << 10, "2GiB": 2 << 30, "100MiB": 100 << 20, "3TiB": 3 << 40,
		"10kB": 10_000, "10KB": 10_000, "10MB": 10_000_000, "1GB": 1e9, "2TB": 2e12, "999999999999999999B": 999999999999999999,
	} {
		if got, err := ParseSize(in); err != nil || got != want {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "0B", "5", "-5B", "2 GiB", "1.5GiB", "2gib", "2G", "2Gi", "01B", "9999999999999999999B", "9999999TiB"} {
		if got, err := ParseSize(in); err == nil {
			t.Errorf("%q was read as %d", in, got)
		}
	}
	for size, want := range map[Size]string{
		2 << 30: "2GiB", 1536 << 10: "1536KiB", 1000: "1000", math.MaxInt64: "9223372036854775807",
		1 << 62: "4611686018427387904",
	} {
		if got := size.String(); got != want {
			t.Errorf("%d is written as %s, want %s", int64(size), got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"tool_policy", "policy", "audit", "sandbox_backend"}
	for in, want := range map[string]string{
		"tool_polcy": "tool_policy", "tool-policy": "tool_policy", "Policy": "policy", "auidt": "audit",
		"sandboxbackend": "sandbox_backend", "zebra": "", "": "", "a": "",
	} {
		if got := nearestKey(in, names); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
