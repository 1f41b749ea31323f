package tool

import (
	"context"
	"time"
)

// Shell runs an authorised command in a sandbox, or not at all. It returns what
// became of a command that ran, whatever its exit code. An error without a result
// means that it did not run; with one, that it was not let come to its end, or that
// the clean-up after it failed. It should be an [*Error]. A Shell must be safe for
// concurrent use.
type Shell func(ctx context.Context, c *Command) (*CommandResult, error)

// Command is a command that was judged, and approved where the policy asks.
type Command struct {
	Shell      string   // real path of the shell that reads Text; "" where Argv is run as it is
	Text       string   // a shell's text
	Argv       []string // a program and its arguments; nil where Text is run
	Dir        string   // real path of the working directory
	Env        map[string]string
	Stdin      string
	Timeout    time.Duration // 0: as the configuration says
	Network    string        // off, allow, full or host; "": as the configuration says
	Background bool
	Operator   bool     // the operator has typed it, no agent
	Streams    *Streams // nil: Stdin is what it reads, and the result is all that is told
}

// CommandResult is the structured result of the tool shell.
type CommandResult struct {
	ExitCode   int      `json:"exit_code" jsonschema:"of the command; 128+n if signal n ended it, 127 if its program is absent"`
	Signal     string   `json:"signal,omitempty" jsonschema:"name of the signal that ended it, such as SIGKILL"`
	Stdout     string   `json:"stdout"`
	Stderr     string   `json:"stderr"`
	Truncated  bool     `json:"truncated" jsonschema:"the middle of stdout or stderr was left out"`
	DurationMS int64    `json:"duration_ms"`
	Shell      string   `json:"shell,omitempty" jsonschema:"the shell that read the command"`
	Backend    string   `json:"backend" jsonschema:"bubblewrap, firejail or none"`
	Guarantee  string   `json:"guarantee" jsonschema:"how strong the isolation was"`
	Layers     []string `json:"layers" jsonschema:"the walls that stood"`
	Network    string   `json:"network" jsonschema:"the network that it had"`
	NotUTF8    bool     `json:"not_utf8,omitempty" jsonschema:"the command printed bytes that are not UTF-8; each is shown as U+FFFD"`

	Quarantined []Quarantined `json:"quarantined,omitempty" jsonschema:"what was taken away or put back after the run"`
	LeftLocks   []string      `json:"left_locks,omitempty" jsonschema:"lock files that the command left behind"`
	Denials     []Blocked     `json:"denials,omitempty" jsonschema:"what the walls refused"`
}

// Quarantined is something that a command has made and that was taken away, or has
// changed and that was put back.
type Quarantined struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Blocked is something that a wall kept from a command.
type Blocked struct {
	Path string `json:"path,omitempty"`
	Host string `json:"host,omitempty"`
	Op   string `json:"op"`
	Rule string `json:"rule" jsonschema:"the rule or the wall"`
	Hint string `json:"hint,omitempty" jsonschema:"what to do instead"`
}
