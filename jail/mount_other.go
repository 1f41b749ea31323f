//go:build !linux

package jail

import "os"

// mountID is the device alone: a bind mount of the same device is not noticed.
type mountID struct{ dev uint64 }

func (m mountID) crossed(from mountID) bool { return m.dev != from.dev }

func mountOf(f *os.File) (mountID, error) {
	fi, err := f.Stat()
	if err != nil {
		return mountID{}, err
	}
	return mountID{dev: fromFileInfo(fi).id.Dev}, nil
}
