// Package text is the text work of the file tools: encodings, ranges of lines
// or bytes, edits, unified diffs and the spelling of file names. It works on
// bytes, strings and [io.ReaderAt]; it opens no files and knows no paths.
//
// # Guarantees
//
//   - Decoding is strict: bytes that are not text in the encoding at hand are
//     an error that matches [ErrNotText], never replacement characters.
//   - [Apply] leaves every byte that no edit touches as it was, including line
//     endings, byte order mark and a missing final newline. A file of which
//     that can't be promised (a charset with several codes for one character)
//     is refused with [LossyError].
//   - [Read] holds no more than about Source.MaxBytes of a file in memory,
//     whatever the file's size and however long its lines, and stops when its
//     context ends. Text and SHA256 of one Result come from the same read.
//   - [Unified] and the hints of [MismatchError] do a bounded amount of work.
//
// # Not guaranteed
//
//   - Charsets are not guessed: without a label or a byte order mark a file is
//     UTF-8 or not text. Errors suggest labels, they never choose one.
//   - A file that another process changes in place during a Read may give a
//     mixture of old and new bytes. SHA256 is of the bytes that were read.
//   - Lines end at a line feed. A file with carriage returns alone is one line.
//
// All functions are safe for concurrent use. The charset tables and labels are
// those of the WHATWG Encoding Standard as golang.org/x/text has them.
package text
