package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrInside is matched by an [InsideError].
var ErrInside = errors.New("lies inside an allowed folder")

// InsideError says that the configuration or the state directory lies where an
// agent can reach it.
type InsideError struct {
	Path   string // as it was given
	Folder string // the allowed folder it is, or lies in
	Via    string // the link or mount that leads there, "" where the path itself does
}

func (e *InsideError) Error() string {
	via := ""
	if e.Via != "" {
		via = " (through " + e.Via + ")"
	}
	return fmt.Sprintf("%s lies inside the allowed folder %s%s: an agent could change its own rules or records", e.Path, e.Folder, via)
}

// Is matches [ErrInside].
func (e *InsideError) Is(target error) bool { return target == ErrInside }

// CheckOutside makes sure that the configuration file or the state directory
// neither is nor lies inside one of the allowed folders, which must exist. The
// path itself need not exist yet.
//
// Directories are compared by device and inode, from the path up to the root,
// and so is each directory in which the path passes through a link: an agent
// that can write there could turn the link elsewhere. On Linux, what is mounted
// below an allowed folder counts as that folder. What another mount namespace
// shows is not seen.
func CheckOutside(path string, folders []string) error {
	inside, err := newFolderSet(folders)
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	real, err := followLinks(abs, func(link string) error {
		return inside.check(filepath.Dir(link), path, link)
	})
	if err != nil {
		return err
	}
	return inside.check(real, path, "")
}

// place is a directory (or a mounted file) that an agent can reach.
type place struct {
	info   fs.FileInfo
	folder string
	via    string
}

type folderSet []place

func newFolderSet(folders []string) (folderSet, error) {
	mounts := mountPoints()
	var set folderSet
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil {
			return nil, fmt.Errorf("allowed folder: %w", err)
		}
		set = append(set, place{info: info, folder: folder})
		real, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return nil, fmt.Errorf("allowed folder: %w", err)
		}
		for _, mount := range mounts {
			if !strings.HasPrefix(mount, strings.TrimSuffix(real, "/")+"/") {
				continue
			}
			if info, err := os.Stat(mount); err == nil { // one that can't be seen can't be used either
				set = append(set, place{info: info, folder: folder, via: mount})
			}
		}
	}
	return set, nil
}

// check walks from a path without links up to the root.
func (s folderSet) check(at, given, via string) error {
	for {
		info, err := os.Lstat(at)
		if err != nil && !absent(err) {
			return fmt.Errorf("%s can't be compared with the allowed folders: %w", given, err)
		}
		if err == nil {
			for _, p := range s {
				if os.SameFile(info, p.info) {
					if via == "" {
						via = p.via
					}
					return &InsideError{Path: given, Folder: p.folder, Via: via}
				}
			}
		}
		parent := filepath.Dir(at)
		if parent == at {
			return nil
		}
		at = parent
	}
}

// maxLinks is the kernel's own limit.
const maxLinks = 40

// followLinks resolves an absolute path as the kernel would, but goes on where
// nothing exists yet. It calls seen with each link, by its resolved parent.
func followLinks(abs string, seen func(link string) error) (string, error) {
	root, rest := splitRoot(abs)
	at := root
	links := 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		target, err := os.Readlink(next)
		if err != nil { // not a link, or not there
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "resolve", Path: abs, Err: errors.New("too many links")}
		}
		if err := seen(next); err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			at, target = splitTarget(target)
		}
		rest = append(splitNames(target), rest...)
	}
	return at, nil
}

func splitRoot(abs string) (root string, names []string) {
	root, rest := splitTarget(abs)
	return root, splitNames(rest)
}

func splitTarget(abs string) (root, rest string) {
	volume := filepath.VolumeName(abs)
	return volume + string(filepath.Separator), abs[len(volume):]
}

func splitNames(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// mountPoints lists what is mounted; none where the system does not tell.
func mountPoints() []string {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	var points []string
	for line := range strings.Lines(string(data)) {
		// ID, parent, device, root, mount point, …
		if fields := strings.Fields(line); len(fields) > 4 {
			points = append(points, unescapeMount(fields[4]))
		}
	}
	return points
}

// unescapeMount undoes the kernel's octal escapes of blank, tab, newline and
// backslash.
func unescapeMount(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
