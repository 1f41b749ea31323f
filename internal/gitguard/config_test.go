package gitguard

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gitList is what git itself reads in a configuration, and whether it takes it.
func gitList(t testing.TB, text []byte) ([]string, bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "config", "--file", file, "--list", "-z", "--no-includes")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	list := strings.Split(string(out), "\x00")
	return list[:len(list)-1], true
}

// ourList writes what parseConfig reads as git does.
func ourList(entries []entry) []string {
	list := []string{}
	for _, e := range entries {
		line := e.name.String()
		if !e.bare {
			line += "\n" + e.value
		}
		list = append(list, line)
	}
	return list
}

func TestParseConfig(t *testing.T) {
	for _, text := range []string{
		"", "[core]\n", "[core]\n\tbare = false\n", "[core] bare=true", "[Core]\nBARE\n", "[a \"B c\"]\nk = v # c\n",
		"[a]\nk = \"x # y\" ; z\n", "[a]\nk = x \\\n  y\n", "[a]\nk = \"a\\\"b\\\\c\\n\\t\\b\"\n", "[a.B]\nk=v\n",
		"[a]\nk = \"\" x\n", "[a]\nk = x \"\" \n", "[a]\nk = x  y\n", "# c\n; d\n[a]\n# e\nk=1\nk=2\n[a]\nk=3\n",
		"[a \"x\\\"y\\\\z\\q\"]\nk=v\n", "[a]\nk = x \\\n", "[a]\nk=é\n", "[a-b]\nk-1=v\n", "[a]k=v", "[a]\n k = v\n",
	} {
		entries, err := parseConfig([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		want, ok := gitList(t, []byte(text))
		if got := ourList(entries); !ok || !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
	for _, text := range []string{
		"k=v\n", "[a\n", "[]\n", "[a \"b]\n", "[a \"b\n\"]\nk=v\n", "[a]\n1k=v\n", "[a]\nk v\n", "[a]\nk = \"x\n", "[a]\nk = \\q\n",
		"[a]\nk = v\r\n", "\ufeff[a]\nk=v\n", "[a]\nk=v\x00\n", "[a]\nk = x\ty\n", "[a b]\nk=v\n", "[a\"b\"]\nk=v\n", "[a \"\"]\nk=v\n",
		"[a]\nk = v\\", "[.a]\nk=v\n", "[a.]\nk=v\n", "[a] [\n", "[a]\nk # c\n", "[a_b]\nk=v\n",
	} {
		if entries, err := parseConfig([]byte(text)); err == nil {
			t.Errorf("%q is read as %q", text, ourList(entries))
		}
	}
}

// randomConfig makes a text out of pieces of the grammar.
func randomConfig(r *rand.Rand) []byte {
	pieces := []string{
		"[core]", "[Branch \"main\"]", "[branch \"x\\\"y\"]", "[remote \"o\"]", "[remote.Up]", "\n", "\n", "\n", " ", "\t", "key", "merge", "url", "Fetch",
		" = ", "=", "value", "true", "\"", "\"quoted # \"", "\\\n", "\\n", "\\\"", "# comment", "; comment", "\\", "]", "[", "a b", ".", "-", "é",
		"\nkey = value\n", "\n\tmerge = refs/heads/main\n", "\n\turl = https://e.org/x\n", "\nbare\n",
	}
	var b bytes.Buffer
	for range r.IntN(14) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.Bytes()
}

// TestParseLikeGit: what we read, git reads the same.
func TestParseLikeGit(t *testing.T) {
	rounds := 300
	if os.Getenv("BAILEY_LONG") == "1" {
		rounds = 20_000
	}
	r := rand.New(rand.NewPCG(5, 6))
	understood := 0
	for range rounds {
		text := randomConfig(r)
		entries, err := parseConfig(text)
		if err != nil {
			continue
		}
		understood++
		want, ok := gitList(t, text)
		if got := ourList(entries); !ok || !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %q\nwant %q (%v)", text, got, want, ok)
		}
		again, err := parseConfig(renderConfig(entries))
		if err != nil || !slices.Equal(ourList(again), ourList(entries)) {
			t.Fatalf("%q is written as %q", text, renderConfig(entries))
		}
	}
	if understood < rounds/20 {
		t.Fatalf("only %d of %d texts were understood", understood, rounds)
	}
}

func TestPermitted(t *testing.T) {
	const base = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.org/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"
	fork := func(url string) string {
		return base + "[remote \"fork\"]\n\turl = " + url + "\n\tfetch = +refs/heads/*:refs/remotes/fork/*\n"
	}
	for _, c := range []struct {
		name, after string
		kept        bool
	}{
		{"an upstream", base + "[branch \"topic/a-1\"]\n\tremote = origin\n\tmerge = refs/heads/topic/a-1\n", true},
		{"another upstream", strings.Replace(base, "merge = refs/heads/main", "merge = refs/heads/next", 1), true},
		{"a pull request's upstream", base + "[branch \"p\"]\n\tmerge = refs/pull/12/head\n", true},
		{"a remote by https", fork("https://example.org/me/x.git"), true},
		{"a remote by ssh", fork("ssh://git@example.org:22/me/x.git"), true},
		{"a remote by ssh's short form", fork("git@example.org:me/x.git"), true},

		{"an upstream at an unknown remote", base + "[branch \"t\"]\n\tremote = fork\n", false},
		{"an upstream at an address", base + "[branch \"t\"]\n\tremote = https://evil.example/x\n", false},
		{"an upstream that is no branch", base + "[branch \"t\"]\n\tmerge = --upload-pack=x\n", false},
		{"two upstreams", base + "[branch \"t\"]\n\tmerge = refs/heads/a\n\tmerge = refs/heads/b\n", false},
		{"a branch named like an option", base + "[branch \"--x\"]\n\tmerge = refs/heads/a\n", false},
		{"another key of a branch", base + "[branch \"t\"]\n\tmergeOptions = --no-verify\n", false},
		{"an upstream is removed", strings.Replace(base, "\tmerge = refs/heads/main\n", "", 1), false},
		{"the known remote moves", strings.Replace(base, "https://example.org/x", "https://evil.example/x", 1), false},
		{"the known remote gets more", base + "[remote \"origin\"]\n\tuploadpack = touch x\n", false},
		{"a remote that runs a program", fork("ext::sh -c 'touch x'"), false},
		{"a remote in a folder", fork("/srv/x"), false},
		{"a remote by file", fork("file:///srv/x"), false},
		{"a remote by http", fork("http://example.org/x"), false},
		{"a remote by an ssh option", fork("ssh://-oProxyCommand=x/y"), false},
		{"a remote by an option", fork("-oProxyCommand=x"), false},
		{"a remote without a refspec", base + "[remote \"fork\"]\n\turl = https://e.org/x\n", false},
		{"a remote that fetches over branches", base + "[remote \"fork\"]\n\turl = https://e.org/x\n\tfetch = +refs/heads/*:refs/heads/*\n", false},
		{"a remote that fetches over another's", base + "[remote \"fork\"]\n\turl = https://e.org/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n", false},
		{"a remote with a push address", fork("https://e.org/x") + "\tpushurl = https://evil.example/\n", false},
		{"a remote with a program", fork("https://e.org/x") + "\tuploadpack = touch x\n", false},
		{"a remote with a proxy", fork("https://e.org/x") + "\tproxy = evil\n", false},
		{"a remote with a helper", fork("https://e.org/x") + "\tvcs = x\n", false},
		{"a remote with two addresses", fork("https://e.org/x") + "\turl = https://e.org/y\n", false},
		{"fsmonitor", base + "[core]\n\tfsmonitor = touch x\n", false},
		{"an alias", base + "[alias]\n\tst = !touch x\n", false},
		{"an include", base + "[include]\n\tpath = evil\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, err := parseConfig([]byte(base))
			if err != nil {
				t.Fatal(err)
			}
			after, err := parseConfig([]byte(c.after))
			if err != nil {
				t.Fatal(err)
			}
			take, refuse := permitted(before, after)
			if c.kept != (len(refuse) == 0) || c.kept == (len(take) == 0) {
				t.Fatalf("taken %v, refused %v", take, refuse)
			}
			text, err := apply([]byte(base), take)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := gitList(t, []byte(base))
			if c.kept {
				want, _ = gitList(t, []byte(c.after))
			}
			if got, _ := gitList(t, text); !sameSet(got, want) {
				t.Errorf("git reads\n%q, want\n%q", got, want)
			}
		})
	}
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// TestMergeLikeGit has git read what random edits are merged to: exactly the old
// keys, and the permitted ones.
func TestMergeLikeGit(t *testing.T) {
	rounds := 150
	if os.Getenv("BAILEY_LONG") == "1" {
		rounds = 10_000
	}
	r := rand.New(rand.NewPCG(7, 8))
	edits := []string{
		"[branch \"n%d\"]\n\tmerge = refs/heads/n\n", "[branch \"n%d\"]\n\tremote = o\n", "[remote \"r%d\"]\n\turl = https://e.org/%[1]d\n\tfetch = +refs/heads/*:refs/remotes/r%[1]d/*\n",
		"[core]\n\tfsmonitor = x%d\n", "[remote \"r%d\"]\n\turl = ext::x\n", "[branch \"main\"]\n\tmerge = refs/heads/k%d\n", "[alias]\n\ta%d = !x\n",
	}
	taken := 0
	for range rounds {
		base := randomConfig(r)
		before, err := parseConfig(base)
		if err != nil {
			continue
		}
		edited := slices.Clone(base)
		if len(edited) > 0 && edited[len(edited)-1] != '\n' {
			edited = append(edited, '\n')
		}
		for range 1 + r.IntN(3) {
			edited = append(edited, strings.ReplaceAll(fmt.Sprintf(edits[r.IntN(len(edits))], r.IntN(3)), "%!(EXTRA", "#")...)
		}
		after, err := parseConfig(edited)
		if err != nil {
			continue
		}
		take, _ := permitted(before, after)
		text, err := apply(base, take)
		if err != nil {
			t.Fatalf("%q and %v: %v", base, take, err)
		}
		want := valuesOf(before)
		for _, c := range take {
			want[c.name] = c.values
			taken++
		}
		var list []string
		for n, values := range want {
			for _, v := range values {
				if v == bareValue {
					list = append(list, n.String())
				} else {
					list = append(list, n.String()+"\n"+v)
				}
			}
		}
		got, ok := gitList(t, text)
		if !ok || !sameSet(got, list) {
			t.Fatalf("%q merged with %v:\n%q\ngit reads %q, want %q", base, take, text, got, list)
		}
	}
	if taken < rounds/20 {
		t.Errorf("only %d changes were taken over", taken)
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("[core]\n\tbare = false\n[remote \"o\"]\n\turl = x # y\n"))
	f.Add([]byte("[a \"b\"] k = \"x\\\ny\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := parseConfig(text)
		if err != nil {
			return
		}
		want, ok := gitList(t, text)
		if got := ourList(entries); !ok || !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %q\nwant %q (%v)", text, got, want, ok)
		}
	})
}
