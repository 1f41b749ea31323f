//go:build !linux

package jail

import "errors"

func openRootDir(string) (dir, error) { return nil, errors.ErrUnsupported }

func openat2Missing(error) bool { return true }

func kernelDir(dir) bool { return false }

// fastOpen and its kin are for openat2; elsewhere every path is walked.
func (j *Jail) fastOpen(string) (*File, bool, error) { return nil, false, nil }

func (j *Jail) fastStat(string) (Info, bool, error) { return Info{}, false, nil }

func (j *Jail) fastResolve(string, How, bool) (*Object, bool, error) { return nil, false, nil }
