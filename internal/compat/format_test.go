package compat

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFormatSize(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1.00 KB", 1152: "1.13 KB", 1536: "1.50 KB", 1<<20 - 1: "1024.00 KB",
		1 << 20: "1.00 MB", 5 << 30: "5.00 GB", 1 << 40: "1.00 TB", 3 << 50: "3072.00 TB", 1<<63 - 1: "8388608.00 TB",
	} {
		if got := formatSize(bytes); got != want {
			t.Errorf("formatSize(%d) = %q, want %q", bytes, got, want)
		}
	}
}

func TestLastPieces(t *testing.T) {
	for _, tc := range []struct {
		s    string
		n    int64
		want string
	}{
		{"", 1, ""}, {"a", 1, "a"}, {"a\n", 1, ""}, {"a\nb", 1, "b"}, {"a\nb\n", 2, "b\n"}, {"a\nb\n", 3, "a\nb\n"}, {"a\nb", 9, "a\nb"}, {"\n\n", 2, "\n"},
	} {
		if got := lastPieces(tc.s, tc.n); got != tc.want {
			t.Errorf("lastPieces(%q, %d) = %q, want %q", tc.s, tc.n, got, tc.want)
		}
		pieces := strings.Split(tc.s, "\n")
		if naive := strings.Join(pieces[max(0, len(pieces)-int(tc.n)):], "\n"); naive != tc.want {
			t.Errorf("the test itself is wrong: %q", naive)
		}
	}
}

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"/a/b.txt": "file:///a/b.txt", "/my café?#%": "file:///my%20caf%C3%A9%3F%23%25", "/\xff\n\\": "file:///%FF%0A%5C", "/[x]~": "file:///%5Bx%5D%7E",
	} {
		if got := fileURI(path); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestDate(t *testing.T) {
	was := time.Local
	t.Cleanup(func() { time.Local = was })
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	time.Local = time.UTC
	if got, want := date(at), "Fri Jan 02 2026 03:04:05 GMT+0000 (Coordinated Universal Time)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	time.Local = time.FixedZone("NPT", 5*3600+45*60)
	if got, want := date(at), "Fri Jan 02 2026 08:49:05 GMT+0545 (NPT)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := date(time.Time{}); got != "unknown" {
		t.Errorf("a time that is not known: %q", got)
	}
}

func TestPatterns(t *testing.T) {
	for _, tc := range []struct {
		pattern  string
		yes, not []string
	}{
		{"*.txt", []string{"a.txt", ".x.txt"}, []string{"d/a.txt"}},
		{"**/*.txt", []string{"a.txt", "d/e/a.txt"}, []string{"a.md"}},
		{"d/**", []string{"d/a", "d/e/a"}, []string{"d", "x/d/a"}},
		{"**/d/**", []string{"d/a", "x/d/a"}, []string{"d", "x/d"}},
		{"**", []string{"a", "d/a"}, nil},
		{"!*.txt", []string{"a.md", "d/a.txt"}, []string{"a.txt"}},
		{"!!*.txt", []string{"a.txt"}, []string{"a.md"}},
		{"#a", nil, []string{"#a", "a"}},
		{"", nil, []string{"a"}},
		{"d/", nil, []string{"d", "d/a"}},
		{"!d/", []string{"d", "a"}, nil},
		{`\*`, []string{"*"}, []string{"a"}},
		{"[!a]", []string{"b"}, []string{"a"}},
	} {
		p, err := parsePattern(tc.pattern)
		if err != nil {
			t.Errorf("%q: %v", tc.pattern, err)
		}
		for _, path := range tc.yes {
			if !p.match(path) {
				t.Errorf("%q should match %q", tc.pattern, path)
			}
		}
		for _, path := range tc.not {
			if p.match(path) {
				t.Errorf("%q should not match %q", tc.pattern, path)
			}
		}
	}
	for _, pattern := range []string{"+(a)", "!(a)", "a?(b)", "{1..3}", "[[:alpha:]]", "[a", "{a"} {
		if _, err := parsePattern(pattern); err == nil {
			t.Errorf("%q can't be translated and was taken", pattern)
		}
	}
}

// TestEarly checks that what Bailey's tools leave out by themselves is never more
// than what the patterns exclude: the rest is taken out of the answer.
func TestEarly(t *testing.T) {
	tree := []string{"file x.log x\n", "file d/x.log x\n", "file node_modules/p/i.js x\n", "file d/node_modules/p/i.js x\n", "file d/e/f.md x\n", "file {odd x\n", "file a,b x\n"}
	o := newOffer(t, setup{tree: tree})
	all := strings.Split(o.must("search_files", args{"path": o.root, "pattern": "**"}), "\n")
	for _, given := range [][]string{
		{"node_modules"}, {"*.log"}, {"**/*.log"}, {"d"}, {"d/**"}, {"d/e"}, {"!d"}, {"{d,x.log}"}, {"a,b"}, {`\{odd`}, {"/etc"}, {"../x"}, {"./d"}, {"**/node_modules", "*.md"}, {""}, {"#x"},
	} {
		exclude, err := searchExcludes(given)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, path := range all {
			if !exclude.matchAbove(strings.TrimPrefix(path, o.root+"/")) {
				want = append(want, path)
			}
		}
		got := o.must("search_files", args{"path": o.root, "pattern": "**", "excludePatterns": given})
		if !slices.Equal(strings.Split(got, "\n"), want) {
			t.Errorf("%q: got\n%s\nwant\n%s", given, got, strings.Join(want, "\n"))
		}
	}
	ps, err := searchExcludes([]string{"node_modules"})
	if err != nil || len(ps.early()) != 1 {
		t.Errorf("node_modules would be walked: %q, %v", ps.early(), err)
	}
}
