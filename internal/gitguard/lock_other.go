//go:build !unix

package gitguard

import "os"

// tryLock locks nothing: no back end runs commands here.
func tryLock(*os.File) (bool, error) { return true, nil }
