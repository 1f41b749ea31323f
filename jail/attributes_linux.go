package jail

import (
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// accessACL is the extended attribute that holds a file's access ACL, acl(5).
const accessACL = "system.posix_acl_access"

// carried tells whether an extended attribute goes over to a new file.
func carried(attr string) bool { return attr == accessACL || strings.HasPrefix(attr, "user.") }

// plain asks by listxattrat(2) (Linux 6.13): one call, where an open, a list and
// a close take three times as long, and most files have nothing to carry.
func (d *fdDir) plain(name string) bool {
	path, err := unix.BytePtrFromString(name)
	if err != nil {
		return false
	}
	var buf [256]byte // more than that is looked at in full
	//nolint:gosec // the pointers live as long as the call, and x/sys has no wrapper yet
	n, _, errno := unix.Syscall6(unix.SYS_LISTXATTRAT, uintptr(d.fd), uintptr(unsafe.Pointer(path)),
		unix.AT_SYMLINK_NOFOLLOW, uintptr(unsafe.Pointer(&buf)), unsafe.Sizeof(buf), 0)
	if errno != 0 {
		return false
	}
	return n == 0 || !slices.ContainsFunc(attributeNames(buf[:n]), carried)
}

// dropDefaultACL takes off what a default ACL of the directory has given a new
// file: it would open the file to people whom the old one kept out. Looking first
// is quicker, and on a disk it is no transaction.
func dropDefaultACL(t *temp) {
	if _, err := unix.Fgetxattr(t.fd, accessACL, nil); err != unix.ENODATA {
		_ = unix.Fremovexattr(t.fd, accessACL)
	}
}

// copyAttributes carries the user's extended attributes and the access ACL over
// to the new file. A file system without them, or a file that may not be read,
// has none to carry.
func copyAttributes(in dir, name string, was Info, to *temp) {
	old, err := in.openFile(name)
	if err != nil {
		return
	}
	defer func() { _ = old.Close() }()
	if !old.info.same(was) {
		return
	}
	for _, attr := range listAttributes(old.fd) {
		if !carried(attr) {
			continue
		}
		if value, ok := attribute(old.fd, attr); ok {
			_ = unix.Fsetxattr(to.fd, attr, value, 0)
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
	return attributeNames(buf[:size])
}

// attributeNames takes the list of the kernel apart: each name ends in a NUL.
func attributeNames(list []byte) []string {
	return strings.Split(strings.TrimRight(string(list), "\x00"), "\x00")
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
