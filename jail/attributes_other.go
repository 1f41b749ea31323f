//go:build !linux

package jail

// copyAttributes: extended attributes are carried over on Linux only.
func copyAttributes(dir, string, Info, *temp) {}

func dropDefaultACL(*temp) {}
