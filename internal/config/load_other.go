//go:build !unix

package config

import "io/fs"

const openNonblock = 0

func isNotDirectory(error) bool { return false }

// refuseOwnership has nothing to go by: the mode bits do not tell who may write.
func refuseOwnership(fs.FileInfo) (message, hint string) { return "", "" }
