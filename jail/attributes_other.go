//go:build !linux

package jail

import "os"

// copyAttributes: extended attributes are carried over on Linux only.
func copyAttributes(dir, string, Info, *os.File) {}
