// Package policy decides whether an access may happen: allowed, asked of a
// human, or denied.
//
// A [Config] is compiled once into a [Policy]. [Policy.Judge] then decides about
// one [Access], a [Cursor] about the entries of a directory on a walk, and
// [Policy.JudgeCommand] about a command. All name the one rule that is
// responsible. The package is pure: it does no I/O,
// reads no environment, and the same input gives the same verdict.
//
// # Order of decision
//
// The strictest of these wins, and the first of equals is named:
//
//  1. Tool policy. A denial is final. Supervised is a floor: what follows can't
//     end milder. Of several entries that match a tool the strictest counts.
//  2. Rules. Of all that match, deny beats supervised beats allow. Their order
//     in the configuration has no meaning; of several that are equally strict
//     the alphabetically first is named.
//  3. Sensitive files (keys, credentials, .env, histories), for every effect.
//  4. Protected paths (git hooks and configuration, shell start-up files,
//     editor and agent configuration), for changes.
//  5. The default action, unless a rule of stage 2 has decided.
//
// A deny rule of stage 2 is named before stages 3 and 4; these are named before
// a supervised or allow rule.
//
// # What rules cover
//
// Deny and supervised rules compare the path as requested and the real path,
// ignore case (a class such as [A-Z] or [^a] matches a letter that it matches in
// either case), and cover everything beneath what they match. One whose tools
// include file_read covers all that reveals content, by whatever tool; one whose
// tools include file_write covers every change. Allow rules compare the real
// path only, case counts, and they cover just the paths and tools they name.
//
// # Patterns
//
// Patterns are doublestar globs: *, ?, [class], {a,b} within a path segment, and
// ** for any number of segments. One that starts with /, ~ or ** is absolute,
// any other is below the workspace. A slash at the end means the directory and
// everything beneath. A pattern that could never do what it seems to say is
// refused: .. segments, ~user, ** next to other text in a segment, variables,
// negations, blanks around a name, characters that can't be seen, a backslash
// before a letter; in commands also quotes, operators of a shell, braces and
// classes. [Notes] tells of what is legal and may yet do less than it seems to.
//
// # Lifting a built-in
//
// Stages 3 and 4 are lifted by an allow rule, or to supervised by a supervised
// rule, that matches the access and spells out what makes the path special:
// **/.env lifts .env, ~/.ssh/config and **/.ssh/** lift below .ssh, while
// src/**, **/.* and **/.env.* lift nothing. Every segment that the built-in's
// own pattern spells out must be spelled out, also where its pattern has a
// wildcard in the segment (credentials*). The segments of the workspace's own
// path, and of ~, don't count as spelled out.
//
// # Commands
//
// A command is judged by every program that it would run. Its own stages are
// the tool policy, the rules with commands and those about the tool alone,
// the dangers that programs are known for, and the default action. One program
// that a deny rule matches denies the whole. A rule that would match for some of
// what the run may make of an argument asks a human, also if it is to deny.
//
// The tool named shell is supervised unless the tool policy names it. Rules that
// allow each program of a command lift that, but no entry of the tool policy that
// supervises. Where the tool policy allows the shell, what can't be read runs,
// unless some rule denies or supervises commands: then a human is asked.
//
// Patterns of commands are words: * stands for any text in a word, slashes
// included, ** for any number of words. A pattern matches a whole call, the
// global options of git apart. To deny or supervise, the program's name as
// written, the file that it resolves to, and the last parts of both count, in any
// case. To allow, only the file counts, or the last part of the name, and only
// if the file lies out of the agent's reach; and what an argument becomes at the
// run is matched by ** alone.
//
// A danger is lifted by an allow rule that spells the program out, and where it
// lies in the arguments (the recursive deletion of a root, a signal to every
// process, a fork bomb, a download that is executed) by one without wildcards.
//
// # Guarantees
//
//   - Adding a deny rule never makes a verdict milder. Adding a supervised rule
//     never makes one allow; it makes one milder only where it lifts a built-in, or
//     where the default action has denied.
//   - Whatever name of a folder a path or a pattern has, the verdict is the same.
//   - The order of rules never changes a verdict.
//   - No change of letter case below the workspace gets a path past a deny rule.
//   - A Cursor's verdict is that of Judge for the same path.
//   - Paths that are relative, or not clean, are denied; none makes it panic.
//   - No rule allows a command of which not all is known, or that runs a program
//     the agent can write.
//
// # What it does not do
//
// It believes what an Access says: that Real is the object's real path, and Dir,
// Link and GitDir are true, is up to the caller, as is acting on that same
// object. It does not know which folders are allowed, nor special files. Names
// are compared by simple case folding, not by Unicode normalisation, so on a file
// system that equates composed and decomposed letters the caller must pass names
// as the directory holds them. Rules with commands match no path: what a program
// does with its arguments, and what the files say that it executes, is not judged.
// It believes a [CommandAccess] too: that the programs are all, what they resolve
// to, and what they are known for.
package policy
