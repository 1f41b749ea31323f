package text

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	utf16 := func(s string) string {
		b, err := Encode(s, UTF16LE)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct {
		name, old, new, want string
		truncated            bool
	}{
		{"equal", "a\n", "a\n", "", false},
		{"changed", "a\nb\n", "a\nc\n", "--- o\n+++ n\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", false},
		{"created", "", "a\n", "--- o\n+++ n\n@@ -0,0 +1,1 @@\n+a\n", false},
		{"final newline", "a", "a\n", "--- o\n+++ n\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n", false},
		{"bytes", "a\xff\n", "b\xfe\n", "--- o\n+++ n\n@@ -1,1 +1,1 @@\n-a\\xff\n+b\\xfe\n", false},
		{"UTF-16", utf16("a\n"), utf16("ü\n"), "--- o\n+++ n\n@@ -1,1 +1,1 @@\n-a\n+ü\n", false},
		{"encoding only", utf16("a\n"), "a\n", "--- o\n+++ n\n\\ Only the encoding changes: utf-16le before, utf-8 after\n", false},
		{"binary", "a\x00", "a", "--- o\n+++ n\n\\ Binary content: 2 bytes before, 1 bytes after\n", true},
		{"large", strings.Repeat("x", maxDiffInput+1), "", fmt.Sprintf("--- o\n+++ n\n\\ Too large for a diff: %d bytes before, 0 bytes after\n", maxDiffInput+1), true},
		{"many lines", strings.Repeat("\n", maxDiffLines+1), "", fmt.Sprintf("--- o\n+++ n\n\\ Too large for a diff: %d bytes before, 0 bytes after\n", maxDiffLines+1), true},
	} {
		got, truncated := Unified("o", "n", []byte(c.old), []byte(c.new))
		if got != c.want || truncated != c.truncated {
			t.Errorf("%s: got %q, %v\nwant %q", c.name, got, truncated, c.want)
		}
	}
}

func TestUnifiedBounded(t *testing.T) {
	var old, new strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&old, "%064d\n", i)
		fmt.Fprintf(&new, "%064d\n", i+1<<20)
	}
	got, truncated := Unified("o", "n", []byte(old.String()), []byte(new.String()))
	if !truncated || len(got) > maxDiffBytes || len(got) < maxDiffBytes-200 {
		t.Fatalf("%d bytes, %v", len(got), truncated)
	}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	last := lines[len(lines)-1]
	if want := fmt.Sprintf("\\ The diff goes on for %d more lines", 60003-len(lines)+1); last != want {
		t.Errorf("ends in %q; want %q", last, want)
	}
}

func TestUnifiedNames(t *testing.T) {
	got, _ := Unified("a\n+++ b", "\x1b[2J", []byte("a\n"), []byte("b\n"))
	if !strings.HasPrefix(got, "--- a\\n+++ b\n+++ \\x1b[2J\n@@") {
		t.Errorf("%q", got)
	}
}
