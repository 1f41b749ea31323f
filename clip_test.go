package bailey

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestClip keeps both ends, in whatever pieces it gets them.
func TestClip(t *testing.T) {
	for _, size := range []int64{1, 2, 10, 64} {
		for total := range 200 {
			whole := make([]byte, total)
			for i := range whole {
				whole[i] = 'a' + byte(i%26)
			}
			c, rest := newClip(size), whole
			r := rand.New(rand.NewPCG(uint64(size), uint64(total)))
			for len(rest) > 0 {
				n := 1 + r.IntN(len(rest))
				if written, err := c.Write(rest[:n]); written != n || err != nil {
					t.Fatal(written, err)
				}
				rest = rest[n:]
			}
			half := int(max(size/2, 1))
			got := c.String()
			if total <= 2*half {
				if got != string(whole) || c.cut() {
					t.Fatalf("size %d, %d bytes: %q", size, total, got)
				}
				continue
			}
			want := string(whole[:half]) + fmt.Sprintf("\n[… %d bytes left out …]\n", total-2*half) + string(whole[total-half:])
			if got != want || !c.cut() {
				t.Fatalf("size %d, %d bytes: %q, want %q", size, total, got, want)
			}
		}
	}
}

// TestClipKeepsCharactersWhole cuts none in two.
func TestClipKeepsCharactersWhole(t *testing.T) {
	for size := int64(2); size < 40; size++ {
		c := newClip(size)
		_, _ = c.Write([]byte(strings.Repeat("aé€😀", 40)))
		if s := c.String(); !utf8.ValidString(s) {
			t.Errorf("size %d: %q", size, s)
		}
	}
	if s, ok := textOf("a\xffb"); s != "a\uFFFDb" || ok {
		t.Errorf("%q, %v", s, ok)
	}
	c := newClip(1 << 20)
	binary := bytes.Repeat([]byte{0xff, 0}, 100)
	_, _ = c.Write(binary)
	if c.String() != string(binary) {
		t.Error("what is short comes as it is")
	}
}
