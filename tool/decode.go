package tool

import "encoding/json"

// Decode reads the arguments of a call into the struct that into points to, as
// the tools of this package read theirs: a missing, unknown or repeated name, a
// value of a wrong type and text that would not arrive as it was sent are errors,
// which name the argument and say what is wanted. The struct's fields carry the
// tags json, jsonschema, enum, min, max and default. It is for a face that takes
// arguments by other names.
func Decode(args json.RawMessage, into any) error { return decodeArgs(args, into) }
