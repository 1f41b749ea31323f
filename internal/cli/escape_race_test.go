//go:build race

package cli

// raced: the race detector makes the start of a process several times as slow.
const raced = true
