// Package jail gives race-free file access beneath one or more allowed
// folders. It knows nothing of agents, tools or policy.
//
// A path is a request. [Jail.Resolve] turns it into an [Object]: the very
// object that the kernel found for it, held open, together with its real path.
// A caller judges the real path and then acts on the same object, so that
// nothing can be swapped between the check and the use.
//
// # Guarantees (Linux with openat2)
//
//   - No call reads, writes, lists, creates, moves or removes anything outside
//     the allowed folders, whatever other processes rename, link or replace
//     meanwhile.
//   - A symbolic link is followed only while its target stays inside an allowed
//     folder: relative links, absolute links into a folder, and links that leave
//     by ".." and come back. At most 40 links are followed in one path.
//   - Names are bytes. Nothing is expanded, decoded, normalised or trimmed.
//   - A FIFO, socket, device or procfs object is refused and never blocks.
//   - Mount points below a folder are not entered, unless listed with
//     [WithCrossMounts].
//   - [Object.Replace] is atomic: a reader sees the old file or the new one,
//     whole, and so does whoever looks after a crash. A second hard link keeps
//     the old content. Set-uid and set-gid bits are never created.
//   - Errors name the path as the caller gave it and reveal nothing of what lies
//     outside.
//
// # What it does not guarantee
//
//   - A directory that somebody moves out of an allowed folder while a call
//     holds it open is still the object of that call. [Object.Verify] narrows
//     that window after a wait; it can't close it.
//   - A hard link made earlier to an outside file is, to the kernel, an inside
//     file. [Info.Nlink] above one is a flag, and one proves nothing about the
//     past; see [WithDenyHardLinks].
//   - [ReplaceOptions.Verify] compares the file that was swapped out. A process
//     that holds the old file open for writing can change it after that.
//   - Recursive acts are not transactions: they stop at the first refusal.
//   - Identity is device, inode number and type. A name whose object was removed
//     and made anew by somebody else can get the same inode number; compare the
//     content where that matters.
//   - What is found to be a device or a FIFO was opened for a moment, without
//     blocking. A driver to which the opening itself means something notices.
//   - A mount point listed with [WithCrossMounts] is known by its path alone.
//   - Names of the form ".bailey-tmp-" and 16 more characters belong to this
//     package: walks leave them out, and [Jail.Sweep] removes them.
//
// # Engines
//
// [EngineOpenat2] is the one described above (Linux 5.6 or newer).
// [EngineOSRoot] is built on [os.Root] and serves where openat2 is missing or
// forbidden, and on other systems. It is weaker: it looks at each name before
// it opens it and compares identities afterwards, so that an attack in the
// middle ends as an error ([ErrChanged]) rather than an escape, but moves between
// two directories go by path inside the [os.Root], NOREPLACE and exchange are
// emulated, and outside Linux a bind mount of the same device is not noticed. It
// can't enter a directory that may be searched but not read, keeps the rest of a
// listing in memory where the other keeps a mark, and takes the square of the
// depth in trees of hundreds of levels.
// [Jail.Engine] tells which one serves.
//
// The techniques are those of openat2(2), path_resolution(7), renameat2(2) and
// the os.Root design of Go 1.24.
package jail
