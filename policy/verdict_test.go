package policy

import (
	"strings"
	"testing"
)

// effects are what the tools of these tests do.
var effects = map[string]Effect{
	"file_read": Reveal, "file_grep": Reveal, "file_write": Change, "file_edit": Change | Reveal,
	"file_delete": Change, "file_copy": Reveal, "file_list": List, "dir_create": Change,
	"shell": Reveal | Change, "file_info": List,
}

func knownTools() []string {
	var names []string
	for name := range effects {
		names = append(names, name)
	}
	return names
}

// access reads "TOOL PATH [dir] [link] [asked=PATH] [git=PATH]"; a relative
// path is below /ws.
func access(t *testing.T, text string) Access {
	t.Helper()
	words := strings.Fields(text)
	effect, ok := effects[words[0]]
	if !ok {
		t.Fatalf("%q: unknown tool", text)
	}
	a := Access{Tool: words[0], Effect: effect, Real: below(words[1])}
	for _, word := range words[2:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "dir":
			a.Dir = true
		case "link":
			a.Link = true
		case "asked":
			a.Requested = below(value)
		case "git":
			a.GitDir = append(a.GitDir, below(value))
		default:
			t.Fatalf("%q: what is %q?", text, word)
		}
	}
	return a
}

func below(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return strings.TrimSuffix("/ws/"+path, "/")
}

func compile(t testing.TB, c Config) *Policy {
	t.Helper()
	if c.Workspace == nil {
		c.Workspace = []string{"/ws"}
	}
	if c.Home == "" {
		c.Home = "/home/u"
	}
	if c.KnownTools == nil {
		c.KnownTools = knownTools()
	}
	p, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// one is a configuration of one rule, named r.
func one(action Action, tools string, paths ...string) Config {
	r := Rule{Name: "r", Action: action, Paths: paths}
	if tools != "" {
		r.Tools = strings.Fields(tools)
	}
	return Config{Rules: []Rule{r}}
}

// Each line is "ACCESS => ACTION RULE", and ACTION alone for the default.
// Denials stand beside a neighbour that is allowed.
var verdicts = []struct {
	name   string
	config Config
	lines  string
}{
	{"sensitive files, with neighbours that are none", Config{}, `
		file_read .ssh/config => deny builtin:sensitive:.ssh/**
		file_read .ssh dir => deny builtin:sensitive:.ssh/**
		file_list .ssh dir => deny builtin:sensitive:.ssh/**
		file_write .ssh/authorized_keys => deny builtin:sensitive:.ssh/**
		file_read a/b/.ssh/x/y/z => deny builtin:sensitive:.ssh/**
		file_read ssh/config => allow
		file_read .sshx/config => allow
		file_read .gnupg/trustdb.gpg => deny builtin:sensitive:.gnupg/**
		file_read gnupg/trustdb.gpg => allow
		file_read .aws/credentials => deny builtin:sensitive:.aws/**
		file_read aws/credentials => allow
		file_read .kube/config => deny builtin:sensitive:.kube/**
		file_read kube/config => allow
		file_read .azure/token.json => deny builtin:sensitive:.azure/**
		file_read azure/token.json => allow
		file_read .docker/config.json => deny builtin:sensitive:.docker/config.json
		file_read .docker/daemon.json => allow
		file_read docker/config.json => allow
		file_read .config/gh/hosts.yml => deny builtin:sensitive:.config/gh/**
		file_read .config/ghostty/config => allow
		file_read .config/gcloud/access_tokens.db => deny builtin:sensitive:.config/gcloud/**
		file_read gcloud/x => allow
		file_read .netrc => deny builtin:sensitive:.netrc
		file_read netrc => allow
		file_read .pypirc => deny builtin:sensitive:.pypirc
		file_read pypirc.md => allow
		file_read .git-credentials => deny builtin:sensitive:.git-credentials
		file_read git-credentials.md => allow
		file_read .cargo/credentials => deny builtin:sensitive:.cargo/credentials*
		file_read .cargo/credentials.toml => deny builtin:sensitive:.cargo/credentials*
		file_read .cargo/config.toml => allow
		file_read .terraform.d/credentials.tfrc.json => deny builtin:sensitive:.terraform.d/credentials.tfrc.json
		file_read .terraform.d/plugin.json => allow
		file_read .env => deny builtin:sensitive:.env
		file_grep deep/er/.env => deny builtin:sensitive:.env
		file_info .env => deny builtin:sensitive:.env
		file_delete .env => deny builtin:sensitive:.env
		shell .env => deny builtin:sensitive:.env
		file_read .envoy => allow
		file_read environment.ts => allow
		file_read x.env => allow
		file_read .env.local => deny builtin:sensitive:.env.*
		file_read .env.production.local => deny builtin:sensitive:.env.*
		file_read .env.example => allow
		file_read .env.local.example => allow
		file_read .env.sample => allow
		file_read .env.template => allow
		file_read .env.dist => allow
		file_read .env.example.bak => deny builtin:sensitive:.env.*
		file_read .envrc => deny builtin:sensitive:.envrc
		file_write .envrc => deny builtin:sensitive:.envrc
		file_read id_rsa => deny builtin:sensitive:id_rsa
		file_read id_ed25519 => deny builtin:sensitive:id_ed25519
		file_read keys/id_ecdsa_sk => deny builtin:sensitive:id_ecdsa_sk
		file_read id_dsa => deny builtin:sensitive:id_dsa
		file_read id_rsa.pub => allow
		file_read id_ed25519.pub => allow
		file_read identity/main.go => allow
		file_read cert.p12 => deny builtin:sensitive:*.p12
		file_read cert.pfx => deny builtin:sensitive:*.pfx
		file_read cert.pem => allow
		file_read .bash_history => deny builtin:sensitive:.*_history
		file_read .zsh_history => deny builtin:sensitive:.*_history
		file_read .python_history => deny builtin:sensitive:.*_history
		file_read .psql_history => deny builtin:sensitive:.*_history
		file_read .node_repl_history => deny builtin:sensitive:.*_history
		file_read .lesshst => deny builtin:sensitive:.lesshst
		file_read .local/share/fish/fish_history => deny builtin:sensitive:fish_history
		file_read bash_history.go => allow
		file_read /etc/shadow => deny builtin:sensitive:/etc/shadow
		file_read /etc/gshadow => deny builtin:sensitive:/etc/gshadow
		file_read /etc/sudoers => deny builtin:sensitive:/etc/sudoers
		file_read /etc/passwd => allow
		file_read etc/shadow => allow`},

	{"case does not matter to built-ins", Config{}, `
		file_read .ENV => deny builtin:sensitive:.env
		file_read .SSH/config => deny builtin:sensitive:.ssh/**
		file_read .ſſh/config => deny builtin:sensitive:.ssh/**
		file_read .Kube/config => deny builtin:sensitive:.kube/**
		file_read CERT.P12 => deny builtin:sensitive:*.p12
		file_read .env.EXAMPLE => allow
		file_write .GIT/Hooks/pre-commit => deny builtin:protected:.git/hooks/**
		file_write .VSCode/tasks.json => deny builtin:protected:.vscode/**`},

	{"a sensitive name counts whether asked for or found", Config{}, `
		file_read plain.txt asked=.env => deny builtin:sensitive:.env
		file_read .env asked=plain.txt => deny builtin:sensitive:.env
		file_read real.txt asked=plain.txt => allow
		file_write x/pre-commit asked=.git/hooks/pre-commit => deny builtin:protected:.git/hooks/**`},

	{"protected paths, for changes only", Config{}, `
		file_write .git/hooks/pre-commit => deny builtin:protected:.git/hooks/**
		dir_create .git/hooks dir => deny builtin:protected:.git/hooks/**
		file_delete .git/hooks/pre-commit => deny builtin:protected:.git/hooks/**
		file_read .git/hooks/pre-commit => allow
		file_write src/hooks/use.ts => allow
		file_write a/b/.git/hooks/x => deny builtin:protected:.git/hooks/**
		file_write .git/config => deny builtin:protected:.git/config*
		file_write .git/config.lock => deny builtin:protected:.git/config*
		file_write .git/config.worktree => deny builtin:protected:.git/config*
		file_edit .git/config => deny builtin:protected:.git/config*
		file_read .git/config => allow
		file_write .git/HEAD => allow
		file_write .git/description => allow
		file_write .git/commondir => deny builtin:protected:.git/commondir
		file_write .git/gitdir => deny builtin:protected:.git/gitdir
		file_write .git/info/attributes => deny builtin:protected:.git/info/attributes
		file_write .git/info/exclude => allow
		file_write .git/modules/lib/hooks/x => deny builtin:protected:.git/modules/*/**/hooks/**
		file_write .git/modules/a/b/config => deny builtin:protected:.git/modules/*/**/config*
		file_write .git/modules/a/modules/b/hooks/x => deny builtin:protected:.git/modules/*/**/hooks/**
		file_write .git/modules/lib/HEAD => allow
		file_write .git/modules/lib/config/HEAD => allow
		file_write .git/worktrees/w/config.worktree => deny builtin:protected:.git/worktrees/*/**/config*
		file_write .git/worktrees/w/gitdir => deny builtin:protected:.git/worktrees/*/**/gitdir
		file_write .git/worktrees/w/index => allow
		file_write .git => deny builtin:protected:.git
		file_write sub/.git link => deny builtin:protected:.git
		dir_create .git dir => allow
		file_write .git/info link => deny builtin:protected:.git/info
		dir_create .git/info dir => allow
		file_write .git/modules/x link => deny builtin:protected:.git/modules/**
		dir_create .git/modules/x dir => allow
		file_write .gitignore => allow
		file_write .github/workflows/ci.yml => allow
		file_write .bashrc => deny builtin:protected:.bashrc
		file_write .bash_profile => deny builtin:protected:.bash_profile
		file_write .profile => deny builtin:protected:.profile
		file_write sub/.zshenv => deny builtin:protected:.zshenv
		file_write .config/fish/config.fish => deny builtin:protected:.config/fish/**
		file_write .config/other/config => allow
		file_read .bashrc => allow
		file_write bashrc => allow
		file_write .vscode/tasks.json => deny builtin:protected:.vscode/**
		file_read .vscode/tasks.json => allow
		file_write .idea/workspace.xml => deny builtin:protected:.idea/**
		file_write .devcontainer/devcontainer.json => deny builtin:protected:.devcontainer/**
		file_write .devcontainer.json => deny builtin:protected:.devcontainer.json
		file_write .mcp.json => deny builtin:protected:.mcp.json
		file_write mcp.json => allow
		file_write .claude/settings.json => deny builtin:protected:.claude/**
		file_write pkg/.claude dir => deny builtin:protected:.claude/**
		file_write .cursor/mcp.json => deny builtin:protected:.cursor/**
		file_write .codex/config.toml => deny builtin:protected:.codex/**
		file_write .gemini/settings.json => deny builtin:protected:.gemini/**
		file_write .husky/pre-commit => deny builtin:protected:.husky/**
		file_write husky/pre-commit => allow
		file_write CLAUDE.md => allow`},

	{"a repository by another name", Config{}, `
		file_write x/hooks/pre-commit git=x => deny builtin:protected:.git/hooks/**
		file_write x/hooks/pre-commit => allow
		file_write x/config git=x => deny builtin:protected:.git/config*
		file_write x/sub/config git=x => allow
		file_read x/config git=x => allow
		file_write x/modules/m/hooks/h git=x => deny builtin:protected:.git/modules/*/**/hooks/**
		file_write a/hooks/h git=x => allow
		dir_create x dir git=x => allow`},

	{"more protected paths", Config{Protected: []string{"/ws/.githooks", "/ws/group.toml"}}, `
		file_write .githooks/pre-commit => deny builtin:protected:/ws/.githooks
		file_write .githooks dir => deny builtin:protected:/ws/.githooks
		file_write .GitHooks/x => deny builtin:protected:/ws/.githooks
		file_read .githooks/pre-commit => allow
		file_write group.toml => deny builtin:protected:/ws/group.toml
		file_write sub/group.toml => allow`},

	{"lifting: .env by name", one(Allow, "file_read file_write", "**/.env"), `
		file_read .env => allow r
		file_read a/b/.env => allow r
		file_write .env => allow r
		file_grep .env => deny builtin:sensitive:.env
		file_read .ENV => deny builtin:sensitive:.env
		file_read .env.local => deny builtin:sensitive:.env.*
		file_read .ssh/.env => deny builtin:sensitive:.ssh/**`},
	{"lifting: a wildcard over all lifts nothing", one(Allow, "", "/ws/**"), `
		file_read .env => deny builtin:sensitive:.env
		file_read .ssh/config => deny builtin:sensitive:.ssh/**
		file_write .git/config => deny builtin:protected:.git/config*
		file_read src/a.go => allow r`},
	{"lifting: nor does **/.*", one(Allow, "", "**/.*", "**/.e*", "**/.[e]nv"), `
		file_read .env => deny builtin:sensitive:.env
		file_read .eslintrc => allow r`},
	{"lifting: nor a wildcard that meets .env.local", one(Allow, "", "**/.env.*"), `
		file_read .env.local => deny builtin:sensitive:.env.*
		file_read .env.example => allow r`},
	{"lifting: .env.local by name", one(Allow, "", "**/.env.local"), `
		file_read .env.local => allow r
		file_read .env.prod => deny builtin:sensitive:.env.*`},
	{"lifting: a directory by name", one(Allow, "", "**/.ssh/**"), `
		file_read .ssh/config => allow r
		file_read .ssh dir => allow r
		file_read a/.ssh/b/.ssh/c => allow r
		file_read .ssh/id_rsa => deny builtin:sensitive:id_rsa
		file_read .gnupg/x => deny builtin:sensitive:.gnupg/**`},
	{"lifting: one file of a directory", one(Allow, "", "~/.ssh/config"), `
		file_read /home/u/.ssh/config => allow r
		file_read /home/u/.ssh/known_hosts => deny builtin:sensitive:.ssh/**
		file_read .ssh/config => deny builtin:sensitive:.ssh/**`},
	{"lifting: each of two on the way", one(Allow, "", "a/.ssh/**"), `
		file_read a/.ssh/x => allow r
		file_read a/.ssh/b/.ssh/c => deny builtin:sensitive:.ssh/**`},
	{"lifting: two segments must both be named", one(Allow, "", "**/config.json", "**/.docker/*", "**/.docker/**"), `
		file_read .docker/config.json => deny builtin:sensitive:.docker/config.json
		file_read x/config.json => allow r`},
	{"lifting: two segments named", one(Allow, "", "**/.docker/config.json", ".cargo/credentials.toml"), `
		file_read .docker/config.json => allow r
		file_read .cargo/credentials.toml => allow r
		file_read .cargo/credentials => deny builtin:sensitive:.cargo/credentials*`},
	{"lifting: braces name too", one(Allow, "", "**/{.env,.netrc}"), `
		file_read .env => allow r
		file_read .netrc => allow r
		file_read .pypirc => deny builtin:sensitive:.pypirc`},
	{"lifting: absolute", one(Allow, "", "/etc/shadow", "/etc/g*"), `
		file_read /etc/shadow => allow r
		file_read /etc/gshadow => deny builtin:sensitive:/etc/gshadow`},
	{"lifting: supervised lifts to supervised", one(Supervised, "", "**/.env"), `
		file_read .env => supervised r
		file_read .ENV => supervised r
		file_read .env/beneath => supervised r
		file_read plain => allow
		file_read .env.local => deny builtin:sensitive:.env.*`},
	{"lifting: a supervised wildcard lifts nothing", one(Supervised, "", "/ws/**"), `
		file_read .env => deny builtin:sensitive:.env
		file_read a => supervised r
		file_read /elsewhere => allow`},
	{"lifting: protected paths", one(Allow, "", "**/.git/hooks/**", ".vscode/settings.json"), `
		file_write .git/hooks/x => allow r
		file_write .git/config => deny builtin:protected:.git/config*
		file_write .vscode/settings.json => allow r
		file_write .vscode/tasks.json => deny builtin:protected:.vscode/**
		file_write x/hooks/h git=x => deny builtin:protected:.git/hooks/**`},
	{"lifting: hooks alone is not .git/hooks", one(Allow, "", "**/hooks/**", ".git/**"), `
		file_write .git/hooks/x => deny builtin:protected:.git/hooks/**
		file_write src/hooks/x => allow r`},
	{"lifting: a repository by another name", one(Allow, "", "x/hooks/**"), `
		file_write x/hooks/h git=x => allow r
		file_write x/config git=x => deny builtin:protected:.git/config*`},
	{"lifting: a protected path of the configuration", Config{
		Protected: []string{"/ws/.githooks", "/ws/other"},
		Rules:     []Rule{{Name: "r", Paths: []string{".githooks/**", "o*/**"}}},
	}, `
		file_write .githooks/x => allow r
		file_write other/x => deny builtin:protected:/ws/other`},
	{"lifting: what was asked for must be named as well", one(Allow, "", "**/.env", "plain.txt"), `
		file_read plain.txt asked=.env => allow r
		file_read other.txt asked=.env => deny builtin:sensitive:.env`},
	{"lifting: not by a rule without paths", one(Allow, "file_read"), `
		file_read .env => deny builtin:sensitive:.env
		file_read a => allow r`},
	{"lifting: never against a deny rule", Config{Rules: []Rule{
		{Name: "no", Action: Deny, Paths: []string{"**/.env"}},
		{Name: "yes", Action: Allow, Paths: []string{"**/.env"}},
	}}, `
		file_read .env => deny no
		file_read a => allow`},
	{"lifting: a built-in that is lifted leaves the next", one(Allow, "", ".envrc"), `
		file_read .envrc => allow r
		file_write .envrc => allow r
		file_write sub/.envrc => deny builtin:sensitive:.envrc`},

	{"a deny rule covers what is beneath, in any case", one(Deny, "", "secrets", "**/*.key"), `
		file_read secrets dir => deny r
		file_read secrets/a/b => deny r
		file_read Secrets/A => deny r
		file_read x.key => deny r
		file_read a/x.KEY => deny r
		file_read x.key/beneath => deny r
		file_read a/secrets => allow
		file_read secrets2 => allow
		file_read x.keys => allow`},
	{"an allow rule covers what it matches", Config{DefaultAction: Deny, Rules: []Rule{
		{Name: "r", Paths: []string{"docs", "src/**", "lib/"}},
	}}, `
		file_read docs dir => allow r
		file_read docs/a => deny default_action
		file_read src dir => allow r
		file_read src/a/b => allow r
		file_read lib dir => allow r
		file_read lib/a => allow r
		file_read Src/a => deny default_action
		file_read other => deny default_action`},
	{"an allow rule looks at the real path only", Config{DefaultAction: Deny, Rules: []Rule{
		{Name: "r", Paths: []string{"ok/**"}},
	}}, `
		file_read bad asked=ok/link => deny default_action
		file_read ok/file asked=bad => allow r`},
	{"a deny rule looks at both paths", one(Deny, "", "no/**"), `
		file_read yes asked=no/link => deny r
		file_read no/file asked=yes => deny r
		file_read yes asked=also => allow`},
	{"what is asked for is cleaned", one(Deny, "", "no/**"), `
		file_read yes asked=/ws/x/../no//link => deny r
		file_read yes asked=/ws/no/../x => allow`},
	{"file_read covers all that reveals", one(Deny, "file_read", "s/**"), `
		file_read s/a => deny r
		file_grep s/a => deny r
		file_copy s/a => deny r
		file_edit s/a => deny r
		shell s/a => deny r
		file_write s/a => allow
		file_list s/a => allow
		file_delete s/a => allow`},
	{"file_write covers every change", one(Supervised, "file_write", "s/**"), `
		file_write s/a => supervised r
		file_delete s/a => supervised r
		dir_create s/a => supervised r
		file_edit s/a => supervised r
		file_read s/a => allow`},
	{"other tools cover themselves", one(Deny, "file_grep", "s/**"), `
		file_grep s/a => deny r
		file_read s/a => allow`},
	{"a wildcard covers the tools it matches", one(Deny, "*_list file_g*", "s/**"), `
		file_list s/a => deny r
		file_grep s/a => deny r
		file_read s/a => allow`},
	{"a wildcard that matches file_read covers all that reveals", one(Deny, "file_r*", "s/**"), `
		shell s/a => deny r
		file_write s/a => allow`},
	{"allow covers only the tools it names", Config{DefaultAction: Deny, Rules: []Rule{
		{Name: "r", Tools: []string{"file_read"}, Paths: []string{"/ws/**"}},
	}}, `
		file_read a => allow r
		file_grep a => deny default_action
		file_write a => deny default_action`},
	{"patterns", Config{Rules: []Rule{{Name: "r", Action: Deny, Paths: []string{
		"/ws/a?c", "b[0-9]", "c[X-Z]", "{x,y}/z", `lit\*eral`, "~/private", "//double//slash", "./dot/./s", "**/d/**/e", "sub/",
	}}}}, `
		file_read abc => deny r
		file_read ac => allow
		file_read b7 => deny r
		file_read bx => allow
		file_read cy => deny r
		file_read CY => deny r
		file_read ca => allow
		file_read x/z => deny r
		file_read y/z => deny r
		file_read w/z => allow
		file_read lit*eral => deny r
		file_read litXeral => allow
		file_read /home/u/private/x => deny r
		file_read /home/v/private/x => allow
		file_read /double/slash => deny r
		file_read dot/s => deny r
		file_read d/e => deny r
		file_read q/d/1/2/e/f => deny r
		file_read q/d/1 => allow
		file_read sub dir => deny r
		file_read sub/x => deny r`},

	{"tool policy: deny ends it", Config{
		Tools: map[string]Action{"file_write": Deny},
		Rules: []Rule{{Name: "r", Paths: []string{"/ws/**"}}},
	}, `
		file_write a => deny tool_policy:file_write
		file_read a => allow r`},
	{"tool policy: supervised is a floor", Config{
		Tools: map[string]Action{"file_*": Supervised, "file_read": Allow},
		Rules: []Rule{
			{Name: "no", Action: Deny, Paths: []string{"no/**"}},
			{Name: "ask", Action: Supervised, Paths: []string{"ask/**"}},
			{Name: "yes", Paths: []string{"/ws/**"}},
		},
	}, `
		file_write a => supervised tool_policy:file_*
		file_read a => supervised tool_policy:file_*
		file_read no/a => deny no
		file_read ask/a => supervised ask
		file_read .env => deny builtin:sensitive:.env
		dir_create a => allow yes`},
	{"tool policy: the default is for tools that no key matches", Config{
		ToolDefault: Deny, Tools: map[string]Action{"file_read": Allow},
	}, `
		file_read a => allow
		file_write a => deny tool_policy:default`},
	{"default action", Config{DefaultAction: Supervised, Rules: []Rule{{Name: "r", Paths: []string{"src/**"}}}}, `
		file_read a => supervised default_action
		file_read src/a => allow r`},
	{"the strictest rule counts, then the first by name", Config{Rules: []Rule{
		{Name: "z-ask", Action: Supervised, Paths: []string{"a/**"}},
		{Name: "b-no", Action: Deny, Paths: []string{"a/b/**"}},
		{Name: "a-no", Action: Deny, Paths: []string{"a/b/c"}},
		{Name: "ok", Paths: []string{"/ws/**"}},
	}}, `
		file_read x => allow ok
		file_read a/x => supervised z-ask
		file_read a/b/x => deny b-no
		file_read a/b/c => deny a-no`},

	{"a workspace given by a link", Config{
		Workspace: []string{"/data/ws", "/home/u/link"},
		Spellings: [][]string{{"/srv/real", "/mnt/ref"}},
		Rules: []Rule{
			{Name: "no", Action: Deny, Paths: []string{"/home/u/link/no/**", "/home/*/link/glob", "rel/**", "/mnt/ref/no"}},
			{Name: "yes", Paths: []string{"/home/u/link/yes/**", "/home/u/link/.env", "/mnt/ref/.netrc"}},
		},
		DefaultAction: Supervised,
	}, `
		file_read /data/ws/no/a => deny no
		file_read /data/ws/glob => deny no
		file_read /data/ws/rel/a => deny no
		file_read /data/ws/x asked=/home/u/link/rel/a => deny no
		file_read /srv/real/no => deny no
		file_read /data/ws/yes/a => allow yes
		file_read /data/ws/.env => allow yes
		file_read /data/ws/sub/.env => deny builtin:sensitive:.env
		file_read /srv/real/.netrc => allow yes
		file_read /data/ws/other => supervised default_action
		file_read /data/wsx/no/a => supervised default_action`},
	{"a folder in a folder, both by several names", Config{
		Workspace: []string{"/data/ws", "/home/u/link"},
		Spellings: [][]string{{"/data/ws/a", "/s"}, {"/s2", "/data/ws/b"}, {"/srv/ref/in", "/i"}, {"/srv/ref", "/mnt/ref"}},
		Rules: []Rule{
			{Name: "no", Action: Deny, Paths: []string{"/home/u/link/a/x", "/home/u/link/b/x", "/s/y", "/s2/y", "/mnt/ref/in/x"}},
			{Name: "yes", Paths: []string{"/home/u/link/a/z", "/s/z2", "/home/u/link/a/.env", "/s2/.env"}},
		},
		DefaultAction: Supervised,
	}, `
		file_read /data/ws/a/x => deny no
		file_read /data/ws/b/x => deny no
		file_read /data/ws/a/y => deny no
		file_read /data/ws/b/y => deny no
		file_read /s2/x => deny no
		file_read /srv/ref/in/x => deny no
		file_read /srv/ref/in/y => supervised default_action
		file_read /data/ws/c/x => supervised default_action
		file_read /data/ws/a/z => allow yes
		file_read /data/ws/a/z2 => allow yes
		file_read /data/ws/b/z2 => supervised default_action
		file_read /data/ws/a/.env => allow yes
		file_read /data/ws/b/.env => allow yes
		file_read /data/ws/c/.env => deny builtin:sensitive:.env`},
	{"a workspace below an agent's folder", Config{Workspace: []string{"/u/.claude/worktrees/w"}}, `
		file_write /u/.claude/worktrees/w/a => allow
		file_write /u/.claude/worktrees/w/.claude/x => deny builtin:protected:.claude/**
		file_write /u/.claude/worktrees/other/a => deny builtin:protected:.claude/**
		file_write /u/.claude/worktrees/w/.git/config => deny builtin:protected:.git/config*`},
	{"an agent's folder as the workspace", Config{Workspace: []string{"/u/.claude"}}, `
		file_write /u/.claude/settings.json => deny builtin:protected:.claude/**
		file_read /u/.claude/settings.json => allow`},
	{"a workspace below keys stays closed", Config{
		Workspace: []string{"/u/.ssh/w"},
		Rules:     []Rule{{Name: "r", Paths: []string{"a/**"}}},
	}, `
		file_read /u/.ssh/w/a/b => deny builtin:sensitive:.ssh/**
		file_read /u/ssh => allow`},
	{"paths that are none", Config{}, `
		file_read /ws/../x => deny builtin:path
		file_read /ws/./x => deny builtin:path
		file_read /ws//x => deny builtin:path
		file_read /ws/x/ => deny builtin:path
		file_read / => allow
		file_read /ws/...x => allow`},
	{"the root as the workspace", Config{
		Workspace: []string{"/"}, Rules: []Rule{{Name: "r", Action: Deny, Paths: []string{"srv/x", "/opt/**"}}},
	}, `
		file_read /srv/x => deny r
		file_read /opt => deny r
		file_read / => allow`},
	{"everything", one(Deny, "", "/"), `
		file_read / => deny r
		file_read /a/b => deny r`},
}

func TestVerdicts(t *testing.T) {
	count := 0
	for _, group := range verdicts {
		t.Run(group.name, func(t *testing.T) {
			p := compile(t, group.config)
			allowed := false
			for line := range strings.SplitSeq(strings.TrimSpace(group.lines), "\n") {
				count++
				request, want, _ := strings.Cut(line, " => ")
				action, rule, _ := strings.Cut(want, " ")
				if rule == "" {
					rule = defaultRule
				}
				a := access(t, request)
				v := p.Judge(a)
				if v.Action.String() != action || v.Rule != rule {
					t.Errorf("%s: got %v by %s, want %v by %s", strings.TrimSpace(request), v.Action, v.Rule, action, rule)
				}
				allowed = allowed || v.Action == Allow
				checkKind(t, v)
				checkCursor(t, p, a, v)
			}
			if !allowed && group.name != "everything" {
				t.Error("no line of this group is allowed: it lacks a control")
			}
		})
	}
	if count < 300 {
		t.Errorf("only %d cases", count)
	}
}

func checkKind(t *testing.T, v Verdict) {
	t.Helper()
	want := ""
	switch {
	case v.Stage == StageProtected:
		want = KindProtected
	case v.Action == Deny:
		want = KindDenied
	}
	if v.Kind != want {
		t.Errorf("%v: kind %q, want %q", v, v.Kind, want)
	}
}

// checkCursor compares Judge with cursors that start at each ancestor.
func checkCursor(t testing.TB, p *Policy, a Access, want Verdict) {
	t.Helper()
	names := strings.Split(strings.TrimPrefix(a.Real, "/"), "/")
	if a.Real == "/" || a.Requested != "" {
		return
	}
	for start := range names {
		dir := a
		dir.Real = "/" + strings.Join(names[:start], "/")
		c := p.CursorFor(dir)
		for _, name := range names[start : len(names)-1] {
			c = c.Enter(name)
		}
		if got := c.Judge(names[len(names)-1], a.Dir, a.Link); got != want {
			t.Errorf("cursor from %s to %s: got %v, want %v", dir.Real, a.Real, got, want)
		}
	}
}
