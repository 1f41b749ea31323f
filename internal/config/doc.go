// Package config reads the operator's configuration: one TOML file, decoded
// strictly into a [Config].
//
// # What it guarantees
//
//   - Nothing is accepted silently. An unknown key, a wrong type, a value out
//     of range, a misspelled enum, a key given twice: each is an error with
//     file, line and column, and the nearest valid name where there is one.
//     All errors of a file are reported, not only the first. Sections whose
//     feature is not in use in a run are checked all the same.
//   - No file is a valid configuration: [Default] is what holds then. A file
//     that is there, but can't be read or is broken, is never replaced by the
//     defaults, nor by a file further down the search order.
//   - A configuration file is a regular file of at most 1 MiB that other users
//     can't write (see [Load]).
//   - [CheckOutside] compares by device and inode, so that links, bind mounts
//     and file systems without case can't hide that the configuration or the
//     state directory lies where an agent could write it.
//   - [Parse] is pure: the same bytes give the same result, and no input makes
//     it panic.
//
// # What it does not guarantee
//
//   - Whether folders exist, may be opened, or are refused as too wide (/, a
//     home) is decided when they are opened, not here.
//   - Globs, tool names and rules that contradict themselves are judged by
//     package policy, which knows the tools; [Config.Policy] gives its findings
//     their positions in the file.
//   - After a syntax error the rest of the file is unknown: what stands before
//     it is still checked.
//   - A process of the same user outside Bailey can rewrite the file.
//
// # Keys that are read ahead of their feature
//
// [approval], [memory], [sandbox], [sandbox.network] and [packages] are read,
// validated and shown like every other section; they take effect in the feature
// of that name. A wrong value there is an error whether or not the feature runs.
//
// # Values
//
// A duration is a string such as "90s", "5m", "1h30m" or "400d", largest unit
// first; "none" stands where a key says so. A size is a string such as
// "256KiB", "2GiB" or "10MB", or an integer of bytes. Positions count lines and
// characters from 1.
package config
