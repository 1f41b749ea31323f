package config

import (
	"strconv"
	"strings"
)

// A key path is how errors name a key: dotted as in TOML, list elements by
// index: security.policy.rules[2].paths[0], tasks."my task".ops.

func joinPath(path, key string) string {
	key = quoteKey(key)
	if path == "" {
		return key
	}
	return path + "." + key
}

func indexPath(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

// parentPath cuts the last key or index off, "" at the top.
func parentPath(path string) string {
	if strings.HasSuffix(path, `"`) {
		// A quoted key may hold dots and brackets, and escaped quotes.
		for i := len(path) - 2; i >= 0; i-- {
			if path[i] == '"' && !escaped(path, i) {
				return strings.TrimSuffix(path[:i], ".")
			}
		}
		return ""
	}
	if i := strings.LastIndexAny(path, ".["); i > 0 {
		return path[:i]
	}
	return ""
}

// escaped reports whether an odd number of backslashes stands before s[i].
func escaped(s string, i int) bool {
	n := 0
	for i--; i >= 0 && s[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}
