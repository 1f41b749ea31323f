package audit

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// Phases of a call.
const (
	PhaseIntent = "intent" // about to change something
	PhaseResult = "result" // what became of the call
)

// Results of a call.
const (
	ResultAllow = "allow"
	ResultDeny  = "deny"
	ResultError = "error"
)

// A Record is one line of the log. The fields are written in this order.
// [Log.Append] fills Seq, TS, Prev and Hash; the caller fills the others.
type Record struct {
	Seq          int64     `json:"seq"`
	TS           time.Time `json:"ts"`                    // UTC
	ID           string    `json:"id,omitempty"`          // joins the intent and the result of one call
	Phase        string    `json:"phase,omitempty"`       // PhaseIntent or PhaseResult
	Group        string    `json:"group,omitempty"`       //
	Task         string    `json:"task,omitempty"`        // the task type
	Session      string    `json:"session,omitempty"`     //
	Principal    string    `json:"principal,omitempty"`   //
	Tool         string    `json:"tool,omitempty"`        //
	Op           string    `json:"op,omitempty"`          // the operation: read, list, write, …
	Path         string    `json:"path,omitempty"`        // as requested
	Resolved     string    `json:"resolved,omitempty"`    // the real path of the object
	Destination  string    `json:"destination,omitempty"` // real path of a copy's or move's other end
	Paths        []string  `json:"paths,omitempty"`
	Hidden       int64     `json:"hidden,omitempty"` // number of paths that policy hid from a search
	Result       string    `json:"result,omitempty"` // ResultAllow, ResultDeny or ResultError
	Rule         string    `json:"rule,omitempty"`
	ErrorKind    string    `json:"error_kind,omitempty"`
	Detail       string    `json:"detail,omitempty"` // redacted
	Approval     string    `json:"approval,omitempty"`
	Argv         []string  `json:"argv,omitempty"`    // redacted
	Command      string    `json:"command,omitempty"` // redacted
	Sandbox      string    `json:"sandbox,omitempty"` // written though empty where the record is of a command
	Guarantee    string    `json:"guarantee,omitempty"`
	Network      []string  `json:"network,omitempty"`   // the mode, then each host that was reached or refused
	ExitCode     *int      `json:"exit_code,omitempty"` // nil: no command ran
	DurationUS   int64     `json:"duration_us,omitempty"`
	Bytes        int64     `json:"bytes,omitempty"`
	SHA256Before string    `json:"sha256_before,omitempty"` // hex
	SHA256After  string    `json:"sha256_after,omitempty"`  // hex
	Links        uint64    `json:"links,omitempty"`         // hard links; written when more than one
	Prev         string    `json:"prev"`                    // hex
	Hash         string    `json:"hash"`                    // hex

	// Durable asks Append to return only when the record is on the disk. It is
	// meant for intents and refusals, and is no part of the line.
	Durable bool `json:"-"`
}

// timeLayout is RFC 3339 with all nine digits, so that lines sort by time as text.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// ofCommand tells whether the record is about running a command. Such a record
// always says which sandbox it had, also where it had none.
func (r *Record) ofCommand() bool {
	return r.Op == "exec" || r.Tool == "shell" || r.Tool == "exec"
}

// appendBody appends the JSON object of r without its hash.
func (r *Record) appendBody(dst []byte) []byte {
	e := encoder{append(dst, `{"seq":`...)}
	e.buf = strconv.AppendInt(e.buf, r.Seq, 10)
	e.key("ts")
	e.buf = append(e.buf, '"')
	e.buf = r.TS.UTC().AppendFormat(e.buf, timeLayout)
	e.buf = append(e.buf, '"')
	e.text("id", r.ID)
	e.text("phase", r.Phase)
	e.text("group", r.Group)
	e.text("task", r.Task)
	e.text("session", r.Session)
	e.text("principal", r.Principal)
	e.text("tool", r.Tool)
	e.text("op", r.Op)
	e.text("path", r.Path)
	e.text("resolved", r.Resolved)
	e.text("destination", r.Destination)
	e.list("paths", r.Paths)
	e.number("hidden", r.Hidden)
	e.text("result", r.Result)
	e.text("rule", r.Rule)
	e.text("error_kind", r.ErrorKind)
	e.text("detail", r.Detail)
	e.text("approval", r.Approval)
	e.list("argv", r.Argv)
	e.text("command", r.Command)
	if r.Sandbox == "" && r.ofCommand() {
		e.key("sandbox")
		e.buf = append(e.buf, `""`...)
	}
	e.text("sandbox", r.Sandbox)
	e.text("guarantee", r.Guarantee)
	e.list("network", r.Network)
	if r.ExitCode != nil {
		e.key("exit_code")
		e.buf = strconv.AppendInt(e.buf, int64(*r.ExitCode), 10)
	}
	e.number("duration_us", r.DurationUS)
	e.number("bytes", r.Bytes)
	e.text("sha256_before", r.SHA256Before)
	e.text("sha256_after", r.SHA256After)
	if r.Links > 1 {
		e.key("links")
		e.buf = strconv.AppendUint(e.buf, r.Links, 10)
	}
	e.text("prev", r.Prev)
	return append(e.buf, '}')
}

// encoder writes JSON members. encoding/json is not used for writing because a
// line must have one exact form: no HTML escapes, bad bytes shown, not replaced.
type encoder struct{ buf []byte }

func (e *encoder) key(name string) {
	e.buf = append(e.buf, ',', '"')
	e.buf = append(e.buf, name...)
	e.buf = append(e.buf, '"', ':')
}

func (e *encoder) text(name, value string) {
	if value != "" {
		e.key(name)
		e.buf = appendQuoted(e.buf, value)
	}
}

func (e *encoder) number(name string, value int64) {
	if value != 0 {
		e.key(name)
		e.buf = strconv.AppendInt(e.buf, value, 10)
	}
}

func (e *encoder) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	e.key(name)
	sep := byte('[')
	for _, v := range values {
		e.buf = append(e.buf, sep)
		e.buf = appendQuoted(e.buf, v)
		sep = ','
	}
	e.buf = append(e.buf, ']')
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends s as a JSON string. Text that is not UTF-8 is written in
// its visible form first.
func appendQuoted(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = visible(s)
	}
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		size := 1
		switch {
		case c == 0xC2 && s[i+1] < 0xA0: // U+0080 to U+009F, the second row of control characters
			c, size = s[i+1], 2
		case c >= 0x20 && c != '"' && c != '\\' && c != 0x7F:
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i += size - 1
		start = i + 1
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// visible shows each byte of s that is no part of a UTF-8 character as \xNN, and
// doubles backslashes, so that the bytes can be told from the text.
func visible(s string) string {
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(out, '\\', 'x', hexDigits[s[i]>>4], hexDigits[s[i]&15])
		case r == '\\':
			out = append(out, '\\', '\\')
		default:
			out = append(out, s[i:i+size]...)
		}
		i += size
	}
	return string(out)
}
