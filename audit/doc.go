// Package audit keeps an append-only journal of what an agent asked for and
// what became of it: one JSON object a line, each carrying the SHA-256 of the
// line before, so that a later change to the file shows.
//
// # Guarantees
//
//   - [Log.Append] returns nil only when the whole line has been handed to the
//     kernel; with [Record.Durable] set, only when it is on the disk. A line
//     that was written in part is taken back before the error is returned.
//   - If the line can't be written, the error matches [ErrUnavailable], and the
//     caller is expected to refuse the call. With [Options.OnFailure] "continue"
//     the error goes to [Options.Report] and is counted instead.
//   - Several goroutines and several processes may append to one file; the
//     lines form one chain.
//   - A file that was removed or replaced under the log is noticed at the next
//     Append, and nothing is written beside it.
//   - [Verify] names the first record that was edited, removed, inserted or
//     moved, over the exact bytes of the file.
//   - Well-known shapes of secrets do not reach the argv, command and detail
//     fields. Paths are written as they are: they are the evidence.
//
// # Non-guarantees
//
//   - Lines cut off at the end of the file are not noticed: what is left is a
//     valid, shorter chain.
//   - The chain holds no secret. Whoever may write the file can rewrite all of
//     it with new hashes; run Bailey as a user of its own.
//   - A record without Durable can be lost when the machine, rather than the
//     process, goes down.
//   - [Redact] knows common shapes; a secret that looks like any other word
//     passes.
//   - Only systems with flock(2) are supported. Elsewhere [Open] fails.
//
// # A crash in the middle of a line
//
// A process that is killed while it writes can leave a line without its end.
// Such a line was never acknowledged, and [Verify] reports it as torn. The next
// writer repairs the file: a line that is whole but for its newline gets the
// newline; of any other the bytes are cut off, and a record with tool "audit" and
// op "recover" takes their place in the chain. It carries their number, their
// SHA-256 (sha256_before) and the first 4 KiB as text. So every line of the
// file is a record, and the trace of the crash is part of the chain. (If the
// machine goes down between the cut and that record, the torn bytes are lost.)
//
// # Form of a line
//
// Fields stand in the order of [Record]; empty ones are left out. Text is UTF-8
// and not escaped, but for quotes, backslashes and control characters; text
// that is not UTF-8 is shown with each bad byte as \xNN and each backslash
// doubled. The last field, hash, is the SHA-256 of the line's bytes without that field:
// everything before `,"hash":` and a closing brace. The field before it, prev,
// is the hash of the line before, 64 zeros in the first.
package audit
