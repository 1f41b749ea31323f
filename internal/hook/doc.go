// Package hook judges the calls of an agent that has tools of its own. Such an
// agent can be told to ask a command before each call; this package reads the
// event that it sends, puts the call as one of Bailey's tools, has the toolbox
// judge and record it, and writes the answer in the agent's form.
//
// # What it guarantees
//
//   - The same policy judges as in any other call, on the real object that the
//     path names at that time, and each judged call is in the audit log.
//   - It only narrows: where the policy allows a call, the agent's own permission
//     rules and prompts still have their say, unless the operator has asked for
//     [Options.Approve].
//   - An event that can't be read, a call of a file tool whose path can't be
//     found in it, and a policy that can't be used are answered with a denial.
//
// # What it does not
//
// It is advice and no wall. The agent acts by itself, on the path and not on the
// object that was judged: what the path names can be swapped in between. There is
// no sandbox, so that a command which the policy allows is left to the agent's own
// rules and prompts in any case. A search is judged by where it starts, not by what it meets. Tools
// that are not known here, those of MCP servers among them, are not judged; nor
// is what an agent reads without calling a tool.
package hook
