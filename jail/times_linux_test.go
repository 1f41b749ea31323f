package jail

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestTimes(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		root := fastDir(t)
		for _, dir := range []string{"d", "other"} {
			if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"a", "b"} {
			if err := os.WriteFile(filepath.Join(root, name), []byte(name), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink("a", filepath.Join(root, "l")); err != nil {
			t.Fatal(err)
		}
		access := time.Unix(1_000_000_000, 5)
		for _, name := range []string{"a", "d"} {
			if err := os.Chtimes(filepath.Join(root, name), access, time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}
		j, err := New(root, WithEngine(e))
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()

		resolve := func(name string, how How) *Object {
			t.Helper()
			o, err := j.Resolve(t.Context(), name, how)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { o.Close() })
			return o
		}
		for _, name := range []string{"a", "d"} {
			times := resolve(name, Entry).Times()
			if !times.Access.Equal(access) {
				t.Errorf("%s: Access = %v, want %v", name, times.Access, access)
			}
			if want := born(t, filepath.Join(root, name)); e != EngineOSRoot && !times.Birth.Equal(want) {
				t.Errorf("%s: Birth = %v, want %v", name, times.Birth, want)
			}
		}
		if e == EngineOSRoot {
			return // what it tells came with the look at resolution
		}
		if got, want := resolve(".", Entry).Times().Birth, born(t, root); !got.Equal(want) {
			t.Errorf("the root: Birth = %v, want %v", got, want)
		}
		if got, want := resolve("l", Entry).Times().Birth, born(t, filepath.Join(root, "l")); !got.Equal(want) {
			t.Errorf("a link: Birth = %v, want that of the link, %v", got, want)
		}
		absent, swapped := resolve("none", Target), resolve("b", Entry)
		if got := absent.Times(); got != (Times{}) {
			t.Errorf("nothing is there: %v", got)
		}
		if err := os.Rename(filepath.Join(root, "a"), filepath.Join(root, "b")); err != nil {
			t.Fatal(err)
		}
		if got := swapped.Times(); got != (Times{}) {
			t.Errorf("another file's times were told: %v", got)
		}
	})
}

// born is what the system tells without a jail.
func born(t *testing.T, path string) time.Time {
	t.Helper()
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &st); err != nil {
		t.Fatal(err)
	}
	if st.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}
	}
	return time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
}
