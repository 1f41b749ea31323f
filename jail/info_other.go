//go:build !linux && !darwin

package jail

import "os"

func (i Info) harmlessDevice() bool { return false }

// fromFileInfo makes an Info of what os.Root tells.
func fromFileInfo(fi os.FileInfo) Info {
	return Info{name: fi.Name(), size: fi.Size(), mode: fi.Mode(), mtime: fi.ModTime(), origin: fi}
}
