package policy

// Rule is one rule of a configuration.
type Rule struct {
	Name     string   // unique; verdicts name it
	Action   Action   //
	Tools    []string // tool names or patterns (file_*); nil means every tool
	Paths    []string // path patterns; nil means every path, and calls without one
	Commands []string // command patterns, in place of Paths
	Message  string   // told to the agent on a denial
}

// Config is what a policy is compiled from. The zero value of every field is
// valid; a zero Config allows all but the built-in sets.
type Config struct {
	// Workspace holds every spelling of the workspace's path, the real one
	// first. Relative patterns are below it, and a path that is below one
	// spelling is matched as if it were below each.
	Workspace []string
	// Spellings does the same for other directories that are known by several
	// names, such as further allowed folders: each a real path, then others.
	Spellings [][]string
	// Home is the operator's home directory, for ~.
	Home string

	ToolDefault   Action            // for tools that no key of Tools matches
	Tools         map[string]Action // tool policy; keys are tool names or patterns
	Rules         []Rule
	DefaultAction Action

	// KnownTools are the names that tool patterns are checked against; nil
	// checks nothing.
	KnownTools []string
	// Protected are more real paths that must not be changed, each with
	// everything beneath it.
	Protected []string
}

// Access is one thing that a call wants to do to one object.
type Access struct {
	Tool      string
	Effect    Effect
	Requested string   // the absolute path that was asked for, before links were followed; "" if the same as Real
	Real      string   // the absolute real path; "" for a call that has no path
	Dir       bool     // the object is a directory, or will be one
	Link      bool     // the object is a symbolic link itself
	GitDir    []string // those of the path's ancestors, or itself, that git would take for a repository: judged as if named .git
}

// Verdict is the decision about an access, and the one rule that made it.
type Verdict struct {
	Action  Action
	Rule    string // the rule's name, or tool_policy:KEY, default_action, builtin:…
	Kind    string // of a denial: KindDenied or KindProtected, else ""
	Message string // the rule's message
	Stage   string // where the decision fell, one of the Stage constants
}

// Kinds of denial.
const (
	KindDenied    = "policy_denied"
	KindProtected = "protected_path"
)

// Stages of a decision, in their order.
const (
	StageTool      = "tool_policy"
	StagePath      = "path" // the access's path is not a clean absolute one
	StageRules     = "rules"
	StageSensitive = "sensitive"
	StageProtected = "protected"
	StageDangerous = "dangerous" // the command is known for harm
	StageDynamic   = "dynamic"   // what the command runs is not known beforehand
	StageDefault   = "default_action"
)

const (
	defaultRule  = "default_action"
	unusableRule = "builtin:path"
	shellDefault = "builtin:shell"
)

// Policy is a compiled configuration. It never changes, so that it is safe for
// concurrent use.
type Policy struct {
	rules        []rule // by name
	commandRules []rule // judged by what a command would run, not by paths
	pathless     []int  // rules without a path pattern
	builtins     []compiledBuiltin

	folded  *machine // deny and supervised rules, and built-ins; case-folded
	exact   *machine // allow rules
	entries []entry  // where walks start: the longest path first, the root last

	tools         map[string]toolInfo
	toolPolicy    toolPolicy
	defaultAction Action
	version       string
}

// Version is a digest of everything in the configuration that a verdict depends
// on, the built-in sets included. The order of rules is none of it.
func (p *Policy) Version() string { return p.version }
