package policy

import "slices"

// builtin is a pattern that is refused without being asked for: a sensitive
// file, or one that is protected from change.
type builtin struct {
	name   string // as verdicts spell it
	text   string // the pattern, relative ones match at any depth
	kind   string
	only   form
	exact  bool     // does not cover what lies beneath
	except []string // endings of the last segment that are harmless
	// folder marks directories that whole projects are kept in, as agents keep
	// worktrees below .claude. They protect what lies in them, but are no reason
	// against a workspace that itself lies deeper in one.
	folder bool
}

// form restricts a built-in to objects of one form.
type form uint8

const (
	anyForm form = iota
	notDirectory
	linkOnly
)

func (f form) fits(dir, link bool) bool {
	switch f {
	case notDirectory:
		return !dir
	case linkOnly:
		return link
	default:
		return true
	}
}

const (
	sensitivePrefix = "builtin:sensitive:"
	protectedPrefix = "builtin:protected:"
)

// privateKeys are the names that ssh-keygen gives private keys. The protocol-1
// name "identity" is left out: directories of source code are called that.
var privateKeys = []string{
	"id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "id_xmss",
}

// histories are the files where shells, database clients and interpreters keep
// what was typed. The glob holds the many that are named .NAME_history.
var histories = []string{
	".*_history", ".history", ".zhistory", ".histfile", "fish_history", ".lesshst", ".viminfo",
	".irb-history", ".clickhouse-client-history", ".octave_hist", ".dbshell",
}

var sensitivePaths = slices.Concat([]string{
	".ssh/**", ".gnupg/**", ".aws/**", ".kube/**", ".azure/**", ".config/gh/**", ".config/gcloud/**",
	".docker/config.json", ".netrc", ".pypirc", ".git-credentials",
	".cargo/credentials*", ".terraform.d/credentials.tfrc.json",
	".env", ".env.*", ".envrc",
	"*.p12", "*.pfx",
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers",
}, privateKeys, histories)

// envTemplates end the names of .env.* files that are made to be shared.
var envTemplates = []string{".example", ".sample", ".template", ".dist"}

// startupFiles are read, and so run, by the operator's next shell or session.
var startupFiles = []string{
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
	".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".config/fish/**",
	".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment",
	".envrc",
}

// toolFolders configure editors and agents, and can make them run commands.
var toolFolders = []string{
	".vscode", ".idea", ".devcontainer", ".claude", ".cursor", ".codex", ".gemini", ".husky",
}

// gitDirs are where git keeps repositories inside of a .git directory. A
// submodule's path can have several segments.
var gitDirs = []string{".git", ".git/modules/*/**", ".git/worktrees/*/**"}

// gitFiles make git run programs, or read its configuration from elsewhere.
var gitFiles = []string{"config*", "commondir", "gitdir", "info/attributes"}

func builtins() []builtin {
	var all []builtin
	for _, text := range sensitivePaths {
		b := builtin{name: sensitivePrefix + text, text: text, kind: KindDenied}
		if text == ".env.*" {
			b.except = envTemplates
		}
		all = append(all, b)
	}
	protect := func(b builtin) {
		b.name, b.kind = protectedPrefix+b.text, KindProtected
		all = append(all, b)
	}
	for _, dir := range gitDirs {
		protect(builtin{text: dir + "/hooks/**"})
		for _, file := range gitFiles {
			protect(builtin{text: dir + "/" + file, exact: true})
		}
	}
	// A file or link of this name sends git to a repository elsewhere; a link
	// in the place of one of these directories does the same to a part of it.
	protect(builtin{text: ".git", only: notDirectory, exact: true})
	for _, dir := range []string{".git/info", ".git/modules/**", ".git/worktrees/**"} {
		protect(builtin{text: dir, only: linkOnly, exact: true})
	}
	for _, dir := range toolFolders {
		protect(builtin{text: dir + "/**", folder: true})
	}
	for _, file := range slices.Concat(startupFiles, []string{".devcontainer.json", ".mcp.json"}) {
		protect(builtin{text: file})
	}
	return all
}
