// Package gitguard lets git work in the sandbox without letting a command plant
// what the operator's git, shell, editor or agent would run later.
//
// [Guard.Begin] prepares a run: it scans the allowed folders (package covers) and
// gives each repository's configuration a writable copy, which the command sees in
// its place. [Run.Finish] cleans up after it:
//
//   - Of what was done to the copy, the upstream of a branch and new remotes that
//     are nothing but an https or ssh address are taken over. Everything else is
//     put back, and reported.
//   - Protected names that did not exist before (hooks, commondir, .git files,
//     editor and agent configuration, targets of core.hooksPath, what a rule denies
//     to write) are moved into a quarantine outside of the agent's reach.
//   - A repository that was made (git init, clone, worktree, submodule) stays, with
//     a configuration of harmless keys only, sample hooks only, and pointers that
//     lead to repositories inside which point back.
//   - Lock files that a killed git left are reported.
//
// If Bailey is killed before Finish, the next Begin in the same folders does that.
//
// # Guarantees
//
//   - What is not understood counts as hostile.
//   - After the merge git reads exactly the keys that it read before, and the
//     permitted ones.
//   - The objects that are moved are the ones that were judged, reached through
//     package jail.
//
// # What it does not guarantee
//
//   - A command could change, before Finish ran, what git or an editor of the
//     operator's reads at that very moment.
//   - State that git itself acts on when the operator goes on with it, such as the
//     list of an interrupted rebase, is not looked at.
//   - What the operator's own configuration runs on files of the work tree
//     (filters that .gitattributes names, a makefile) is the operator's choice.
package gitguard
