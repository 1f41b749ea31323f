// Package bailey keeps an AI agent inside its own folder.
//
// [Open] opens a workspace under the operator's configuration; [Bailey.Call]
// carries out one call of an agent: it is decoded, checked against the task's
// operations, resolved to the real object, judged by the policy on that object,
// put to a human where the policy says so, carried out, and recorded.
//
// The command bailey and its MCP server are thin faces over this package.
//
// # What it guarantees
//
// The guarantees are those of the packages that it puts together: [jail] for the
// walls, [policy] for the verdicts, [tool] for the one way that every call takes,
// [audit] for the record.
//
// # What it does not
//
// It confines calls that go through it. Code that runs beside it as the same
// user, or an agent that has another shell, is not confined by it.
//
// [jail]: https://pkg.go.dev/github.com/baileyhq/bailey/jail
// [policy]: https://pkg.go.dev/github.com/baileyhq/bailey/policy
// [tool]: https://pkg.go.dev/github.com/baileyhq/bailey/tool
// [audit]: https://pkg.go.dev/github.com/baileyhq/bailey/audit
package bailey
