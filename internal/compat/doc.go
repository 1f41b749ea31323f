// Package compat offers the tools of the reference MCP filesystem server, by its
// names, arguments and shapes of output, so that a client that is set up for that
// server works with Bailey after the command was exchanged.
//
// Each tool is translated to calls of Bailey's own tools through the toolbox:
// judged by the same policy, asked about by the same rules and recorded in the
// audit log under Bailey's names. The package opens no file and decides nothing;
// what it must refuse by itself, such as an argument that it can't read, it has
// the toolbox record.
//
// # What it guarantees
//
//   - The names, titles, annotations, arguments and output schemas are those of
//     the reference server, and so is the text of a success, but for the
//     differences that docs/compat-filesystem.md lists with their reasons. A test
//     runs both servers side by side and fails on any other difference.
//   - A failed call is a result with isError whose text is Bailey's:
//     "KIND: what was refused, by which rule, what to do now".
//
// # What it does not
//
//   - It does not take folders from the client: MCP roots never widen access.
package compat
