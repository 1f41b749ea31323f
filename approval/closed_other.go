//go:build !unix

package approval

import "io/fs"

// checkOwner relies on the directory's access rules where there is no owner id.
func checkOwner(string, fs.FileInfo) error { return nil }
