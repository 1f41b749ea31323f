package tool

import (
	"encoding/json"

	"github.com/baileyhq/bailey/workspace"
)

// ApprovalRequest shows a call to the operator, whole. It may hold what the agent
// must not see: nothing of it belongs in an answer.
type ApprovalRequest struct {
	Tool      string            `json:"tool"`
	Op        workspace.Op      `json:"op"`
	Args      json.RawMessage   `json:"args"`
	Paths     []string          `json:"paths"`    // real paths that the call names
	Objects   []string          `json:"objects"`  // real paths for which the policy asks, those beneath a directory included
	Rule      string            `json:"rule"`     // the rule that asks, the first of Rules
	Message   string            `json:"message"`  // of that rule
	Rules     []RuleView        `json:"rules"`    // every rule that asks
	Diff      string            `json:"diff"`     // of a write or an edit
	DiffCut   bool              `json:"diff_cut"` // the diff was too long to be shown whole
	Contents  []ContentView     `json:"contents,omitempty"`
	Command   string            `json:"command,omitempty"`  // a shell's text, or Argv on one line
	Argv      []string          `json:"argv,omitempty"`     // a command that no shell reads
	Programs  []ProgramView     `json:"programs,omitempty"` // what the command would run
	Dynamic   []string          `json:"dynamic,omitempty"`  // why Programs may not be all
	Redirects []RedirectView    `json:"redirects,omitempty"`
	Cwd       string            `json:"cwd,omitempty"` // real path
	Env       map[string]string `json:"env,omitempty"`
	Network   string            `json:"network,omitempty"`
	Stdin     *StdinView        `json:"stdin,omitempty"`
	Scripts   []ScriptView      `json:"scripts,omitempty"`
	Workspace string            `json:"workspace"`
	Task      string            `json:"task"`
	Session   string            `json:"session"`
	Principal string            `json:"principal"`
	Group     string            `json:"group"`
	// Digest binds an approval to everything that matters: tool, arguments, real
	// paths, contents, policy, and who asks. The session is none of it: an equal
	// call of the same principal is the same request.
	Digest string `json:"digest"`
	// Grant is a digest of what a decision for the session covers: the same tool on
	// the same objects by the same rules, whatever the contents; of a command all
	// but the contents of the files that it names. "" means that there is no such
	// decision. The session is none of it either.
	Grant string `json:"grant"`
}

// RuleView is a rule that asks.
type RuleView struct {
	Rule    string `json:"rule"`
	Message string `json:"message,omitempty"`
}

// ContentView tells what an object held when the operator was asked.
type ContentView struct {
	Path   string `json:"path"` // real
	Type   string `json:"type"` // file, directory, symlink or absent
	Size   int64  `json:"size,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // "" of a file that is too large to be hashed
	MTime  string `json:"mtime,omitempty"`  // RFC 3339
	// Entries is how many entries lie beneath a directory that the call affects
	// with all it holds.
	Entries int `json:"entries,omitempty"`
	// State is a fingerprint of what is not in SHA256: times, identity, and of a
	// directory those of all that lies beneath.
	State string `json:"state,omitempty"`
}

// ProgramView is one program of a command.
type ProgramView struct {
	Name     string   `json:"name"` // "" where only the run decides
	Args     []string `json:"args,omitempty"`
	Resolved string   `json:"resolved,omitempty"` // the real path of the file that runs
	Via      []string `json:"via,omitempty"`      // the programs that run it, outermost first
	Note     string   `json:"note,omitempty"`     // what is to be known of it
}

// RedirectView is a file that the shell opens for a command.
type RedirectView struct {
	Path  string `json:"path"` // real where it lies in an allowed folder, else as it would be opened
	Read  bool   `json:"read,omitempty"`
	Write bool   `json:"write,omitempty"`
}

// StdinView is what a command gets to read.
type StdinView struct {
	Size   int    `json:"size"` // bytes
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

// ScriptView is a file of the workspace that a command would execute.
type ScriptView struct {
	Path   string `json:"path"`             // real
	SHA256 string `json:"sha256,omitempty"` // "" of one that is too large to be hashed, or absent
	State  string `json:"state,omitempty"`
}
