// Package tool holds the tools that an agent may call, and the one pipeline
// that every call takes.
//
// # The way of a call
//
// [Toolbox.Call] decodes the arguments against the tool's schema, checks that
// the task grants the tool's operation, resolves each path through the jail to
// an object, has the policy judge those objects, asks the operator where the
// policy says so, makes an intent record durable before anything changes, acts
// on the objects that were judged, and records the result before it answers.
// A refusal at any stage goes straight to the record.
//
// # What it guarantees
//
//   - A tool never sees a path: it gets handles that were resolved and judged,
//     and acts on those.
//   - No answer leaves before its audit record is written. Where the record can't
//     be written, the answer is audit_unavailable, unless the journal was told to
//     let calls go on.
//   - What a read rule denies is not revealed by any tool: not by a search, a
//     copy, an edit, a diff, nor by comparing hashes.
//   - What the operator approved is what happens. After the wait everything is
//     found, judged and worked out again, and must be what was shown, to the byte;
//     an approval is used up directly before the act, and a read is checked once
//     more after it. Anything else is a conflict.
//   - A command is read in the dialect of the shell that will run it, each program
//     is looked up where the command would find it, and redirects are judged as
//     file_read and file_write on the real file. Without a sandbox nothing runs.
//   - Two edits of one file never lose one of them in silence: within a process
//     they take turns, and between processes the second gets a conflict.
//   - A panic in a tool is answered as internal and recorded; it does not end
//     the process.
//
// # What it does not
//
//   - A plain file_write without if_match replaces whatever is there: the last
//     writer wins, as its caller asked.
//   - Judging every descendant of a directory before a recursive act, and each
//     again at the act, still leaves the time between the last judgement and the
//     system call; what can be swapped in then is an object of the same name
//     inside the same directory.
//   - The source of an approved copy or move is compared before the act and not
//     during it: what is written to it in that moment is copied. Files above 64 MiB
//     are compared by size, times and identity.
//   - Reading a command refuses early and helps the operator. What the programs do
//     with their arguments is up to the sandbox.
package tool
