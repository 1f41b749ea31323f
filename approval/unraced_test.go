//go:build !race

package approval_test

const raced = false
