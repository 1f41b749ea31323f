// Package covers finds out what a command in the sandbox must not reach, or not
// change, of the allowed folders: which objects are to be covered before it runs.
//
// A [Scanner] asks the policy about every name below the allowed folders and keeps
// what it has learnt, directory by directory, with the directory's inode number and
// change time. A later [Scanner.Scan] looks at the directories alone, and lists
// again only those that have changed.
//
// # What is covered
//
//   - Masked is what the policy would not let file_read reveal (denied, supervised
//     or sensitive), and FIFOs, sockets, devices, mounts that may not be entered,
//     and directories that can't be looked into. A directory of which nothing may
//     be read is one cover.
//   - Read-only is what may be read but not changed, in the folders that are
//     writable at all: protected paths at any depth, what git takes for a
//     repository's own files under whatever name, directories that git runs hooks
//     from, and what the policy denies or supervises for file_write.
//   - Pinned is each directory above one of these, so that it can't be renamed away
//     from the path that the policy speaks of, and each repository's directory.
//   - Every other name, in the folders, of a file that is masked or read-only is
//     covered as well.
//
// # Guarantees
//
//   - The answer is that of the policy for the names that the folders hold when
//     Scan is called, the cache or not, on file systems with time stamps of this
//     kernel's clock. On others every directory is listed each time.
//   - Covers come in the order in which they are to be mounted, each with the
//     identity of its object. Mounting them on anything else must fail.
//   - More than [MaxCovers] is a *[LimitError], never a part of them.
//
// # What it does not guarantee
//
//   - Names that do not exist can't be covered. [Scan.Appeared] tells afterwards
//     which protected ones have come into being.
//   - Beneath a directory that is masked as a whole nothing is looked at: other
//     names, outside of it, of the files in it are not found.
//   - The tool policy is not asked: to deny the tool file_read is to take away that
//     tool, while a rule about a path is about the file.
package covers
