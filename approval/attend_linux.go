package approval

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const attendName = "approvals.watch"

// Attend says that somebody is there who answers requests, until leave is called
// or the process ends. It is a read lock of an open file description (fcntl(2),
// F_OFD_SETLK), which the kernel lets go of with the process, and which can be
// asked for without being taken.
func (s *Store) Attend() (leave func() error, err error) {
	f, err := s.attendFile()
	if err != nil {
		return nil, err
	}
	lock := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock); err != nil {
		return nil, broken(errors.Join(err, f.Close()))
	}
	return f.Close, nil
}

// Attended reports whether somebody watches, in any process.
func (s *Store) Attended() (bool, error) {
	f, err := s.attendFile()
	if err != nil {
		return false, err
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &lock); err != nil {
		return false, broken(err)
	}
	return lock.Type != unix.F_UNLCK, nil
}

func (s *Store) attendFile() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, attendName), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, broken(err)
	}
	return f, nil
}
