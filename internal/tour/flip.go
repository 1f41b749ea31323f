package tour

import (
	"os"
	"path/filepath"
	"sync"
)

// A flipper swaps a directory of the workspace with a link to the outside.
type flipper struct {
	dir, link string
}

func newFlipper(s *stage) (*flipper, error) {
	f := &flipper{dir: filepath.Join(s.workspace, "tour-flip"), link: filepath.Join(s.workspace, "tour-flop")}
	if err := os.Mkdir(f.dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(f.dir, "secret"), []byte("harmless\n"), 0o600); err != nil {
		return nil, err
	}
	return f, os.Symlink(s.outside, f.link)
}

// start swaps until stop is called; stop tells how often.
func (f *flipper) start() (stop func() int) {
	var (
		done  = make(chan struct{})
		ended = make(chan int)
		once  sync.Once
		flips int
	)
	go func() {
		n := 0
		for {
			select {
			case <-done:
				ended <- n
				return
			default:
				if exchange(f.dir, f.link) == nil {
					n++
				}
			}
		}
	}()
	return func() int {
		once.Do(func() { close(done); flips = <-ended })
		return flips
	}
}
