// Package approval keeps the requests that wait for a human, and what the human
// decided. It asks nobody itself: faces show a request and write the decision
// down here, and the call that waits finds it.
//
// A request goes one way:
//
//	pending ──> approved ──> executed
//	   │            └──────> expired
//	   └──> denied, expired or cancelled
//
// # What holds
//
//   - A request is decided once. Whoever comes second is told who was first.
//   - An approval is used once ([Store.Claim]), before it expires, and only for
//     the digest that was shown: at most once, also when a process is killed at any
//     moment, and whatever number of processes and goroutines try.
//   - Equal requests are one, so that a human is asked once; each outcome is given
//     to a caller once, and the next equal call asks anew.
//   - No answer in time means no, and is told apart from a denial.
//   - A restart loses nothing. What can't be written was not decided.
//   - At most [Options.MaxPending] requests wait.
//
// # What does not
//
// The store is a file of the user who runs Bailey. Nothing that runs inside Bailey
// reaches it, but another process of that user does and can approve by it. Times
// are of the wall clock: who sets it can make requests expire or last. An older copy
// of the file, put back in its place, brings back approvals that were used since.
//
// What a request shows, also of the contents of files, is in the store for 30 days
// after its end.
//
// A Store is safe for concurrent use, by goroutines and by processes.
package approval
