package config

import "regexp"

// format is the form of a string. The same pattern stands in the JSON schema,
// so that an editor and Bailey agree; it keeps to what RE2 and ECMA-262 share.
type format struct {
	pattern string
	what    string // completes "must be …"
	hint    string
	re      *regexp.Regexp
}

const (
	hostLabel = `[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?`
	port      = `([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])`
	npmName   = `(@[A-Za-z0-9*~-][A-Za-z0-9._*~-]*/)?[A-Za-z0-9*~-][A-Za-z0-9._*~-]*`
	goName    = `[A-Za-z0-9*~-][A-Za-z0-9._*~!/-]*`
	pipName   = `[A-Za-z0-9*]([A-Za-z0-9._*-]*[A-Za-z0-9*])?(\[[A-Za-z0-9._,-]+\])?`
	pipSpec   = `(===|==|~=|!=|<=|>=|<|>)[A-Za-z0-9._*+!-]+`
)

var formats = compileFormats(map[string]format{
	"text":     {pattern: `^[^\x00]*$`, what: "text without NUL"},
	"nonempty": {pattern: `^[^\x00]+$`, what: "text, neither empty nor with NUL"},
	"name":     {pattern: `^[^\x00-\x1f\x7f]{1,200}$`, what: "a name of 1 to 200 characters on one line"},
	"task":     {pattern: `^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`, what: "a task type: up to 64 letters, digits, `_`, `.` and `-`"},
	"variable": {pattern: `^[A-Za-z_][A-Za-z0-9_]*$`, what: "the name of one environment variable"},
	"path": {
		pattern: `^(/|~/)[^\x00]*$`, what: "an absolute path, or one that starts with ~/",
		hint: "a relative path would depend on where Bailey was started",
	},
	"place": {pattern: `^[^\x00]+$`, what: "a path"},
	"host": {
		pattern: `^((\*\.)?` + hostLabel + `(\.` + hostLabel + `)*|\[[0-9A-Fa-f:.]{2,45}\]):` + port + `$`,
		what:    "host:port, with * only as a whole first label (`*.example.org:443`)",
	},
	"package": {
		pattern: `^(npm:` + npmName + `(@[^\x00-\x1f\x7f+]+)?|go:` + goName + `(@[A-Za-z0-9][A-Za-z0-9.+_*-]*)?|pip:` + pipName +
			`(` + pipSpec + `(,` + pipSpec + `)*)?)( \+deps)?$`,
		what: "npm:NAME@RANGE, go:MODULE@VERSION or pip:NAME==VERSION, the version optional, ` +deps` last",
	},
	"script": {pattern: `^npm:` + npmName + `$`, what: "npm:NAME, without a version"},
})

func compileFormats(all map[string]format) map[string]*format {
	out := make(map[string]*format, len(all))
	for name, f := range all {
		f.re = regexp.MustCompile(f.pattern)
		out[name] = &f
	}
	return out
}
