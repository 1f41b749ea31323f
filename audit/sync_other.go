//go:build !linux

package audit

import "os"

func datasync(file *os.File) error { return file.Sync() }
