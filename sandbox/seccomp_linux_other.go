//go:build linux && !amd64

package sandbox

// refusedHere are calls that other machines have not.
var refusedHere []uint32
