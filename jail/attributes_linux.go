package jail

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// accessACL is the extended attribute that holds a file's access ACL, acl(5).
const accessACL = "system.posix_acl_access"

// copyAttributes carries the user's extended attributes and the access ACL over
// to the new file. A file system without them, or a file that may not be read,
// has none to carry.
//
// What a default ACL of the directory has given the new file is taken off: it
// would open the file to people whom the old one kept out.
func copyAttributes(in dir, name string, was Info, to *os.File) {
	fd := int(to.Fd())
	_ = unix.Fremovexattr(fd, accessACL)
	old, err := in.openFile(name)
	if err != nil {
		return
	}
	defer func() { _ = old.Close() }()
	if !old.info.same(was) {
		return
	}
	for _, attr := range listAttributes(old.fd) {
		if attr != accessACL && !strings.HasPrefix(attr, "user.") {
			continue
		}
		if value, ok := attribute(old.fd, attr); ok {
			_ = unix.Fsetxattr(fd, attr, value, 0)
		}
	}
}

func listAttributes(fd int) []string {
	size, err := unix.Flistxattr(fd, nil)
	if err != nil || size == 0 {
		return nil
	}
	buf := make([]byte, size)
	size, err = unix.Flistxattr(fd, buf)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimRight(string(buf[:size]), "\x00"), "\x00")
}

func attribute(fd int, name string) ([]byte, bool) {
	size, err := unix.Fgetxattr(fd, name, nil)
	if err != nil {
		return nil, false
	}
	buf := make([]byte, size)
	size, err = unix.Fgetxattr(fd, name, buf)
	if err != nil {
		return nil, false
	}
	return buf[:size], true
}
