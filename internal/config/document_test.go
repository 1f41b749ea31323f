package config

import (
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// TestTablesExtendAsInTOML puts every four of these lines together: the tree
// refuses exactly what the library's own decoder refuses.
func TestTablesExtendAsInTOML(t *testing.T) {
	lines := []string{
		"[a]", "[a.b]", "[a.b.c]", "[[a]]", "[[a.b]]",
		"a = 1", "a.b = 1", "b.c = 1", "b.c.d = 1", "b = { c.d = 1, c.e = 2 }",
	}
	accepted := 0
	for i := range len(lines) * len(lines) * len(lines) * len(lines) {
		var text strings.Builder
		for range 4 {
			text.WriteString(lines[i%len(lines)] + "\n")
			i /= len(lines)
		}
		var all map[string]any
		err := toml.Unmarshal([]byte(text.String()), &all)
		if doc := parseDocument("f", []byte(text.String())); (err == nil) != (len(doc.errs) == 0) {
			t.Fatalf("%sthe library says %v, the tree %v", text.String(), err, doc.errs)
		}
		if err == nil {
			accepted++
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d documents were valid", accepted)
	}
}
