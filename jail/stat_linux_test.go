package jail

import (
	"os"
	"testing"
)

// TestStatAgrees: both ways to describe an object tell the same.
func TestStatAgrees(t *testing.T) {
	base := fastDir(t)
	makeTree(t, base, "a.txt = a", "d/x = x", "l => a.txt")
	check(t, os.Chmod(base+"/a.txt", 0o640))
	j := newJail(t, base, WithEngine(EngineOpenat2))
	for _, name := range []string{"a.txt", "d", "l"} {
		short, err := j.Stat(name)
		check(t, err)
		long, err := j.Stat("d/../" + name)
		check(t, err)
		if short != long {
			t.Errorf("%s: %+v, want %+v", name, short, long)
		}
	}
}
