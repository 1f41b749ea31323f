package sandbox

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// streams are the pipes between a command and the Spec's readers and writers. A
// command never holds a file of the host: it could open it anew, in another way.
type streams struct {
	spec     *Spec
	inside   [3]*os.File
	outside  [3]*os.File
	terminal *os.File
	copies   sync.WaitGroup // of output
	done     chan struct{}
	typing   chan struct{} // closed when the input is no longer read; nil: it never was
}

func newStreams(spec *Spec) (*streams, error) {
	s := &streams{spec: spec, done: make(chan struct{})}
	for i := range s.inside {
		r, w, err := os.Pipe()
		if err != nil {
			s.closeInside()
			s.close()
			return nil, err
		}
		s.inside[i], s.outside[i] = w, r
		if i == 0 {
			s.inside[i], s.outside[i] = r, w
		}
	}
	return s, nil
}

// closeInside closes the ends that the command has got.
func (s *streams) closeInside() {
	for _, f := range s.inside {
		if f != nil {
			f.Close()
		}
	}
}

func (s *streams) close() {
	close(s.done)
	for _, f := range append(s.outside[:], s.terminal) {
		if f != nil {
			f.Close()
		}
	}
}

// complaint is what the back end has printed. All who could write more have ended.
func (s *streams) complaint() string {
	const enough = 4 << 10
	_ = s.outside[2].SetReadDeadline(time.Now().Add(time.Second))
	text, _ := io.ReadAll(io.LimitReader(s.outside[2], enough))
	return string(text)
}

// copy lets the streams flow.
func (s *streams) copy() {
	if s.spec.Terminal != nil {
		return // see attach
	}
	if s.spec.Stdin == nil {
		s.outside[0].Close()
	} else {
		s.typing = make(chan struct{})
		go func() {
			defer close(s.typing)
			_, _ = io.Copy(struct{ io.Writer }{s.outside[0]}, s.spec.Stdin)
			s.outside[0].Close()
		}()
	}
	s.copyOut(s.spec.Stdout, s.outside[1])
	s.copyOut(s.spec.Stderr, s.outside[2])
}

// copyOut passes output on until its end. Where it can't be written the pipe is
// closed, as a command in a shell's pipeline would see it.
func (s *streams) copyOut(w io.Writer, r *os.File) {
	if w == nil {
		w = io.Discard
	}
	s.copies.Go(func() {
		_, _ = io.Copy(struct{ io.Writer }{w}, struct{ io.Reader }{r})
		r.Close()
	})
}

// drain waits for the end of the output. Nobody is left who could hold it open. Input
// that can be told to is no longer read, so that it is there for whoever comes next.
func (s *streams) drain() {
	s.copies.Wait()
	in, ok := s.spec.Stdin.(interface{ SetReadDeadline(time.Time) error })
	if !ok || s.typing == nil || in.SetReadDeadline(time.Unix(1, 0)) != nil {
		return
	}
	<-s.typing
	_ = in.SetReadDeadline(time.Time{})
}

const endOfInput = 4 // what a terminal takes for it: Ctrl-D

// attach connects the command's terminal.
func (s *streams) attach(master *os.File, t *Terminal) {
	s.terminal = master
	s.copyOut(s.spec.Stdout, master)
	if s.spec.Stdin != nil {
		s.typing = make(chan struct{})
		go func() {
			defer close(s.typing)
			if _, err := io.Copy(struct{ io.Writer }{master}, s.spec.Stdin); err == nil {
				_, _ = master.Write([]byte{endOfInput})
			}
		}()
	}
	go func() {
		for {
			select {
			case <-s.done:
				return
			case size, ok := <-t.Resize:
				if !ok || resize(master, size) != nil {
					return
				}
			}
		}
	}()
}

// resize tells a terminal its size; its programs get SIGWINCH.
func resize(master *os.File, size Size) error {
	raw, err := master.SyscallConn()
	if err != nil {
		return err
	}
	return errors.Join(raw.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Rows, Col: size.Cols})
	}), err)
}
