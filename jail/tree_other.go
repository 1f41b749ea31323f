//go:build !linux

package jail

func (t Tree) fastState(string) (DirState, bool, error) { return DirState{}, false, nil }

func (t Tree) fastStates(string, []string, func(int, DirState, error)) bool { return false }

func (t Tree) fastLstat(string) (Info, bool, error) { return Info{}, false, nil }

func (t Tree) fastDir(string) (dir, bool, error) { return nil, false, nil }

// localClock can't be told here.
func localClock(dir) bool { return false }

// Mounts lists the paths, below the folder, of the mount points that may not be
// entered. Here none can be told.
func (t Tree) Mounts() ([]string, error) { return nil, nil }
