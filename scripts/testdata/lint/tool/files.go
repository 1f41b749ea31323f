package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	files "os"

	"golang.org/x/sys/unix"
)

// Each of these goes around package jail.
var _ = []any{
	os.Open, // want forbidigo
	os.OpenFile, // want forbidigo
	os.OpenInRoot, // want forbidigo
	os.OpenRoot, // want forbidigo
	os.DirFS, // want forbidigo
	os.CopyFS, // want forbidigo
	os.Create, // want forbidigo
	os.CreateTemp, // want forbidigo
	os.MkdirTemp, // want forbidigo
	os.ReadFile, // want forbidigo
	os.WriteFile, // want forbidigo
	os.ReadDir, // want forbidigo
	os.Readlink, // want forbidigo
	os.Mkdir, // want forbidigo
	os.MkdirAll, // want forbidigo
	os.Remove, // want forbidigo
	os.RemoveAll, // want forbidigo
	os.Rename, // want forbidigo
	os.Symlink, // want forbidigo
	os.Link, // want forbidigo
	os.Stat, // want forbidigo
	os.Lstat, // want forbidigo
	os.Chmod, // want forbidigo
	os.Chown, // want forbidigo
	os.Lchown, // want forbidigo
	os.Chtimes, // want forbidigo
	os.Truncate, // want forbidigo
	os.Chdir, // want forbidigo
	filepath.EvalSymlinks, // want forbidigo
	filepath.Walk, // want forbidigo
	filepath.WalkDir, // want forbidigo
	filepath.Glob, // want forbidigo
	unix.Open, // want forbidigo
	unix.Openat, // want forbidigo
	unix.Openat2, // want forbidigo
	unix.OpenTree, // want forbidigo
	unix.Creat, // want forbidigo
	unix.Stat, // want forbidigo
	unix.Lstat, // want forbidigo
	unix.Fstatat, // want forbidigo
	unix.Statx, // want forbidigo
	unix.Statfs, // want forbidigo
	unix.Readlink, // want forbidigo
	unix.Readlinkat, // want forbidigo
	unix.Mkdir, // want forbidigo
	unix.Mkdirat, // want forbidigo
	unix.Mknod, // want forbidigo
	unix.Mknodat, // want forbidigo
	unix.Unlink, // want forbidigo
	unix.Unlinkat, // want forbidigo
	unix.Rmdir, // want forbidigo
	unix.Rename, // want forbidigo
	unix.Renameat, // want forbidigo
	unix.Renameat2, // want forbidigo
	unix.Link, // want forbidigo
	unix.Linkat, // want forbidigo
	unix.Symlink, // want forbidigo
	unix.Symlinkat, // want forbidigo
	unix.Chmod, // want forbidigo
	unix.Fchmodat, // want forbidigo
	unix.Chown, // want forbidigo
	unix.Lchown, // want forbidigo
	unix.Fchownat, // want forbidigo
	unix.Truncate, // want forbidigo
	unix.Utimes, // want forbidigo
	unix.UtimesNanoAt, // want forbidigo
	unix.Access, // want forbidigo
	unix.Faccessat, // want forbidigo
	unix.Chdir, // want forbidigo
	unix.Fchdir, // want forbidigo
	unix.Chroot, // want forbidigo
	unix.Mount, // want forbidigo
	unix.Setxattr, // want forbidigo
	unix.Lsetxattr, // want forbidigo
	unix.Getxattr, // want forbidigo
	unix.Lgetxattr, // want forbidigo
	unix.Removexattr, // want forbidigo
	unix.Lremovexattr, // want forbidigo
	syscall.Open, // want forbidigo
	files.ReadFile, // want forbidigo, whatever the import is called
	fmt.Println, // want forbidigo
	os.Stdout, // want forbidigo
}

// These do not touch a path.
var _ = []any{
	os.Getpid,
	os.ErrNotExist,
	filepath.Join,
	filepath.Clean,
	strings.Contains,
	fmt.Sprintf,
	unix.Read,
	unix.Close,
}
