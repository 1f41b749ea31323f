//go:build race

package approval_test

// raced: the race detector makes SQLite ten times as slow.
const raced = true
