// Package sandbox runs commands isolated from the host. It knows nothing of agents,
// tools or policies: a [Spec] says which folders a command sees, what in them is
// covered, and its limits.
//
// A command never runs bare. bubblewrap makes the walls; a helper inside finishes
// them and tells what they look like; the command starts only when the launcher has
// compared that with what was meant. A wall that is missing is an error, and then
// nothing ran. This is what catches a back end that does nothing when nested in a
// container.
//
// # What a command finds
//
// An empty root in memory with the host's programs and libraries, the folders at
// their own paths, a /tmp of the session, a private /dev and /proc, a few files of
// /etc without secrets, and an empty HOME. No network, no sockets of the host, no
// processes but its own. Its environment is built from nothing.
//
// # Guarantees
//
//   - Nothing outside of the writable folders and /tmp can be written, nor the mode of
//     a device be changed. What the Spec does not show can't be read.
//   - Covers hold: a masked file can't be opened, what is read-only can't be changed,
//     and neither can be moved, removed or uncovered, nor directories that are pinned.
//     A cover is mounted on the very object that the Spec names, or nothing runs.
//   - User, PID, mount, IPC, UTS, network and cgroup namespaces are the run's own. All
//     capabilities are dropped, no privileges can be gained, no user namespaces made, and
//     a filter of system calls is on: mounts, ptrace, keys, bpf, io_uring, userfaultfd,
//     and sockets but for local, IPv4, IPv6 and routing ones are refused. Landlock repeats
//     where may be written.
//   - Nothing survives: neither daemons nor what ignores signals, when the command ends,
//     the context does, or this program does, by SIGKILL too, at any moment. Nothing is
//     left on the host: no process, mount or file.
//   - The exit status is the command's own; that of a signal is told apart from an exit
//     with the same number.
//   - No path is followed in a tree that a command can write when a sandbox is set up.
//   - Isolation programs are taken from fixed places that only root can write.
//
// # What it does not guarantee
//
//   - A hole in the kernel is a hole in the walls: this is no virtual machine.
//   - Times, sizes and loads tell things to whoever shares a machine.
//   - What is made in a writable folder stays there, with its mode bits, and whoever runs
//     it later runs it outside. Names that do not exist can't be covered.
//   - Limits.Memory and Limits.CPU are for each process, not for all of them. The kernel
//     exempts root from Limits.Processes. Disk space in the folders has no bound.
//   - Everything in the system's directories, such as /usr, can be read.
//   - Files of other users in a folder are those of nobody inside, and root has no more
//     rights to them than anybody else.
//   - A command can end its own run early, and can leave /tmp full for the next one.
//   - Pinned directories and read-only objects are mount points: files can't be renamed or
//     hard-linked across them, and tools fall back to copying.
//
// # Processes
//
// Importing this package makes the program able to be its own helper: it executes itself
// once more, as a keeper for each [Sandbox] and as process 1 inside each sandbox. That
// happens in the initialisation of internal packages, before main. A program must not
// be executed with the helper's arguments by hand.
//
// Where the host allows this program no user namespaces of its own, but bubblewrap, the
// keeper does without: each run then has its own /tmp, which [Report.Gaps] tells.
//
// Only Linux has isolation programs; elsewhere Run answers [ErrUnavailable].
package sandbox
