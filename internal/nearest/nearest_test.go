package nearest

import "testing"

func TestOf(t *testing.T) {
	known := []string{"file_read", "file_write", "shell", "allow"}
	for name, want := range map[string]string{
		"file_raed": "file_read", "File_Read": "file_read", "fileread": "file_read", "shel": "shell",
		"alow": "allow", "xyz": "", "": "", "grep": "",
	} {
		if got := Of(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"é", "e", 1}} {
		if got := Distance(c.a, c.b); got != c.want || Distance(c.b, c.a) != c.want {
			t.Errorf("%q %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
