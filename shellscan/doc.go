// Package shellscan reads a shell command and tells which programs it would run.
//
// [Scan] takes a shell text in one of two dialects, or an argument list that no
// shell sees, and returns a [Reading]: every program with its arguments, through
// pipes, lists, groups, subshells, substitutions, here-documents, loops,
// functions, eval, trap, and the programs that run others (env, xargs, sh -c,
// find -exec, …), and every redirect. It decides nothing.
//
// # Guarantees
//
//   - A Reading without a reason in Dynamic is complete: in an environment whose
//     variables, aliases and exported functions are the caller's own, the shell
//     starts no program that is not listed, and starts each with the arguments
//     that are listed. Arguments that only the run decides are marked as such,
//     and then the program is one that no argument can make run another.
//   - What can't be read completely says so. There is no limit past which a
//     command is taken for harmless: one that is too long, too deeply nested or
//     malformed has a reason in Dynamic. The programs found up to there are
//     still listed, so that they can be refused.
//   - No input makes it panic, and it does no I/O.
//
// # What it does not do
//
// It doesn't know what a program does of its own accord: make runs what a
// Makefile says, git runs hooks, ./build.sh runs anything. Such programs are
// marked by Program.Source and Program.Scripts where the command itself says
// that they take instructions. It knows the options that make common programs
// run others, and of a program that it doesn't know it believes that literal
// arguments stay arguments. It does not look at files, so it can't tell that a
// program's name is a link to another one: resolve names, and judge what they
// lead to. It is a way to refuse early and to tell a human what a command is
// about. It is no sandbox.
package shellscan
