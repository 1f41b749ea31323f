//go:build !linux

package cli

import "io"

func widen(io.Writer) {}
