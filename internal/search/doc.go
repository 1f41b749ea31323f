// Package search is the engine behind content search and file search: regular
// expressions over trees of files, .gitignore rules, and globs.
//
// # Guarantees
//
// All files are reached through package jail: entries by the descriptor of
// their directory, .gitignore files beneath the allowed folder. Links are not
// followed, special files are not opened. Every entry is put to the caller's
// Judge before its name or content has any effect on a result, but for the
// count of what was left out.
//
// Results come in the order of the walk, sorted by name bytes within each
// directory, whatever the number of workers; with the same tree they are the
// same. Memory is bounded by the number of workers, not by files, lines,
// matches or directories (one directory above the walk's own sorting limit
// comes in sorted chunks). A search ends soon after its context does, and
// leaves no goroutine behind.
//
// # Limits
//
// A tree that changes while it is searched is reported as it was found, piece
// by piece. A line of more than 1 MiB is matched in overlapping pieces. Of a
// binary file (one with a NUL byte in its first 256 KiB) the first 64 MiB are
// searched. Of the git ignore sources only .gitignore files and
// .git/info/exclude count, not core.excludesFile nor the index: a tracked file
// that a pattern names is left out.
package search
