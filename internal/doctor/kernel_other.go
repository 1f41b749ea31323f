//go:build !linux

package doctor

import (
	"io/fs"
	"runtime"
)

func kernelRelease() Check {
	return Check{
		Name: "kernel", Status: Warn, Detail: runtime.GOOS,
		Remedy: "the walls are Linux's; elsewhere only the weaker file engine works and no command runs",
	}
}

func kernelFeatures() []Check { return nil }

// ownedByRoot is never true: no program is trusted to isolate here.
func ownedByRoot(fs.FileInfo) bool { return false }
