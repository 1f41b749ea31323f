package config

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// The struct tags below are the one description of the configuration: decoder,
// schema, template and display all follow them.
//
//	toml     the key, then options:
//	           required  the key must be given
//	           inline    a table that is written on one line
//	           nonempty  a list or name that is given must not be empty
//	           argv      a list in which a value may repeat
//	           none      a duration that may be "none"
//	doc      one or two sentences for the template and the schema
//	format   the form of a string, or of each string in a list or map (formats.go)
//	keys     the form of a map's keys
//	min, max the range of a number
//	default  the default inside a list's element
//	example  TOML for the template

// Config is the whole configuration. It is not changed after [Load], so that
// any number of goroutines may read it.
type Config struct {
	Workspace Workspace       `toml:"workspace" doc:"The folders and the task an agent works with."`
	Security  Security        `toml:"security" doc:"What an agent may do."`
	Approval  Approval        `toml:"approval" doc:"How a human is asked for what is supervised."`
	Memory    Memory          `toml:"memory" doc:"The agent's notes."`
	Sandbox   Sandbox         `toml:"sandbox" doc:"The box that commands run in."`
	Packages  Packages        `toml:"packages" doc:"What package_install may bring in."`
	Tasks     map[string]Task `toml:"tasks" keys:"task" doc:"Task types of your own. code_review, refactor, cleanup and agent are built in; one of the same name replaces it." example:"[tasks.docs]\nops = [\"read\", \"list\", \"write\"]"`

	file  string          // "" for the defaults
	marks map[string]mark // where each key was written, by path
}

// Workspace is [workspace].
type Workspace struct {
	Allow       []Folder  `toml:"allow,inline" doc:"Further allowed folders, for file tools and shell alike; mode \"read\" or \"write\"." example:"allow = [{ path = \"/srv/reference\", mode = \"read\" }]"`
	Task        string    `toml:"task" format:"task" doc:"The task type when --task is not given: code_review (read, list), refactor (+ write, mkdir), cleanup (read, list, delete), agent (everything), or one from [tasks]."`
	HardLinks   HardLinks `toml:"hard_links" doc:"\"deny\" refuses to read a file that has more than one link."`
	CrossMounts []string  `toml:"cross_mounts" format:"place" doc:"Mount points inside the workspace that may be entered."`
}

// Folder is one entry of [workspace] allow.
type Folder struct {
	Path string     `toml:"path,required" format:"path" doc:"An absolute path, or one that starts with ~/."`
	Mode FolderMode `toml:"mode" default:"read" doc:"\"read\" or \"write\"."`
}

// Security is [security].
type Security struct {
	SandboxBackend Backend    `toml:"sandbox_backend" doc:"The isolation program: \"auto\" takes bubblewrap, then firejail; named, no other is tried."`
	ToolPolicy     ToolPolicy `toml:"tool_policy" doc:"What holds for a whole tool, before any path is looked at."`
	Policy         Policy     `toml:"policy" doc:"What holds for paths and commands. Of all rules that match, deny beats supervised beats allow; their order means nothing."`
	Audit          Audit      `toml:"audit" doc:"The journal of every call, refused ones included."`
}

// ToolPolicy is [security.tool_policy].
type ToolPolicy struct {
	Default Action `toml:"default" doc:"For tools that are not named below: \"allow\", \"deny\" or \"supervised\"."`
	// Tools holds only what the file says. That shell is supervised unless it
	// is named comes in [Config.PolicyConfig]: said explicitly, it means more
	// than the default does (no rule lifts it).
	Tools map[string]Action `toml:"tools" keys:"nonempty" doc:"One entry a tool; a name may hold wildcards, such as \"file_*\". shell is supervised unless it is named here; named as \"supervised\", no rule lifts that." example:"[security.tool_policy.tools]\nshell = \"supervised\"\n\"file_*\" = \"allow\""`
}

// Policy is [security.policy].
type Policy struct {
	DefaultAction Action `toml:"default_action" doc:"For what no rule matches inside the allowed folders: \"allow\", \"deny\" or \"supervised\"."`
	Rules         []Rule `toml:"rules" doc:"Rules about paths and commands." example:"[[security.policy.rules]]\nname = \"block-secrets\"\naction = \"deny\"\ntools = [\"file_read\", \"file_write\"]\npaths = [\"**/secrets/**\"]\nmessage = \"Ask the operator for test data instead.\"\n[[security.policy.rules]]\nname = \"ask-before-push\"\naction = \"supervised\"\ntools = [\"shell\"]\ncommands = [\"git push **\"]"`
}

// Rule is one of [[security.policy.rules]].
type Rule struct {
	Name     string   `toml:"name,nonempty" format:"name" doc:"What a refusal and the audit log cite; without one, what the rule does."`
	Action   Action   `toml:"action,required" doc:"\"allow\", \"deny\" or \"supervised\"."`
	Tools    []string `toml:"tools,nonempty" format:"nonempty" doc:"The tools it is about; every tool where the key is left out."`
	Paths    []string `toml:"paths,nonempty" format:"nonempty" doc:"Globs: absolute with a leading /, ~ or **, else below the workspace."`
	Commands []string `toml:"commands,nonempty" format:"nonempty" doc:"For shell: patterns for each program that the command would run."`
	Message  string   `toml:"message" format:"text" doc:"Told to the agent on a denial."`
}

// Audit is [security.audit].
type Audit struct {
	Enabled   bool      `toml:"enabled" doc:"Write the journal."`
	LogPath   string    `toml:"log_path" format:"place" doc:"The journal; relative to the state directory."`
	OnFailure OnFailure `toml:"on_failure" doc:"\"deny\" refuses calls while the journal can't be written; \"continue\" lets them go on."`
	MaxSize   Size      `toml:"max_size" doc:"A new segment starts at this size; segments keep the chain."`
	Keep      Duration  `toml:"keep,none" doc:"How long segments are kept; \"none\" keeps all. What is dropped leaves a prune record."`
	HeadPath  string    `toml:"head_path" format:"text" doc:"A second place for the signed head."`
}

// Approval is [approval].
type Approval struct {
	Timeout     Duration   `toml:"timeout,none" doc:"How long a request waits for an answer; none in time means no. \"none\" waits."`
	MCPWait     Duration   `toml:"mcp_wait" doc:"How long an MCP call waits before it answers approval_pending; keep it below the client's own limit."`
	Notify      []string   `toml:"notify,argv" format:"nonempty" doc:"A program and its arguments, run with id, workspace and a one-line summary added when a request waits." example:"notify = [\"/usr/local/bin/tell-me\"]"`
	Unattended  Unattended `toml:"unattended" doc:"\"deny\" answers at once when no terminal, watcher or elicitation is there."`
	Elicitation bool       `toml:"elicitation" doc:"Ask through the MCP client where it can."`
}

// Memory is [memory].
type Memory struct {
	ACLEnabled bool `toml:"acl_enabled" doc:"Each note is seen only by those it is meant for, and its file by no tool."`
}

// Sandbox is [sandbox].
type Sandbox struct {
	ReadOnly    []string          `toml:"read_only" format:"path" doc:"More of the host that commands see, read-only; directories with programs join PATH." example:"read_only = [\"/opt/toolchain\"]"`
	Env         []string          `toml:"env" format:"variable" doc:"Variables of the host that are passed on."`
	SetEnv      map[string]string `toml:"set_env,inline" keys:"variable" format:"text" doc:"Variables that are set." example:"set_env = { CI = \"1\" }"`
	Timeout     Duration          `toml:"timeout" doc:"Wall time of a command that names none."`
	Memory      Size              `toml:"memory" doc:"Memory of a command, all its processes together."`
	Processes   int               `toml:"processes" min:"1" max:"4194304" doc:"Processes at once."`
	FileSize    Size              `toml:"file_size" doc:"The largest file a command may write."`
	CPU         float64           `toml:"cpu" min:"0.01" max:"4096" doc:"Cores."`
	TmpSize     Size              `toml:"tmp_size" doc:"The session's private /tmp."`
	Output      Size              `toml:"output" doc:"Kept of each stream in a result, head and tail; exec streams all."`
	Background  int               `toml:"background" min:"0" max:"1024" doc:"Commands that may run in the background of a session."`
	GitIdentity bool              `toml:"git_identity" doc:"Commits carry your git user.name and user.email."`
	Warm        int               `toml:"warm" min:"0" max:"64" doc:"One-shot sandboxes that bailey mcp keeps ready; 0 for none."`
	Network     SandboxNetwork    `toml:"network" doc:"What commands may reach. Everything is off until it is opened."`
}

// SandboxNetwork is [sandbox.network].
type SandboxNetwork struct {
	Default   Network  `toml:"default" doc:"For a command that asks for none: \"off\", \"allow\" (the hosts below), \"full\" (any public host) or \"host\"."`
	Commands  []string `toml:"commands" format:"nonempty" doc:"Programs that may have network; a command gets it only if all that it would run are listed." example:"commands = [\"npm\", \"go\"]"`
	Host      bool     `toml:"host" doc:"Permits \"host\": the host's own network, with no proxy between."`
	HostPorts []int    `toml:"host_ports" min:"1" max:"65535" doc:"Ports of the host's loopback that a command may reach."`
	Publish   []int    `toml:"publish" min:"1" max:"65535" doc:"Ports inside that the host's loopback may reach."`
	Allow     []string `toml:"allow" format:"host" doc:"The hosts that \"allow\" reaches. *. stands for subdomains, not for the apex; a private address must be listed itself." example:"allow = [\"api.example.com:443\", \"*.example.org:443\"]"`
}

// Packages is [packages].
type Packages struct {
	Allow   []string `toml:"allow" format:"package" doc:"What may be installed, dependencies included; \" +deps\" lets one bring whatever it needs." example:"allow = [\"npm:typescript@^5\", \"npm:@types/*\", \"go:golang.org/x/tools@v0.30.0\", \"pip:requests==2.32.* +deps\"]"`
	Scripts []string `toml:"scripts" format:"script" doc:"npm packages whose install scripts may run." example:"scripts = [\"npm:esbuild\"]"`
}

// Task is one of [tasks.NAME].
type Task struct {
	Ops []Op `toml:"ops,required" doc:"read, list, write, mkdir, delete, exec, install."`
}

// builtinTasks are the task types that need no [tasks] entry.
var builtinTasks = []string{"code_review", "refactor", "cleanup", "agent"}

// Default is the configuration that holds where no file says otherwise.
func Default() *Config {
	return &Config{
		Workspace: Workspace{Task: "code_review", HardLinks: HardLinksRead},
		Security: Security{
			SandboxBackend: BackendAuto,
			ToolPolicy:     ToolPolicy{Default: Allow},
			Policy:         Policy{DefaultAction: Allow},
			Audit: Audit{
				Enabled:   true,
				LogPath:   "audit.log",
				OnFailure: FailDeny,
				MaxSize:   100 << 20,
				Keep:      400 * day,
			},
		},
		Approval: Approval{Timeout: mustDuration("5m"), MCPWait: mustDuration("50s"), Unattended: UnattendedWait},
		Sandbox: Sandbox{
			Env:         []string{"LANG", "TERM"},
			Timeout:     mustDuration("2m"),
			Memory:      2 << 30,
			Processes:   512,
			FileSize:    1 << 30,
			CPU:         2,
			TmpSize:     1 << 30,
			Output:      256 << 10,
			Background:  4,
			GitIdentity: true,
			Warm:        2,
			Network:     SandboxNetwork{Default: NetworkOff},
		},
	}
}

// mustDuration is for the literals above only.
func mustDuration(s string) Duration {
	d, err := ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

// File is the path the configuration was read from, "" for the defaults.
func (c *Config) File() string { return c.file }

// TaskOps returns the operations of each task type of [tasks].
func (c *Config) TaskOps() map[string][]string {
	out := make(map[string][]string, len(c.Tasks))
	for name, task := range c.Tasks {
		ops := make([]string, 0, len(task.Ops))
		for _, op := range task.Ops {
			ops = append(ops, string(op))
		}
		out[name] = ops
	}
	return out
}

// TaskNames returns the known task types, built-in ones first.
func (c *Config) TaskNames() []string {
	names := slices.Clone(builtinTasks)
	for _, name := range slices.Sorted(maps.Keys(c.Tasks)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Equal reports whether both say the same; where it was written does not count.
func (c *Config) Equal(other *Config) bool {
	a, b := *c, *other
	a.file, a.marks, b.file, b.marks = "", nil, "", nil
	return reflect.DeepEqual(a, b)
}

// ExpandHome replaces a leading ~/ by the home directory. Nothing else is
// expanded.
func ExpandHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// StatePath places a path that is relative to the state directory, such as
// log_path: it expands ~/ and leaves an absolute path alone. "" stays "".
func StatePath(path, state, home string) string {
	path = ExpandHome(path, home)
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(state, path)
}
