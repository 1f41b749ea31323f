// Package review shows a request for approval to a human, whole.
//
// # What it guarantees
//
// What an agent has chosen (paths, commands, contents, names) can't steer the
// terminal, hide itself, or pass for Bailey's own words: every character that is
// not seen as itself is spelled out (controls, bidirectional controls, joiners,
// fillers, unusual blanks, piled-up accents), and everything stands behind a margin
// that is Bailey's, also where a long line is folded. Nothing is left out but what
// [Options] asks for, and then the last line says how much and how to see it.
//
// # What it does not
//
// Letters that look alike are not told apart, and a terminal may still order
// right-to-left letters as their language wants it.
package review
